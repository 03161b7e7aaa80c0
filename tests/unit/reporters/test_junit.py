from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

import pytest
from attrs import evolve, frozen

from assay import ABSENT, Try
from assay.testing import HOSTILE_TEXTS, HOSTILE_VALUES, check_reporter, hostile_report
from assay_plugins.reporters.junit import JUnit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from xml.etree.ElementTree import Element

    from tests.unit.reporters.conftest import Make

    from assay import CaseResult, Report


@frozen
class Rule:
    """What the schema says of an element."""

    required: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    children: frozenset[str] = frozenset()
    has_text: bool = False
    has_order: bool = False
    """Whether children come in the order of ``ORDER``, each once."""


def rule(required: str = "", optional: str = "", children: str = "", **flags: bool) -> Rule:
    return Rule(
        frozenset(required.split()),
        frozenset(optional.split()),
        frozenset(children.split()),
        **flags,
    )


ORDER: Final = ("stackTrace", "system-out", "system-err")
REASON: Final = rule(optional="type message", has_text=True)
RERUN: Final = rule("type", "message", " ".join(ORDER), has_text=True, has_order=True)
SCHEMA: Final[Mapping[str, Rule]] = {
    "testsuites": rule("", "name time tests failures errors", "testsuite"),
    "testsuite": rule(
        "name tests failures errors",
        "group time skipped timestamp hostname id package file log url",
        "testsuite properties testcase system-out system-err",
    ),
    "properties": rule(children="property"),
    "property": rule("name value"),
    "testcase": rule(
        "name",
        "time classname group",
        "skipped error failure rerunFailure rerunError flakyFailure flakyError"
        " system-out system-err",
    ),
    "skipped": REASON,
    "error": REASON,
    "failure": REASON,
    "rerunFailure": RERUN,
    "rerunError": RERUN,
    "flakyFailure": RERUN,
    "flakyError": RERUN,
    "stackTrace": rule(has_text=True),
    "system-out": rule(has_text=True),
    "system-err": rule(has_text=True),
}
"""The schema that Jenkins checks JUnit files against (``junit-10.xsd`` of its xUnit plugin)."""

TIME: Final = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")


def check_schema(element: Element) -> None:
    """See that an element and all below it keep the schema."""
    found = SCHEMA[element.tag]
    keys = set(element.attrib)
    assert found.required <= keys <= found.required | found.optional, element.tag
    if element.tag in ("testsuites", "testsuite"):
        assert TIME.fullmatch(element.attrib.get("time", "")), element.attrib
    tags = [child.tag for child in element]
    assert set(tags) <= found.children, tags
    if found.has_order:
        assert tags == [tag for tag in ORDER if tag in tags]
    if not found.has_text:
        texts = [element.text, *(child.tail for child in element)]
        assert not any(text and text.strip() for text in texts)
    for child in element:
        check_schema(child)


def write(report: Report) -> str:
    out = io.StringIO(newline="")
    JUnit().write(report, out)
    return out.getvalue()


def parse(report: Report) -> Element:
    """Write a report, and read it as a tool does: from bytes, the schema kept, the sums right."""
    root = ElementTree.fromstring(write(report).encode())
    check_schema(root)
    total = {"tests": 0, "failures": 0, "errors": 0}
    for suite in root.iter("testsuite"):
        counted = {
            "tests": len(suite.findall("testcase")),
            "failures": len(suite.findall("testcase/failure")),
            "errors": len(suite.findall("testcase/error")),
        }
        assert {key: int(suite.attrib[key]) for key in counted} == counted
        assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped"))
        total = {key: total[key] + counted[key] for key in total}
    assert {key: int(root.attrib[key]) for key in total} == total
    return root


def cases(root: Element) -> dict[str, Element]:
    return {case.attrib["name"]: case for case in root.iter("testcase")}


def one(make: Make, result: CaseResult) -> Element:
    (case,) = parse(make.report([result])).iter("testcase")
    return case


def test_a_run_as_a_whole(make: Make, same_as: Callable[[str, str], None]) -> None:
    report = make.report(make.several_kinds())
    same_as("junit.xml", write(report))
    parse(report)


def test_several_runs(make: Make, same_as: Callable[[str, str], None]) -> None:
    report = make.report(make.several_runs())
    same_as("junit-runs.xml", write(report))
    parse(report)


def test_a_suite_is_a_testsuite_whatever_the_order_of_its_cases(make: Make) -> None:
    suites = [
        make.suite("a/inputs.jsonl", cases=2),
        make.suite("b/inputs.jsonl", agent="search", connector=None, cases=2),
        make.suite("c/inputs.jsonl", cases=0),
    ]
    results = [
        make.result(name, index=index, suite=suite, agent=agent)
        for index, (name, suite, agent) in enumerate(
            [
                ("A1", "a/inputs.jsonl", "keyword"),
                ("B1", "b/inputs.jsonl", "search"),
                ("A2", "a/inputs.jsonl", "keyword"),
                ("B2", "b/inputs.jsonl", "search"),
            ]
        )
    ]
    root = parse(make.report(results, make.info(suites)))
    assert [
        (suite.attrib["name"], [case.attrib["name"] for case in suite.iter("testcase")])
        for suite in root
    ] == [
        ("a/inputs.jsonl", ["A1", "A2"]),
        ("b/inputs.jsonl", ["B1", "B2"]),
        ("c/inputs.jsonl", []),
    ]
    properties = [
        {one.attrib["name"]: one.attrib["value"] for one in suite.iter("property")}
        for suite in root
    ]
    assert [(each["agent"], each.get("connector")) for each in properties] == [
        ("keyword", "deepseek.v3"),
        ("search", None),
        ("keyword", "deepseek.v3"),
    ]


