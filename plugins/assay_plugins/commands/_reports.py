"""The options of commands that write reports of runs that are over."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

_F = TypeVar("_F", bound="Callable[..., object]")

_OPTIONS = (
    click.option(
        "-o",
        "--output",
        "outputs",
        multiple=True,
        metavar="FILE",
        help="Write a report to this file, in the format that its suffix names.",
    ),
    click.option(
        "-r",
        "--reporter",
        metavar="NAME",
        help="Write the first report, or standard output without -o, with this reporter.",
    ),
    click.option(
        "--set",
        "sets",
        multiple=True,
        metavar="KEY=VALUE",
        help="Set a reporter's setting, such as reporter.markdown.summary_only=true.",
    ),
)


def report_options(function: _F) -> _F:
    """Give a command the options ``outputs``, ``reporter`` and ``sets``."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
