from __future__ import annotations

import io
import re
import subprocess
import sys
import unicodedata
from typing import TYPE_CHECKING

import pytest

from assay import ABSENT, ReportContext
from assay.testing.hostile import CONTROL, HOSTILE_TEXTS, HOSTILE_VALUES
from assay.testing.reporter import check_reporter
from assay_plugins.reporters.terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.unit.reporters.conftest import Make

    from assay import CaseResult, RunInfo
    from assay.model.result import Status

SGR = re.compile(r"\x1b\[[0-9;]*m")


def show(
    make: Make,
    results: Sequence[CaseResult],
    info: RunInfo | None = None,
    *,
    verbose: bool = False,
    quiet: bool = False,
    color: bool = False,
    stopped: str | None = None,
    paths: Sequence[str] = ("tests/output-20241217100000.jsonl",),
) -> str:
    """What the reporter writes when it is piped."""
    info = info or make.info([make.suite(cases=len(results))])
    stderr = io.StringIO()
    context = ReportContext(info=info, verbose=verbose, quiet=quiet, stderr=stderr, color=color)
    reporter = Terminal(context, None)
    reporter.start(info)
    for result in results:
        for attempt in result.attempts if result.several else ():
            reporter.attempt(result, attempt)
        reporter.result(result)
    reporter.finish(make.summary(results, info, stopped=stopped))
    reporter.written(paths)
    return stderr.getvalue()


def width(line: str) -> int:
    """Columns that a line takes on a terminal."""
    return sum(
        2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in SGR.sub("", line)
        if unicodedata.category(character) not in ("Mn", "Me", "Cf")
    )


def test_a_run_as_a_whole(make: Make, same_as: Callable[[str, str], None]) -> None:
    results = make.several_kinds()
    info = make.info([make.suite(cases=len(results))], parallel=4, deselected=3)
    same_as("terminal.txt", show(make, results, info))


def test_verbose(make: Make, same_as: Callable[[str, str], None]) -> None:
    same_as("terminal-verbose.txt", show(make, make.several_kinds(), verbose=True))


def test_several_runs(make: Make, same_as: Callable[[str, str], None]) -> None:
    results = make.several_runs()
    info = make.info([make.suite(cases=len(results), runs=3)])
    stopped = "--fail-fast: failing did not pass"
    same_as("terminal-runs.txt", show(make, results, info, stopped=stopped))


def test_several_runs_verbose(make: Make, same_as: Callable[[str, str], None]) -> None:
    results = make.several_runs()
    info = make.info([make.suite(cases=len(results), runs=3)])
    same_as("terminal-runs-verbose.txt", show(make, results, info, verbose=True))


def test_several_suites(make: Make, same_as: Callable[[str, str], None]) -> None:
    notes = ["403 of the preflight: the description of the agent is not known"]
    suites = [
        make.suite("a/tests/inputs.jsonl", cases=2),
        make.suite("b/tests/inputs.jsonl", agent="search", connector=None, cases=1, notes=notes),
    ]
    results = [
        make.result("A1", index=0, suite="a/tests/inputs.jsonl"),
        make.result("A2", "skipped", index=1, suite="a/tests/inputs.jsonl", reason="not today"),
        make.result(
            "B1",
            attempts=[make.attempt("error", output=ABSENT, error="no route to host")],
            index=2,
            suite="b/tests/inputs.jsonl",
            agent="search",
        ),
    ]
    paths = ["a/tests/output-20241217100000.jsonl", "b/tests/output-20241217100000.jsonl"]
    same_as("terminal-suites.txt", show(make, results, make.info(suites), paths=paths))


def of_suites(make: Make, folder: str, statuses: dict[str, Status]) -> str:
    """Show a run of a case in each suite; statuses by the names of the suites' agents."""
    sources = {name: f"{folder}{name}/tests/inputs.jsonl" for name in statuses}
    suites = [make.suite(source, agent=name, cases=1) for name, source in sources.items()]
    results = [
        make.result(name, status, index=at, suite=sources[name], agent=name)
        for at, (name, status) in enumerate(statuses.items())
    ]
    return show(make, results, make.info(suites))