def test_a_class_is_the_case_file_and_time_is_in_seconds(make: Make) -> None:
    result = make.result(attempts=[make.attempt(ms=61_005)], suite="tests/inputs.jsonl")
    assert one(make, result).attrib == {
        "name": "T001",
        "classname": "tests/inputs.jsonl",
        "time": "61.005",
    }


@pytest.mark.parametrize(
    ("status", "unreached", "checks", "tag", "kind"),
    [
        ("failed", False, ["bad"], "failure", "not contains"),
        ("error", False, [], "error", "agent_error"),
        ("error", True, [], "error", "unreachable"),
        ("error", False, ["bad", "broken"], "error", "script"),
        ("timeout", False, [], "error", "timeout"),
    ],
)
def test_what_went_wrong_has_a_type(
    make: Make,
    status: str,
    unreached: bool,
    checks: Sequence[str],
    tag: str,
    kind: str,
) -> None:
    known = {
        "bad": make.check("contains", negate=True, message="it holds"),
        "broken": make.check("script", error="it crashed"),
    }
    attempt = make.attempt(
        status,  # type: ignore[arg-type] # of STATUSES
        output=ABSENT,
        error="no answer\nat all",
        checks=[known[name] for name in checks],
    )
    (found,) = one(make, make.result(attempts=[evolve(attempt, unreached=unreached)]))
    assert (found.tag, found.attrib["type"]) == (tag, kind)
    assert "\n" not in found.attrib["message"]
    assert found.text


def test_attempts_that_failed_before_a_case_passed_are_flaky(make: Make) -> None:
    attempts = [
        make.attempt(number=1),
        make.attempt("failed", number=2, output="no", checks=[make.check(message="not yes")]),
        make.attempt("error", number=3, output=ABSENT, error="503"),
        make.attempt("timeout", number=4, output=ABSENT, error="timeout after 1s"),
        make.attempt(number=5),
    ]
    found = list(one(make, make.result(status="passed", attempts=attempts)))
    assert [
        (each.tag, each.attrib["type"], each.attrib["message"], each.findtext("stackTrace"))
        for each in found
    ] == [
        ("flakyFailure", "equals", "run 2: equals: not yes", "equals: not yes\nOutput:\n  no"),
        ("flakyFailure", "agent_error", "run 3: 503", "503"),
        ("flakyFailure", "timeout", "run 4: timeout after 1s", "timeout after 1s"),
    ]


def test_tries_that_gave_no_answer_before_a_case_passed_are_flaky(make: Make) -> None:
    attempt = make.attempt(tries=[Try(error="503: busy"), Try(error="429")])
    found = list(one(make, make.result(attempts=[attempt])))
    assert [(each.tag, each.attrib) for each in found] == [
        ("flakyFailure", {"type": "try", "message": "try 1: 503: busy"}),
        ("flakyFailure", {"type": "try", "message": "try 2: 429"}),
    ]


def test_attempts_without_number_are_counted_up_to_a_bound(make: Make) -> None:
    bad = [make.attempt("failed", number=number, output="x" * 50_000) for number in range(1, 301)]
    passed = one(make, make.result(status="passed", attempts=[*bad, make.attempt(number=301)]))
    assert len(passed) == 100
    failed = one(make, make.result(attempts=bad))
    (reason,) = failed
    assert "200 more runs" in (reason.text or "")
    assert len(reason.text or "") < 100_000


def test_long_names_are_cut_and_stay_different(make: Make) -> None:
    results = [make.result("x" * 10_000_000 + str(index), index=index) for index in range(3)]
    names = list(cases(parse(make.report(results))))
    assert len(set(names)) == 3
    assert max(map(len, names)) < 600


def test_hostile_content_changes_no_structure(make: Make) -> None:
    results: list[CaseResult] = []
    texts = [*HOSTILE_TEXTS.values(), "x" * 10_000_000, "]]>" * 3_000_000, "\n" * 10_000_000]
    for value in (*texts, *HOSTILE_VALUES.values()):
        text = value if isinstance(value, str) else "?"
        checks = [
            make.check(text[:50] or "equals", message=text, expected=text, actual=value),
            make.check(message=text, expected=value, actual=text),
            make.check(error=text or "?"),
        ]
        failed = make.attempt("failed", output=value, error=text, checks=checks)
        broken = make.attempt("error", output=value, error=text)
        passed = make.attempt(output=value)
        for attempts in ([failed], [broken], [failed, broken], [passed, failed, broken]):
            index = len(results)
            name, status = f"{index} {text}", "passed" if passed in attempts else None
            results.append(make.result(name, status, attempts, index=index, suite=text[:100]))  # type: ignore[arg-type] # of STATUSES
        results.append(make.result(f"{text} skipped", "skipped", index=len(results), reason=text))
    text = write(make.report(results))
    text.encode()
    assert len(text) < 20_000_000
    root = parse(make.report(results))
    assert len(list(root.iter("testcase"))) == len(results)
    assert {element.tag for element in root.iter()} <= set(SCHEMA)


def test_what_xml_cannot_hold_is_shown(make: Make) -> None:
    attempt = make.attempt("failed", checks=[make.check(message="\x00\x1b\ud800\ufffe\uffff & <")])
    (found,) = one(make, make.result("a\tb\nc", attempts=[attempt]))
    assert found.attrib["message"] == "equals: \\x00\\x1b\\ud800\\ufffe\\uffff & <"
    assert "\\x00\\x1b\\ud800\\ufffe\\uffff & <" in (found.text or "")


def test_the_hostile_run_of_the_contract_keeps_the_schema() -> None:
    report = hostile_report()
    root = parse(report)
    assert len(root) == len(report.info.suites)
    assert len(list(root.iter("testcase"))) == report.summary.counts.total


def test_the_contract() -> None:
    check_reporter(JUnit)
