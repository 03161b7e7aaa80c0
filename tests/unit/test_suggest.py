from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.suggest import did_you_mean, file_hint, hint

KNOWN = ("contains", "equals", "json_path", "not_contains", "regex", "script", "type")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("contians", "contains"),
        ("Equals", "equals"),
        ("equal", "equals"),
        ("json-path", "json_path"),
        ("jsonpath", "json_path"),
        ("notcontains", "not_contains"),
        ("zzz", None),
        ("", None),
        ("contains" * 1000, None),
    ],
)
def test_finds_what_was_meant(word: str, meant: str | None) -> None:
    assert did_you_mean(word, KNOWN) == meant
    assert did_you_mean(word, iter(KNOWN)) == meant


def test_nothing_known_is_like_nothing() -> None:
    assert did_you_mean("contains", ()) is None
    assert hint("contains", ()) == ""


def test_hints_name_the_nearest_word_or_all() -> None:
    assert hint("contians", KNOWN) == "did you mean 'contains'?"
    assert hint("zzz", ("b", "a", "b")) == "known: a, b"
    assert hint("zzz", iter(("b", "a"))) == "known: a, b"


@settings(deadline=None)
@given(st.text(max_size=100), st.lists(st.text(min_size=1, max_size=10)))
def test_only_known_words_are_named_and_their_order_is_no_matter(
    word: str, known: list[str]
) -> None:
    found = did_you_mean(word, known)
    assert found is None or found in known
    assert found == did_you_mean(word, list(reversed(known)))


@settings(deadline=None)
@given(st.lists(st.text("abc_-", min_size=1, max_size=10), min_size=1))
def test_a_known_word_is_like_itself(known: list[str]) -> None:
    found = did_you_mean(known[0], known)
    assert found is not None
    assert found.replace("-", "_") == known[0].replace("-", "_")


def test_the_file_that_was_meant_stands_beside_it(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").touch()
    (tmp_path / "rnn.jsonl").mkdir()

    assert file_hint(tmp_path / "rn.jsonl", "otherwise") == "did you mean run.jsonl?"
    assert file_hint(tmp_path / "zzz", "otherwise") == "otherwise"
    assert file_hint(tmp_path / "gone" / "run.jsonl", "otherwise") == "otherwise"
    # It is there, and cannot be read for another reason.
    assert file_hint(tmp_path / "rnn.jsonl", "otherwise") == "otherwise"