def test_of_many_suites_those_that_failed_are_named(make: Make) -> None:
    names = [f"agent{at:02}" for at in range(70)]
    statuses: dict[str, Status] = dict.fromkeys(names, "passed")
    statuses |= {"agent55": "failed", "agent69": "failed"}
    lines = of_suites(make, "", statuses).split("\nSuites\n")[1].split("\n\n")[0].splitlines()
    assert len(lines) == 51
    assert lines[-3:] == [
        "  agent55/tests/inputs.jsonl    0.0%  0 passed, 1 failed",
        "  agent69/tests/inputs.jsonl    0.0%  0 passed, 1 failed",
        "  … and 20 other suites, none with a failure",
    ]


def test_of_many_suites_that_failed_some_are_left_out(make: Make) -> None:
    names = [f"agent{at:02}" for at in range(51)]
    statuses: dict[str, Status] = dict.fromkeys(names, "failed")
    assert "\n  … and 1 other suite\n" in of_suites(make, "", statuses)


def test_suites_with_long_paths_are_told_apart(make: Make) -> None:
    folder = "packages/backend/services/support/assistants/"
    shown = of_suites(make, folder, {"billing": "passed", "returns": "failed"})
    assert (
        "\nSuites below packages/backend/services/support/assistants/\n"
        "  billing/tests/inputs.jsonl  100.0%  1 passed\n"
        "  returns/tests/inputs.jsonl    0.0%  0 passed, 1 failed\n"
    ) in shown


def test_quiet_tells_the_verdict_alone(make: Make) -> None:
    shown = show(make, make.several_kinds(), quiet=True, stopped="interrupted")
    assert shown == (
        "Stopped  interrupted\nFAILED   2 passed, 6 failed, 1 skipped, 1 unasserted in 12.3s\n"
    )


def test_a_run_without_failures_passes(make: Make) -> None:
    assert "\nPASSED   1 passed in 12.3s\n" in show(make, [make.result()])


def test_a_run_that_was_stopped_does_not_pass(make: Make) -> None:
    shown = show(make, [make.result()], stopped="interrupted")
    assert "\nStopped  interrupted\nSTOPPED  1 passed in 12.3s\n" in shown


@pytest.mark.parametrize(
    ("stopped", "paths", "told"),
    [
        ("interrupted", ["a.md", "my run.jsonl"], "--resume 'my run.jsonl'"),
        ("interrupted", ["run.jsonl"], "--resume run.jsonl"),
        # One of them would be a part only.
        ("interrupted", ["a/output.jsonl", "b/output.jsonl"], None),
        ("interrupted", ["a.md"], None),
        ("stopped by --fail-fast after T1", ["run.jsonl"], None),
        (None, ["run.jsonl"], None),
    ],
)
def test_a_run_that_was_stopped_tells_how_it_goes_on(
    make: Make, stopped: str | None, paths: Sequence[str], told: str | None
) -> None:
    last = show(make, [make.result()], stopped=stopped, paths=paths).splitlines()[-1]
    if told is None:
        assert last == f"Report  {paths[-1]}"
    else:
        assert last == f"Go on with the same command and {told}"


def test_the_paths_come_last_and_whole(make: Make) -> None:
    path = "reports/" + "x" * 200 + ".html"
    lines = show(make, [make.result()], paths=[path, "b\x1b.json"]).splitlines()
    assert lines[-2] == f"Report  {path}"
    assert lines[-1].startswith("Report  b")
    assert "\x1b" not in lines[-1]


