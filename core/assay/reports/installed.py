"""The reporters that are installed, and what they can be asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import frozen

from assay.discovery.problems import describe_error
from assay.discovery.records import OWN, origin

if TYPE_CHECKING:
    from assay.contracts import PageReporter, StreamReporter
    from assay.discovery.manager import Plugins

    ReporterType: TypeAlias = type[PageReporter] | type[StreamReporter]


@frozen(kw_only=True)
class InstalledReporter:
    """A class of reporters, and the plugin that offers it."""

    word: str
    type: ReporterType
    distribution: str
    version: str = ""

    @property
    def origin(self) -> str:
        """Whose it is, for people."""
        return origin(self.distribution, self.version)

    @property
    def is_own(self) -> bool:
        """Whether it is ours, and keeps its suffixes against strangers."""
        return self.distribution == OWN

    @property
    def is_page(self) -> bool:
        """Whether it writes once, after the run; else it shows the run as it happens."""
        return callable(getattr(self.type, "write", None))

    @property
    def is_journal(self) -> bool:
        """Whether its file is the journal itself."""
        return bool(getattr(self.type, "journal", False))

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of the files that it writes, with the dot, in lower case."""
        listed: Any = getattr(self.type, "suffixes", ())
        return tuple(suffix.lower() for suffix in listed) if self.is_page else ()

    def failure(self, error: BaseException) -> str:
        """Say in one sentence that the reporter raised."""
        return f"reporter {self.word} of {self.origin} failed: {describe_error(error)}"


def installed_reporters(plugins: Plugins) -> tuple[InstalledReporter, ...]:
    """All reporters that can be used, in the order of their words."""
    found: list[InstalledReporter] = []
    for word, reporter in plugins.reporters().items():
        record = plugins.origin("reporter", word)
        found.append(
            InstalledReporter(
                word=word,
                type=reporter,
                distribution=record.distribution,
                version=record.version,
            )
        )
    return tuple(found)
