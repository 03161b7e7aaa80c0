"""The ``report`` command: reports of a run that is over, from its JSON lines."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from assay import hookimpl
from assay_plugins.commands._reports import report_options
from assay_plugins.commands._told import name_reports, warn


@click.command("report", short_help="Write reports from the JSON lines of a run.")
@click.argument("results", type=click.Path())
@report_options
@click.option(
    "--summary-only",
    is_flag=True,
    help="Let the Markdown report be so short that it fits into a comment on a pull request.",
)
@click.pass_context
def report(
    ctx: click.Context,
    /,
    results: str,
    outputs: tuple[str, ...],
    reporter: str | None,
    sets: tuple[str, ...],
    summary_only: bool,
) -> None:
    """Write reports from RESULTS, the JSON lines of a run.

    They are what the run itself would have written. The exit code is 0 when they stand, whatever
    the cases did.
    """
    import assay

    if summary_only:
        if not outputs and reporter is None:
            reporter = "markdown"
        elif not _writes_markdown(outputs, reporter):
            raise assay.ConfigError(
                "--summary-only: it is about Markdown, which is not asked for; name a file with"
                " -o FILE.md, or add -r markdown"
            )
        sets = (*sets, "reporter.markdown.summary_only=true")
    written = assay.write_reports(
        results,
        output=outputs,
        reporter=reporter,
        plugins=ctx.obj.plugins,
        stdout=sys.stdout,
        sets=sets,
    )
    warn(written.warnings)
    name_reports(written.paths)


def _writes_markdown(outputs: Sequence[str], reporter: str | None) -> bool:
    if reporter is not None and reporter.removeprefix("report.") == "markdown":
        return True
    by_suffix = outputs if reporter is None else outputs[1:]
    return any(name.lower().endswith((".md", ".markdown")) for name in by_suffix)


@hookimpl
def assay_commands() -> Sequence[click.Command]:
    """Offer ``report``."""
    return [report]
