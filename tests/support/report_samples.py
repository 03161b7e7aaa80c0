"""Runs that the browser's tests show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from assay import ABSENT, Exchange, Message, Request, Response, ToolCall, Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.unit.reporters.conftest import Make

    from assay import Attempt, CaseResult, Report

MARKDOWN = (
    "## Your order\n\nIt was sent on **Monday**, see [tracking](https://example.com/t).\n\n"
    "| Item | Count |\n|:--|--:|\n| Lamp | 2 |\n"
)

EMPTY: dict[str, object] = {}


def tagged(result: CaseResult, *tags: str) -> CaseResult:
    """The same case with tags."""
    return evolve(result, case=evolve(result.case, tags=tags))


def answered(attempt: Attempt, response: Response, *asked: Message) -> Attempt:
    """The same attempt with what was said."""
    exchange = Exchange(request=Request(messages=asked, chat_id="chat-7"), response=response)
    return evolve(attempt, exchanges=(exchange,))


def mixed(make: Make) -> Report:
    """A run with a case of every status, tags, tool calls, Markdown, JSON and other scripts."""
    missing = make.check("contains", message='"Paris" not found', expected="Paris", actual="Lyon")
    differs = make.check(
        message="the texts differ",
        expected="one\nit is two\nthree",
        actual="one\nit is TWO\nthree",
    )
    fine = make.check("contains", passed=True, message='found "order"', expected="order")
    talk = [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is on this picture?"},
                {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
            ],
        },
    ]
    spoken = answered(
        make.attempt(ms=1500, output=MARKDOWN, checks=[fine]),
        Response(
            text=MARKDOWN,
            reasoning="I look the order up.",
            tool_calls=(ToolCall(name="find_order", arguments={"id": 4711}, result={"sent": 1}),),
            usage=Usage(prompt_tokens=812, completion_tokens=143, total_tokens=955),
            model="model-x",
            notes=("the answer was cut",),
        ),
        Message(role="system", content="Be brief."),
        Message(content="Where is my order?"),
    )
    results = [
        tagged(
            make.result("alpha", attempts=[make.attempt(ms=20, output="Good morning")]), "smoke"
        ),
        tagged(
            make.result(
                "capital",
                attempts=[make.attempt("failed", ms=900, output="Lyon", checks=[missing, fine])],
                input="What is the capital of France?",
            ),
            "smoke",
            "geo",
        ),
        make.result(
            "letter",
            attempts=[
                make.attempt("failed", ms=340, output="one\nit is TWO\nthree", checks=[differs])
            ],
        ),
        make.result("broken", attempts=[make.attempt("error", ms=5, output=ABSENT, error="503")]),
        make.result(
            "slow", attempts=[make.attempt("timeout", ms=30_000, output=ABSENT, error="too slow")]
        ),
        make.result("later", "skipped", reason="not today"),
        make.result("order", attempts=[spoken], input=talk),
        make.result(
            "free", unasserted=True, attempts=[make.attempt(ms=70, output={"a": [1, EMPTY]})]
        ),
        make.result("عربي", attempts=[make.attempt(ms=60, output="مرحبا بالعالم")]),
        make.result("日本語", attempts=[make.attempt(ms=50, output="ご注文は発送されました。")]),
    ]
    return make.report(numbered(results))


def numbered(results: Sequence[CaseResult]) -> list[CaseResult]:
    """The same results, each at its place in the run."""
    return [evolve(result, index=index) for index, result in enumerate(results)]


def in_two_suites(make: Make) -> Report:
    """A run of two suites that test two agents."""
    first, second = "a/tests/inputs.jsonl", "b/tests/inputs.jsonl"
    bad = make.attempt("failed", checks=[make.check(message="they differ")])
    results = [
        make.result("A1", suite=first),
        make.result("A2", suite=first, attempts=[bad]),
        make.result("B1", suite=second, agent="search"),
        make.result("B2", suite=second, agent="search", attempts=[bad]),
        make.result("B3", suite=second, agent="search"),
    ]
    suites = [make.suite(first, cases=2), make.suite(second, agent="search", cases=3)]
    return make.report(numbered(results), make.info(suites))


def wavering(make: Make) -> Report:
    """A run of several runs per case, whose answers differ."""
    missing = make.check("contains", message='"Paris" not found', expected="Paris")
    found = make.check("contains", passed=True, message='found "Paris"', expected="Paris")

    def attempts(answers: str) -> list[Attempt]:
        return [
            make.attempt(
                "passed" if letter == "P" else "failed",
                number=number,
                ms=100 * number,
                output={"P": "It is **Paris**.", "L": "Perhaps Lyon?", "B": "Berlin"}[letter],
                checks=[found if letter == "P" else missing],
            )
            for number, letter in enumerate(answers, 1)
        ]

    results = [
        make.result("steady", attempts=attempts("PPPPP")),
        make.result("mostly", attempts=attempts("PPPPL")),
        make.result("wavering", attempts=attempts("PLPBP")),
        make.result("failing", attempts=attempts("LLBBB")),
    ]
    return make.report(numbered(results))


def many(make: Make, cases: int) -> Report:
    """A run of many cases, every tenth of which failed."""
    missing = make.check("contains", message="not found", expected="word")
    results = [
        make.result(
            f"T{index:05}",
            attempts=[
                make.attempt(
                    "passed" if index % 10 else "failed",
                    ms=(index * 37) % 2_000,
                    output=f"answer number {index} of many",
                    checks=[] if index % 10 else [missing],
                )
            ],
            index=index,
        )
        for index in range(cases)
    ]
    return make.report(results)
