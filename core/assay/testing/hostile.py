"""What agents may answer: texts and JSON values that break what is written carelessly."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from assay.jsonvalue import MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Mapping

CONTROL: Final = "".join(map(chr, [*range(0x20), 0x7F, *range(0x80, 0xA0)]))
"""All control characters; a report holds none of them raw, but for line ends and tabs."""

HOSTILE_TEXTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "empty": "",
        "white space": " \t\r\n ",
        "line ends": "a\nb\r\nc\rd\x0be\x0cf\x85g\u2028h\u2029i",
        "control characters": CONTROL,
        "terminal title": "\x1b]0;owned\x07",
        "terminal clear": "\x1b[2J\x1b[H\x1b[31mred\x9b32m",
        "terminal link": "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
        "rich markup": "[bold red]owned[/bold red] [/] [link=http://evil.example]x[/link]",
        "html": "<script>alert('owned')</script><img src=x onerror=alert(1)>",
        "html end": "</script></style></textarea></title>--><!--]]>",
        "xml": "]]><owned/>&nbsp;&#0;<?owned?>\ufffe\uffff",
        "markdown fence": "```\n````\n~~~\n~~~~\n# owned\n| a | b |\n|---|---|\n",
        "markdown link": "[click](javascript:alert(1)) ![x](http://evil.example/x.png)",
        "markdown table": "a | b \\| c\n--- | ---",
        "workflow command": "::error file=x::owned\n##[error]owned\n::stop-commands::x",
        "spreadsheet formula": "=cmd|' /C calc'!A0",
        "spreadsheet others": "+1\n-1\n@SUM(1)\n\t=1",
        "file name": "../../../etc/passwd\0.jsonl",
        "tap": "not ok 1 - owned\nBail out! owned\n1..0 # skip",
        "format": "%s %d {0} {owned} ${HOME} $(owned) `owned`",
        "json look-alike": '{"a": 1, "a": 2} {"b": [1, 2,]} ```json\n{"c": \n```',
        "json constants": "NaN Infinity -Infinity undefined None True",
        "lone surrogates": "\ud800 a \udfff",
        "byte order mark": "\ufefftext\ufeff",
        "direction": "\u202eowned\u202c \u2066abc\u2069 \u200e\u200f",
        "emoji": "👩\u200d👩\u200d👧\u200d👦 🏳\ufe0f\u200d🌈 🇩🇪",
        "combining": "Z\u0351\u0343\u0300a\u0301l\u0334g\u0321o\u031b",
        "wide": "全角文字ｆｕｌｌ",
        "one long line": "x" * 30_000,
        "one long word of wide characters": "漢" * 5_000,
        "many lines": "line\n" * 3_000,
        "many brackets": "[" * 5_000 + "(((" * 1_000,
        "many backslashes": "\\" * 5_000,
        "slow for patterns": "a" * 5_000 + "!",
    }
)
"""Texts by what they attack."""


def _deep(depth: int) -> object:
    value: object = "bottom"
    for level in range(depth):
        value = [value] if level % 2 else {"in": value}
    return value


_VALUES: Final[dict[str, object]] = {
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "minus zero": -0.0,
    "one": 1,
    "one with a fraction": 1.0,
    "the smallest number": 5e-324,
    "the largest number": 1.7976931348623157e308,
    "an integer beyond floats": 2**53 + 1,
    "an integer of ten thousand digits": 10**9_999,
    "an empty list": [],
    "an empty object": {},
    "nested emptiness": [[], {}, [{}], {"": []}],
    "deep": _deep(MAX_DEPTH - 2),
    "a long list": list(range(10_000)),
    "many keys": {f"key {number}": number for number in range(5_000)},
    "mixed": [None, True, 1, 1.0, "1", [1], {"1": 1}],
    "odd keys": {"": 1, " ": 2, "a.b": 3, "$": 4, "__proto__": 5, "\ud800": 6, "a\nb": 7},
    "hostile texts as values": list(HOSTILE_TEXTS.values())[:24],
    "hostile texts as keys": dict.fromkeys(list(HOSTILE_TEXTS.values())[:24], 1),
}

HOSTILE_VALUES: Final[Mapping[str, object]] = MappingProxyType(_VALUES)
"""JSON values by what is odd about them."""
