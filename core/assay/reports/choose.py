"""What a run writes, and where: from ``-o``, ``-r`` and the installed reporters."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import evolve, field, frozen

from assay.errors import ConfigError
from assay.journal.file import Place
from assay.reports.installed import installed_reporters
from assay.reports.sink import is_device
from assay.suggest import did_you_mean, hint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from assay.discovery.manager import Plugins
    from assay.model.case import Suite
    from assay.reports.installed import InstalledReporter


@frozen(kw_only=True)
class PagePlan:
    """A page that will be written."""

    reporter: InstalledReporter
    path: Path | None
    """Absolute; None: standard output."""
    name: str
    """The file as the user named it."""

    @property
    def stage(self) -> str:
        """What a run is doing that writes it."""
        return f"writing report {self.name} with {self.reporter.word!r}"


@frozen(kw_only=True)
class AgentPage:
    """A report that an agent writes."""

    agent: str
    """As ``-r`` names it."""
    path: Path | None
    """Absolute; None: standard output."""
    name: str
    """The file as the user named it."""
    format: str
    """What the agent is told to write: ``html``, ``markdown``, ``json`` or ``text``."""
    fallback: Path
    """Where the raw lines go when the agent fails."""


@frozen(kw_only=True)
class Choice:
    """What a run writes."""

    journal: Place
    pages: tuple[PagePlan, ...] = ()
    suites: Mapping[str, Place] = field(factory=dict[str, Place])
    """The default file of each suite, by the suite's key, where there are several."""
    is_live: bool = False
    """Whether the lines go to standard output as they happen."""
    streams: tuple[InstalledReporter, ...] = ()
    """Reporters that ``-r`` asks for and that show the run as it happens."""
    agent: AgentPage | None = None
    """What an agent writes, when ``-r`` names one."""


AGENT_FORMATS: Final = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
}
"""What a reporter agent is told of the format, by the suffix of the file; else ``text``."""


def _unknown(_: str) -> None:
    """Know of no reporter."""


