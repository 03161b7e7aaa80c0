"""What each assertion says of text, of structures, and of what cannot be checked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

FENCED = 'Here it is:\n\n```json\n{"need_search": true, "items": [{"price": 4}]}\n```\nDone.'
DATA = {"keywords": ["AI", "ML"], "count": 2, "nested": {"a": {"b": None}}, "big": 10**20, "é": 1.0}

ANSWERS: dict[str, object] = {
    "plain": "The answer is 42, Ångström.",
    "fenced": FENCED,
    "data": DATA,
    "number": "42",
    "spaced": " padded\n",
    "two": 'First {"a": 1} then {"a": 2}',
    "list": [1, 2, [3]],
}


def judged(
    cli: Cli, *checks: tuple[str, dict[str, Any]], extra: dict[str, Any] | None = None
) -> Any:
    """Check an answer by each assertion, one case for each, and give status and verdict."""
    lines = [{"match": name, "output": output} for name, output in ANSWERS.items()]
    cli.cases("answers.jsonl", *lines)
    cases = [
        {"id": str(number), "input": answer, "assert": check, **(extra or {})}
        for number, (answer, check) in enumerate(checks)
    ]
    cli.cases("cases.jsonl", *cases)
    results = cli.results("-i", "cases.jsonl", "-n", "echo:answers.jsonl")
    return [
        (results[case["id"]]["status"], results[case["id"]]["assertions"][0]["message"])
        for case in cases
    ]


def passes(cli: Cli, type_: str, *checks: tuple[str, dict[str, Any], bool]) -> None:
    """See which checks of a type pass and which do not."""
    written = [(answer, {"type": type_, **fields}) for answer, fields, _ in checks]
    found = judged(cli, *written)
    got = [
        (answer, fields, status)
        for (answer, fields, _), (status, _) in zip(checks, found, strict=True)
    ]
    wanted = [(answer, fields, "passed" if good else "failed") for answer, fields, good in checks]
    assert got == wanted


def test_equals(cli: Cli) -> None:
    passes(
        cli,
        "equals",
        ("plain", {"value": ANSWERS["plain"]}, True),
        ("plain", {"value": "The answer is 42"}, False),
        ("spaced", {"value": " padded\n"}, True),
        ("spaced", {"value": "padded"}, False),
        ("number", {"value": "42"}, True),
        ("number", {"value": 42}, True),
        ("number", {"value": 42.0}, True),
        ("number", {"value": True}, False),
        ("fenced", {"value": {"items": [{"price": 4.0}], "need_search": True}}, True),
        ("fenced", {"value": {"items": [{"price": 4}], "need_search": 1}}, False),
        ("data", {"value": {**DATA, "é": 1}}, True),
        ("data", {"value": {**DATA, "big": 10**20 + 1}}, False),
        ("list", {"value": [1, 2, [3]]}, True),
        ("list", {"value": [2, 1, [3]]}, False),
        ("plain", {"value": {"a": 1}}, False),
        ("plain", {"value": "x", "negate": True}, True),
    )


def test_equals_shows_where_the_first_differences_are(cli: Cli) -> None:
    found = judged(
        cli,
        ("fenced", {"type": "equals", "value": {"need_search": True, "items": [{"price": 3}]}}),
        ("spaced", {"type": "equals", "value": "padded"}),
        ("plain", {"type": "equals", "value": "x", "message": "say x and nothing else"}),
        ("number", {"type": "equals", "value": 42, "negate": True}),
    )
    assert [status for status, _ in found] == ["failed"] * 4
    messages = [message for _, message in found]
    assert messages[0].startswith("$.items[0].price: expected 3, got 4")
    assert "white space" in messages[1]
    assert messages[2] == "say x and nothing else"
    assert messages[3].startswith("negated, but it holds: ")


def test_contains(cli: Cli) -> None:
    table: list[tuple[str, dict[str, Any], bool]] = [
        ("plain", {"value": "answer is"}, True),
        ("plain", {"value": "ANSWER"}, False),
        ("plain", {"value": "ANSWER", "ignore_case": True}, True),
        ("plain", {"value": "ångström", "ignore_case": True}, True),
        ("plain", {"value": 42}, True),
        ("plain", {"value": True}, False),
        ("plain", {"value": {"a": 1}}, False),
        ("fenced", {"value": {"need_search": True}}, True),
        ("fenced", {"value": {"need_search": False}}, False),
        ("fenced", {"value": [{"price": 4}]}, True),
        ("data", {"value": "ML"}, True),
        ("data", {"value": '"count":2'}, True),
        ("data", {"value": "é"}, True),
        ("data", {"value": 2}, True),
        ("data", {"value": 3}, False),
        ("data", {"value": {"a": {"b": None}}}, True),
        ("data", {"value": {"keywords": ["AI", "ML"]}}, True),
        ("data", {"value": {"keywords": ["ML"]}}, False),
        ("data", {"value": ["AI", "ML"]}, True),
        ("data", {"value": ["AI", "DL"]}, False),
        ("list", {"value": [3]}, True),
    ]
    passes(cli, "contains", *table)


def test_not_contains_is_true_wherever_contains_is_false(cli: Cli) -> None:
    passes(
        cli,
        "not_contains",
        ("plain", {"value": "error"}, True),
        ("plain", {"value": "answer"}, False),
        ("plain", {"value": "ANSWER", "ignore_case": True}, False),
        ("plain", {"value": {"a": 1}}, True),
        ("plain", {"value": [1]}, True),
        ("data", {"value": "AI"}, False),
        ("data", {"value": {"count": 3}}, True),
        ("data", {"value": "AI", "negate": True}, True),
    )


def test_json_path(cli: Cli) -> None:
    passes(
        cli,
        "json_path",
        ("fenced", {"path": "$.need_search", "value": True}, True),
        ("fenced", {"path": "need_search", "value": True}, True),
        ("fenced", {"path": "need_search", "value": False}, False),
        ("fenced", {"path": "items[0].price", "value": 4.0}, True),
        ("data", {"path": "$.keywords", "value": ["AI", "ML"]}, True),
        ("data", {"path": "$.count", "value": [1, 2]}, True),
        ("data", {"path": "$.count", "value": [1, 3]}, False),
        ("data", {"path": "$.count", "in": [1, 2]}, True),
        ("data", {"path": "$.keywords[*]", "value": ["AI", "ML"]}, True),
        ("data", {"path": "$.keywords[?@ == 'ML']", "value": "ML"}, True),
        ("data", {"path": "$..b", "value": None}, True),
        ("data", {"path": "$.nested.a.b", "exists": True}, True),
        ("data", {"path": "$.nested.a.c", "exists": True}, False),
        ("data", {"path": "$.nested.a.c", "exists": False}, True),
        ("data", {"path": "$.nested.a.c", "value": None}, False),
        ("data", {"path": "$.nested.a.c", "value": 1, "negate": True}, False),
        ("data", {"path": "$.count", "value": 3, "negate": True}, True),
        ("data", {"path": "$['é']", "value": 1}, True),
        ("data", {"path": "$.big", "value": 10**20}, True),
        ("plain", {"path": "$.a", "exists": False}, False),
        ("plain", {"path": "$.a", "value": 1}, False),
        ("two", {"path": "$.a", "value": 1}, False),
    )


def test_regex(cli: Cli) -> None:
    passes(
        cli,
        "regex",
        ("plain", {"value": "\\d{2}"}, True),
        ("plain", {"value": "^answer"}, False),
        ("plain", {"value": "(?i)^THE"}, True),
        ("plain", {"value": "Å\\w+m"}, False),
        ("plain", {"value": "Å\\pL+m"}, True),
        ("data", {"value": '"keywords":\\["AI"'}, True),
        ("plain", {"value": "is(?= 42)", "engine": "python"}, True),
        ("plain", {"value": "\\d{3}-\\d{4}", "negate": True}, True),
    )


def test_no_pattern_hangs(cli: Cli) -> None:
    cli.cases("answers.jsonl", {"match": "", "output": "a" * 5000 + "!"})
    cli.cases(
        "cases.jsonl",
        {"id": "re2", "input": "x", "assert": {"type": "regex", "value": "(a+)+$"}},
        {
            "id": "python",
            "input": "x",
            "assert": {"type": "regex", "value": "(a|a|aa)+$", "engine": "python", "negate": True},
        },
    )
    results = cli.results("-i", "cases.jsonl", "-n", "echo:answers.jsonl")
    assert results["re2"]["status"] == "failed"
    stopped = results["python"]
    assert stopped["status"] == "error"
    assert stopped["assertions"][0]["error"] == stopped["error"]
    assert stopped["error"].startswith("the pattern was not done after 2 s")


def test_type(cli: Cli) -> None:
    passes(
        cli,
        "type",
        ("plain", {"value": "string"}, True),
        ("fenced", {"value": "string"}, True),
        ("fenced", {"value": "object"}, False),
        ("fenced", {"value": "object", "path": "$"}, True),
        ("fenced", {"value": "boolean", "path": "$.need_search"}, True),
        ("data", {"value": "object"}, True),
        ("list", {"value": "array"}, True),
        ("data", {"value": "integer", "path": "count"}, True),
        ("data", {"value": "integer", "path": "$['é']"}, True),
        ("data", {"value": "number", "path": "count"}, True),
        ("data", {"value": "null", "path": "nested.a.b"}, True),
        ("data", {"value": "string", "path": "count"}, False),
        ("data", {"value": "string", "path": "count", "negate": True}, True),
        ("data", {"value": "string", "path": "gone", "negate": True}, False),
    )


def test_all_of_a_list_must_pass_and_each_is_shown(cli: Cli) -> None:
    cli.cases(
        "cases.jsonl",
        {
            "id": "a",
            "input": "hello",
            "assert": [
                {"type": "contains", "value": "zzz"},
                {"type": "contains", "value": "hell"},
                {"type": "equals", "value": "bye", "message": "not polite"},
            ],
        },
    )
    result = cli.results("-i", "cases.jsonl", "-n", "echo:")["a"]
    assert result["status"] == "failed"
    assert result["error"] == '"zzz" is not in the output; not polite'
    assert result["assertions"] == [
        {
            "type": "contains",
            "passed": False,
            "message": '"zzz" is not in the output',
            "expected": "zzz",
            "actual": "hello",
        },
        {
            "type": "contains",
            "passed": True,
            "message": 'found "hell"',
            "expected": "hell",
            "actual": "hello",
        },
        {
            "type": "equals",
            "passed": False,
            "message": "not polite",
            "expected": "bye",
            "actual": "hello",
        },
    ]


SCRIPTS = """
    import os, sys, time

    def yes(output, input, expected):
        return True

    def no(output, input, expected):
        return False

    def detail(output, input, expected):
        return {
            "pass": output == expected,
            "message": f"{output} / {input} / {expected}",
            "score": 0.5,
        }

    async def later(output, input, expected):
        return output == "hello"

    def nothing(output, input, expected):
        return None

    def raises(output, input, expected):
        raise ValueError("no good")

    def leaves(output, input, expected):
        sys.exit(0)

    def dies(output, input, expected):
        os._exit(7)

    def prints(output, input, expected):
        print("printed by a script")
        sys.stdout.flush()
        os.system("echo printed by a child")
        return True

    def floods(output, input, expected):
        block = "x" * 1_000_000 + "\\n"
        for _ in range(200):
            sys.stdout.write(block)
        return True

    def hangs(output, input, expected):
        while True:
            pass
