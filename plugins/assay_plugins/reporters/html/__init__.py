"""The ``html`` reporter: a run as a page for a browser, in one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, ClassVar

from assay import hookimpl, to_json
from assay.escape import one_line
from assay.jsonvalue import dumps
from assay_plugins.reporters._facts import agent_phrase, counts_phrase, percent

if TYPE_CHECKING:
    from assay import PageReporter, Report, StreamReporter
    from assay_plugins.reporters.html.blocks import BlockFile
    from assay_plugins.reporters.html.template import Template


class Html:
    """Writes a page that needs nothing beside itself: no network, no other file.

    All that an agent said stands in it compressed, and becomes text or a few safe elements in
    the browser; its policy lets nothing run but the page's own script.
    """

    name: ClassVar[str] = "html"
    suffixes: ClassVar[tuple[str, ...]] = (".html", ".htm")

    def __init__(self, settings: None = None) -> None:
        pass

    def write(self, report: Report, out: IO[str]) -> None:
        """Write the page, result by result; their details stand at its end."""
        from assay_plugins.reporters.html.blocks import BlockFile
        from assay_plugins.reporters.html.template import read_template

        with BlockFile() as details:
            for piece in _page(report, read_template(), details):
                out.write(piece)


def _page(report: Report, template: Template, details: BlockFile) -> Iterator[str]:
    from html import escape

    from assay_plugins.reporters.html.policy import content_policy

    policy = content_policy([template.script], [template.style])
    summary = report.summary
    title = one_line(agent_phrase(summary.agent_id, summary.connector), 120)
    counts = f"{counts_phrase(summary.counts)} ({percent(summary.counts.pass_rate)})"
    return template.fill(
        {
            "policy": lambda: iter((escape(policy),)),
            "title": lambda: iter((escape(title),)),
            "counts": lambda: iter((escape(counts),)),
            "style": lambda: iter((template.style,)),
            "script": lambda: iter((template.script,)),
            "run": lambda: iter((_run(report),)),
            "index": lambda: _index(report, details),
            "details": details.read,
        }
    )


def _run(report: Report) -> str:
    """How the run started and ended, as JSON that no HTML parser sees anything in."""
    run = {
        "start": to_json(report.info),
        "summary": to_json(report.summary),
        "exit_code": report.exit_code,
    }
    return dumps(run).replace("<", "\\u003c").replace("\x7f", "\\u007f")


def _index(report: Report, details: BlockFile) -> Iterator[str]:
    """Give the blocks of the table, and keep the details of each result for later."""
    from assay_plugins.reporters.html.extras import extras
    from assay_plugins.reporters.html.index import Index
    from assay_plugins.reporters.html.rendered import Renderer

    renderer = Renderer()
    index = Index({suite.source: number for number, suite in enumerate(report.info.suites)})
    for result in report.cases:
        yield from index.add(result)
        details.add(dumps(to_json(result)), dumps(extras(result, renderer)))
    yield from index.rest()


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter] | type[StreamReporter]]:
    """Offer ``html``."""
    return [Html]
