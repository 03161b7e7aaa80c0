"""The ``merge`` command: several runs, such as the parts of ``--shard``, as one."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from assay import hookimpl
from assay_plugins.commands._reports import report_options
from assay_plugins.commands._told import name_reports, warn


@click.command("merge", short_help="Make one report of several runs, such as the parts of --shard.")
@click.argument("results", type=click.Path(), nargs=-1, required=True)
@report_options
@click.pass_context
def merge(
    ctx: click.Context,
    /,
    results: tuple[str, ...],
    outputs: tuple[str, ...],
    reporter: str | None,
    sets: tuple[str, ...],
) -> None:
    """Put RESULTS, the JSON lines of several runs, together.

    They become one report, such as those of the parts of --shard. A case that stands in several
    files counts as in the last of them. The exit code is that of one run: 0 when all cases
    passed, 1 when some did not, 3 when a part broke off or no agent could be reached.
    """
    import assay

    merged = assay.merge_results(
        results,
        output=outputs,
        reporter=reporter,
        plugins=ctx.obj.plugins,
        stdout=sys.stdout,
        sets=sets,
    )
    warn(merged.warnings)
    name_reports(merged.paths)
    ctx.exit(merged.report.exit_code)


@hookimpl
def assay_commands() -> Sequence[click.Command]:
    """Offer ``merge``."""
    return [merge]
