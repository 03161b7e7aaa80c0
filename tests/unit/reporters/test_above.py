from __future__ import annotations

import io
import sys
import threading
from typing import cast

import click
import pytest

from assay_plugins.reporters.terminal.above import Above


def test_lines_are_handed_on_when_they_are_whole() -> None:
    printed: list[str] = []
    stream = io.StringIO()
    above = Above(stream, printed.append)
    assert above.write("a") == 1
    above.flush()
    assert printed == []
    above.write("b\nc\nd")
    above.writelines(["e\n", "f"])
    assert printed == ["ab\nc\n", "de\n"]
    assert stream.getvalue() == ""
    above.finish()
    above.finish()
    assert stream.getvalue() == "f"


def test_it_looks_like_the_stream() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", errors="backslashreplace")
    above = Above(stream, lambda _: None)
    assert cast("io.TextIOWrapper", above).encoding == "ascii"
    assert cast("io.TextIOWrapper", above).buffer is raw
    with pytest.raises(AttributeError):
        cast("io.TextIOWrapper", above).no_such_thing  # type: ignore[attr-defined]  # noqa: B018


def test_click_and_print_write_through_it(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[str] = []
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stderr", Above(stream, printed.append))
    click.echo("from click", err=True)
    print("from", "print", file=sys.stderr)
    assert "".join(printed) == "from click\nfrom print\n"


def test_lines_of_threads_stay_whole() -> None:
    printed: list[str] = []
    above = Above(io.StringIO(), printed.append)

    def write(name: str) -> None:
        for number in range(500):
            above.write(f"{name}{number}\n")

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = "".join(printed).splitlines()
    assert sorted(lines) == sorted(f"{name}{number}" for name in "abcd" for number in range(500))
