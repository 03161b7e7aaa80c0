"""Imports what an entry point names."""

from __future__ import annotations

from importlib import import_module

from assay.discovery.problems import describe_error


class BadPlugin(Exception):  # noqa: N818 - it is told as a problem, never as an error
    """A plugin cannot be used; the message says why, in words that go on after a colon."""


def import_target(target: str) -> object:
    """Import a module, or an object in it.

    Args:
        target: ``module`` or ``module:object``.

    Raises:
        BadPlugin: It cannot be imported, or ends the process when it is.
    """
    module_name, _, path = target.partition(":")
    try:
        found: object = import_module(module_name)
        for part in path.split(".") if path else ():
            found = getattr(found, part)
    except (Exception, SystemExit) as error:
        raise BadPlugin(f"{target} cannot be imported: {describe_error(error)}") from error
    return found
