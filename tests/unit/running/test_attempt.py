"""One attempt over a real agent: what its status is, and what is kept of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from assay.absent import ABSENT
from assay.contracts import Task
from assay.errors import AgentError, ConfigError, TransportError
from assay.model.exchange import Request, Response
from assay.model.result import Attempt

if TYPE_CHECKING:
    from tests.unit.running.conftest import Bench


def attempted(bench: Bench, agent: Any, case: dict[str, object], **settings: object) -> Attempt:
    """Carry one attempt of a case out, as a task that was sent here."""
    prepared = bench.prepared(agent, [{"id": "a", "input": "hello", **case}], **settings)

    async def main() -> Attempt:
        async with bench.workshop(prepared) as worker:
            line = {"id": "a", "input": "hello", **case}
            task = Task(index=0, suite=0, attempt=3, line=line, file="cases-1", row=1)
            done = await worker.run(task)
            assert done.task is task
            return done.attempt

    return asyncio.run(main())


def echo(request: Request) -> str:
    return request.text


YES = {"type": "contains", "value": "hell"}
NO = {"type": "contains", "value": "zzz"}


def test_an_answer_without_checks_passes(bench: Bench) -> None:
    attempt = attempted(bench, echo, {})
    assert (attempt.number, attempt.status, attempt.output) == (3, "passed", "hello")
    assert (attempt.error, attempt.verdicts, attempt.tries) == (None, (), ())
    (exchange,) = attempt.exchanges
    assert exchange.request.text == "hello"
    assert exchange.request.origin.case == "a"
    assert exchange.request.origin.attempt == 3
    assert exchange.response.text == "hello"


@pytest.mark.parametrize(
    ("checks", "status", "error"),
    [
        ([YES], "passed", None),
        ([YES, NO], "failed", '"zzz" is not in the output'),
        ([NO, NO], "failed", '"zzz" is not in the output; "zzz" is not in the output'),
        ([{**NO, "message": "say zzz"}, YES], "failed", "say zzz"),
        ([{**NO, "negate": True}], "passed", None),
    ],
)
def test_every_check_is_carried_out(
    bench: Bench, checks: list[Any], status: str, error: str | None
) -> None:
    attempt = attempted(bench, echo, {"assert": checks})
    assert (attempt.status, attempt.error) == (status, error)
    assert len(attempt.verdicts) == len(checks)


def test_a_failure_outweighs_what_could_not_be_checked(bench: Bench) -> None:
    hangs = {"type": "script", "script": "checks.py:broken"}
    (bench.folder / "checks.py").write_text("def broken(output, input, expected): 1 / 0\n")
    attempt = attempted(bench, echo, {"assert": [hangs, YES]})
    assert attempt.status == "error"
    attempt = attempted(bench, echo, {"assert": [hangs, NO]})
    assert attempt.status == "failed"


def test_an_agent_that_fails(bench: Bench) -> None:
    def agent(request: Request) -> str:
        raise AgentError("will not", partial="so far")

    attempt = attempted(bench, agent, {"assert": YES})
    assert (attempt.status, attempt.error, attempt.output) == ("error", "will not", "so far")
    assert (attempt.verdicts, attempt.exchanges, attempt.unreached) == ((), (), False)
    assert [tried.error for tried in attempt.tries] == ["will not"]


def test_an_agent_that_is_not_reached(bench: Bench) -> None:
    def agent(request: Request) -> str:
        raise TransportError("no such host")

    attempt = attempted(bench, agent, {})
    assert (attempt.status, attempt.output, attempt.unreached) == ("error", ABSENT, True)


@pytest.mark.parametrize(
    "answer", ["", Response(), Response(data=""), Response(reasoning="thought, and said nothing")]
)
def test_an_agent_that_answers_nothing(bench: Bench, answer: object) -> None:
    attempt = attempted(bench, lambda request: answer, {"assert": {**NO, "negate": True}})
    assert (attempt.status, attempt.error) == ("error", "the agent answered nothing")
    assert (attempt.output, attempt.verdicts) == (ABSENT, ())


@pytest.mark.parametrize("answer", [None, [], {}, 0, False])
def test_an_empty_value_is_an_answer(bench: Bench, answer: object) -> None:
    attempt = attempted(bench, lambda request: answer, {"expected": answer})
    assert (attempt.status, attempt.output) == ("passed", answer)


def test_too_late(bench: Bench) -> None:
    async def agent(request: Request) -> str:
        await asyncio.Event().wait()
        return ""

    attempt = attempted(bench, agent, {"assert": YES}, timeout="150ms")
    assert (attempt.status, attempt.error) == ("timeout", "timeout after 150ms")
    assert (attempt.output, attempt.verdicts) == (ABSENT, ())
    own = attempted(bench, agent, {"timeout": "100ms"}, timeout="5m")
    assert own.error == "timeout after 100ms"


def test_too_late_in_a_check_keeps_the_answer_and_what_was_judged(bench: Bench) -> None:
    (bench.folder / "checks.py").write_text(
        "def hangs(output, input, expected):\n    while True:\n        pass\n"
    )
    hangs = {"type": "script", "script": "checks.py:hangs"}
    attempt = attempted(bench, echo, {"assert": [YES, hangs, NO], "timeout": "1s"})
    assert (attempt.status, attempt.output) == ("timeout", "hello")
    assert [verdict.type for verdict in attempt.verdicts] == ["contains"]
    assert len(attempt.exchanges) == 1


def test_an_answer_after_the_deadline_is_none(bench: Bench) -> None:
    async def agent(request: Request) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "hello"
        return ""

    attempt = attempted(bench, agent, {"assert": YES}, timeout="100ms")
    assert (attempt.status, attempt.output) == ("timeout", ABSENT)


def test_flags_beat_the_case(bench: Bench) -> None:
    def agent(request: Request) -> object:
        who = request.environment
        return [who.user_id, who.team_id, request.connector, dict(request.metadata)]

    case: dict[str, object] = {
        "user": "case",
        "metadata": {"a": 1, "b": 1},
        "options": {"connector": "option", "metadata": {"b": 2}},
    }
    plain = attempted(bench, agent, case, team="flag")
    assert plain.output == ["case", "flag", "option", {"a": 1, "b": 2}]
    flags = attempted(bench, agent, case, user="flag", connector="other")
    assert flags.output == ["flag", "test-team", "other", {"a": 1, "b": 2}]


def test_a_task_whose_case_is_faulty_here_is_refused(bench: Bench) -> None:
    prepared = bench.prepared(echo, [{"id": "a", "input": "x"}])

    async def main() -> None:
        async with bench.workshop(prepared) as worker:
            await worker.run(Task(index=0, suite=0, attempt=1, line={"id": "a"}, file="f", row=9))

    with pytest.raises(ConfigError) as caught:
        asyncio.run(main())
    assert str(caught.value).splitlines()[1].startswith("f:9 input: missing")
