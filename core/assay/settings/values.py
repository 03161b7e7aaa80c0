"""The values of settings: read from text, TOML or Python, and checked."""

from __future__ import annotations

import math
import os
import re
import warnings
from os import PathLike
from typing import TYPE_CHECKING, Final, TypeVar, cast

from assay.duration import parse as parse_duration
from assay.settings.assignment import Assignment, parse_assignment
from assay.settings.faults import toml_type
from assay.settings.rate import Rate, parse_rate
from assay.settings.shard import Shard, parse_shard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.settings.setting import Setting

_N = TypeVar("_N", int, float)

_FLAGS: Final = {
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}

_WANTED: Final = {
    "flag": "true or false",
    "count": "a whole number",
    "percent": "a number",
    "duration": 'a duration in quotes, such as "30s"',
    "rate": 'a rate in quotes, such as "60/m"',
}

_READY: Final[dict[str, type]] = {
    "rate": Rate,
    "shard": Shard,
    "pattern": re.Pattern,
    "assignment": Assignment,
}


def from_text(setting: Setting, text: str) -> object:
    """Read one value of a setting as a flag or a variable has it.

    Raises:
        ValueError: It is wrong; the message says what is, and how to mend it.
    """
    if setting.kind == "flag":
        return flag_from_text(text)
    if setting.kind == "count":
        return _ranged(setting, _whole(text))
    if setting.kind == "percent":
        return _ranged(setting, _number(text))
    if setting.kind == "duration":
        return _ranged(setting, _finite(parse_duration(text), text))
    if setting.kind == "rate":
        return parse_rate(text)
    if setting.kind == "shard":
        return parse_shard(text)
    if setting.kind == "pattern":
        return _pattern(text)
    if setting.kind == "assignment":
        return parse_assignment(text)
    if not text:
        raise ValueError("it is empty; write a value or leave it out")
    return text


def from_toml(setting: Setting, value: object) -> object:
    """Read the value of a setting as a file has it.

    Raises:
        ValueError: It is of another type, or wrong.
    """
    is_flag = isinstance(value, bool)
    if setting.kind == "flag" and is_flag:
        return value
    if setting.kind == "count" and isinstance(value, int) and not is_flag:
        return _ranged(setting, value)
    if setting.kind == "percent" and isinstance(value, (int, float)) and not is_flag:
        return float(_ranged(setting, value))
    if isinstance(value, str) and setting.kind not in ("flag", "count", "percent"):
        return from_text(setting, value)
    wanted = _WANTED.get(setting.kind, "text in quotes")
    raise ValueError(f"expected {wanted}, not {toml_type(value)}")


def from_python(setting: Setting, value: object) -> object:
    """Read one value of a setting as the command line or a program hands it over.

    Text is read as a flag's; a number is the seconds of a duration.

    Raises:
        ValueError: It is of another type, or wrong.
    """
    if isinstance(value, str):
        return from_text(setting, value)
    ready = _READY.get(setting.kind)
    if ready is not None and isinstance(value, ready):
        return value
    if setting.kind == "path" and isinstance(value, PathLike):
        return os.fsdecode(cast("PathLike[str]", value))
    if setting.kind == "duration" and isinstance(value, (int, float)):
        if isinstance(value, bool):
            raise ValueError(f"expected seconds or text such as '30s', not {value}")
        return _ranged(setting, _finite(float(value), value))
    return from_toml(setting, value)


def several(values: object) -> Sequence[object]:
    """Take the values of a setting that may be given several times."""
    if isinstance(values, (list, tuple)):
        return cast("Sequence[object]", values)
    return (values,)


def flag_from_text(text: str) -> bool:
    """Read true or false as variables have it.

    Raises:
        ValueError: It is neither.
    """
    value = _FLAGS.get(text.strip().lower())
    if value is None:
        raise ValueError(f"{text!r} is neither true nor false; write 1 or 0")
    return value


def _finite(seconds: float, written: object) -> float:
    if math.isfinite(seconds):
        return seconds
    raise ValueError(f"{written!r} has no end; write a duration such as '30s'")


def _whole(text: str) -> int:
    if re.fullmatch("-?[0-9]{1,18}", text.strip()):
        return int(text)
    raise ValueError(f"{text!r} is not a whole number")


def _number(text: str) -> float:
    if re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]{1,18})?", text.strip()):
        return float(text)
    raise ValueError(f"{text!r} is not a number")


def _ranged(setting: Setting, number: _N) -> _N:
    low, high, above = setting.minimum, setting.maximum, setting.above
    shown = f"{number}".removesuffix(".0")
    if low is not None and not number >= low:
        raise ValueError(f"must be at least {low:g}, not {shown}")
    if high is not None and not number <= high:
        raise ValueError(f"must be at most {high:g}, not {shown}")
    if above is not None and not number > above:
        raise ValueError(f"must be more than {above:g}, not {shown}")
    return number


def _pattern(text: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings(action="ignore"):
            return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from error
