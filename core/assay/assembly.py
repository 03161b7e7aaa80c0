"""What the cases of a suite need to be read and carried out, made from plugins and settings.

Planning uses it here, and a worker elsewhere that was told by a blueprint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from assay.agents import named_agent
from assay.cases.needs import Needs
from assay.codec.cases import CaseReader
from assay.codec.checks import make_check_reader
from assay.codec.converter import Structurer
from assay.errors import ConfigError
from assay.model.files import MOST_BYTES, FileAccess
from assay.roots import application_root
from assay.scripts.find import find as find_script

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from assay.codec.checks import CheckReader
    from assay.contracts import ScriptEngine
    from assay.equipment import Equipment
    from assay.model.case import AgentRef
    from assay.scripts.find import Found
    from assay.settings.layers import SuiteSettings


@define(eq=False)
class Assembly:
    """Makes readers of cases, and finds what their checks need."""

    equipment: Equipment
    checks: CheckReader = field(init=False)
    _engines: dict[str, ScriptEngine] = field(factory=dict[str, "ScriptEngine"], init=False)

    def __attrs_post_init__(self) -> None:
        plugins = self.equipment.plugins
        self.checks = make_check_reader(
            Structurer(),
            lambda: plugins.words("assertion"),
            plugins.assertion,
            lambda word: plugins.why_missing("assertion", word),
        )

    @property
    def engines(self) -> Mapping[str, ScriptEngine]:
        """The script engines by name; made when a script is first looked for."""
        if not self._engines:
            for cls in self.equipment.plugins.engines():
                made: Any = cls
                settings = self.equipment.settings("script", cls.name, cls)
                self._engines[cls.name] = made(settings)
        return self._engines

    @property
    def engines_made(self) -> Mapping[str, ScriptEngine]:
        """The script engines by name; none when no script was looked for."""
        return self._engines

    def reader(self, settings: SuiteSettings) -> CaseReader:
        """Make what reads the cases of a suite."""
        return CaseReader(self.checks, settings.strict)

    def needs(self, folder: Path, agent: AgentRef, settings: SuiteSettings) -> Needs:
        """Make what finds the needs of a suite's cases.

        Args:
            folder: Of the case file.
            agent: What the suite tests.
            settings: Of the suite.
        """

        def find(reference: str) -> Found:
            return find_script(
                reference,
                case_folder=folder,
                agent_folder=agent.path or self._agent_folder(folder),
                root=agent.root or application_root(folder),
                cwd=self.equipment.home.cwd,
                engines=list(self.engines.values()),
            )

        return Needs(
            folder=folder,
            find_script=find,
            find_agent=lambda reference: self.named(reference, settings),
        )

    def _agent_folder(self, start: Path) -> Path | None:
        """Give the agent's folder that cases lie in: their scripts do not change with ``-n``."""
        for folder in (start, *start.parents):
            if self.equipment.plugins.describe_folder(folder):
                return folder
        return None

    def files(self, folder: Path, agent: AgentRef, settings: SuiteSettings) -> FileAccess:
        """Say which files the cases of a suite may attach.

        Args:
            folder: Of the case file.
            agent: What the suite tests: its transport's settings may say how large a file may be.
            settings: Of the suite.

        Raises:
            ConfigError: A folder of ``--allow-files`` is none, or a setting is wrong.
        """
        allowed = [self.equipment.home.cwd / name for name in settings.allow_files]
        for path in allowed:
            if not path.is_dir():
                label = settings.origins.get("allow_files", "--allow-files")
                raise ConfigError(f"{label} {path}: no such folder; mend the path")
        max_size = self.equipment.max_file_size(agent, folder)
        return FileAccess(
            folder=folder,
            roots=(agent.root or application_root(folder) or folder, *allowed),
            max_size=MOST_BYTES if max_size is None else max_size,
        )

    def named(self, name: str, settings: SuiteSettings) -> AgentRef:
        """Read an agent in the form of ``-n``.

        Raises:
            ConfigError: It looks like a mistyped transport.
        """
        plugins = self.equipment.plugins
        return named_agent(
            name,
            transports=plugins.words("transport"),
            why_missing=lambda word: plugins.why_missing("transport", word),
            default_transport=settings.transport_override or settings.transport,
            cwd=self.equipment.home.cwd,
        )
