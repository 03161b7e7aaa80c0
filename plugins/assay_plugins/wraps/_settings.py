"""The settings of ``record`` and ``replay``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from attrs import frozen

from assay import ConfigError
from assay.suggest import hint

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from assay import WrapContext

_MISSING: Final = ("error", "ask")


@frozen(kw_only=True)
class RecordFile:
    """A record that a setting names."""

    path: Path
    shown: str
    """As the user named it."""


@frozen(kw_only=True)
class ReplaySettings:
    """What is replayed, and how."""

    file: RecordFile
    asks: bool
    """Whether the agent is asked what the record does not hold."""


def record_settings(settings: Mapping[str, Any], context: WrapContext) -> RecordFile:
    """Read the settings of ``record``.

    Raises:
        ConfigError: They are wrong.
    """
    _check(settings, "record", ("file",), context)
    if context.is_resumed:
        raise ConfigError(
            "--record: a run that goes on asks only what is left, and the record would lose the"
            " rest; leave one of the two out"
        )
    return _file(settings, "record", context)


def replay_settings(settings: Mapping[str, Any], context: WrapContext) -> ReplaySettings:
    """Read the settings of ``replay``.

    Raises:
        ConfigError: They are wrong.
    """
    _check(settings, "replay", ("file", "missing"), context)
    missing = settings.get("missing", "error")
    if missing not in _MISSING:
        raise ConfigError(f"--replay-missing {missing}: {hint(str(missing), _MISSING)}")
    return ReplaySettings(file=_file(settings, "replay", context), asks=missing == "ask")


def _check(
    settings: Mapping[str, Any], word: str, known: tuple[str, ...], context: WrapContext
) -> None:
    for key in settings:
        if key not in known:
            raise ConfigError(f"[wrap.{word}] {key}: unknown key; {hint(key, known)}")
    if not context.is_local:
        raise ConfigError(
            f"--{word}: it works with --executor local alone, since others ask agents in several"
            " processes; leave one of the two out"
        )


def _file(settings: Mapping[str, Any], word: str, context: WrapContext) -> RecordFile:
    name = settings.get("file")
    if name is None:
        raise ConfigError(f"--{word}-missing: it is for --{word}; name a record with --{word} FILE")
    if not isinstance(name, str) or not name:
        raise ConfigError(f"[wrap.{word}] file: expected the name of a file, got {name!r}")
    path = context.cwd / name
    use = context.use_of(path)
    if use is not None:
        raise ConfigError(f"--{word} {name}: it {use} too; name another file")
    return RecordFile(path=path, shown=name)
