"""Standard output as the log of a workflow: no line of it is a command."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from assay.reports.log import as_log

IN_ACTIONS = {"GITHUB_ACTIONS": "true"}


def through_a_pipe(*texts: str, environ: dict[str, str] = IN_ACTIONS) -> str:
    theirs, ours = os.pipe()
    with open(theirs, encoding="utf-8", newline="") as reader:  # noqa: PTH123 - a descriptor
        with open(ours, "w", encoding="utf-8", newline="") as stream:  # noqa: PTH123
            log = as_log(stream, environ)
            assert log.fileno() == ours
            for text in texts:
                assert log.write(text) == len(text)
            log.flush()
        return reader.read()


def test_what_would_be_a_command_is_shown() -> None:
    assert through_a_pipe("::error::x\n", "  ::add-mask::x\n##[group]") == (
        "\\u003a:error::x\n  \\u003a:add-mask::x\n#\\u0023[group]"
    )


def test_a_command_in_pieces_is_none_either() -> None:
    assert through_a_pipe(":", ":error", "::x\n a#", "#", "[error]y\n") == (
        "\\u003a:error::x\n a#\\u0023[error]y\n"
    )


def test_json_stays_the_same() -> None:
    line = json.dumps({"output": "::error::x\n##[error]x"}) + "\n"
    shown = through_a_pipe(line)
    assert "##[" not in shown
    assert json.loads(shown) == json.loads(line)


def test_lines_come_as_they_are_written() -> None:
    theirs, ours = os.pipe()
    with open(theirs, encoding="utf-8") as reader, open(ours, "w", encoding="utf-8") as stream:  # noqa: PTH123
        log = as_log(stream, IN_ACTIONS)
        log.writelines(["first\n", "sec"])
        stream.flush()
        assert reader.readline() == "first\n"
        log.write("ond\n")
        log.flush()
        assert reader.readline() == "second\n"


@given(st.lists(st.text(st.sampled_from(":#[ \nax")), max_size=8))
def test_pieces_do_not_matter(texts: list[str]) -> None:
    assert through_a_pipe(*texts) == through_a_pipe("".join(texts))


def test_elsewhere_nothing_changes(tmp_path: Path) -> None:
    assert through_a_pipe("::error::x", environ={}) == "::error::x"
    memory = io.StringIO()
    assert as_log(memory, IN_ACTIONS) is memory
    with (tmp_path / "out").open("w") as file:
        assert as_log(file, IN_ACTIONS) is file
