"""The plugins of a run, made with their settings; the secrets in these are kept for masking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from assay.contracts import WrapContext
from assay.errors import ConfigError
from assay.running.named import named_executor
from assay.secret import Redactor
from assay.settings.gather import Sources
from assay.settings.plugin import build, build_one, check_words, raw

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from assay.contracts import Executor, ExecutorContext, Transport, TransportType
    from assay.discovery.manager import Plugins
    from assay.model.case import AgentRef
    from assay.reports.installed import InstalledReporter
    from assay.secret import Secret
    from assay.settings.assignment import Assignment
    from assay.settings.files import SettingsFiles

_CONFIGURABLE = ("transport", "reporter", "script", "executor", "select", "wrap")


@frozen(kw_only=True)
class SettingsHome:
    """Where the settings of plugins come from, for any folder."""

    sets: Sequence[Assignment]
    environ: Mapping[str, str]
    files: SettingsFiles
    cwd: Path

    def sources(self, folder: Path) -> Sources:
        """Give the sources that hold for a folder."""
        return Sources(
            sets=self.sets, environ=self.environ, files=self.files.above(folder), cwd=self.cwd
        )


@define(eq=False)
class Equipment:
    """Makes plugins with their settings."""

    plugins: Plugins
    home: SettingsHome
    warnings: dict[str, None] = field(factory=dict[str, None], init=False)
    """In the order in which they came up, each once."""
    _reporters: dict[str, object] = field(factory=dict[str, object], init=False)
    _secrets: list[Secret] = field(factory=list["Secret"], init=False)
    _redactor: tuple[int, Redactor] | None = field(default=None, init=False)
    """The last one made, and of how many secrets."""
    _shared: dict[str, object] = field(factory=dict[str, object], init=False)
    """What the wraps of this run share."""

    def check(self, folders: Sequence[Path]) -> None:
        """Look whether the plugins that settings are for exist.

        Raises:
            ConfigError: A ``--set`` is for none.
        """
        known = {kind: self.plugins.words(kind) for kind in _CONFIGURABLE}
        for folder in dict.fromkeys([self.home.cwd, *folders]):
            self._warn(check_words(self.home.sources(folder), known))

    def settings(self, kind: str, word: str, cls: object, folder: Path | None = None) -> Any:
        """Build the settings of a plugin.

        Args:
            kind: Its kind.
            word: Its word.
            cls: Its class.
            folder: Whose settings files hold; None: the working directory's.

        Raises:
            ConfigError: With every key and value that is wrong or missing.
        """
        built = build(self.home.sources(folder or self.home.cwd), kind, word, cls)
        self._secrets += built.secrets
        self._warn(built.warnings)
        return built.settings

    def max_file_size(self, agent: AgentRef, folder: Path) -> int | None:
        """Give ``max_file_size`` of an agent's transport; None when it has no such setting.

        Raises:
            ConfigError: The transport is not installed, or the value is wrong.
        """
        cls = self._transport_type(agent)
        sources = self.home.sources(folder)
        value = build_one(sources, "transport", agent.transport, cls, "max_file_size")
        return value if isinstance(value, int) else None

    def plain(self, kind: str, word: str, folder: Path | None = None) -> Mapping[str, Any]:
        """Give the settings of a plugin that takes a plain mapping."""
        return raw(self.home.sources(folder or self.home.cwd), kind, word)

    def wrap_context(
        self,
        *,
        tell: Callable[[str], None],
        fail: Callable[[str], None],
        is_stopped: Callable[[], bool],
        use_of: Callable[[Path], str | None],
        is_local: bool,
        is_resumed: bool,
    ) -> WrapContext:
        """Make what the wraps of a run are told; see ``assay.WrapContext``."""
        return WrapContext(
            cwd=self.home.cwd,
            shared=self._shared,
            redact=self.redact,
            tell=tell,
            fail=fail,
            is_stopped=is_stopped,
            use_of=use_of,
            is_local=is_local,
            is_resumed=is_resumed,
        )

    def transport(
        self, agent: AgentRef, folder: Path, context: WrapContext | None = None
    ) -> Transport:
        """Make an unopened transport, with its wraps.

        Args:
            agent: What it reaches.
            folder: Whose settings files hold.
            context: What wraps are told; None: that attempts are carried out elsewhere, too.

        Raises:
            ConfigError: It is not installed, or a setting or the target is wrong.
            RunError: A wrap failed.
        """
        cls = self._transport_type(agent)
        made = cls(agent, self.settings("transport", agent.transport, cls, folder))
        told = context or WrapContext(
            cwd=self.home.cwd, shared=self._shared, redact=self.redact, is_local=False
        )
        return self.plugins.wrap(made, agent, lambda word: self.plain("wrap", word, folder), told)

    def _transport_type(self, agent: AgentRef) -> TransportType:
        try:
            return self.plugins.transport(agent.transport)
        except ConfigError as error:
            mend = "Name another with --transport, or write -n TRANSPORT:TARGET."
            raise ConfigError(f"agent {agent.name!r}: {error} {mend}") from error

    def executor(self, word: str, context: ExecutorContext) -> Executor:
        """Make an executor.

        Raises:
            ConfigError: It is not installed, or a setting is wrong.
            RunError: It cannot be made.
        """
        cls: Any = self.plugins.executor(word)
        settings = self.settings("executor", word, cls)
        name = f"{word} of {self.plugins.origin('executor', word).origin}"
        return named_executor(name, lambda: cls(context, settings))

    def reporter(self, reporter: InstalledReporter) -> object:
        """Build the settings of a reporter, once.

        Raises:
            ConfigError: With every key and value that is wrong or missing.
        """
        if reporter.word not in self._reporters:
            built = self.settings("reporter", reporter.word, reporter.type)
            self._reporters[reporter.word] = built
        return self._reporters[reporter.word]

    def masker(self) -> Redactor | None:
        """Make what replaces the secrets in use; None when there are none."""
        if not self._secrets:
            return None
        redactor = Redactor(self._secrets)
        self._warn(redactor.warnings)
        return redactor

    def text_masker(self) -> Callable[[str], str]:
        """Make what replaces the secrets in use in a text."""
        masker = self.masker()
        return str if masker is None else masker.text

    def redact(self, value: object) -> object:
        """Replace the secrets in use until now in a JSON value; a copy where there are any."""
        if not self._secrets:
            return value
        if self._redactor is None or self._redactor[0] != len(self._secrets):
            self._redactor = (len(self._secrets), Redactor(self._secrets))
        return self._redactor[1].value(value)

    def _warn(self, warnings: Sequence[str]) -> None:
        self.warnings.update(dict.fromkeys(warnings))
