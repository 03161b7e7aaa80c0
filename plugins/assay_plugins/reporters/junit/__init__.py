"""The ``junit`` reporter: a run as JUnit XML, for Jenkins, GitLab and tools on GitHub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, ClassVar

from assay import hookimpl

if TYPE_CHECKING:
    from assay import PageReporter, Report, StreamReporter


class JUnit:
    """Writes the elements and attributes of Maven Surefire, which all tools read.

    A suite is a ``testsuite``, a case a ``testcase`` whose class is its file. A case that failed
    has a ``failure``, one that ended in an error or a timeout an ``error``; the attempts and
    tries that went wrong before a case passed are each a ``flakyFailure``.
    """

    name: ClassVar[str] = "junit"
    suffixes: ClassVar[tuple[str, ...]] = (".xml",)

    def __init__(self, settings: None = None) -> None:
        pass

    def write(self, report: Report, out: IO[str]) -> None:
        """Write the document."""
        from assay_plugins.reporters.junit.document import write_document

        write_document(report, out)


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter] | type[StreamReporter]]:
    """Offer ``junit``."""
    return [JUnit]
