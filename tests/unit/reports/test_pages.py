"""Pages of a run: one that fails is named, the others are written."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.errors import RunError
from assay.model.report import Report
from assay.model.result import CaseResult
from assay.reports.choose import PagePlan
from assay.reports.installed import InstalledReporter
from assay.reports.pages import Written, write_pages


@pytest.fixture
def write(
    tmp_path: Path,
    report: Callable[..., Report],
    result: Callable[..., CaseResult],
    install: Callable[..., InstalledReporter],
) -> Callable[..., tuple[Written, str]]:
    """Writes pages ``(class, name)`` of a run of two cases, and gives what is on stdout."""

    def run(*pages: tuple[Any, str | None]) -> tuple[Written, str]:
        stdout = io.StringIO()
        written = write_pages(
            [
                PagePlan(
                    reporter=install(one, "assay-x"),
                    path=None if name is None else tmp_path / name,
                    name=name or "standard output",
                )
                for one, name in pages
            ],
            report(result(0), result(1)),
            settings=lambda one: one.word,
            redact=lambda text: text.replace("T001", "***"),
            stdout=stdout,
        )
        return written, stdout.getvalue()

    return run


def test_pages_are_written_and_named(
    tmp_path: Path, reporters: dict[str, Any], write: Callable[..., tuple[Written, str]]
) -> None:
    written, stdout = write((reporters["ids"], "a.ids"), (reporters["ids"], "new/b.ids"))
    assert written == Written(paths=("a.ids", "new/b.ids"))
    assert stdout == ""
    assert (tmp_path / "a.ids").read_text() == "T000\n***\n"
    assert (tmp_path / "new/b.ids").read_text() == "T000\n***\n"


def test_a_page_for_standard_output(
    reporters: dict[str, Any], write: Callable[..., tuple[Written, str]]
) -> None:
    assert write((reporters["ids"], None)) == (Written(paths=()), "T000\n***\n")


def test_one_that_raises_is_named_and_the_others_are_written(
    tmp_path: Path, reporters: dict[str, Any], write: Callable[..., tuple[Written, str]]
) -> None:
    (tmp_path / "b.crash").write_text("old")
    written, stdout = write(
        (reporters["crashes"], None),
        (reporters["ids"], "a.ids"),
        (reporters["crashes"], "b.crash"),
        (reporters["ids"], "c.ids"),
    )
    assert written.paths == ("a.ids", "c.ids")
    assert written.problems == (
        "standard output: reporter crashes of assay-x 1.0 failed: KeyError: 'no such key'",
        "b.crash: reporter crashes of assay-x 1.0 failed: KeyError: 'no such key'",
    )
    assert stdout == ""
    assert (tmp_path / "b.crash").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.ids", "b.crash", "c.ids"]


def test_one_that_cannot_be_made_or_ends_the_process_is_named(
    reporters: dict[str, Any], write: Callable[..., tuple[Written, str]]
) -> None:
    def fail(*_: object) -> None:
        raise TypeError("no settings")

    def leave(*_: object) -> None:
        raise SystemExit(0)

    unmade = type("Unmade", (reporters["ids"],), {"__init__": fail})
    leaves = type("Leaves", (reporters["ids"],), {"write": leave})
    written, _ = write((unmade, "a.ids"), (leaves, "b.ids"), (reporters["ids"], "c.ids"))
    assert written.paths == ("c.ids",)
    assert [problem.partition("failed: ")[2] for problem in written.problems] == [
        "TypeError: no settings",
        "SystemExit: 0",
    ]


def test_a_page_that_cannot_be_written_is_named(
    tmp_path: Path, reporters: dict[str, Any], write: Callable[..., tuple[Written, str]]
) -> None:
    (tmp_path / "taken").write_text("a file")
    written, _ = write((reporters["ids"], "taken/a.ids"), (reporters["ids"], "b.ids"))
    assert written.paths == ("b.ids",)
    [problem] = written.problems
    assert problem.startswith(f"{tmp_path / 'taken/a.ids'}: the report cannot be written: ")


def test_a_journal_that_cannot_be_read_is_told_for_each_page(
    reporters: dict[str, Any], write: Callable[..., tuple[Written, str]]
) -> None:
    def fail(*_: object) -> None:
        raise RunError("out.jsonl: the result at byte 7 cannot be read")

    unread = type("Unread", (reporters["ids"],), {"write": fail})
    written, _ = write((unread, "a.ids"))
    assert written.problems == ("out.jsonl: the result at byte 7 cannot be read",)
