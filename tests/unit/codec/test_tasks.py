"""Tasks and what became of them go through JSON and come back equal."""

from __future__ import annotations

import json

import attrs
import pytest

import assay
from assay.jsonvalue import dumps, loads

ATTEMPT = assay.Attempt(
    number=2,
    status="failed",
    duration_ms=12,
    output={"a": [1, 2.5, None]},
    error="it is not equal",
    verdicts=(assay.CheckResult(type="equals", passed=False, message="no", expected=1, actual=2),),
    exchanges=(
        assay.Exchange(
            request=assay.Request(
                messages=(assay.Message(content="hello"),),
                chat_id="chat",
                metadata={"a": 1},
                origin=assay.Origin(suite="s", case="c", attempt=2),
            ),
            response=assay.Response(text="said", data={"a": [1, 2.5, None]}),
            tries=(assay.Try(error="busy", waited_ms=1),),
        ),
    ),
    tries=(assay.Try(error="busy", waited_ms=1),),
)

TASK = assay.Task(
    index=7,
    suite=1,
    attempt=2,
    line={"id": "c", "input": "hello", "big": 10**30},
    file="cases.jsonl",
    row=3,
)


def through_text(value: object) -> object:
    return loads(dumps(assay.to_json(value)))


@pytest.mark.parametrize(
    "value",
    [
        TASK,
        assay.Task(index=0, suite=0, attempt=1, line={}, file="<stdin>"),
        assay.Done(task=TASK, attempt=ATTEMPT),
        assay.Done(
            task=TASK,
            attempt=assay.Attempt(
                number=2,
                status="error",
                duration_ms=0,
                error="no such host",
                tries=(assay.Try(error="no such host"),),
                unreached=True,
            ),
        ),
        ATTEMPT,
        # Its origin is never sent, and not written alone.
        attrs.evolve(ATTEMPT.exchanges[0].request, origin=assay.Origin()),
        ATTEMPT.exchanges[0].response,
    ],
)
def test_there_and_back(value: object) -> None:
    assert assay.from_json(type(value), through_text(value)) == value


def test_the_parsed_case_of_a_task_stays_behind() -> None:
    case = assay.Case(id="c", messages=(assay.Message(content="hello"),))
    task = assay.Task(index=0, suite=0, attempt=1, line={}, file="x", case=case)
    assert assay.from_json(assay.Task, through_text(task)).case is None


def test_what_is_no_such_value_is_refused() -> None:
    with pytest.raises(ValueError, match="Task: expected an object"):
        assay.from_json(assay.Task, [1])
    with pytest.raises(ValueError, match="attempt"):
        assay.from_json(assay.Task, {**assay.to_json(TASK), "attempt": "two"})
    with pytest.raises(TypeError, match="a Verdict cannot be read from JSON"):
        assay.from_json(assay.Verdict, {})
    json.dumps(assay.to_json(assay.Done(task=TASK, attempt=ATTEMPT)))
