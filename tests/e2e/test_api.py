"""``assay.run`` and its kin, called by programs: what is installed, and nothing else."""

from __future__ import annotations

import asyncio
import io
import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import assay

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


CASES = (
    {"id": "a", "input": "hello", "expected": "hello"},
    {"id": "b", "input": "hello", "assert": {"type": "contains", "value": "zzz"}},
    {"id": "c", "input": "x", "skip": True},
)


def echo(request: assay.Request) -> str:
    return request.text


def told(report: assay.Report) -> list[tuple[str, str]]:
    return [(result.case.id, result.status) for result in report.cases]


def test_cases_and_a_function(capsys: pytest.CaptureFixture[str]) -> None:
    report = assay.run(list(CASES), agent=echo)
    assert told(report) == [("a", "passed"), ("b", "failed"), ("c", "skipped")]
    # The results can be read as often as one likes.
    assert told(report) == told(report)
    assert [result.case.id for result in report.results] == ["a", "b"]
    assert [result.case.id for result in report.skipped] == ["c"]
    counts = report.summary.counts
    assert (counts.total, counts.passed, counts.failed, counts.skipped) == (3, 1, 1, 1)
    assert report.summary.agent_id == "echo"
    assert report.exit_code == assay.ExitCode.FAILED
    assert int(report.exit_code) == 1
    assert capsys.readouterr() == ("", "")
    assert list(Path().iterdir()) == []


def test_a_generator_is_read_once(tmp_path: Path) -> None:
    read = []

    def cases() -> Iterator[dict[str, object]]:
        for number in range(50):
            read.append(number)
            yield {"id": str(number), "input": "x"}

    report = assay.run(cases(), agent=echo, runs=2, parallel=4)
    assert report.summary.counts.passed == 50
    assert report.summary.counts.total_runs == 100
    assert read == list(range(50))


def test_files_and_cases_together(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(json.dumps(CASES[0]) + "\n", encoding="utf-8")
    report = assay.run("cases.jsonl", Path("cases.jsonl"), [CASES[0]], [CASES[0]], agent=echo)
    assert [result.suite for result in report.cases] == ["cases.jsonl", "cases-3", "cases-4"]


def test_reports_are_written_where_they_are_asked_for(tmp_path: Path) -> None:
    assay.run(list(CASES), agent=echo, output=["r.json", Path("deep/r.md")])
    report = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert report["summary"]["total"] == 3
    assert (tmp_path / "deep/r.md").is_file()


async def _answer(request: assay.Request) -> dict[str, object]:
    await asyncio.sleep(0)
    return {"text": request.text, "user": request.environment.user_id}


@dataclass
class _Agent:
    data: object

    def __call__(self, request: assay.Request) -> assay.Response:
        return assay.Response(text="said", data=self.data)


def _broken(request: assay.Request) -> object:
    raise assay.AgentError("will not")


@pytest.mark.parametrize(
    ("agent", "output"),
    [
        (_answer, {"text": "hello", "user": "me"}),
        (_Agent([1, 2]), [1, 2]),
        (lambda request: None, None),
        (_broken, "absent"),
    ],
)
def test_agents_of_any_kind(agent: Any, output: object) -> None:
    report = assay.run([{"id": "a", "input": "hello"}], agent=agent, user="me")
    (result,) = report.results
    (attempt,) = result.attempts
    found = "absent" if attempt.output is assay.ABSENT else attempt.output
    assert found == output
    assert result.status == ("error" if output == "absent" else "passed")


def test_an_agent_by_name_and_a_message() -> None:
    report = assay.run("hello there", agent="echo:")
    assert report.is_message
    (result,) = report.results
    assert result.attempts[0].output == "hello there"


def test_the_agent_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text('[agent]\ntransport = "echo"\ntarget = ""\n')
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "input": "x"}\n')
    assert assay.run("cases.jsonl").exit_code == 0


def test_another_folder_and_other_variables(tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "cases.jsonl").write_text('{"id": "a", "input": "x"}\n')
    report = assay.run("cases.jsonl", agent=echo, cwd=folder, environ={"ASSAY_RUNS": "3"})
    assert report.summary.counts.total_runs == 3


def test_several_runs() -> None:
    answers = iter(["good", "bad", "good", "good"])
    report = assay.run(
        [{"id": "a", "input": "x", "expected": "good"}],
        agent=lambda request: next(answers),
        runs=4,
        min_pass_rate=75,
    )
    (result,) = report.results
    assert result.status == "passed"
    assert result.stability is not None
    assert (result.stability.pass_rate, result.stability.stability_class) == (75.0, "unstable")
    assert [attempt.status for attempt in result.attempts] == [
        "passed",
        "failed",
        "passed",
        "passed",
    ]


def test_a_timeout_in_seconds() -> None:
    stop = threading.Event()
    try:
        report = assay.run(
            [{"id": "a", "input": "x"}], agent=lambda request: stop.wait(60), timeout=0.2
        )
    finally:
        stop.set()
    (result,) = report.results
    assert (result.status, result.attempts[0].error) == ("timeout", "timeout after 200ms")


