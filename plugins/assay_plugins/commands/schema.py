"""The ``schema`` command: JSON Schema of a case line, for editors."""

from __future__ import annotations

from collections.abc import Sequence

import click

from assay import hookimpl


@click.command("schema", short_help="Print the JSON Schema of a case line, for editors.")
@click.pass_context
def schema(ctx: click.Context, /) -> None:
    """Print the JSON Schema of a case line, with the installed assertion types.

    Editors that know it complete and check case files as they are written.
    """
    import json

    import assay

    click.echo(json.dumps(assay.schema(ctx.obj.plugins), indent=2, ensure_ascii=False))


@hookimpl
def assay_commands() -> Sequence[click.Command]:
    """Offer ``schema``."""
    return [schema]
