"""The file that a run goes on in: what it may be, and that it stands at every moment."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

import assay
from assay.journal.file import LineFile, Place
from assay.recovery.previous import read_previous

if TYPE_CHECKING:
    from tests.unit.recovery.conftest import Desk

LABEL = "--resume run.jsonl"


@pytest.mark.parametrize(
    "text", ["", "\n", "\n \n", '{"type"', '{"type": "start"', '{"type": "start", "x']
)
def test_a_run_that_wrote_nothing_yet_is_a_new_one(broken: Desk, text: str) -> None:
    (broken.folder / "run.jsonl").write_text(text)

    assert read_previous(broken.folder / "run.jsonl", "run.jsonl", LABEL) is None
    broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert broken.lines("run.jsonl") == broken.lines("whole.jsonl")


@pytest.mark.parametrize(
    "text",
    [
        "print('hello')\n",
        '{"id": "a", "input": "x"}\n',
        '{"type": "result", "id": "a", "suite": "s", "index": 0}\n',
        "[]\n",
        '\n{"id": "a", "input": "x"}\n',
        "\n\nnotes that somebody keeps",
        "\0\0",
    ],
)
def test_what_is_no_run_is_left_alone(broken: Desk, text: str) -> None:
    file = broken.folder / "run.jsonl"
    file.write_text(text)

    with pytest.raises(assay.ConfigError, match=r"--resume run\.jsonl: it holds no run"):
        broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert file.read_text() == text


def test_a_file_that_is_not_there_is_told(broken: Desk) -> None:
    with pytest.raises(
        assay.ConfigError, match=r"--resume gone\.jsonl: it cannot be read: No such"
    ):
        broken.run("cases.jsonl", resume="gone.jsonl", runs=2)


def test_a_torn_last_line_is_told_and_cut_off(broken: Desk) -> None:
    file = broken.folder / "run.jsonl"
    file.write_bytes(file.read_bytes()[:-9])

    resumed = broken.prepared("cases.jsonl", resume="run.jsonl", runs=2).resumed
    told = [] if resumed is None else list(resumed.remarks())
    broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert told == ["warning: run.jsonl:8: the last line is torn; it is left out"]
    assert broken.asked == ["c#1", "c#2", "d#1", "d#2"]
    assert broken.lines("run.jsonl") == broken.lines("whole.jsonl")


def test_the_last_line_of_an_attempt_counts(broken: Desk) -> None:
    file = broken.folder / "run.jsonl"
    attempt = json.loads(file.read_text().splitlines()[-1])
    assert (attempt["id"], attempt["run"], attempt["status"]) == ("c", 1, "error")
    attempt |= {"status": "passed", "output": "later"}
    with file.open("a") as out:
        out.write(json.dumps(attempt) + "\n")

    report = broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    (found,) = (result for result in report.cases if result.case.id == "c")
    assert [each.output for each in found.attempts] == ["later", "good"]


def test_the_start_of_the_run_stays(broken: Desk) -> None:
    file = broken.folder / "run.jsonl"
    then = json.loads(file.read_text().splitlines()[0])["timestamp"]
    file.write_text(file.read_text().replace(then, "2001-02-03T04:05:06Z"))

    report = broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert report.info.started_at == "2001-02-03T04:05:06Z"
    assert json.loads(file.read_text().splitlines()[0])["timestamp"] == "2001-02-03T04:05:06Z"


def test_it_stands_while_the_run_goes_on(broken: Desk) -> None:
    """Whatever the agent sees in the file is a run that can go on: nothing known was lost."""
    file = broken.folder / "run.jsonl"
    known = [line for line in broken.lines("run.jsonl") if line["type"] == "attempt"]
    seen: list[list[dict[str, object]]] = []

    def reply(request: assay.Request) -> str:
        seen.append([line for line in broken.lines("run.jsonl") if line["type"] == "attempt"])
        return "good"

    assay.run("cases.jsonl", agent=reply, resume=file, runs=2, cwd=broken.folder, environ={})

    assert len(seen) == 3
    assert all(lines[: len(known)] == known for lines in seen)


def test_a_link_stays_a_link(broken: Desk) -> None:
    real = broken.folder / "kept" / "real.jsonl"
    real.parent.mkdir()
    (broken.folder / "run.jsonl").rename(real)
    (broken.folder / "run.jsonl").symlink_to(real)

    broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert (broken.folder / "run.jsonl").is_symlink()
    assert [path.name for path in real.parent.iterdir()] == ["real.jsonl"]
    assert broken.lines("kept/real.jsonl") == broken.lines("whole.jsonl")


@pytest.mark.skipif(os.name != "posix", reason="other systems know no such modes")
def test_it_keeps_its_mode(broken: Desk) -> None:
    (broken.folder / "run.jsonl").chmod(0o640)

    broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert (broken.folder / "run.jsonl").stat().st_mode & 0o777 == 0o640


def test_it_may_be_named_as_an_output_too(broken: Desk) -> None:
    broken.run("cases.jsonl", resume="run.jsonl", output=["run.jsonl", "other.jsonl"], runs=2)

    assert broken.lines("run.jsonl") == broken.lines("other.jsonl")


def test_no_other_reporter_can_write_it(broken: Desk) -> None:
    with pytest.raises(assay.ConfigError, match=r"-o run\.jsonl: the run goes on in this file"):
        broken.run("cases.jsonl", resume="run.jsonl", output="run.jsonl", reporter="json", runs=2)


def test_a_finished_run_is_only_reported_again(broken: Desk) -> None:
    report = broken.run("cases.jsonl", resume="whole.jsonl", output="run.json", runs=2)

    assert broken.asked == []
    assert report.exit_code == 1
    assert json.loads((broken.folder / "run.json").read_text())["summary"]["total"] == 4


@pytest.mark.parametrize(("statuses", "asked"), [("a", []), ("", ["a#1"])])
def test_a_run_that_stops_at_once_stops_where_it_did(
    desk: Desk, statuses: str, asked: list[str]
) -> None:
    desk.write("cases.jsonl", *({"id": name, "input": "x", "expected": "good"} for name in "abc"))
    desk.answers = {"a": "bad", "b": "bad"}
    desk.run("cases.jsonl", output="run.jsonl", fail_fast=True)
    desk.cut("run.jsonl", "run.jsonl", 1 + len(statuses))

    report = desk.run("cases.jsonl", resume="run.jsonl", fail_fast=True)

    assert desk.asked == asked
    assert report.summary.stopped == "stopped by --fail-fast after a"
    assert desk.statuses("run.jsonl") == {"a": "failed", "b": "skipped", "c": "skipped"}


def test_it_goes_on_behind_that_when_it_is_told_to(desk: Desk) -> None:
    desk.write("cases.jsonl", *({"id": name, "input": "x", "expected": "good"} for name in "abc"))
    desk.answers = {"a": "bad"}
    desk.run("cases.jsonl", output="run.jsonl", fail_fast=True)

    desk.run("cases.jsonl", resume="run.jsonl")

    assert desk.asked == ["b#1", "c#1"]


@pytest.mark.parametrize(("place", "key"), [(3, "duration_ms"), (3, "run"), (4, "run_details")])
def test_a_line_that_somebody_spoilt_is_told_and_runs_again(
    broken: Desk, place: int, key: str
) -> None:
    file = broken.folder / "run.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    line = json.loads(lines[place - 1])
    assert line["id"] == "a"
    line[key] = "spoilt"
    lines[place - 1] = json.dumps(line) + "\n"
    file.write_text("".join(lines))

    resumed = broken.prepared("cases.jsonl", resume="run.jsonl", runs=2).resumed
    told = [] if resumed is None else list(resumed.remarks())
    broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert len(told) == 1
    assert told[0].startswith(f"warning: run.jsonl: a line of case 'a' cannot be read: {key}")
    assert broken.asked == ["a#1", "a#2", "c#2", "d#1", "d#2"]
    ids = [line["id"] for line in broken.lines("run.jsonl") if line["type"] == "result"]
    assert sorted(ids) == [*"abcd"]


def test_a_file_that_another_run_still_writes_is_left_alone(broken: Desk) -> None:
    file = broken.folder / "run.jsonl"
    before = file.read_bytes()
    writer = LineFile(Place(file, "instead"), print)
    with pytest.raises(assay.ConfigError, match="another run is still writing it"):
        broken.run("cases.jsonl", resume="run.jsonl", runs=2)
    writer.close()

    assert file.read_bytes() == before
    assert broken.asked == []
    broken.run("cases.jsonl", resume="run.jsonl", runs=2)
    assert broken.lines("run.jsonl") == broken.lines("whole.jsonl")


def test_a_file_that_changes_after_it_was_read_is_left_alone(broken: Desk) -> None:
    file = broken.folder / "run.jsonl"
    changed = file.read_bytes() + b"\n"
    prepared = broken.prepared("cases.jsonl", resume="run.jsonl", runs=2)
    assert prepared.resumed is not None
    assert prepared.resumed.previous.is_as_read()
    file.write_bytes(changed)
    assert not prepared.resumed.previous.is_as_read()
