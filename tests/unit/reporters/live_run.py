"""Shows a run on the terminal that it is started on, a step per line of standard input."""

from __future__ import annotations

import os
import sys

import click
from conftest import Make  # type: ignore[attr-defined, import-not-found, unused-ignore]

from assay import ReportContext
from assay_plugins.reporters.terminal import Terminal


def main(mode: str) -> None:
    """Show the run; ``crash`` leaves in the middle of it, ``break`` tells the reporter so."""
    if mode == "own":
        own_the_terminal()
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
        if mode == "break" and result.index == 2:
            reporter.close()
            sys.stderr.write("Error: it broke off\n")
            sys.stdin.readline()
            return
        print(f"asked {result.case.id}", file=sys.stderr)
        reporter.result(result)
    sys.stdin.readline()
    reporter.finish(make.summary(results, info))
    reporter.written(["report.html"])


def own_the_terminal() -> None:
    """Make it the controlling terminal, as that of a shell is."""
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(2, termios.TIOCSCTTY, 0)


if __name__ == "__main__":
    main(sys.argv[1])
