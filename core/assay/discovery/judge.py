"""Whether what a plugin hands over keeps the contract of its kind.

What can be seen without using it; ``assay.testing`` looks deeper.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Final, cast

from assay.discovery.loading import BadPlugin

if TYPE_CHECKING:
    from collections.abc import Mapping

_METHODS: Final[Mapping[str, tuple[str, ...]]] = {
    "loader": ("accepts", "load"),
    "transport": ("__aenter__", "__aexit__", "info", "send"),
    "assertion": ("check",),
    "script": ("defines", "command"),
    "executor": ("run",),
}
_CORE_FIELDS: Final = ("type", "message", "negate")
_STREAM: Final = ("start", "attempt", "result", "finish", "written", "wanted")


def word_of(kind: str, offered: object) -> str:
    """The word that an offered class or command bears.

    Raises:
        BadPlugin: It bears none.
    """
    if kind == "command":
        import click

        if not isinstance(offered, click.Command):
            raise BadPlugin(f"it hands over {_shown(offered)}, which is not a click command")
        return offered.name or ""
    if not inspect.isclass(offered):
        raise BadPlugin(f"it hands over {_shown(offered)}, which is not a class")
    if kind == "assertion" and "name" in (_fields(offered) or ()):
        raise BadPlugin(
            f"{offered.__name__} has a field 'name'; write 'name: ClassVar[str]', since it is the "
            "word of the type and not a key of the case file"
        )
    word: object = getattr(offered, "name", None)
    if not isinstance(word, str):
        raise BadPlugin(f"{offered.__name__} has no 'name' that is the word of its entry point")
    return word


def judge(kind: str, offered: object) -> None:
    """Check an offered class against its kind.

    Raises:
        BadPlugin: It does not keep the contract.
    """
    if not inspect.isclass(offered):
        return
    for method in _METHODS.get(kind, ()):
        _need(offered, method)
    if kind == "assertion":
        _judge_assertion(offered)
    elif kind == "reporter":
        _judge_reporter(offered)
    elif kind == "script":
        _judge_suffixes(offered)
    settings: object = getattr(offered, "Settings", None)
    if settings is not None and not (inspect.isclass(settings) and _fields(settings) is not None):
        raise BadPlugin(f"{offered.__name__}.Settings is not an attrs class")


def _judge_assertion(offered: type) -> None:
    fields = _fields(offered)
    if fields is None:
        raise BadPlugin(f"{offered.__name__} is no attrs class; put @frozen(kw_only=True) on it")
    for name in fields:
        if name in _CORE_FIELDS:
            raise BadPlugin(
                f"{offered.__name__} has a field {name!r}, which assay itself reads for all "
                "types; give it another name"
            )
    needs: object = getattr(offered, "needs", None)
    if needs is not None and not callable(needs):
        raise BadPlugin(f"{offered.__name__}.needs is not a method")


def _fields(cls: type) -> tuple[str, ...] | None:
    """The names of the fields of an attrs class; None when it is none."""
    # Not at the top: commands are judged at start-up, and attrs is a third of its cost.
    import attrs

    return tuple(field.name for field in attrs.fields(cls)) if attrs.has(cls) else None


def _judge_reporter(offered: type) -> None:
    if callable(getattr(offered, "write", None)):
        _judge_suffixes(offered)
    elif callable(getattr(offered, "result", None)):
        for method in _STREAM:
            _need(offered, method)
    else:
        raise BadPlugin(
            f"{offered.__name__} has neither 'write' (a page) nor 'result' (a stream), so it "
            "cannot report"
        )


def _judge_suffixes(offered: type) -> None:
    suffixes: object = getattr(offered, "suffixes", None)
    known = cast("tuple[object, ...]", suffixes) if isinstance(suffixes, tuple) else (None,)
    if not all(isinstance(suffix, str) and suffix.startswith(".") for suffix in known):
        raise BadPlugin(
            f"{offered.__name__}.suffixes is not a tuple of suffixes with their dots, as ('.md',)"
        )


def _need(offered: type, method: str) -> None:
    if not callable(getattr(offered, method, None)):
        raise BadPlugin(f"{offered.__name__} has no method {method!r}")


def _shown(offered: object) -> str:
    return f"an object of type {type(offered).__name__}"
