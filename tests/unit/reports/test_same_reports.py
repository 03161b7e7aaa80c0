"""A page is the same whether the run writes it or ``assay report`` does, later, from its lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.discovery.manager import make_plugins
from assay.testing import HOSTILE_TEXTS, HOSTILE_VALUES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

PAGES: Final = ("json", "md", "txt", "xml", "csv", "html")

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
ANSWERS = st.one_of(
    JSON,
    st.sampled_from([*HOSTILE_TEXTS.values()]),
    st.sampled_from([*HOSTILE_VALUES.values()]),
    st.sampled_from([assay.AgentError("no\x00\ud800<&>"), assay.TransportError("gone")]),
)
CASES = st.fixed_dictionaries(
    {"input": st.text(min_size=1), "answers": st.lists(ANSWERS, min_size=1, max_size=3)},
    optional={
        "expected": JSON,
        "tags": st.lists(st.text(min_size=1), max_size=2),
        "skip": st.booleans(),
    },
)


def agent_of(cases: Sequence[Mapping[str, object]]) -> Callable[[assay.Request], object]:
    """An agent that gives the answers of each case in turn, run by run."""

    def reply(request: assay.Request) -> object:
        answers = cast("list[object]", cases[int(request.origin.case)]["answers"])
        answer = answers[(request.origin.attempt - 1) % len(answers)]
        if isinstance(answer, Exception):
            raise answer
        return answer

    return reply


def lines_of(cases: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    return [
        {"id": str(number), **{key: value for key, value in case.items() if key != "answers"}}
        for number, case in enumerate(cases)
    ]


@settings(deadline=None, max_examples=40)
@given(st.lists(CASES, min_size=1, max_size=5), st.integers(1, 3), st.integers(1, 4))
def test_pages_of_recorded_lines_are_those_of_the_run(
    tmp_path_factory: pytest.TempPathFactory,
    cases: list[dict[str, object]],
    runs: int,
    parallel: int,
) -> None:
    if all(case.get("skip") for case in cases):
        cases[0]["skip"] = False
    folder = tmp_path_factory.mktemp("run")
    plugins = make_plugins()
    assay.run(
        lines_of(cases),
        agent=agent_of(cases),
        output=["run.jsonl", *(f"run.{suffix}" for suffix in PAGES)],
        plugins=plugins,
        cwd=folder,
        environ={},
        runs=runs,
        parallel=parallel,
        retries=0,
        min_pass_rate=50,
    )
    written = assay.write_reports(
        "run.jsonl",
        output=[f"later.{suffix}" for suffix in PAGES],
        plugins=plugins,
        cwd=folder,
        environ={},
    )
    assert written.warnings == ()
    for suffix in PAGES:
        run, later = (folder / f"{name}.{suffix}" for name in ("run", "later"))
        assert run.read_bytes() == later.read_bytes(), suffix


def test_results_are_read_as_the_run_gave_them(tmp_path: Path) -> None:
    other: dict[str, object] = {"input": "c", "answers": [{"d": 1}], "expected": 2}
    cases: list[dict[str, object]] = [{"input": "a", "answers": ["b"]}, other]
    report = assay.run(
        lines_of(cases), agent=agent_of(cases), output="run.jsonl", cwd=tmp_path, environ={}
    )
    read = assay.read_results("run.jsonl", cwd=tmp_path)
    assert (read.summary, read.exit_code) == (report.summary, report.exit_code)
    assert (read.info.agent_id, read.info.started_at) == (
        report.info.agent_id,
        report.info.started_at,
    )
    assert list(read.cases) == list(report.cases)
    assert list(read.results) == list(read.results)


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    case = {"id": "a", "input": "a"}
    assay.run([case], agent="echo:", output="run.jsonl", cwd=tmp_path, environ={})
    file = tmp_path / "run.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text(lines[0] + "not JSON\n" + "".join(lines[1:]))
    told: list[str] = []
    report = assay.read_results(file, told=told.append)
    assert [result.case.id for result in report.results] == ["a"]
    assert len(told) == 1
    assert told[0].startswith(f"{file}:2: ")
    assay.read_results(file)


@pytest.mark.parametrize("text", ["", "{}\n", '{"type": "result"}\n'])
def test_what_is_no_run_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.jsonl").write_text(text)
    with pytest.raises(assay.ConfigError, match="it holds no run"):
        assay.read_results("run.jsonl", cwd=tmp_path)
    with pytest.raises(assay.ConfigError, match=r"gone\.jsonl: it cannot be read"):
        assay.read_results("gone.jsonl", cwd=tmp_path)
