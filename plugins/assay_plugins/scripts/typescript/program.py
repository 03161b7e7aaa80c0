"""Deno, which runs TypeScript and JavaScript: where it is, and how it is started."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from assay import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

OLDEST = (2, 9)
"""The version from which on modules can be loaded by hooks, as the worker does."""

MISSING = (
    "TypeScript and JavaScript scripts are run by Deno, which is not installed; "
    "install it with: pip install 'assay[typescript]'"
)

_PATIENCE = 60.0
"""Seconds for a program of ours that only reads a file."""

_FLAGS = (
    "--quiet",
    # Nothing of the user's folders changes how scripts run, and nothing is fetched.
    "--no-config",
    "--no-lock",
    "--no-npm",
    "--no-remote",
    # What is not allowed is refused; nobody is asked.
    "--no-prompt",
)


def find_deno() -> str:
    """Give the program: that of the extra ``assay[typescript]``, else the one on the path.

    Raises:
        ConfigError: There is none, or only one that is too old.
    """
    try:
        # It has no types of its own.
        return str(importlib.import_module("deno").find_deno_bin())
    except (ImportError, FileNotFoundError):
        found = shutil.which("deno")
    if found is None:
        raise ConfigError(MISSING)
    version = _version(found)
    if version < OLDEST:
        shown = ".".join(map(str, version)) or "of an unknown version"
        wanted = ".".join(map(str, OLDEST))
        raise ConfigError(
            f"{found} is Deno {shown}, but scripts need {wanted} or later; "
            "install it with: pip install 'assay[typescript]'"
        )
    return found


def _version(program: str) -> tuple[int, ...]:
    try:
        said = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=_PATIENCE, check=False
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    found = re.match(r"deno (\d+)\.(\d+)", said)
    return () if found is None else (int(found[1]), int(found[2]))


def command(deno: str, flags: Sequence[str], name: str, *arguments: str) -> tuple[str, ...]:
    """Give the command of a program that lies beside this file.

    Args:
        deno: The program.
        flags: What it may do, and may not.
        name: Of the file.
        arguments: Of the file's program.
    """
    file = Path(__file__).with_name(name)
    return (deno, "run", *_FLAGS, *flags, str(file), *arguments)


def ask(deno: str, name: str, question: str, *, about: Path) -> str:
    """Run a program that lies beside this file and may do nothing; gives what it printed.

    Args:
        deno: The program.
        name: Of the file beside this one.
        question: What it reads.
        about: The file that the question is about.

    Raises:
        ConfigError: It failed.
    """
    try:
        done = subprocess.run(
            command(deno, (), name),
            input=question.encode("utf-8"),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ConfigError(f"{deno} cannot be run: {error}") from error
    if done.returncode != 0:
        from assay.process import describe_end

        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["it says nothing"]
        raise ConfigError(
            f"{about} cannot be compiled: {deno} {describe_end(done.returncode)} ({said[0]})"
        )
    return done.stdout.decode("utf-8")
