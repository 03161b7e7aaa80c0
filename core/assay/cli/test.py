"""``assay test``: the job."""

from __future__ import annotations

import gc
import os
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from assay.cli.app import App
from assay.cli.failing import tell, tell_problems
from assay.cli.options import given, setting_options
from assay.cli.stdio import results_stream
from assay.errors import AssayError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.planning import Invocation
    from assay.running.watch import Watch
    from assay.running.watchdog import Watchdog
    from assay.surroundings import Surroundings


# Click alone would not say what to do with an argument that no flag stands before.
@click.command(
    "test",
    short_help="Ask an agent every case, check the answers, write reports.",
    context_settings={"allow_extra_args": True},
)
@setting_options()
@click.pass_context
def test(ctx: click.Context, /, **values: object) -> None:
    """Test an agent: ask it every case, check the answers, write reports.

    The exit code is 0 when all cases passed, 1 when some did not, 2 when something that was
    asked for is wrong, 3 when the run could not be carried out, and 130 after Ctrl-C.
    """
    app = ctx.ensure_object(App)
    if ctx.args:
        ctx.fail(f"no flag stands before {ctx.args[0]!r}; to test with it, write -i {ctx.args[0]}")
    with results_stream() as stream:
        # Imports make no garbage, and what they make stays to the end: nobody need look through it.
        gc.disable()
        # Standard output belongs to results from here on; what is imported may print.
        from assay.api import drive, start
        from assay.cli.dry_run import show_plan
        from assay.cli.message import show_answer
        from assay.planning import settings_of
        from assay.reports.log import as_log
        from assay.running.stop import Stop
        from assay.running.watch import Watch
        from assay.running.watchdog import Watchdog

        gc.freeze()
        gc.enable()
        out = as_log(stream, os.environ)
        invocation = _invocation(app, given(values))
        settings = settings_of(invocation)
        if settings.dry_run:
            show_plan(invocation, out, as_json=settings.json)
            return
        stop, watch = Stop(), Watch()
        watchdog = Watchdog(watch, stop, tell, grace=settings.grace, is_verbose=settings.verbose)
        command = shlex.join(_repeating(sys.argv[1:]))
        around = _surroundings(out, command, watch, watchdog)
        watchdog.start()
        code = int(ExitCode.RUNTIME)
        try:
            report = drive(start(invocation, around, stop), stop, watch)
            code = report.exit_code
            tell_problems(app)
            if report.is_message and not settings.json:
                # Whoever reads it may take any time, or go away.
                show_answer(report, out, sys.stderr)
                with suppress(BrokenPipeError):
                    out.flush()
        except AssayError as error:
            code = error.exit_code
            raise
        finally:
            watchdog.end(code)
    ctx.exit(report.exit_code)


def _invocation(app: App, values: Mapping[str, object]) -> Invocation:
    from assay.planning import Invocation

    return Invocation(
        plugins=app.plugins,
        given=values,
        cwd=Path.cwd(),
        environ=os.environ,
        stdin=_standard_input,
    )


def _surroundings(out: IO[str], command: str, watch: Watch, watchdog: Watchdog) -> Surroundings:
    from assay.surroundings import Surroundings

    environ = os.environ
    is_terminal = sys.stderr.isatty() and environ.get("TERM") != "dumb"
    return Surroundings(
        cwd=Path.cwd(),
        environ=environ,
        stdout=out,
        stderr=sys.stderr,
        animated=is_terminal and not environ.get("CI"),
        color=is_terminal and not environ.get("NO_COLOR"),
        command=command,
        tell=tell,
        watch=watch,
        watchdog=watchdog,
    )


def _repeating(args: Sequence[str]) -> list[str]:
    """Give the command that repeats the run: without the names of the files that it wrote."""
    kept: list[str] = []
    skip = False
    for arg in args:
        if skip:
            skip = False
        elif arg in _FILES:
            skip = True
        elif not arg.startswith(("-o", *(f"{flag}=" for flag in _FILES))):
            kept.append(arg)
    return ["assay", *kept]


_FILES: Final = ("-o", "--output", "--record", "--resume", "--retry-errors")


def _standard_input() -> IO[bytes]:
    return sys.stdin.buffer
