"""Shows a run on the terminal that it is started on, a step per line of standard input."""

from __future__ import annotations

import os
import sys

import click
from conftest import Make  # type: ignore[import-not-found, unused-ignore]

from assay import ReportContext
from assay_plugins.reporters.terminal import Terminal


def main(mode: str) -> None:
    """Show the run; ``crash`` leaves in the middle of it."""
    make = Make()
    bad = make.check(message="$.need_search: expected true, got false")
    results = [
        make.result("T001"),
        make.result("T002", attempts=[make.attempt("failed", checks=[bad])], index=1),
        make.result("T003", index=2),
        make.result("T004", index=3),
    ]
    info = make.info([make.suite(cases=len(results))])
    context = ReportContext(
        info=info,
        environ=dict(os.environ),
        stderr=sys.stderr,
        animated=True,
        color=mode == "color",
    )
    reporter = Terminal(context, None)
    reporter.start(info)
    for result in results:
        sys.stdin.readline()
        if mode == "crash" and result.index == 2:
            click.echo("Error: it broke off", err=True)
            raise SystemExit(3)
        print(f"asked {result.case.id}", file=sys.stderr)
        reporter.result(result)
    sys.stdin.readline()
    reporter.finish(make.summary(results, info))
    reporter.written(["report.html"])


if __name__ == "__main__":
    main(sys.argv[1])
