"""The ``github`` reporter: annotations and a step summary, where a workflow of GitHub runs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from assay import hookimpl

if TYPE_CHECKING:
    from assay import (
        Attempt,
        CaseResult,
        PageReporter,
        ReportContext,
        RunInfo,
        StreamReporter,
        Summary,
    )


class GitHub:
    """Shows cases that did not pass where they stand, and the run on the page of the workflow.

    It is on by itself where ``GITHUB_ACTIONS`` is set. At most ten cases become errors at their
    place in the case file, the others are counted. All is written when the run is over.
    """

    name: ClassVar[str] = "github"

    def __init__(self, context: ReportContext, settings: None) -> None:
        from assay_plugins.reporters.github.publication import Publication

        self._publication = Publication(context)

    @classmethod
    def wanted(cls, environ: Mapping[str, str]) -> bool:
        """On where a workflow runs; ``-p no:reporter.github`` takes it out."""
        return bool(environ.get("GITHUB_ACTIONS"))

    def start(self, info: RunInfo) -> None:
        """Begin with an empty page."""
        self._publication.start(info)

    def attempt(self, result: CaseResult, attempt: Attempt) -> None:
        """Wait for the case."""

    def result(self, result: CaseResult) -> None:
        """Keep what will be shown of a case."""
        self._publication.result(result)

    def finish(self, summary: Summary) -> None:
        """Keep the figures: other reporters may still have a live line."""
        self._publication.finish(summary)

    def written(self, paths: Sequence[str]) -> None:
        """Write the annotations and the summary."""
        self._publication.publish(paths)

    def close(self) -> None:
        """Write them when the reports could not be written."""
        self._publication.publish(())


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter] | type[StreamReporter]]:
    """Offer ``github``."""
    return [GitHub]
