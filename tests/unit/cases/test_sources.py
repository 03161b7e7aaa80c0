"""From what ``-i`` names to suites; what can be read once is kept."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.cases.generated import message_suite
from assay.cases.sources import find_suites
from assay.cases.spool import Spool
from assay.contracts import Loader
from assay.discovery.manager import make_plugins
from assay.errors import ConfigError
from assay.model.case import Suite


@pytest.fixture(scope="session")
def loaders() -> list[Loader]:
    return [loader() for loader in make_plugins().loaders()]


@pytest.fixture
def spool() -> Iterator[Spool]:
    made = Spool()
    yield made
    made.close()


@pytest.fixture
def find(tmp_path: Path, loaders: list[Loader], spool: Spool) -> Any:
    def find(*sources: Any, **more: Any) -> list[Suite]:
        def stdin() -> Path:
            return spool.stdin(lambda: io.BytesIO(b'{"id": "piped", "input": "x"}\n'))

        return find_suites(
            list(sources), loaders=loaders, cwd=tmp_path, stdin=stdin, spool=spool, **more
        )

    return find


def values(suite: Suite) -> list[object]:
    return [entry.value for entry in suite.entries()]


def test_a_file_named_twice_is_one_suite(find: Any, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1"}\n')
    (suite,) = find("a.jsonl", "./a.jsonl", str(tmp_path / "a.jsonl"))
    assert suite.key == "a.jsonl"
    assert values(suite) == values(suite) == [{"id": "1"}]


def test_standard_input_can_be_read_again(find: Any) -> None:
    (suite,) = find("-")
    assert values(suite) == values(suite) == [{"id": "piped", "input": "x"}]


def test_a_generator_can_be_read_again(find: Any) -> None:
    taken = []

    def cases() -> Iterator[dict[str, object]]:
        for number in range(3):
            taken.append(number)
            yield {"id": str(number), "text": "ü\n", "big": 10**30}

    (suite,) = find(cases())
    assert taken == [0, 1, 2]
    assert values(suite) == values(suite)
    assert values(suite)[2] == {"id": "2", "text": "ü\n", "big": 10**30}
    assert [entry.where.line for entry in suite.entries()] == [1, 2, 3]
    assert taken == [0, 1, 2]


def test_a_case_that_is_no_json_is_told(find: Any) -> None:
    with pytest.raises(ConfigError, match="cases-1:2: not a JSON object"):
        find([{"id": "a"}, {"id": {1, 2}}])


@pytest.mark.parametrize(
    "text", ["hello", "a/b", "what.json?", "日本語", "x" * 100_000, "a\0b", "[x]"]
)
def test_anything_else_is_a_message(find: Any, text: str) -> None:
    (suite,) = find(text)
    assert suite.message == text
    assert values(suite) == [{"id": "T001", "input": text}]


def test_a_message_with_checks(find: Any) -> None:
    check = {"type": "contains", "value": "x"}
    (suite,) = find("hello", assertions=[check])
    assert values(suite) == [{"id": "T001", "input": "hello", "assert": [check]}]
    assert json.dumps(values(message_suite("x", ())))


@pytest.mark.parametrize(
    ("sources", "more", "problem"),
    [
        ([" "], {}, "-i: the input is empty"),
        (["gone.jsonl"], {}, r"gone\.jsonl: no such file"),
        (["notes.txt"], {}, r"-i notes\.txt: no loader reads such a file"),
        (["a.jsonl", "hello"], {}, "-i 'hello': no such file or folder"),
        (["hello", "there"], {}, "-i 'hello': no such file or folder"),
        (["a.jsonl"], {"assertions": [{"type": "x"}]}, "--assert: only for a direct message"),
    ],
)
def test_what_is_no_source(
    find: Any, tmp_path: Path, sources: list[str], more: dict[str, Any], problem: str
) -> None:
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "notes.txt").touch()
    with pytest.raises(ConfigError, match=problem):
        find(*sources, **more)


def test_no_loader_reads_a_file(tmp_path: Path, spool: Spool) -> None:
    with pytest.raises(ConfigError, match=r"-i a\.jsonl: no such file"):
        find_suites(["a.jsonl"], loaders=[], cwd=tmp_path, stdin=Path, spool=spool)


def test_a_spool_leaves_nothing_behind() -> None:
    spool = Spool()
    path = spool.file("a")
    path.write_text("x")
    assert spool.stdin(lambda: io.BytesIO(b"once")).read_bytes() == b"once"
    # Standard input is read when it is first asked for, and never again.
    assert spool.stdin(lambda: io.BytesIO(b"twice")).read_bytes() == b"once"
    spool.close()
    assert not path.parent.exists()
    spool.close()