"""


def scripted(cli: Cli, *functions: str, **fields: Any) -> dict[str, dict[str, Any]]:
    """Check the answer ``hello`` by functions of a script, one case for each."""
    cli.write("scripts/checks.py", SCRIPTS)
    cases = [
        {
            "id": name,
            "input": "hello",
            "assert": {"type": "script", "script": f"scripts/checks.py:{name}", **fields},
        }
        for name in functions
    ]
    cli.cases("cases.jsonl", *cases)
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "--json", "-q")
    assert done.code in (0, 1), done.err
    return {line["id"]: line for line in done.lines if line["type"] == "result"}


def test_script(cli: Cli) -> None:
    results = scripted(cli, "yes", "no", "detail", "later", "prints", value="hello")
    statuses = {name: line["status"] for name, line in results.items()}
    assert statuses == {
        "yes": "passed",
        "no": "failed",
        "detail": "passed",
        "later": "passed",
        "prints": "passed",
    }
    (verdict,) = results["detail"]["assertions"]
    assert verdict["message"] == "hello / hello / hello"
    assert verdict["score"] == 0.5


def test_a_script_that_cannot_be_carried_out_is_an_error_negated_or_not(cli: Cli) -> None:
    names = ("nothing", "raises", "leaves", "dies", "yes")
    results = scripted(cli, *names, negate=True)
    statuses = {name: line["status"] for name, line in results.items()}
    assert statuses == {
        "nothing": "error",
        "raises": "error",
        "leaves": "error",
        "dies": "error",
        "yes": "failed",
    }
    assert "ValueError: no good" in results["raises"]["error"]
    assert "7" in results["dies"]["error"]


def test_a_script_may_print_as_much_as_it_likes(cli: Cli) -> None:
    results = scripted(cli, "floods")
    assert results["floods"]["status"] == "passed"


def test_a_script_that_never_ends_is_a_timeout(cli: Cli) -> None:
    cli.write("scripts/checks.py", SCRIPTS)
    check = {"type": "script", "script": "scripts.checks.hangs"}
    cli.cases(
        "cases.jsonl",
        {"id": "hangs", "input": "hello", "timeout": "700ms", "assert": check},
        {"id": "next", "input": "hello", "assert": {**check, "script": "scripts.checks.yes"}},
    )
    results = cli.results("-i", "cases.jsonl", "-n", "echo:")
    assert results["hangs"]["status"] == "timeout"
    assert results["hangs"]["error"] == "timeout after 700ms"
    assert results["hangs"]["output"] == "hello"
    assert results["next"]["status"] == "passed"


def test_where_a_script_is_looked_for(cli: Cli) -> None:
    says = "def check(output, input, expected): return {{'pass': True, 'message': {!r}}}\n"
    agent = "app/assistants/kind"
    cli.write("app/app.yao", "{}")
    cli.write("app/scripts/root.py", says.format("root"))
    cli.write(f"{agent}/package.yao", "{}")
    cli.write(f"{agent}/scripts/agent.py", says.format("agent"))
    cli.write(f"{agent}/src/source.py", says.format("source"))
    cli.write(f"{agent}/tests/near.py", says.format("near"))
    cli.write("here.py", says.format("here"))
    references = {
        "root": "scripts.root.check",
        "agent": "scripts.agent.check",
        "source": "source.check",
        "near": "near.check",
        "path near": "near.py:check",
        "path agent": "scripts/agent.py:check",
        "path root": "scripts/root.py:check",
        "path here": "here.py:check",
    }
    cli.cases(
        f"{agent}/tests/cases.jsonl",
        *(
            {"id": name, "input": "x", "assert": {"type": "script", "script": reference}}
            for name, reference in references.items()
        ),
    )
    results = cli.results("-i", f"{agent}/tests/cases.jsonl", "-n", "echo:")
    found = {name: line["assertions"][0]["message"] for name, line in results.items()}
    assert found == {name: name.removeprefix("path ") for name in references}


def test_json_within_text_is_never_guessed(cli: Cli) -> None:
    texts = {
        "fenced": FENCED,
        "first of two": '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```',
        "unclosed fence": 'So:\n```json\n{"a": 1}',
        "yaml fence": "```yaml\na: 1\n```",
        "prose": 'It is {"a": 1}, they say.',
        "two objects": '{"a": 1} or {"a": 2}',
        "broken": '```json\n{"a": 1,\n```',
        "python": "{'a': 1}",
        "scalar within": "It is 1",
    }
    cli.cases("answers.jsonl", *({"match": name, "output": text} for name, text in texts.items()))
    cli.cases(
        "cases.jsonl",
        *(
            {"id": name, "input": name, "assert": {"type": "json_path", "path": "a", "value": 1}}
            for name in list(texts)[1:]
        ),
    )
    results = cli.results("-i", "cases.jsonl", "-n", "echo:answers.jsonl")
    assert {name: line["status"] for name, line in results.items()} == {
        "first of two": "passed",
        "unclosed fence": "passed",
        "yaml fence": "passed",
        "prose": "passed",
        "two objects": "failed",
        "broken": "failed",
        "python": "failed",
        "scalar within": "failed",
    }
    assert "first of 2" in json.dumps(results["first of two"]["assertions"])