def test_no_line_is_wider_than_80_columns_and_all_colours_end(make: Make) -> None:
    for results in (make.several_kinds(), make.several_runs()):
        for verbose in (False, True):
            shown = show(make, results, verbose=verbose, color=True)
            assert "\x1b[" in shown
            for line in shown.splitlines():
                assert width(line) <= 80, line
                codes = SGR.findall(line)
                assert not codes or codes[-1] == "\x1b[0m"
            assert SGR.sub("", shown) == show(make, results, verbose=verbose)


def test_a_log_of_a_long_run_is_short_and_tells_the_progress_by_count(make: Make) -> None:
    results = [make.result(f"T{index}", index=index) for index in range(1_000)]
    shown = show(make, results)
    assert re.findall(r"^ *(\d+) of 1000 cases$", shown, re.M) == [
        str(count) for count in range(50, 1_000, 50)
    ]
    assert shown.count("\n") < 50


@pytest.mark.parametrize(
    ("cases", "step"), [(20, 0), (21, 10), (200, 10), (201, 20), (10_001, 1_000)]
)
def test_progress_is_told_at_most_twenty_times(make: Make, cases: int, step: int) -> None:
    results = [make.result(f"T{index}", index=index) for index in range(cases)]
    found = [
        int(count) for count in re.findall(r"^ *(\d+) of \d+ cases$", show(make, results), re.M)
    ]
    assert found == (list(range(step, cases, step)) if step else [])


def test_progress_of_several_runs_counts_runs(make: Make) -> None:
    attempts = [make.attempt(number=number) for number in range(1, 11)]
    results = [make.result(f"T{index}", attempts=attempts, index=index) for index in range(10)]
    shown = show(make, results, make.info([make.suite(cases=10, runs=10)]))
    assert " 50 of 100 runs\n" in shown
    assert "100 of 100" not in shown


def test_runs_that_will_never_come_count_as_done(make: Make) -> None:
    cut = [
        make.result(f"T{index}", attempts=[make.attempt()], index=index, several=True)
        for index in range(5)
    ]
    skipped = [
        make.result(f"S{index}", "skipped", index=5 + index, several=True) for index in range(5)
    ]
    shown = show(make, cut + skipped, make.info([make.suite(cases=10, runs=10)]))
    assert re.findall(r"^ *(\d+) of 100 runs$", shown, re.M) == [
        str(count) for count in range(10, 100, 10)
    ]


def test_many_failures_are_shown_in_full_then_in_brief_then_counted(make: Make) -> None:
    bad = make.check(message="the sky is not green")
    results = [
        make.result(f"T{index:04}", attempts=[make.attempt("failed", checks=[bad])], index=index)
        for index in range(1_000)
    ]
    shown = show(make, results)
    assert shown.count("✗ equals: the sky is not green") == 50
    assert len(re.findall(r"^✗ T\d{4} failed", shown, re.M)) == 500
    assert shown.count("More cases that did not pass are counted") == 1
    assert "… and 990 others, all in the report" in shown


def test_slow_and_wavering_cases_are_named_worst_first(make: Make) -> None:
    def runs(passed: int, ms: int) -> list[object]:
        return [
            make.attempt("passed" if number <= passed else "failed", number=number, ms=ms)
            for number in range(1, 11)
        ]

    results = [
        make.result(f"P{passed}", attempts=runs(passed, 100 + passed), index=passed)  # type: ignore[arg-type]
        for passed in range(11)
    ]
    shown = show(make, results, make.info([make.suite(cases=11, runs=10)]))
    flaky = shown.split("Flakiest\n")[1].split("\n\n")[0]
    assert re.findall(r"^  (P\d+) ", flaky, re.M) == ["P5", "P4", "P6", "P3", "P7"]
    slow = shown.split("Slowest\n")[1].split("\n\n")[0]
    assert re.findall(r"^  (P\d+) ", slow, re.M) == ["P10", "P9", "P8"]


