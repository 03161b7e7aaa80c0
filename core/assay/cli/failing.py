"""How a command ends that could not do its work: a message on stderr, and the exit code."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from assay.discovery.problems import describe_error
from assay.errors import AssayError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Generator

    from assay.cli.app import App


@contextmanager
def failures_told(app: App) -> Generator[None]:
    """Turn whatever is raised within into a message and an exit code.

    With ``--debug`` the traceback stands before the message.

    Raises:
        click.exceptions.Exit: With the exit code, the message being told.
    """
    try:
        yield
    except click.exceptions.Exit:
        raise
    except click.ClickException as error:
        # Click would end with 1, which means that a case failed.
        _in_our_words(error).show()
        raise click.exceptions.Exit(ExitCode.CONFIG) from None
    except (KeyboardInterrupt, click.Abort):
        tell("Interrupted.")
        raise click.exceptions.Exit(ExitCode.INTERRUPTED) from None
    except BrokenPipeError:
        # Who read our output wants no more of it, and no message either.
        _drop_stdout()
        raise click.exceptions.Exit(ExitCode.RUNTIME) from None
    except AssayError as error:
        _tell_traceback(app, error)
        tell(f"Error: {error}")
        app.forget_problems(str(error))
        raise click.exceptions.Exit(error.exit_code) from None
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not end in a traceback
        _tell_traceback(app, error)
        hint = "" if app.debug else "; --debug shows where"
        tell(f"Error: unexpected {describe_error(error)}{hint}")
        raise click.exceptions.Exit(ExitCode.RUNTIME) from None
    finally:
        tell_problems(app)


def tell(message: str) -> None:
    """Write a sentence for the user to stderr."""
    from assay.escape import terminal, workflow

    click.echo(workflow(terminal(message)), err=True)


def tell_problems(app: App) -> None:
    """Write the problems of plugins to stderr, each once."""
    for problem in app.untold_problems():
        if problem.error is not None:
            _tell_traceback(app, problem.error)
        tell(f"Warning: {problem}")


def _in_our_words(error: click.ClickException) -> click.ClickException:
    """Name one flag that is meant: click takes all for alike that begin with ``--``."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    from assay.suggest import did_you_mean

    flags = {
        name.lstrip("-"): name
        for param in error.ctx.command.get_params(error.ctx)
        if isinstance(param, click.Option)
        for name in (*param.opts, *param.secondary_opts)
    }
    close = did_you_mean(error.option_name.lstrip("-"), flags)
    meant = f"; did you mean {flags[close]}?" if close else ""
    return click.UsageError(f"no such flag {error.option_name}{meant}", error.ctx)


def _tell_traceback(app: App, error: BaseException) -> None:
    if app.debug:
        import traceback

        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)


def _drop_stdout() -> None:
    """Let what is still buffered go nowhere, or the interpreter complains when it exits."""
    try:
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - it has no path to speak of
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
    except (OSError, ValueError):
        return
