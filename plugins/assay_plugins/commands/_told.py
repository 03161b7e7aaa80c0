"""What commands tell on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable


def warn(warnings: Iterable[str]) -> None:
    """Tell on stderr what a user should know."""
    from assay.escape import terminal, workflow

    for warning in warnings:
        click.echo(workflow(terminal(f"warning: {warning}")), err=True)


def name_reports(paths: Iterable[str]) -> None:
    """Tell on stderr which reports were written."""
    from assay.escape import terminal

    for path in paths:
        click.echo(terminal(f"report: {path}"), err=True)