def test_within_a_loop_that_runs() -> None:
    async def main() -> list[int]:
        reports = await asyncio.gather(
            *(assay.run_async([CASES[0]], agent=echo, runs=number) for number in (1, 2))
        )
        return [report.summary.counts.total_runs for report in reports]

    assert asyncio.run(main()) == [1, 2]


def test_waiting_within_a_loop_says_what_to_write() -> None:
    async def main() -> assay.Report:
        return assay.run(CASES, agent=echo)

    with pytest.raises(assay.ConfigError, match=r"await assay\.run_async"):
        asyncio.run(main())


def test_two_runs_in_two_threads(tmp_path: Path) -> None:
    reports: dict[str, assay.Report] = {}

    def work(name: str) -> None:
        reports[name] = assay.run(CASES, agent=echo, output=f"{name}.jsonl")

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [told(reports[name]) for name in ("one", "two")] == [
        [("a", "passed"), ("b", "failed"), ("c", "skipped")]
    ] * 2
    assert len((tmp_path / "one.jsonl").read_text().splitlines()) == 5


def test_a_run_that_is_cancelled_ends() -> None:
    async def main() -> None:
        asked = asyncio.Event()
        cancelled = asyncio.Event()

        async def agent(request: assay.Request) -> str:
            asked.set()
            try:
                await asyncio.Event().wait()
            finally:
                cancelled.set()
            return ""

        running = asyncio.ensure_future(assay.run_async([CASES[0]], agent=agent))
        await asked.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert cancelled.is_set()

    asyncio.run(asyncio.wait_for(main(), 30))


def test_in_a_thread_that_is_not_the_main_one() -> None:
    codes = []
    thread = threading.Thread(
        target=lambda: codes.append(assay.run([CASES[0]], agent=echo).exit_code)
    )
    thread.start()
    thread.join()
    assert codes == [0]


def test_faults_are_raised_with_each_of_them() -> None:
    def agent(request: assay.Request) -> str:
        raise AssertionError("nobody may ask")

    with pytest.raises(assay.ConfigError) as caught:
        assay.run([{"id": "a"}, {"id": "a", "input": "x", "timeout": "soon"}], agent=agent)
    assert [line.partition(":")[2].split(":")[0] for line in caught.value.details] == [
        "1 input",
        "2 timeout",
        "2 id",
    ]
    assert caught.value.exit_code == assay.ExitCode.CONFIG


@pytest.mark.parametrize(
    ("inputs", "settings", "problem"),
    [
        (([],), {}, "no cases in it"),
        ((), {}, "there is no input"),
        (([{"id": "a", "input": "x"}],), {"runz": 2}, "runz: unknown setting; did you mean"),
        (([{"id": "a", "input": "x"}],), {"runs": "two"}, "--runs: 'two' is not a whole number"),
        (([{"id": "a", "input": {1, 2}}],), {}, "cases-1:1: not a JSON object"),
        ((["no mapping"],), {}, "cases-1:1: expected an object, got a string"),
        (([{"id": "a", "input": "x"}],), {"agent": str}, "name a function"),
        (([{"id": "a", "input": "x"}],), {"agent": lambda: ""}, "but is called with the request"),
    ],
)
def test_what_is_wrong_is_a_config_error(
    inputs: tuple[Any, ...], settings: dict[str, Any], problem: str
) -> None:
    with pytest.raises(assay.ConfigError) as caught:
        assay.run(*inputs, **{"agent": echo, **settings})
    assert problem in str(caught.value)


def test_check_asks_nobody(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text(
        "".join(json.dumps(case) + "\n" for case in CASES), encoding="utf-8"
    )
    checked = assay.check("cases.jsonl", agent="python:gone.py:reply")
    (suite,) = checked.suites
    assert (suite.source, suite.cases, suite.skipped, suite.unasserted) == ("cases.jsonl", 3, 1, 1)


def test_reports_of_a_run_that_is_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assay.run(list(CASES), agent=echo, output=["r.jsonl", "r.json", "r.md"])
    out = io.StringIO()
    written = assay.write_reports("r.jsonl", output=["again.json", "again.md"])
    assert written.paths == ("again.json", "again.md")
    for name in ("json", "md"):
        first, second = (tmp_path / f"{stem}.{name}" for stem in ("r", "again"))
        assert second.read_bytes() == first.read_bytes()
    assay.write_reports("r.jsonl", reporter="json", stdout=out)
    assert json.loads(out.getvalue())["summary"]["total"] == 3
    assert capsys.readouterr() == ("", "")


def test_a_result_as_json() -> None:
    report = assay.run([CASES[1]], agent=echo)
    (result,) = report.results
    line = assay.to_json(result)
    assert (line["type"], line["id"], line["status"]) == ("result", "b", "failed")
    json.dumps(line)
