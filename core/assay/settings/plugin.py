"""Builds the ``Settings`` of plugins from ``--set``, variables and settings files.

A plugin's class may have a frozen attrs class ``Settings``. Its fields are what can be set, by
type (text, numbers, booleans, ``Path``, ``Secret``, lists, mappings, literals, classes of attrs,
unions of these) and by metadata:

* ``metadata={"env": ("OPENAI_API_KEY",)}``: further variables, after the one that every field
  has by its name (``ASSAY_TRANSPORT_OPENAI_API_KEY``)
* ``metadata={"unit": "duration"}``: written ``"30s"``, held as seconds (``float``)
* ``metadata={"unit": "size"}``: written ``"20MB"``, held as bytes (``int``)
* ``metadata={"variables": True}``: its texts are names of variables, with or without ``$``

A ``Secret`` is written ``"$NAME"`` and read from that variable. A ``Secret | str`` is text in
which ``$NAME`` stands for the secret in that variable: ``"Bearer $NAME"``. A relative ``Path`` is
relative to the folder of the file that names it, else to the working directory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

import attrs
from attrs import frozen

from assay.errors import RunError
from assay.secret import Secret
from assay.settings.faults import config_error, near_miss
from assay.settings.gather import Sources, variable
from assay.suggest import hint


@frozen(kw_only=True)
class Built:
    """What a plugin is handed, and what came to light on the way."""

    settings: Any = None
    """An instance of the class's ``Settings``; None when it has none."""
    secrets: tuple[Secret, ...] = ()
    """All secrets in it, for the ``Redactor``."""
    warnings: tuple[str, ...] = ()


def build(sources: Sources, kind: str, word: str, plugin: object) -> Built:
    """Build the settings of a plugin.

    Args:
        sources: Where they are looked for.
        kind: The kind of the plugin, such as ``transport``.
        word: Its word.
        plugin: Its class.

    Raises:
        ConfigError: With every key and value that is wrong or missing.
        RunError: The plugin's ``Settings`` cannot be used.
    """
    cls: Any = getattr(plugin, "Settings", None)
    keys = sources.keys(kind, word)
    if cls is None:
        if keys:
            said = f"the {kind} {word!r} has no settings; leave it out"
            raise config_error([f"{label}: {said}" for label in keys.values()])
        return Built()
    from assay.settings.convert import FieldReader

    reader = FieldReader(sources.environ)
    fields = _fields(cls, f"{kind}.{word}")
    for key, label in keys.items():
        if key not in fields:
            reader.told.append(f"{label}: unknown key; {hint(key, fields)}")
    values: dict[str, object] = {}
    for key, attribute in fields.items():
        names = _variables(kind, word, key, attribute)
        found = sources.find(kind, word, key, names)
        if found is not None:
            values[attribute.alias or attribute.name] = reader.read(attribute, found)
        elif attribute.default is attrs.NOTHING:
            reader.told.append(
                f"[{kind}.{word}] {key}: it is needed; write it into assay.toml or set {names[0]}"
            )
    if reader.told:
        raise config_error(reader.told)
    settings = _made(cls, values, f"{kind}.{word}")
    warnings = (*reader.warnings, *_near_misses(sources.environ, kind, word, fields))
    return Built(settings=settings, secrets=tuple(_secrets(settings)), warnings=warnings)


def build_one(sources: Sources, kind: str, word: str, plugin: object, key: str) -> object:
    """Build a single setting of a plugin, without looking at the others.

    Args: see ``build``; ``key`` is that of the setting.

    Returns:
        Its value or default; None when the plugin has no such setting, or it has no default.

    Raises:
        ConfigError: The value is wrong.
    """
    cls: Any = getattr(plugin, "Settings", None)
    attribute = None if cls is None else _fields(cls, f"{kind}.{word}").get(key)
    if attribute is None:
        return None
    found = sources.find(kind, word, key, _variables(kind, word, key, attribute))
    if found is None:
        return attribute.default if isinstance(attribute.default, (int, float, str)) else None
    from assay.settings.convert import FieldReader

    reader = FieldReader(sources.environ)
    value = reader.read(attribute, found)
    if reader.told:
        raise config_error(reader.told)
    return value


def raw(sources: Sources, kind: str, word: str) -> dict[str, object]:
    """Give the settings of a plugin that takes a plain mapping, as TOML has them.

    Variables are not looked at: without fields, nobody knows their names.
    """
    values: dict[str, object] = {}
    for key in sources.keys(kind, word):
        found = sources.find(kind, word, key, ())
        if found is not None:
            values[key] = found.ways[0].value
    return values


def check_words(sources: Sources, known: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """Look whether the plugins that settings are for exist.

    Args:
        sources: Where settings come from.
        known: The words of the installed plugins, by kind; other kinds are not looked at.

    Returns:
        A warning for each table of a settings file that is for none: files may be written for
        several machines.

    Raises:
        ConfigError: A ``--set`` is for none.
    """
    told: list[str] = []
    for item in sources.sets:
        words = known.get(item.kind)
        if words is not None and item.word not in words:
            told.append(f"{item.label}: no {item.kind} {item.word!r}; {hint(item.word, words)}")
    if told:
        raise config_error(told)
    warnings: list[str] = []
    for file in sources.files:
        for kind, word in file.plugins:
            words = known.get(kind)
            if words is not None and word not in words:
                place = file.label(f"{kind}.{word}")
                warnings.append(f"{place}: no {kind} {word!r} is installed; {hint(word, words)}")
    return tuple(warnings)


def _fields(cls: Any, plugin: str) -> dict[str, attrs.Attribute[Any]]:
    """The fields of a class by their keys, with types resolved."""
    try:
        attrs.resolve_types(cls)
    except (NameError, TypeError) as error:
        raise RunError(f"{plugin}: its Settings cannot be used: {error}") from error
    fields: Sequence[attrs.Attribute[Any]] = attrs.fields(cls)
    # A key that Python reserves has an underscore behind it, a private field one before it.
    return {item.name.strip("_"): item for item in fields if item.init}


def _variables(kind: str, word: str, key: str, attribute: attrs.Attribute[Any]) -> tuple[str, ...]:
    names: object = attribute.metadata.get("env", ())
    short = (names,) if isinstance(names, str) else cast("Sequence[str]", names)
    return (variable(kind, word, key), *short)


def _near_misses(
    environ: Mapping[str, str], kind: str, word: str, fields: Collection[str]
) -> Iterator[str]:
    known = {key.upper(): key for key in fields}
    prefix = variable(kind, word, "")
    for name in sorted(environ):
        rest = name.removeprefix(prefix)
        if rest != name and rest not in known:
            close = near_miss(rest, known)
            if close is not None:
                yield f"{name}: unknown variable; did you mean {prefix}{close}?"


def _made(cls: Any, values: Mapping[str, object], plugin: str) -> object:
    try:
        made: object = cls(**values)
    except (ValueError, TypeError) as error:
        raise config_error([f"[{plugin}]: {error.args[0] if error.args else error}"]) from error
    return made


def _secrets(value: object) -> Iterator[Secret]:
    """All secrets inside a value."""
    if isinstance(value, Secret):
        yield value
    elif isinstance(value, Mapping):
        for item in cast("Mapping[object, object]", value).values():
            yield from _secrets(item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in cast("Collection[object]", value):
            yield from _secrets(item)
    else:
        cls: Any = type(value)
        for attribute in attrs.fields(cls) if attrs.has(cls) else ():
            yield from _secrets(getattr(value, attribute.name))
