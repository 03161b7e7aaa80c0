"""The ``regex`` assertion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import CannotCheck, Outcome
from assay_plugins.assertions.regex import Regex, assay_assertion_types

OutcomeOf = Callable[..., Outcome]
Engine = Literal["re2", "python"]
ENGINES: tuple[Engine, ...] = ("re2", "python")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("pattern", "output", "found"),
    [
        (r"\d{3}-\d{4}", "call 555-1234 now", "555-1234"),
        ("b", "abc", "b"),
        (r"^line 2$", "line 2", "line 2"),
        (r"(?m)^line 2$", "line 1\nline 2\n", "line 2"),
        (r"(?i)hello", "Hello", "Hello"),
        (r"(?s)a.b", "a\nb", "a\nb"),
        (r"\p{Lu}", "aÄb", "Ä"),
        ("é+", "caféé", "éé"),
        ("🙂.", "ab🙂c", "🙂c"),
        (r'"a":1,"b":"ü"', {"a": 1, "b": "ü"}, '"a":1,"b":"ü"'),
        (r"^\[1,2\]$", [1, 2], "[1,2]"),
        (r"^null$", None, "null"),
        (r"^true$", True, "true"),
        (r"^$", "", ""),
    ],
)
def test_found(
    outcome_of: OutcomeOf, engine: Engine, pattern: str, output: object, found: str
) -> None:
    verdict = Regex(value=pattern, engine=engine).check(outcome_of(output))

    assert verdict.passed
    assert verdict.actual == found
    assert verdict.expected == pattern


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("pattern", "output"),
    [
        (r"\d", "no digits"),
        ("hello", "Hello"),
        (r"^b$", "a\nb\nc"),
        (r"a.b", "a\nb"),
        (r'"a": 1', {"a": 1}),
        ("x", ""),
    ],
)
def test_not_found(outcome_of: OutcomeOf, engine: Engine, pattern: str, output: object) -> None:
    verdict = Regex(value=pattern, engine=engine).check(outcome_of(output))

    assert not verdict.passed
    assert not verdict.is_unmet
    assert verdict.actual == output


def test_messages(outcome_of: OutcomeOf) -> None:
    check = Regex(value="l+o")

    assert check.check(outcome_of("hello")).message == 'found "llo" at character 3'
    assert check.check(outcome_of("bye")).message == "nothing in the output matches l+o"
    assert check.check(outcome_of("HELLO")).message == (
        "nothing in the output matches l+o; "
        'it would if case did not count: begin the pattern with "(?i)"'
    )


def test_look_around_and_back_references_need_the_other_engine(outcome_of: OutcomeOf) -> None:
    for pattern in (r"(?<=\$)\d+", r"(\w)\1"):
        with pytest.raises(ValueError, match=r'of RE2: .+; write .+, or add "engine": "python"$'):
            Regex(value=pattern)

    price = Regex(value=r"(?<=\$)\d+", engine="python").check(outcome_of("costs $42"))
    assert price.passed
    assert price.actual == "42"
    assert Regex(value=r"(\w)\1", engine="python").check(outcome_of("hello")).actual == "ll"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("pattern", ["(", "[z-a]", "a**", "*", r"\p{Nonsense}", "(?P<n>a)(?P<"])
def test_a_bad_pattern_is_refused(
    capfd: pytest.CaptureFixture[str], engine: Engine, pattern: str
) -> None:
    with pytest.raises(ValueError, match=r"^not a pattern: .+; write one in the engine's syntax$"):
        Regex(value=pattern, engine=engine)

    # RE2 writes its errors to the process's stderr unless it is told not to.
    assert capfd.readouterr() == ("", "")


def test_a_pattern_of_the_other_engine_alone_is_refused() -> None:
    Regex(value=r"\x{41}")
    with pytest.raises(ValueError, match=r"^value is not a pattern of Python's regex .+; mend it"):
        Regex(value=r"\x{41}", engine="python")


def test_an_empty_pattern_says_nothing() -> None:
    with pytest.raises(ValueError, match="an empty pattern matches everything; write one"):
        Regex(value="")


@pytest.mark.parametrize(
    "pattern",
    [
        "(a*)*b",
        "(a|a)*b",
        "(a|aa)+$x",
        "((a?){300}){3}b",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "a{1000}b",
    ],
)
def test_patterns_that_would_hang_a_backtracking_engine(
    outcome_of: OutcomeOf, pattern: str
) -> None:
    # It would not end within the life of the sun, were it not linear.
    assert not Regex(value=pattern).check(outcome_of("a" * 300_000)).passed


def test_the_python_engine_runs_out_of_time(outcome_of: OutcomeOf) -> None:
    check = Regex(value="(a+)+$", engine="python")

    with pytest.raises(CannotCheck, match="not done after 2 s on 5001 characters; write one that"):
        check.check(outcome_of("a" * 5000 + "b"))


@pytest.mark.parametrize("engine", ENGINES)
def test_halves_of_surrogate_pairs_in_the_output(outcome_of: OutcomeOf, engine: Engine) -> None:
    verdict = Regex(value="b+", engine=engine).check(outcome_of("a\ud83d bb"))

    assert verdict.passed
    assert verdict.message == 'found "bb" at character 4'


def test_half_of_a_surrogate_pair_in_the_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        Regex(value="a\ud83d")


@given(before=st.text(), word=st.from_regex(r"[a-z]{1,5}[0-9]", fullmatch=True), after=st.text())
def test_what_is_there_is_found(outcome_of: OutcomeOf, before: str, word: str, after: str) -> None:
    text = before + word + after
    verdict = Regex(value=word).check(outcome_of(text))

    assert verdict.passed
    assert verdict.message.endswith(f" at character {text.index(word) + 1}")


@given(pattern=st.text(min_size=1, max_size=12), output=st.text(max_size=30))
def test_any_pattern_is_refused_or_carried_out(
    outcome_of: OutcomeOf, pattern: str, output: str
) -> None:
    try:
        check = Regex(value=pattern)
    except ValueError:
        return
    assert check.check(outcome_of(output)).message


def test_it_is_a_value() -> None:
    check = Regex(value="a")

    assert check == Regex(value="a", engine="re2")
    assert check != Regex(value="a", engine="python")
    assert hash(check) == hash(Regex(value="a"))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        check.value = "b"  # type: ignore[misc] # that it cannot be set is what is tested


def test_the_plugin_offers_it() -> None:
    assert [kind.name for kind in assay_assertion_types()] == ["regex"]  # type: ignore[attr-defined] # every class bears its word
