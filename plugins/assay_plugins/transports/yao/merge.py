"""Builds messages out of the chunks of a CUI stream, by the rules of Yao's own front end.

A message is known by its thread and its id: agents that work side by side number their messages
from ``M1`` again (Yao ``agent/context``, ``agent/output``). Chunk ids repeat as well, so equal
chunks are never dropped.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeGuard

from attrs import define, field

from assay import ABSENT
from assay.jsonvalue import is_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MAX_STEPS: Final = 50
"""Steps of a path: deeper ones are no work of a server in its senses."""
MAX_INDEX: Final = 10_000
"""Of a list in a path; what lies between is filled."""

_STEP: Final = re.compile(r"\[([0-9]{1,9})\]|([^.\[\]]+)")

_Step = int | str


@define
class _Text:
    """A text that grows. Its pieces are joined once: answers come in a million of them."""

    pieces: list[str]


@define(eq=False)
class Message:
    """A message as far as it has come."""

    thread: str
    """Empty for what the agent itself says; else which agent below it speaks."""
    id: str
    type: str = ""
    _props: dict[str, object] = field(factory=dict[str, object])

    def props(self) -> dict[str, object]:
        """Give the content of the message, as JSON."""
        return {key: _plain(value) for key, value in self._props.items()}

    def prop(self, name: str) -> object:
        """Give one part of the content; None where there is none."""
        return _plain(self._props.get(name))

    def apply(self, chunk: Mapping[str, object]) -> None:
        """Change the message as a chunk says.

        Raises:
            ValueError: It cannot be: a path leads too deep, or too far out of a list.
        """
        given = chunk.get("props")
        props = given if is_object(given) else {}
        kind = chunk.get("type")
        if isinstance(kind, str) and kind:
            # Also without ``type_change``: this is how ``loading`` turns into ``text``.
            self.type = kind
        if not chunk.get("delta") or chunk.get("type_change"):
            self._props = _owned_table(props)
            return
        action = chunk.get("delta_action")
        steps = _steps(chunk.get("delta_path"))
        if steps:
            value = _find(props, steps)
            if value is not ABSENT:
                _put(self._props, steps, action, value)
        elif action == "replace":
            self._props = _owned_table(props)
        elif action == "set":
            self._props.update(_owned_table(props))
        elif action == "merge":
            _merge_into(self._props, props)
        else:
            for key, value in props.items():
                self._props[key] = _appended(self._props.get(key), value)


@define
class Messages:
    """All messages of a turn, in the order in which they first appeared."""

    _known: dict[tuple[str, str], Message] = field(
        factory=dict[tuple[str, str], Message], init=False
    )
    _nameless: int = field(default=0, init=False)

    def apply(self, chunk: Mapping[str, object]) -> Message:
        """Take a chunk in, and give the message that it belongs to.

        Raises:
            ValueError: It cannot be applied.
        """
        thread, name = _text(chunk.get("thread_id")), _text(chunk.get("message_id"))
        if not name:
            # A whole message without an id is one of its own; deltas without one go on with it.
            self._nameless += not chunk.get("delta")
            name = f"\0{self._nameless}"
        message = self._known.get((thread, name))
        if message is None:
            message = Message(thread=thread, id=name.lstrip("\0"))
            self._known[thread, name] = message
        message.apply(chunk)
        return message

    def __iter__(self) -> Iterator[Message]:
        return iter(self._known.values())


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _steps(path: object) -> Sequence[_Step]:
    """Read a path: dotted, with ``[n]``, relative to the props."""
    if not isinstance(path, str):
        return ()
    steps: list[_Step] = [
        int(found[1]) if found[1] else found[2]
        for found in _STEP.finditer(path.removeprefix("props."))
    ]
    if len(steps) > MAX_STEPS:
        raise ValueError(f"a path of {len(steps)} steps; {MAX_STEPS} are taken")
    for step in steps:
        if isinstance(step, int) and step > MAX_INDEX:
            raise ValueError(f"a path to element {step} of a list; {MAX_INDEX} are taken")
    return steps


def _find(props: Mapping[str, object], steps: Sequence[_Step]) -> object:
    """Find the value of a chunk: it stands at the same path in its own props, or nowhere."""
    value: object = props
    for step in steps:
        value = _child(value, step)
    return value


def _child(holder: object, step: _Step) -> object:
    if is_object(holder):
        return holder.get(str(step), ABSENT)
    if _is_list(holder):
        at = _index(step)
        return holder[at] if at is not None and at < len(holder) else ABSENT
    return ABSENT


def _index(step: _Step) -> int | None:
    if isinstance(step, int):
        return step
    return int(step) if step.isascii() and step.isdigit() and int(step) <= MAX_INDEX else None


def _put(props: dict[str, object], steps: Sequence[_Step], action: object, value: object) -> None:
    """Change the value at a path; parents that are missing, or are no parents, are made."""
    holder: object = props
    for step, following in pairwise(steps):
        child = _child(holder, step)
        if not (is_object(child) or (_is_list(child) and _index(following) is not None)):
            child = list[object]() if isinstance(following, int) else dict[str, object]()
            _set(holder, step, child)
        holder = child
    before = _child(holder, steps[-1])
    if action in ("replace", "set"):
        after = _owned(value)
    elif action == "merge":
        after = _merged(before, value)
    else:
        after = _appended(before, value)
    _set(holder, steps[-1], after)


def _set(holder: object, step: _Step, value: object) -> None:
    if is_object(holder):
        holder[str(step)] = value
    elif _is_list(holder):
        at = _index(step)
        if at is not None:
            holder.extend([None] * (at + 1 - len(holder)))
            holder[at] = value


def _appended(before: object, value: object) -> object:
    if isinstance(value, str) and isinstance(before, _Text):
        before.pieces.append(value)
        return before
    if isinstance(value, str) and isinstance(before, str):
        return _Text([before, value])
    if _is_list(before):
        owned = _owned(value)
        before.extend(owned if _is_list(owned) else [owned])
        return before
    return _owned(value)


def _merged(before: object, value: object) -> object:
    if is_object(before) and is_object(value):
        _merge_into(before, value)
        return before
    return _owned(value)


def _merge_into(before: dict[str, object], value: Mapping[str, object]) -> None:
    """Merge objects deeply; lists and scalars overwrite."""
    for key, item in value.items():
        before[key] = _merged(before.get(key), item)


def _owned_table(table: Mapping[str, object]) -> dict[str, object]:
    return {key: _owned(value) for key, value in table.items()}


def _owned(value: object) -> object:
    """Copy what can be changed, so that the chunk it came from stays as it is."""
    if is_object(value):
        return _owned_table(value)
    if _is_list(value):
        return [_owned(item) for item in value]
    return value


def _plain(value: object) -> object:
    if isinstance(value, _Text):
        value.pieces[:] = ["".join(value.pieces)]
        return value.pieces[0]
    if is_object(value):
        return {key: _plain(item) for key, item in value.items()}
    if _is_list(value):
        return [_plain(item) for item in value]
    return value


def _is_list(value: object) -> TypeGuard[list[object]]:
    return isinstance(value, list)
