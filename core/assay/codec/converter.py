"""The one cattrs converter: JSON to the attrs classes of plugins, strictly.

cattrs as it comes turns ``5`` into ``"5"`` and ``"no"`` into ``True``, takes a string for a list
of characters, and runs validators only when no sibling field fails. None of this holds here.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Union, cast, get_args, get_origin

import attrs
from attrs import define, field

from assay.codec.faults import Wrong, kind_of
from assay.jsonvalue import is_object

if TYPE_CHECKING:
    from cattrs import Converter


@define(eq=False)
class Structurer:
    """A converter, made when there is something to convert, and the JSON keys of what it saw."""

    keys: dict[type, Sequence[str]] = field(factory=dict[type, "Sequence[str]"], init=False)
    _lessons: list[Callable[[Converter], None]] = field(
        factory=list["Callable[[Converter], None]"], init=False
    )
    _converter: Converter | None = field(default=None, init=False)

    @property
    def converter(self) -> Converter:
        """The converter; importing and making it takes as long as reading a hundred cases."""
        if self._converter is None:
            self._converter = _make_converter(self.keys)
            for lesson in self._lessons:
                lesson(self._converter)
        return self._converter

    def teach(self, lesson: Callable[[Converter], None]) -> None:
        """Let hooks be registered when the converter is made, behind those that it has anyway."""
        self._lessons.append(lesson)

    def structure(self, value: object, cls: type) -> Any:
        """Make a ``cls`` of a JSON value.

        Raises:
            Exception: What ``assay.codec.faults.wrongs`` flattens.
        """
        return cast("Any", self.converter.structure(value, cls))

    def fields(self, value: object) -> dict[str, object]:
        """Make the JSON object again from which ``structure`` gives an equal object."""
        return cast("dict[str, object]", self.converter.unstructure(value))


def _make_converter(keys: dict[type, Sequence[str]]) -> Converter:
    from cattrs import Converter

    converter = Converter(forbid_extra_keys=True)
    converter.register_structure_hook(str, _string)
    converter.register_structure_hook(bool, _boolean)
    converter.register_structure_hook(int, _integer)
    converter.register_structure_hook(float, _number)
    # A hook for ``object`` itself would catch every class: hence a predicate.
    converter.register_structure_hook_func(_is_anything, _as_it_is)
    converter.register_structure_hook_func(_is_literal, _literal)
    converter.register_structure_hook_func(_is_object, _object)
    factory = converter.register_structure_hook_factory
    factory(_is_sequence, partial(_sequence, converter=converter))
    factory(_is_union, partial(_union, converter=converter))
    factory(attrs.has, partial(_attrs_class, converter=converter, keys=keys))
    converter.register_unstructure_hook_factory(
        attrs.has, partial(_unstructure_attrs, converter=converter)
    )
    return converter


def json_key(name: str) -> str:
    """The JSON key of an attribute: ``in_`` stands for ``in``, which Python reserves."""
    return name.rstrip("_")


def _string(value: object, _: object) -> str:
    if isinstance(value, str):
        return value
    raise Wrong(f"expected a string, got {kind_of(value)}")


def _boolean(value: object, _: object) -> bool:
    if isinstance(value, bool):
        return value
    raise Wrong(f"expected true or false, got {kind_of(value)}")


def _integer(value: object, _: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise Wrong(f"expected a whole number, got {kind_of(value)}")


def _number(value: object, _: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    raise Wrong(f"expected a number, got {kind_of(value)}")


def _as_it_is(value: object, _: object) -> object:
    return value


def _literal(value: object, cls: object) -> object:
    choices = get_args(cls)
    for choice in choices:
        if value == choice and type(value) is type(choice):
            return value
    shown = ", ".join(repr(choice) for choice in choices)
    raise Wrong(f"{value!r} is not one of {shown}")


def _is_anything(cls: Any) -> bool:
    return cls in (object, Any)


def _is_literal(cls: Any) -> bool:
    return get_origin(cls) is Literal


def _is_object(cls: Any) -> bool:
    return cls is dict or get_origin(cls) in (dict, Mapping)


def _object(value: object, _: object) -> object:
    if is_object(value):
        return value
    raise Wrong(f"expected an object, got {kind_of(value)}")


def _is_sequence(cls: Any) -> bool:
    return cls in (tuple, list) or get_origin(cls) in (tuple, list, Sequence)


def _sequence(cls: Any, converter: Converter) -> Callable[[object, object], object]:
    from cattrs.errors import IterableValidationError, IterableValidationNote

    # Both have constructors of their own, which not every checker sees.
    note: Any = IterableValidationNote
    faults: Any = IterableValidationError
    arguments = get_args(cls)
    element = arguments[0] if arguments else object
    is_list = get_origin(cls) is list or cls is list

    def structure(value: object, _: object) -> object:
        if not isinstance(value, list):
            raise Wrong(f"expected a list, got {kind_of(value)}")
        given = cast("list[object]", value)
        items: list[object] = []
        errors: list[Exception] = []
        for index, item in enumerate(given):
            try:
                items.append(converter.structure(item, element))
            except Exception as error:  # noqa: BLE001 - every fault of a list is told
                # How cattrs itself says which item it was.
                error.__notes__ = [note("", index, element)]
                errors.append(error)
        if errors:
            raise faults("", errors, cls)
        return items if is_list else tuple(items)

    return structure


def _is_union(cls: Any) -> bool:
    return get_origin(cls) in (Union, types.UnionType)


def _union(cls: Any, converter: Converter) -> Callable[[object, object], object]:
    members = get_args(cls)

    def structure(value: object, _: object) -> object:
        if value is None and type(None) in members:
            return None
        told: list[Exception] = []
        for member in members:
            if member is type(None):
                continue
            try:
                return converter.structure(value, member)
            except Exception as error:  # noqa: BLE001 - the next member may take it
                told.append(error)
        if len(told) == 1:
            raise told[0]
        shown = " or ".join(getattr(member, "__name__", str(member)) for member in members)
        raise Wrong(f"expected {shown}, got {kind_of(value)}")

    return structure


def _attrs_class(
    cls: Any, converter: Converter, keys: dict[type, Sequence[str]]
) -> Callable[[object, object], object]:
    from cattrs.gen import make_dict_structure_fn, override

    attrs.resolve_types(cls)
    fields = [field for field in attrs.fields(cls) if field.init]
    keys[cls] = tuple(json_key(field.name) for field in fields)
    overrides = {
        field.name: override(
            rename=json_key(field.name),
            struct_hook=_field(field, converter) if field.validator else None,
        )
        for field in fields
    }
    inner: Callable[[Any, Any], object] = make_dict_structure_fn(
        cls,
        converter,
        _cattrs_forbid_extra_keys=True,
        _cattrs_detailed_validation=True,
        **overrides,  # type: ignore[arg-type]
    )

    def structure(value: object, kind: object) -> object:
        if not is_object(value):
            raise Wrong(f"expected an object, got {kind_of(value)}")
        return inner(value, kind)

    return structure


def _field(field: attrs.Attribute[Any], converter: Converter) -> Callable[[object, object], object]:
    """Structure a field and run its validator, so that a fault names the field."""
    validator = field.validator
    assert validator is not None

    def structure(value: object, kind: Any) -> object:
        made = converter.structure(value, kind)
        # One that looks at its sibling fields is left to the constructor, which has them all.
        with suppress(AttributeError):
            validator(None, field, made)
        return made

    return structure


def _unstructure_attrs(cls: Any, converter: Converter) -> Callable[[Any], dict[str, object]]:
    fields = [field for field in attrs.fields(cls) if field.init]

    def unstructure(value: Any) -> dict[str, object]:
        written: dict[str, object] = {}
        for attribute in fields:
            held = getattr(value, attribute.name)
            default = attribute.default
            if default is not attrs.NOTHING and held is default:
                continue
            written[json_key(attribute.name)] = converter.unstructure(held)
        return written

    return unstructure
