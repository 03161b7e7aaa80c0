"""The ``markdown`` reporter: a run as a page of Markdown, for people and pull requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, ClassVar

from attrs import frozen

from assay import hookimpl

if TYPE_CHECKING:
    from assay import CaseResult, PageReporter, Report, StreamReporter


class Markdown:
    """Writes summary, environment, stability, every case with what failed, and what was skipped.

    Nothing in an id, an answer or a message can end its heading, cell or block. Long texts are
    cut, which is said; the JSON reports hold them whole.
    """

    name: ClassVar[str] = "markdown"
    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown")

    @frozen(kw_only=True)
    class Settings:
        """What can be set."""

        summary_only: bool = False
        """Whether the page is the figures, and as much of what did not pass as a comment holds."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Markdown.Settings()

    def write(self, report: Report, out: IO[str]) -> None:
        """Write the page, case by case."""
        from assay_plugins.reporters.markdown.page import brief_page, page

        if self._settings.summary_only:
            out.write(brief_page(report))
            return
        for line in page(report):
            out.write(line + "\n")

    def write_case(self, result: CaseResult, out: IO[str]) -> None:
        """Write the page of a single case."""
        from assay_plugins.reporters.markdown.page import page_of_case

        out.write(page_of_case(result))


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter] | type[StreamReporter]]:
    """Offer ``markdown``."""
    return [Markdown]
