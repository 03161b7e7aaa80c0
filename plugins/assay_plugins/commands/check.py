"""The ``check`` command: every fault of case files, without asking an agent."""

from __future__ import annotations

from collections.abc import Sequence

import click

from assay import hookimpl
from assay_plugins.commands._told import warn


@click.command("check", short_help="Find every fault of case files, and ask no agent.")
@click.argument("inputs", nargs=-1)
@click.option(
    "-i",
    "--input",
    "more",
    multiple=True,
    metavar="SOURCE",
    help="A case file, a folder or a glob; the same as an argument.",
)
@click.option("-n", "--name", "agent", metavar="AGENT", help="Check against this agent.")
@click.option("--strict", is_flag=True, help="Refuse fields that nobody knows.")
@click.option("--json", "as_json", is_flag=True, help="Write what was found as JSON.")
@click.pass_context
def check(
    ctx: click.Context,
    /,
    inputs: tuple[str, ...],
    more: tuple[str, ...],
    agent: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Find every fault of case files, of their agents and settings, and ask no agent.

    Without an INPUT, the working directory is checked. The exit code is 2 when there are faults.
    """
    import json

    import assay
    from assay.escape import one_line

    found = assay.check(
        *(inputs + more or (".",)), agent=agent, plugins=ctx.obj.plugins, strict=strict or None
    )
    warn(found.warnings)
    if as_json:
        suites = [
            {
                "source": suite.source,
                "agent_id": suite.agent_id,
                "transport": suite.transport,
                "cases": suite.cases,
                "skipped": suite.skipped,
                "unasserted": suite.unasserted,
            }
            for suite in found.suites
        ]
        click.echo(json.dumps({"suites": suites, "warnings": list(found.warnings)}, indent=2))
        return
    for suite in found.suites:
        notes = [f"agent {suite.agent_id} over {suite.transport}"]
        if suite.skipped:
            notes.append(f"{suite.skipped} skipped")
        if suite.unasserted:
            notes.append(f"{suite.unasserted} without checks")
        click.echo(one_line(f"{suite.source}: {_cases(suite.cases)}, {', '.join(notes)}"))
    click.echo("no faults")


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"


@hookimpl
def assay_commands() -> Sequence[click.Command]:
    """Offer ``check``."""
    return [check]
