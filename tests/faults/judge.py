"""What must hold of the files of a run, whatever was done to it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from trial import Line, Trial

MEASURED = ("duration", "waited_ms", "std_deviation_ms", "_at", "timestamp", "chat_id", "version")
"""Keys, or ends of keys, of what differs from run to run."""


def journal(trial: Trial, path: Path) -> list[Line]:
    """Read a journal: every line must be whole."""
    data = path.read_bytes()
    trial.require(not data or data.endswith(b"\n"), f"{path.name}: the last line is torn")
    lines: list[Line] = []
    for number, text in enumerate(data.split(b"\n")[:-1], 1):
        try:
            lines.append(json.loads(text))
        except ValueError as error:
            trial.problems.append(f"{path.name}:{number} cannot be read: {error}")
    trial.checked += len(lines)
    return lines


def recorded(lines: Iterable[Line]) -> Counter[str]:
    """Count the attempts that lines record, by case."""
    attempts = Counter[str]()
    whole = Counter[str]()
    for line in lines:
        if line["type"] == "attempt":
            attempts[line["id"]] += 1
        elif line["type"] == "result" and line["status"] != "skipped":
            whole[line["id"]] = max(1, len(line.get("attempts", ())), line.get("runs") or 1)
    return attempts | whole


def nothing_lost(trial: Trial, answered: Counter[str], lines: list[Line], parallel: int) -> None:
    """See that all that an agent answered is recorded, but for what was under way."""
    kept = recorded(lines)
    missing = answered - kept
    trial.require(
        missing.total() <= parallel,
        f"{missing.total()} answers are lost, and {parallel} were under way: {dict(missing)}",
    )
    extra = kept - answered
    trial.require(not extra, f"recorded but never answered: {dict(extra)}")


def is_over(lines: list[Line]) -> bool:
    """Whether a journal has its end."""
    return bool(lines) and lines[-1]["type"] == "summary"


def reports(trial: Trial, lines: list[Line], *names: str, all_there: bool) -> None:
    """See that the reports that are there are whole, and tell of what the journal holds.

    Args:
        trial: Where the files stand.
        lines: Of the journal.
        names: The reports.
        all_there: Whether each must be there.
    """
    counts = Counter(line["status"] for line in lines if line["type"] == "result")
    for name in names:
        path = trial.root / name
        if not path.exists():
            trial.require(not all_there, f"{name} is missing")
            continue
        try:
            text = path.read_text(encoding="utf-8")
            _READERS[path.suffix](trial, name, text, counts)
        except (ValueError, KeyError, AssertionError, ElementTree.ParseError) as error:
            trial.problems.append(f"{name} is not whole: {type(error).__name__}: {error}")


def no_scraps(trial: Trial) -> None:
    """See that no file is left that is for assay alone."""
    left = [path.name for path in trial.root.rglob(".*") if path.is_file()]
    left += [path.name for path in (trial.folder / "tmp").iterdir()]
    trial.require(not left, f"files are left behind: {left}")


def steady(value: Any) -> Any:
    """Give a JSON value without what differs from run to run."""
    if isinstance(value, list):
        return [steady(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: steady(item)
        for key, item in value.items()
        if not any(word in key for word in MEASURED) and key != "command"
    }


def same(trial: Trial, path: Path, expected: Any) -> None:
    """See that a JSON report is the one of an uninterrupted run, but for times and ids."""
    found = steady(json.loads(path.read_text(encoding="utf-8")))
    for key in sorted({*found, *expected}):
        one, other = found.get(key), expected.get(key)
        if one != other:
            if isinstance(one, list) and isinstance(other, list):
                differing = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
                one, other = differing[:1], (len(found[key]), len(expected[key]))
            trial.problems.append(f"{path.name}: {key} is {one}, not {other}")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ends: list[str] = []

    def handle_endtag(self, tag: str) -> None:
        self.ends.append(tag)


def _json(trial: Trial, name: str, text: str, counts: Counter[str]) -> None:
    report = json.loads(text)
    told = Counter(result["status"] for result in report["results"])
    told["skipped"] = len(report.get("skipped", ()))
    trial.require(+told == +counts, f"{name}: it tells of {dict(told)}, the journal {dict(counts)}")


def _html(trial: Trial, name: str, text: str, counts: Counter[str]) -> None:
    page = _Page()
    page.feed(text)
    trial.require(page.ends[-1:] == ["html"], f"{name}: it does not end")


def _xml(trial: Trial, name: str, text: str, counts: Counter[str]) -> None:
    told = len(ElementTree.fromstring(text).findall(".//testcase"))
    trial.require(told == counts.total(), f"{name}: {told} cases, not {counts.total()}")


def _md(trial: Trial, name: str, text: str, counts: Counter[str]) -> None:
    trial.require(text.startswith("# "), f"{name}: it has no heading")


_READERS = {".json": _json, ".html": _html, ".xml": _xml, ".md": _md}
