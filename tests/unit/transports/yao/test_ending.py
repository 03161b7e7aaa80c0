from __future__ import annotations

import pytest

from assay import AgentError, TransportError
from assay_plugins.transports.yao.ending import Ending, first_object

BARE = '{"error":"server_error","error_description":"Failed to stream: model is gone"}'


def failure(ending: Ending, *errors: str, partial: str = "Hel") -> AgentError:
    with pytest.raises(AgentError) as caught:
        ending.judge(partial, errors, where="http://yao")
    assert caught.value.partial == (partial or None)
    return caught.value


def test_the_mark_of_success_is_success() -> None:
    assert Ending(is_complete=True).judge("Hello") == ()


def test_errors_before_it_are_noted() -> None:
    notes = Ending(is_complete=True).judge("Hello", ("slow", "again"))
    assert notes == (
        "the agent sent an error and went on: slow",
        "the agent sent an error and went on: again",
    )


def test_the_mark_of_failure_is_the_agents_error() -> None:
    error = failure(Ending(failure="model is gone"), "stream_error")
    assert str(error) == "the agent failed: model is gone"
    assert not isinstance(error, TransportError)


def test_a_failure_that_says_nothing_takes_what_else_was_said() -> None:
    ending = Ending(failure="")
    assert str(failure(ending)) == "the agent failed: it does not say why"
    assert str(failure(ending, "a", "b")) == "the agent failed: b"
    ending.line(BARE)
    assert str(failure(ending, "a")) == "the agent failed: Failed to stream: model is gone"


@pytest.mark.parametrize("is_complete", [True, False])
def test_a_bare_error_is_an_error_whatever_came_before(is_complete: bool) -> None:
    ending = Ending(is_complete=is_complete)
    assert ending.line(BARE) is None
    assert str(failure(ending)) == "the agent failed: Failed to stream: model is gone"


def test_a_bare_error_that_is_cut_off_is_one_still() -> None:
    ending = Ending()
    ending.line(BARE[:40])
    assert BARE[:40] in str(failure(ending))


def test_what_follows_a_bare_error_in_its_line_is_given_back() -> None:
    ending = Ending()
    assert ending.line(f'{BARE}data: {{"type":"text"}}') == 'data: {"type":"text"}'
    assert ending.bare_error == "Failed to stream: model is gone"


def test_what_is_no_json_breaks_the_stream_even_when_it_is_completed() -> None:
    ending = Ending()
    ending.is_broken_by("an event that is not JSON", '{"type":')
    ending.is_broken_by("something else", "x")
    ending.is_complete = True
    error = failure(ending)
    assert isinstance(error, TransportError)
    assert not error.retryable
    assert str(error) == 'http://yao: the stream holds an event that is not JSON: {"type":'


def test_errors_and_then_the_end_of_the_stream_are_the_agents_error() -> None:
    error = failure(Ending(), "slow", "model is gone")
    assert str(error) == "the agent failed: model is gone"
    assert not isinstance(error, TransportError)


def test_the_end_without_a_mark_is_a_broken_stream() -> None:
    error = failure(Ending(), partial="")
    assert isinstance(error, TransportError)
    assert str(error) == "http://yao: the stream ended without its end mark"


def test_a_connection_that_broke_is_told_as_such() -> None:
    error = failure(Ending(cut="http://yao: the answer broke off", broken="half an event"))
    assert isinstance(error, TransportError)
    assert str(error) == "http://yao: the answer broke off"


def test_a_connection_that_breaks_behind_the_mark_breaks_nothing() -> None:
    assert Ending(is_complete=True, cut="reset", broken=None).judge("Hello") == ()


@pytest.mark.parametrize("line", ["<html>502</html>", '{"message":"placeholder"}', "[1]", "{"])
def test_other_lines_are_shown_when_the_stream_breaks_and_count_for_nothing(line: str) -> None:
    ending = Ending()
    assert ending.line(line) is None
    assert ending.line("more") is None
    assert line in str(failure(ending))
    assert Ending(is_complete=True, stray=line).judge("x") == ()


def test_long_texts_are_shortened() -> None:
    ending = Ending()
    ending.line('{"error":"' + "x" * 10_000 + '"}')
    assert len(str(failure(ending))) < 400


def test_the_object_that_a_text_begins_with() -> None:
    assert first_object('{"a": 1}data: x') == ({"a": 1}, 8)
    assert first_object("[1]") is None
    assert first_object("{") is None
    assert first_object('{"a":' * 100_000) is None
