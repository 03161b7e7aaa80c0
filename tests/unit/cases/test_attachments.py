"""Attachments are looked at when cases load."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cases import attachments
from assay.cases.attachments import Attachments
from assay.model.case import Case, Where
from assay.model.files import FileAccess
from assay.model.message import Message


def case_of(*urls: str, in_list: bool = False) -> Case:
    parts = tuple({"type": "image", "source": url} for url in urls)
    message = {"role": "user", "content": list(parts)}
    return Case(
        id="a",
        messages=(Message(content="first"), Message(content=parts)),
        where=Where("cases.jsonl", 3),
        raw={"input": ["…", message] if in_list else message},
    )


def test_one_fault_for_each_file_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "a.png").touch()
    looking = Attachments(lambda: FileAccess(folder=tmp_path, roots=(tmp_path,)))
    case = case_of("file://a.png", "file://b.png", "https://x/c.png", in_list=True)
    told = [str(fault) for fault in looking.look(case)]
    assert told == [
        f"cases.jsonl:3 input[1].content[1].source: no file 'b.png' in {tmp_path}; mend the path"
    ]
    alone = [fault.field for fault in looking.look(case_of("file://b.png"))]
    assert alone == ["input.content[0].source"]


def test_without_attachments_nothing_is_looked_for() -> None:
    asked: list[str] = []

    def access() -> FileAccess:
        asked.append("asked")
        return FileAccess()

    looking = Attachments(access)
    assert not list(looking.look(case_of("https://x/c.png")))
    assert not asked
    assert len(list(looking.look(case_of("file://a", "file://b")))) == 2
    assert asked == ["asked"]


def test_files_are_forgotten_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "MOST_SEEN", 2)
    looking = Attachments(lambda: FileAccess(folder=tmp_path, roots=(tmp_path,)))
    assert len(list(looking.look(case_of(*(f"file://{n}" for n in range(5)))))) == 5
    (tmp_path / "0").touch()
    assert not list(looking.look(case_of("file://0")))
    assert list(looking.look(case_of("file://1")))
