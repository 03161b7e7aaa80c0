"""``assay plugins``: what is installed, whose it is, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli.app import App
from assay.cli.common import plugin_options
from assay.cli.stdio import results_stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.discovery.manager import Plugins
    from assay.discovery.problems import Problem
    from assay.discovery.records import Record


@click.command("plugins")
@click.option("--json", "as_json", is_flag=True, help="Write the list as JSON.")
@click.option("--check", is_flag=True, help="Import and judge each; exit 2 if one has a problem.")
@plugin_options
@click.pass_context
def plugins(ctx: click.Context, as_json: bool, check: bool) -> None:
    """List the installed plugins and where each comes from."""
    app = ctx.ensure_object(App)
    installed = app.plugins
    with results_stream() as out:
        if check:
            for record in installed.records:
                installed.load(record)
        rows = sorted(_rows(installed), key=lambda row: tuple(row.values())[:4])
        text = (_json if as_json else _table)(rows, installed.problems)
        click.echo(text, file=out)
    if not app.debug:
        # They have just been told; with --debug they come again, with their tracebacks.
        app.untold_problems()
    if check and installed.problems:
        from assay.errors import ExitCode

        ctx.exit(ExitCode.CONFIG)


def _rows(installed: Plugins) -> Iterator[dict[str, str]]:
    for record in installed.records:
        yield _row(record, "ok" if installed.problem(record) is None else "problem")
    for record, _ in installed.found.rejected:
        yield _row(record, "problem")
    for record, _ in installed.found.disabled:
        yield _row(record, "switched off")


def _row(record: Record, state: str) -> dict[str, str]:
    return {
        "kind": record.kind,
        "word": record.word,
        "distribution": record.distribution,
        "version": record.version,
        "target": record.target,
        "state": state,
    }


def _json(rows: Sequence[dict[str, str]], problems: Sequence[Problem]) -> str:
    import json

    told = [
        {
            "plugin": problem.plugin,
            "distribution": problem.distribution,
            "version": problem.version,
            "cause": problem.cause,
        }
        for problem in problems
    ]
    return json.dumps({"plugins": rows, "problems": told}, ensure_ascii=False, indent=2)


def _table(rows: Sequence[dict[str, str]], problems: Sequence[Problem]) -> str:
    from assay.escape import one_line, terminal

    cells = [[one_line(cell) for cell in row.values()] for row in rows]
    heading = ["kind", "word", "distribution", "version", "target", "state"]
    widths = [max(map(len, column)) for column in zip(heading, *cells, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (heading, *cells)
    ]
    return "\n".join([*lines, *(f"Problem: {terminal(str(problem))}" for problem in problems)])