@frozen(kw_only=True)
class Chooser:
    """Chooses reporters by word and suffix, and names the files."""

    installed: Sequence[InstalledReporter]
    cwd: Path
    """What relative paths are relative to."""
    why_missing: Callable[[str], str | None] = _unknown
    """Why a reporter that is installed cannot be used; None when none has that word."""

    def choose(
        self,
        outputs: Sequence[str],
        reporter: str | None,
        *,
        suites: Sequence[Suite] = (),
        now: datetime | None = None,
        is_live: bool = False,
        into: Place | None = None,
    ) -> Choice:
        """Choose what a run writes, without making anything.

        Args:
            outputs: The values of ``-o``.
            reporter: The value of ``-r``.
            suites: What will run.
            now: Local time, for the default file; None: there is none.
            is_live: Whether ``--json`` was given.
            into: The journal, where it is chosen already.

        Raises:
            ConfigError: A value is wrong.
        """
        inputs = [suite.path for suite in suites]
        if reporter is not None and self._is_agent(reporter):
            written = self._agent_page(reporter, outputs, suites, now)
            if written.path is None and is_live:
                raise ConfigError(
                    f"-r {reporter}: it and --json would both write to standard output;"
                    " name a file for it with -o"
                )
            rest = self.choose(outputs[1:], None, suites=suites, is_live=is_live, into=into)
            return evolve(rest, agent=written)
        asked = None if reporter is None else self.by_word(reporter)
        pages = self._pages(outputs, asked, inputs)
        streams = () if asked is None or asked.is_page else (asked,)
        for page in pages:
            if page.path is None and page.reporter.is_journal:
                is_live = True
            elif page.path is None and is_live:
                raise ConfigError(
                    f"-r {reporter}: it and --json would both write to standard output;"
                    " name a file for it with -o"
                )
        pages = [page for page in pages if page.path is not None or not page.reporter.is_journal]
        if into is not None:
            return Choice(journal=into, pages=tuple(pages), is_live=is_live, streams=streams)
        for page in pages:
            if page.path is not None and page.reporter.is_journal and not is_device(page.path):
                return Choice(
                    journal=Place(page.path),
                    pages=tuple(other for other in pages if other is not page),
                    is_live=is_live,
                    streams=streams,
                )
        files = {} if outputs or is_live or now is None else self._default_files(suites, now)
        if len(suites) == len(files) == 1:
            place, files = files.popitem()[1], {}
        else:
            place = Place(self._hidden_folder(pages, files), "hidden")
        return Choice(
            journal=place, pages=tuple(pages), suites=files, is_live=is_live, streams=streams
        )

    def pages(self, outputs: Sequence[str], reporter: str | None) -> tuple[PagePlan, ...]:
        """Choose the pages of a run that is over, as ``assay report`` writes them.

        Raises:
            ConfigError: A value is wrong, or there is nothing to write.
        """
        asked = None if reporter is None else self.by_word(reporter)
        if asked is not None and not asked.is_page:
            raise ConfigError(f"-r {reporter}: it shows a run as it happens, and this one is over")
        pages = self._pages(outputs, asked, ())
        if not pages:
            raise ConfigError("nothing to write; name a file with -o, or a reporter with -r")
        return tuple(pages)

    def by_word(self, word: str) -> InstalledReporter:
        """The reporter that ``-r`` names, by its word or with ``report.`` before it.

        Raises:
            ConfigError: There is none.
        """
        by_word = {reporter.word: reporter for reporter in self.installed}
        plain = word.removeprefix("report.")
        found = by_word.get(word) or by_word.get(plain)
        if found is not None:
            return found
        why = self.why_missing(plain)
        if why is not None:
            raise ConfigError(f"-r {word}: {why}")
        raise ConfigError(f"-r {word}: there is no such reporter; {hint(plain, sorted(by_word))}")

    def by_suffix(self, name: str) -> InstalledReporter:
        """The reporter that writes files of such a name. Ours come before those of strangers.

        Raises:
            ConfigError: There is none, or several strangers do.
        """
        ending = Path(name).name.lower()
        found = [
            reporter
            for reporter in self.installed
            if any(ending.endswith(suffix) for suffix in reporter.suffixes)
        ]
        found = [reporter for reporter in found if reporter.is_own] or found
        if len(found) == 1:
            return found[0]
        if found:
            several = " and ".join(f"{reporter.word} of {reporter.origin}" for reporter in found)
            raise ConfigError(f"-o {name}: {several} write such files; choose one with -r")
        suffix = Path(name).suffix
        what = f"no reporter writes {suffix} files" if suffix else "the name has no suffix"
        known = ", ".join(
            f"{reporter.word} ({' '.join(reporter.suffixes)})"
            for reporter in self.installed
            if reporter.suffixes
        )
        raise ConfigError(
            f"-o {name}: {what}; use a suffix of an installed reporter, or name one with -r:"
            f" {known or 'none is installed'}"
        )

    def _is_agent(self, word: str) -> bool:
        """Whether ``-r`` names an agent: anything that is no reporter, nor a mistyped one."""
        words = [reporter.word for reporter in self.installed]
        plain = word.removeprefix("report.")
        if word in words or plain in words or self.why_missing(plain) is not None:
            return False
        return did_you_mean(plain, words) is None

    def _agent_page(
        self, agent: str, outputs: Sequence[str], suites: Sequence[Suite], now: datetime | None
    ) -> AgentPage:
        inputs = {
            os.path.realpath(suite.path): "is a file of cases" for suite in suites if suite.path
        }
        path = self._free_path(outputs[0], inputs) if outputs else None
        alone = suites[0].path if len(suites) == 1 else None
        folder = alone.parent if alone is not None else self.cwd
        stamp = "" if now is None else f"-{now:%Y%m%d%H%M%S}"
        suffix = "" if path is None else path.suffix.lower()
        return AgentPage(
            agent=agent,
            path=path,
            name=outputs[0] if outputs else "standard output",
            format=AGENT_FORMATS.get(suffix, "text"),
            fallback=folder / f"output{stamp}.jsonl",
        )

    def _pages(
        self, outputs: Sequence[str], asked: InstalledReporter | None, inputs: Sequence[Path | None]
    ) -> list[PagePlan]:
        """The pages: the reporter that was asked for writes the first, or standard output."""
        waiting = asked if asked is not None and asked.is_page else None
        if not outputs and waiting is not None:
            return [PagePlan(reporter=waiting, path=None, name="standard output")]
        taken = {
            os.path.realpath(path): "is a file of cases" for path in inputs if path is not None
        }
        pages: list[PagePlan] = []
        for name in outputs:
            path = self._free_path(name, taken)
            pages.append(PagePlan(reporter=waiting or self.by_suffix(name), path=path, name=name))
            waiting = None
        return pages

    def _free_path(self, name: str, taken: dict[str, str]) -> Path:
        """The path that ``-o`` names; it is taken then."""
        if name in ("", "-"):
            raise ConfigError(
                f"-o {name!r}: name a file; without -o, -r NAME writes to standard output"
            )
        path = self.cwd / name
        try:
            real = os.path.realpath(path)
            is_folder = name.endswith(("/", os.sep)) or path.is_dir()
        except (OSError, ValueError) as error:
            raise ConfigError(f"-o {name}: {error}; name another file") from error
        if is_folder:
            raise ConfigError(f"-o {name}: it is a folder; name a file in it")
        if real in taken:
            raise ConfigError(f"-o {name}: it {taken[real]} too; name another file")
        if not is_device(path):
            taken[real] = "is written by another -o"
        return path

    def _default_files(self, suites: Sequence[Suite], now: datetime) -> dict[str, Place]:
        """The file that each suite gets when no ``-o`` names one."""
        journal = next((reporter for reporter in self.installed if reporter.is_journal), None)
        if journal is None:
            return {}
        name = f"output-{now:%Y%m%d%H%M%S}{journal.suffixes[0]}"
        return {
            suite.key: Place((suite.path.parent if suite.path else self.cwd) / name, "beside")
            for suite in suites
            if suite.message is None
        }

    def _hidden_folder(self, pages: Sequence[PagePlan], files: Mapping[str, Place]) -> Path:
        """Beside the first file that the user gets, so that it is found after a crash."""
        for page in pages:
            if page.path is not None and not is_device(page.path):
                return page.path.parent
        for place in files.values():
            return place.path.parent
        import tempfile

        return Path(tempfile.gettempdir())


def make_chooser(plugins: Plugins, cwd: Path) -> Chooser:
    """Make what chooses among the reporters that are installed.

    Args:
        plugins: All plugins.
        cwd: What relative paths are relative to.
    """
    return Chooser(
        installed=installed_reporters(plugins),
        cwd=cwd,
        why_missing=lambda word: plugins.why_missing("reporter", word),
    )
