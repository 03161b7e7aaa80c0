"""The Python function that an agent's target names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from attrs import frozen

from assay import ConfigError
from assay.suggest import did_you_mean
from assay_plugins.transports._modules import load_file, load_module

if TYPE_CHECKING:
    from pathlib import Path

    from assay import Request

AgentFunction: TypeAlias = Callable[["Request"], Any]
"""Takes a request; gives an answer, or an awaitable of one."""

_FORMS: Final = "write python:file.py:function or python:package.module:function"
_SUFFIX: Final = ".py"


@frozen
class Target:
    """A target, taken apart."""

    place: str
    """The file or module."""
    function: str
    """Its name in there; with dots, an attribute of an object in there."""

    @classmethod
    def of(cls, written: str) -> Target:
        """Take a target apart, at its last colon.

        Raises:
            ConfigError: It has another form.
        """
        place, _, function = written.rpartition(":")
        names = function if place.endswith(_SUFFIX) else f"{place}.{function}"
        if not place or not all(name.isidentifier() for name in names.split(".")):
            raise ConfigError(f"python:{written}: names no function; {_FORMS}")
        return cls(place, function)

    def __str__(self) -> str:
        return f"python:{self.place}:{self.function}"


def load_function(target: Target, base: Path) -> AgentFunction:
    """Import the target's module, and give its function.

    Args:
        target: What to load.
        base: What a file is relative to; on the import path from now on.

    Raises:
        ConfigError: There is no such file, module or function, the module cannot be imported, or
            it needs a module whose name is taken.
    """
    load = load_file if target.place.endswith(_SUFFIX) else load_module
    found: object = load(target.place, base, str(target))
    for name in target.function.split("."):
        if not hasattr(found, name):
            raise ConfigError(_no_function(found, name, target))
        found = getattr(found, name)
    return checked(found, str(target))


def checked(function: object, name: str) -> AgentFunction:
    """Make sure that an object can be an agent.

    Args:
        function: The object.
        name: What messages call it.

    Raises:
        ConfigError: It cannot be called with one argument.
    """
    if isinstance(function, type) or not callable(function):
        kind = "a class" if isinstance(function, type) else f"of type {type(function).__name__}"
        raise ConfigError(f"{name}: is {kind}; name a function that takes the request")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return function  # written in C: it tells nothing
    try:
        signature.bind(object())
    except TypeError as exc:
        what = f"{name}: takes {signature}, but is called with the request alone"
        raise ConfigError(f"{what}; let it take one argument") from exc
    return function


def _no_function(owner: object, name: str, target: Target) -> str:
    offered = sorted(
        key
        for key, value in getattr(owner, "__dict__", {}).items()
        if not key.startswith("_") and callable(value) and not isinstance(value, type)
    )
    close = did_you_mean(name, offered)
    if close is not None:
        mend = f"did you mean {close}?"
    else:
        mend = f"it has {', '.join(offered[:10])}" if offered else "it has none"
    return f"{target}: no function {name} in {target.place}; {mend}"
