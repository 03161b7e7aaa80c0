"""Messages as they are sent: content parts with the files that they name inlined.

The forms of parts are those of the Yao reference, §4.3, which are OpenAI's but for the short
forms ``image``, ``audio`` and ``file`` with a ``source``.
"""

from __future__ import annotations

import base64
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from assay import FileAccess, file_urls
from assay.jsonvalue import is_array, is_object
from assay_plugins.transports._media import media_type, suffix_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay import Message

_SCHEME: Final = "file://"


def message_to_send(message: Message, files: FileAccess) -> dict[str, object]:
    """Write a message as chat completions have it, with its files inlined.

    Raises:
        AgentError: A file cannot be read any more, since the cases were loaded.
    """
    content = message.content
    sent: dict[str, object] = {"role": message.role}
    if isinstance(content, tuple):
        sent["content"] = [part_to_send(part, files) for part in content]
    else:
        sent["content"] = content
    if message.name is not None:
        sent["name"] = message.name
    if message.tool_calls:
        sent["tool_calls"] = list(message.tool_calls)
    if message.tool_call_id is not None:
        sent["tool_call_id"] = message.tool_call_id
    if message.refusal is not None:
        sent["refusal"] = message.refusal
    return sent


def part_to_send(part: Mapping[str, object], files: FileAccess) -> dict[str, object]:
    """Write a content part with its file inlined; one without a file, in its long form.

    Raises:
        AgentError: The file cannot be read any more.
    """
    kind = part.get("type")
    source = _text(part, "source") or _text(part, "url")
    if kind == "image" and source is not None:
        detail = _text(part, "detail") or "auto"
        return {
            "type": "image_url",
            "image_url": {"url": _inlined(source, files), "detail": detail},
        }
    if kind in ("audio", "input_audio") and source is not None:
        return {"type": "input_audio", "input_audio": _audio(source, part, files)}
    if kind == "input_audio" and is_object(held := part.get("input_audio")):
        data = held.get("data")
        if isinstance(data, str) and data.startswith(_SCHEME):
            return {**part, "input_audio": {**held, **_audio(data, held, files)}}
    if kind == "file" and source is not None:
        name = _text(part, "filename") or _text(part, "name") or _base_name(source)
        return {"type": "file", "file": {"url": _inlined(source, files), "filename": name}}
    if any(True for _ in file_urls(part)):
        return {key: _with_files(value, files) for key, value in part.items()}
    return dict(part)


def data_url(url: str, files: FileAccess) -> str:
    """Read a file and write it as a data URL."""
    data = base64.b64encode(files.read(url)).decode("ascii")
    return f"data:{media_type(_base_name(url))};base64,{data}"


def _inlined(source: str, files: FileAccess) -> str:
    return data_url(source, files) if source.startswith(_SCHEME) else source


def _audio(source: str, said: Mapping[str, object], files: FileAccess) -> dict[str, object]:
    """Give the data of a sound as base64, and its format: the suffix, where none is said."""
    name = _text(said, "format") or suffix_of(_base_name(source))
    if not source.startswith(_SCHEME):
        return {"data": source, **({"format": name} if _text(said, "format") else {})}
    return {"data": base64.b64encode(files.read(source)).decode("ascii"), "format": name}


def _with_files(value: object, files: FileAccess) -> object:
    if isinstance(value, str):
        return _inlined(value, files)
    if is_object(value):
        return {key: _with_files(item, files) for key, item in value.items()}
    return [_with_files(item, files) for item in value] if is_array(value) else value


def _base_name(url: str) -> str:
    return PurePath(url.removeprefix(_SCHEME).partition("?")[0]).name


def _text(part: Mapping[str, object], key: str) -> str | None:
    value = part.get(key)
    return value if isinstance(value, str) and value else None
