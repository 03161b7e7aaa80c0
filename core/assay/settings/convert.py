"""The value of one field of a plugin's ``Settings``: by its type, its unit, and as a secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast, get_args, get_origin

import attrs
from attrs import define, field

from assay import size
from assay.codec.converter import Structurer
from assay.codec.faults import Wrong, WrongParts, join, wrongs
from assay.duration import parse as parse_duration
from assay.secret import Secret
from assay.settings.faults import toml_type
from assay.settings.values import flag_from_text

if TYPE_CHECKING:
    from cattrs import Converter

    from assay.settings.gather import Found, Way

_REFERENCE: Final = re.compile(r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})")

_CREDENTIAL: Final = re.compile(r"(Bearer|Basic|Token) +(\S+)", re.IGNORECASE)
"""How a header writes a secret."""


@define(eq=False)
class FieldReader:
    """Converts the values of fields, one after the other.

    Args:
        environ: The variables that secrets refer to.
    """

    environ: Mapping[str, str]
    told: list[str] = field(factory=list[str], init=False)
    """What is wrong, one line each."""
    warnings: list[str] = field(factory=list[str], init=False)
    _structurer: Structurer = field(factory=Structurer, init=False)
    _found: Found | None = field(default=None, init=False)
    _way: Way | None = field(default=None, init=False)
    """What is being converted, for the hooks of the converter."""

    def __attrs_post_init__(self) -> None:
        self._structurer.teach(self._teach)

    def _teach(self, converter: Converter) -> None:
        converter.register_structure_hook(bool, self._flag)
        converter.register_structure_hook(Path, self._path)
        converter.register_structure_hook(Secret, self._secret)
        converter.register_structure_hook_func(_is_text_with_secrets, self._text)
        converter.register_structure_hook_factory(_is_table, partial(_table_hook, self._structurer))

    def read(self, attribute: attrs.Attribute[Any], found: Found) -> object:
        """Convert a value to what a field holds, in the first way that does.

        Returns:
            The value; ``attrs.NOTHING`` when it is wrong, and told.
        """
        self._found = found
        error: Exception | None = None
        is_table = any(isinstance(way.value, (dict, list)) for way in found.ways)
        for way in found.ways:
            self._way = way
            try:
                value = self._convert(attribute, way.value)
                _validate(attribute, value)
            except Exception as wrong:  # noqa: BLE001 - validators are a plugin's; all is told
                # Of a table, its own fault is told, and not that as a text it is no table.
                error = error or wrong if is_table else wrong
            else:
                return value
        if error is not None:
            for path, fault in wrongs(error, "", self._structurer.keys):
                self.told.append(f"{join(found.label, path)}: {fault}")
        return attrs.NOTHING

    def _convert(self, attribute: attrs.Attribute[Any], value: object) -> object:
        unit = attribute.metadata.get("unit")
        if unit == "duration":
            return _seconds(value)
        if unit == "size":
            return _bytes(value)
        if attribute.metadata.get("variables"):
            value = _references(value)
        # A field without annotation takes what there is.
        return self._structurer.structure(value, attribute.type or cast("type", object))

    def _flag(self, value: object, _: object) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and self._found is not None and not self._found.in_file:
            return flag_from_text(value)
        raise Wrong(f"expected true or false, not {toml_type(value)}")

    def _path(self, value: object, _: object) -> Path:
        if not isinstance(value, str) or not value:
            raise Wrong(f"expected a path, not {toml_type(value)}")
        path = Path(value).expanduser()
        return path if self._found is None else self._found.base / path

    def _secret(self, value: object, _: object) -> Secret:
        if not isinstance(value, str):
            raise Wrong('expected text in quotes, such as "$NAME" for the variable NAME')
        label = "" if self._found is None else self._found.label
        match = _REFERENCE.fullmatch(value)
        if match is None or (self._way is not None and self._way.is_literal):
            if self._found is not None and self._found.in_file:
                self.warnings.append(
                    f'{label}: the file holds a secret; put it into a variable and write "$NAME"'
                )
            return Secret(value, label)
        return Secret(self._variable(match), f"${match[1] or match[2]}")

    def _text(self, value: object, _: object) -> Secret | str:
        """Read a text that may hold secrets: ``Bearer $TOKEN``."""
        if not isinstance(value, str):
            raise Wrong(f"expected text in quotes, not {toml_type(value)}")
        label = "" if self._found is None else self._found.label
        written = _CREDENTIAL.fullmatch(value)
        matches = list(_REFERENCE.finditer(value))
        if matches:
            names = ", ".join(f"${match[1] or match[2]}" for match in matches)
            parts = tuple(self._variable(match) for match in matches)
            return Secret(_REFERENCE.sub(self._variable, value), names, parts)
        if written is None:
            return value
        if self._found is not None and self._found.in_file:
            self.warnings.append(
                f"{label}: the file holds a secret; put it into a variable and write"
                f' "{written[1]} $NAME"'
            )
        return Secret(value, label, (written[2],))

    def _variable(self, match: re.Match[str]) -> str:
        name = match[1] or match[2]
        secret = self.environ.get(name, "")
        if not secret:
            state = "is empty" if name in self.environ else "is not set"
            raise Wrong(f"the variable {name} {state}", "set it to the secret")
        return secret


def _validate(attribute: attrs.Attribute[Any], value: object) -> None:
    """Run a field's validator by itself, so that what it says is told of its place."""
    if attribute.validator is not None:
        try:
            attribute.validator(None, attribute, value)
        except AttributeError:
            # It looks at its sibling fields: the constructor runs it again with all of them.
            return
        except (ValueError, TypeError) as error:
            # Some validators of attrs put more than the message into the exception.
            raise Wrong(str(error.args[0]) if error.args else "refused") from error


def _seconds(value: object) -> float:
    if isinstance(value, str):
        return parse_duration(value)
    raise Wrong(f'expected a duration in quotes, such as "30s", not {toml_type(value)}')


def _bytes(value: object) -> int:
    if isinstance(value, str):
        return size.parse(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise Wrong(f'expected a size in quotes, such as "20MB", not {toml_type(value)}')


def _references(value: object) -> object:
    """Put ``$`` before the names of variables, which may be left out where all texts are names."""
    if isinstance(value, str):
        return value if value.startswith("$") else f"${value}"
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return {key: _references(item) for key, item in table.items()}
    if isinstance(value, list):
        return [_references(item) for item in cast("list[object]", value)]
    return value


def _is_text_with_secrets(cls: Any) -> bool:
    return {Secret, str} == set(get_args(cls))


def _is_table(cls: Any) -> bool:
    return cls in (dict, Mapping) or get_origin(cls) in (dict, Mapping)


def _table_hook(structurer: Structurer, cls: Any) -> Callable[[object, object], object]:
    arguments = get_args(cls)
    kind: Any = arguments[1] if arguments else object

    def structure(value: object, _: object) -> dict[str, object]:
        if not isinstance(value, dict):
            raise Wrong(f"expected a table, not {toml_type(value)}")
        made: dict[str, object] = {}
        told: list[tuple[str, Wrong]] = []
        for key, item in cast("dict[str, object]", value).items():
            try:
                made[key] = structurer.structure(item, kind)
            except Exception as error:  # noqa: BLE001 - every fault of a table is told
                told.extend(wrongs(error, key, structurer.keys))
        if told:
            raise WrongParts(told)
        return made

    return structure
