"""The file of a record: what is written, in which order, and how it is found again."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from attrs import define, evolve, field

from assay import (
    AgentInfo,
    ConfigError,
    Environment,
    FileAccess,
    Message,
    Origin,
    Request,
    Response,
    RunError,
    WrapContext,
)
from assay_plugins.wraps._content import compared, content_of, digest
from assay_plugins.wraps._entries import Entry, Failure
from assay_plugins.wraps._nearest import why_missing
from assay_plugins.wraps._recorder import Recorder
from assay_plugins.wraps._settings import RecordFile, record_settings, replay_settings
from assay_plugins.wraps._tape import Tape


@define
class Told:
    """What a run was told."""

    notes: list[str] = field(factory=list[str])
    faults: list[str] = field(factory=list[str])
    stopped: bool = False

    def context(self, cwd: Path) -> WrapContext:
        return WrapContext(
            cwd=cwd,
            tell=self.notes.append,
            fail=self.faults.append,
            is_stopped=lambda: self.stopped,
            redact=hide,
        )


def hide(value: object) -> object:
    return json.loads(json.dumps(value).replace("s3cret-value", "***"))


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def file(tmp_path: Path) -> RecordFile:
    return RecordFile(path=tmp_path / "run.rec", shown="run.rec")


def asked(text: str = "hi", **origin: Any) -> Request:
    where = Origin(**{"suite": "s", "case": "c", **origin})
    return Request(messages=(Message(content=text),), chat_id="x", origin=where)


def entry(request: Request, outcome: Response | Failure, agent: str = "a") -> Entry:
    content = content_of(request, hide)
    return Entry(agent=agent, origin=request.origin, request=content, outcome=outcome)


def lines(file: RecordFile) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.path.read_text().splitlines()]


Recorded = Callable[..., Tape]

PRECIOUS = '{"type": "record", "format": 1}\n'


@pytest.fixture
def recorded(file: RecordFile, told: Told) -> Iterator[Recorded]:
    """Give a record of entries, open to be read."""
    tapes: list[Tape] = []

    def make(*entries: Entry) -> Tape:
        recorder = Recorder(file, told.context(file.path.parent))
        recorder.enter()
        recorder.agent("a", AgentInfo(name="A"), Environment())
        for each in entries:
            recorder.add(each, recorder.ticket())
        recorder.leave()
        tapes.append(Tape(file, told.notes.append))
        tapes[-1].enter()
        return tapes[-1]

    yield make
    for tape in tapes:
        tape.leave()


def test_lines_are_in_the_order_of_cases_however_they_came(file: RecordFile, told: Told) -> None:
    recorder = Recorder(file, told.context(file.path.parent))
    recorder.enter()
    recorder.agent("z", None, Environment(identity="server"))
    first = recorder.ticket()
    for case, index, attempt in (("b", 1, 1), ("a", 0, 2), ("a", 0, 1)):
        request = asked(case, case=case, index=index, attempt=attempt)
        recorder.add(entry(request, Response(text=case)), recorder.ticket())
    recorder.agent("judge", AgentInfo(name="Judge"), Environment())
    report = Request(messages=(), origin=Origin(purpose="reporter"))
    recorder.add(entry(report, Response(text="report")), recorder.ticket())
    judge = asked("b?", case="b", index=1, purpose="judge")
    recorder.add(entry(judge, Response(text="judged")), recorder.ticket())
    # Sent before all others, and answered last.
    recorder.add(entry(asked("b", case="b", index=1), Failure(kind="timeout")), first)
    assert len(recorder.part.read_text().splitlines()) == 9
    assert not file.path.exists()
    recorder.leave()
    written = lines(file)
    assert written[0] == {"type": "record", "format": 1}
    assert [line["agent"] for line in written[1:3]] == ["judge", "z"]
    assert written[2]["environment"]["identity"] == "server"
    told_of = [
        (line["case"], line["attempt"], line["purpose"], "error" in line) for line in written[3:]
    ]
    assert told_of == [
        ("a", 1, "test", False),
        ("a", 2, "test", False),
        ("b", 1, "test", True),
        ("b", 1, "test", False),
        ("b", 1, "judge", False),
        ("", 1, "reporter", False),
    ]
    assert [path.name for path in file.path.parent.iterdir()] == ["run.rec"]


def test_what_is_there_stays_when_nothing_was_asked(file: RecordFile, told: Told) -> None:
    file.path.write_text(PRECIOUS)
    recorder = Recorder(file, told.context(file.path.parent))
    recorder.enter()
    recorder.agent("a", None, Environment())
    recorder.leave()
    assert file.path.read_text() == PRECIOUS
    assert [path.name for path in file.path.parent.iterdir()] == ["run.rec"]


def test_a_run_that_was_stopped_replaces_no_record(file: RecordFile, told: Told) -> None:
    file.path.write_text(PRECIOUS)
    recorder = Recorder(file, told.context(file.path.parent))
    recorder.enter()
    recorder.add(entry(asked(), Response(text="x")), recorder.ticket())
    told.stopped = True
    recorder.leave()
    assert file.path.read_text() == PRECIOUS
    assert told.notes == [
        "the run was stopped: run.rec stays as it was, and run.rec.part holds what was recorded"
    ]
    tape = Tape(RecordFile(path=recorder.part, shown="part"), told.notes.append)
    assert len(tape) == 1


def test_a_run_that_was_stopped_makes_a_record_where_there_is_none(
    file: RecordFile, told: Told, recorded: Recorded
) -> None:
    told.stopped = True
    assert len(recorded(entry(asked(), Response(text="x")))) == 1


def test_a_full_disk_is_told_once_and_keeps_what_was_there(
    file: RecordFile, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource

    file.path.write_text(PRECIOUS)
    recorder = Recorder(file, told.context(file.path.parent))
    recorder.enter()
    recorder.add(entry(asked(), Response(text="short")), recorder.ticket())
    size = recorder.part.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    import signal

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))
        for number in range(3):
            request = asked("long", case=f"c{number}")
            recorder.add(entry(request, Response(text="x" * 1000)), recorder.ticket())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    recorder.leave()
    (fault,) = told.faults
    assert fault.startswith("run.rec: recording has stopped: File too large; run.rec.part holds")
    assert file.path.read_text() == PRECIOUS
    assert len(Tape(RecordFile(path=recorder.part, shown="p"), told.notes.append)) == 1
    assert told.notes == []


def test_secrets_are_not_written(file: RecordFile, told: Told, recorded: Recorded) -> None:
    request = asked("my s3cret-value")
    answer = Response(text="s3cret-value", data=["s3cret-value"])
    tape = recorded(entry(request, answer))
    assert "s3cret" not in file.path.read_text()
    found = tape.find("a", request.origin, content_of(request, hide))
    assert found is not None
    assert tape.at(found.offsets[0]).outcome == Response(text="***", data=["***"])


def test_tries_come_in_order_and_the_last_one_again(
    file: RecordFile, told: Told, recorded: Recorded
) -> None:
    request = asked()
    failure = Failure(kind="transport", message="down", retryable=True)
    tape = recorded(entry(request, failure), entry(request, Response(text="up")))
    content = content_of(request, hide)
    found = tape.find("a", request.origin, content)
    assert found is not None
    outcomes = [tape.take(found, "a", request.origin).outcome for _ in range(3)]
    assert outcomes == [failure, Response(text="up"), Response(text="up")]


def test_a_case_that_was_renamed_is_found_by_what_it_asks(
    file: RecordFile, told: Told, recorded: Recorded
) -> None:
    answers = [
        entry(asked("hi", case=case, attempt=attempt), Response(text=f"{case}{attempt}"))
        for case in ("old", "other")
        for attempt in (1, 2)
    ]
    tape = recorded(*answers)

    def found(case: str, attempt: int) -> tuple[str, str | None]:
        request = asked("hi", case=case, attempt=attempt)
        known = tape.find("a", request.origin, content_of(request, hide))
        assert known is not None
        taken = tape.take(known, "a", request.origin).outcome
        assert isinstance(taken, Response)
        return taken.text, known.note

    assert found("old", 2) == ("old2", None)
    assert found("new", 1) == ("old1", "replayed from case 'old', attempt 1, which asked the same")
    assert found("new", 2)[0] == "old2"
    assert found("other", 7)[0] == "other1"
    assert found("new", 1)[0] == "old1"


def test_a_case_file_that_was_moved_is_named(recorded: Recorded) -> None:
    tape = recorded(entry(asked(suite="old.jsonl"), Response(text="x")))
    request = asked(suite="new.jsonl")
    found = tape.find("a", request.origin, content_of(request, hide))
    assert found is not None
    assert found.note == "replayed from case 'c', attempt 1 of old.jsonl, which asked the same"


def test_what_is_no_json_is_left_out_and_told_once(
    file: RecordFile, told: Told, tmp_path: Path
) -> None:
    recorder = Recorder(file, evolve(told.context(tmp_path), redact=lambda value: value))
    recorder.enter()
    for case in ("a", "b"):
        recorder.add(entry(asked(case=case), Response(data=object())), recorder.ticket())
    recorder.add(entry(asked(case="c"), Response(text="x")), recorder.ticket())
    recorder.leave()
    (fault,) = told.faults
    assert fault.startswith("run.rec: not all answers can be recorded: ")
    assert [line["case"] for line in lines(file)[1:]] == ["c"]


def test_another_agent_is_another_request(file: RecordFile, told: Told, recorded: Recorded) -> None:
    tape = recorded(entry(asked(), Response(text="x")))
    content = content_of(asked(), hide)
    assert tape.find("b", asked().origin, content) is None
    assert why_missing(tape, "b", asked().origin, content) == (
        "run.rec does not hold case 'c', attempt 1: nearest is case 'c', attempt 1 (it was asked"
        " of 'a', not of 'b'); record it again, or ask the agent with --replay-missing=ask"
    )


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            asked("ho"),
            'the request has changed since it was recorded (messages[0].content: expected "hi",'
            ' got "ho")',
        ),
        (asked("ho", attempt=3), "nearest is case 'c', attempt 1 (messages[0].content: "),
        (
            asked("ho", case="C"),
            "does not hold case 'C', attempt 1: nearest is case 'c', attempt 1",
        ),
        (asked("ho", case="zebra"), "of its 1 requests none is of a case like that"),
        (asked("ho", suite="t"), "nearest is case 'c', attempt 1 (it is of 's', not of 't'; "),
        (asked("ho", purpose="judge"), "does not hold the judge of case 'c', attempt 1: nearest"),
    ],
)
def test_the_nearest_is_named(
    file: RecordFile, told: Told, recorded: Recorded, request_: Request, words: str
) -> None:
    tape = recorded(entry(asked("hi"), Response(text="x")))
    assert words in why_missing(tape, "a", request_.origin, content_of(request_, hide))


def test_who_decided_the_identity_is_known_again(file: RecordFile, told: Told) -> None:
    recorder = Recorder(file, told.context(file.path.parent))
    recorder.enter()
    recorder.agent("a", None, Environment(referer="api", identity="server"))
    for user, identity in (("test-user", "server"), ("ann", "token")):
        environment = Environment(user_id=user, identity=identity)
        request = evolve(asked(case=user), environment=environment)
        recorder.add(entry(request, Response(text="x")), recorder.ticket())
    recorder.leave()
    tape = Tape(file, told.notes.append)
    for user, identity in (("test-user", "server"), ("ann", "token"), ("bob", "server")):
        found = tape.identify("a", Environment(user_id=user, locale="de-de"))
        told_of = (found.user_id, found.identity, found.referer, found.locale)
        assert told_of == (user, identity, "api", "de-de")
    plain = asked(case="ann")
    with_identity = evolve(plain, environment=Environment(identity="token"))
    contents = [compared(content_of(each, hide)) for each in (plain, with_identity)]
    assert digest(contents[0]) == digest(contents[1])


def test_a_torn_last_line_is_left_out(file: RecordFile, told: Told, recorded: Recorded) -> None:
    recorded(entry(asked(), Response(text="x")), entry(asked("b"), Response(text="y")))
    data = file.path.read_bytes()
    for cut in range(2, 200, 13):
        file.path.write_bytes(data[:-cut])
        told.notes.clear()
        assert len(Tape(file, told.notes.append)) == 1
        assert told.notes == ["run.rec: its last line is torn, and left out"]
    # One that lacks its end alone is whole.
    file.path.write_bytes(data[:-1])
    assert len(Tape(file, told.notes.append)) == 2


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it is empty"),
        ("hello\n", "its first line is wrong"),
        ('{"type": "start"}\n', "its type is not 'record'"),
        (
            '{"type": "record", "format": 99}\n',
            "its format is 99, and this version",
        ),
        ('{"type": "record", "format": 1}\n{"type": "x"}\n', "run.rec:2: type: 'x' is neither"),
        ('{"type": "record", "format": 1}\n{}\n{"type": "send"}\n', "run.rec:3: suite: expected"),
        (
            '{"type": "record", "format": 1}\n{"type": "agent"}\n',
            "run.rec:2: agent and environment",
        ),
    ],
)
def test_what_is_no_record_is_refused(file: RecordFile, told: Told, text: str, fault: str) -> None:
    file.path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        Tape(file, told.notes.append)
    assert fault in str(caught.value)
    assert str(caught.value).startswith("--replay run.rec: ")


def test_a_record_that_is_not_there_is_refused(file: RecordFile, told: Told) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        Tape(file, told.notes.append)


def test_a_folder_is_no_record(tmp_path: Path, told: Told) -> None:
    recorder = Recorder(RecordFile(path=tmp_path, shown="."), told.context(tmp_path))
    with pytest.raises(ConfigError, match=r"--record \.: it is not a file"):
        recorder.enter()


@pytest.mark.parametrize("text", ['{"id": "a", "input": "hi"}\n', "# Report\n", "\n", "x" * 5000])
def test_what_is_no_record_is_not_recorded_over(file: RecordFile, told: Told, text: str) -> None:
    file.path.write_text(text)
    recorder = Recorder(file, told.context(file.path.parent))
    with pytest.raises(ConfigError, match=r"--record run\.rec: it holds something else than a rec"):
        recorder.enter()
    assert file.path.read_text() == text
    assert [path.name for path in file.path.parent.iterdir()] == ["run.rec"]


def test_a_report_that_was_written_in_the_place_of_the_record_stays(
    file: RecordFile, told: Told
) -> None:
    recorder = Recorder(file, told.context(file.path.parent))
    recorder.enter()
    recorder.add(entry(asked(), Response(text="x")), recorder.ticket())
    file.path.write_text("# Report\n")
    recorder.leave()
    assert told.faults == [
        "run.rec: it holds something else by now, and is left as it is;"
        " run.rec.part holds what was recorded until then"
    ]
    assert file.path.read_text() == "# Report\n"
    assert len(Tape(RecordFile(path=recorder.part, shown="p"), told.notes.append)) == 1


@pytest.mark.parametrize("text", ["", PRECIOUS, '{"type": "record", "format": 2}\n'])
def test_an_empty_file_and_a_record_are_recorded_over(
    file: RecordFile, recorded: Recorded, text: str
) -> None:
    file.path.write_text(text)
    assert len(recorded(entry(asked(), Response(text="x")))) == 1


def test_files_are_told_by_name_size_and_hash(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    inline = "data:image/png;base64," + "QUJD" * 200
    parts: tuple[dict[str, Any], ...] = (
        {"type": "file", "file": {"url": "file://a.txt"}},
        {"type": "image_url", "image_url": {"url": inline}},
    )
    request = Request(
        messages=(Message(content=parts),), files=FileAccess(folder=tmp_path, roots=(tmp_path,))
    )
    content = content_of(request, hide)
    assert files(content) == [
        {
            "url": "file://a.txt",
            "bytes": 5,
            "sha256": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
        }
    ]
    text = json.dumps(content)
    assert "QUJDQUJD" not in text
    assert "data:image/png;base64,bytes=600,sha256=" in text
    before = digest(compared(content))
    (tmp_path / "a.txt").write_text("hullo")
    assert digest(compared(content_of(request, hide))) != before
    (tmp_path / "a.txt").unlink()
    assert files(content_of(request, hide)) == [{"url": "file://a.txt"}]


def files(content: Mapping[str, object]) -> list[object]:
    return cast("list[object]", content["files"])


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"fil": "x"}, r"\[wrap\.record\] fil: unknown key; did you mean 'file'\?"),
        ({"file": 3}, "expected the name of a file, got 3"),
    ],
)
def test_wrong_settings_of_record(
    tmp_path: Path, told: Told, settings: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ConfigError, match=fault):
        record_settings(settings, told.context(tmp_path))


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"missing": "ask"}, "--replay-missing: it is for --replay; name a record"),
        ({"file": "x", "missing": "asks"}, "--replay-missing asks: did you mean 'ask'"),
    ],
)
def test_wrong_settings_of_replay(
    tmp_path: Path, told: Told, settings: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ConfigError, match=fault):
        replay_settings(settings, told.context(tmp_path))


def test_other_processes_are_refused(tmp_path: Path, told: Told) -> None:
    elsewhere = evolve(told.context(tmp_path), is_local=False)
    with pytest.raises(ConfigError, match="--record: it works with --executor local alone"):
        record_settings({"file": "x"}, elsewhere)
    with pytest.raises(ConfigError, match="--replay: it works with --executor local alone"):
        replay_settings({"file": "x"}, elsewhere)


def test_a_run_that_goes_on_is_not_recorded(tmp_path: Path, told: Told) -> None:
    going_on = evolve(told.context(tmp_path), is_resumed=True)
    with pytest.raises(ConfigError, match="--record: a run that goes on asks only what is left"):
        record_settings({"file": "x"}, going_on)
    assert replay_settings({"file": "x"}, going_on).file.shown == "x"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_one_run_at_a_time_records_to_a_file(file: RecordFile, told: Told) -> None:
    first = Recorder(file, told.context(file.path.parent))
    first.enter()
    first.add(entry(asked(), Response(text="first")), first.ticket())
    second = Recorder(file, told.context(file.path.parent))
    with pytest.raises(RunError, match=r"--record run\.rec: it cannot be written: another run is"):
        second.enter()
    first.leave()
    assert lines(file)[-1]["response"]["text"] == "first"
    second.enter()
    second.leave()
    assert lines(file)[-1]["response"]["text"] == "first"