def test_a_stream_that_knows_ascii_only_gets_ascii_marks(make: Make) -> None:
    raw = io.BytesIO()
    stderr = io.TextIOWrapper(raw, encoding="ascii", errors="strict", newline="\n")
    info = make.info()
    reporter = Terminal(ReportContext(info=info, stderr=stderr), None)
    reporter.start(info)
    reporter.result(make.result(attempts=[make.attempt("failed", checks=[make.check()])]))
    reporter.finish(make.summary([], info))
    assert b"x T001 failed (234ms) - tests/inputs.jsonl:1" in raw.getvalue()


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("color", [False, True])
def test_nothing_hostile_reaches_the_terminal(make: Make, verbose: bool, color: bool) -> None:
    results: list[CaseResult] = []
    texts = [*HOSTILE_TEXTS.values(), "x" * 10_000_000, "\n" * 10_000_000]
    for value in (*texts, *HOSTILE_VALUES.values()):
        text = value if isinstance(value, str) else "?"
        bad = [
            make.check(text[:50] or "equals", message=text, expected=text, actual=value),
            make.check(message=text, expected=value, actual=text),
            make.check(error=text or "?"),
        ]
        attempt = make.attempt("failed", output=value, error=text, checks=bad, notes=[text])
        failed = make.attempt("error", output=value, error=text)
        for attempts in ([attempt], [failed], [attempt, failed]):
            results.append(
                make.result(
                    text[:10_000] or "empty",
                    attempts=attempts,
                    index=len(results),
                    suite=text[:200],
                    input=text or "nothing",
                )
            )
    results += [
        make.result(text[:100] or "empty", "skipped", index=len(results) + index, reason=text)
        for index, text in enumerate(texts)
    ]
    shown = show(make, results, verbose=verbose, color=color)
    plain = SGR.sub("", shown)
    assert not set(plain) & (set(CONTROL) - {"\n"})
    assert not re.search("[\u202a-\u202e\u2066-\u2069\ud800-\udfff]", plain)
    assert max(map(width, shown.split("\n"))) <= 80
    assert len(plain) < 3_000_000


def test_the_contract() -> None:
    check_reporter(Terminal)


def test_memory_does_not_grow_with_the_run(make: Make) -> None:
    import tracemalloc

    info = make.info([make.suite(cases=20_000)])
    reporter = Terminal(ReportContext(info=info, stderr=io.StringIO(), quiet=True), None)
    reporter.start(info)
    bad = [make.attempt("failed", output="x" * 1_000, checks=[make.check(message="m" * 1_000)])]

    def run(first: int) -> None:
        for index in range(first, first + 2_000):
            reporter.result(make.result(f"T{index}" * 20, attempts=bad, index=index))
            reporter.result(make.result(f"S{index}", "skipped", index=index, reason=f"no {index}"))

    run(0)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    run(2_000)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 50_000


def test_rich_is_imported_for_a_terminal_alone() -> None:
    code = (
        "import io, sys\n"
        "import assay_plugins.reporters.terminal as t\n"
        "from assay import ReportContext, RunInfo, Summary, Counts\n"
        "info = RunInfo(started_at='', suites=(), total_cases=0)\n"
        "one = t.Terminal(ReportContext(info=info, stderr=io.StringIO()), None)\n"
        "one.start(info); one.finish(Summary(counts=Counts(), duration_ms=0))\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'rich', 'markdown_it'}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_white_space_alone_is_visible(make: Make) -> None:
    attempt = make.attempt("failed", output="\n ", checks=[make.check(message="nothing there")])
    assert '  output    "\\n "\n' in show(make, [make.result(attempts=[attempt])])


def test_what_differs_is_seen_among_wide_characters(make: Make) -> None:
    check = make.check(message="they differ", expected="漢" * 90 + "甲", actual="漢" * 90 + "乙")
    shown = show(make, [make.result(attempts=[make.attempt("failed", checks=[check])])])
    assert re.search(r"^      expected  ….*甲$", shown, re.M)
    assert re.search(r"^      actual    ….*乙$", shown, re.M)
    assert max(map(width, shown.splitlines())) <= 80
