"""What the documentation shows in tables is so: examples of assertions, the order of hooks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from attrs import frozen

import assay
from assay import hookspecs
from assay.cli import main
from doc_pages import DOCS, Table, page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from doc_pages import Row


@frozen
class Example:
    """A row of a table in the page on assertions."""

    line: int
    answer: object
    check: dict[str, Any]
    passes: bool
    says: str


def tables() -> Iterator[Table]:
    for section in page("assertions").sections:
        for table in section.tables:
            if [cell.text for cell in table.heading] == ["answer", "assertion", "says"]:
                yield table


def example(line: int, row: Row) -> Example:
    written, check, says = row
    mark, _, said = says.text.partition(" ")
    answer: object = written.codes[0].replace("\\n", "\n")
    if written.text.endswith(" data"):
        answer = json.loads(written.codes[0])
    return Example(line, answer, json.loads(check.codes[0]), mark == "✓", said)


EXAMPLES = [
    example(line, row)
    for table in tables()
    for line, row in zip(table.lines, table.rows, strict=True)
]


def test_each_assertion_has_an_example_that_passes_and_one_that_does_not() -> None:
    shown = {(each.check["type"], each.passes) for each in EXAMPLES}
    # Scripts have examples of their own: files that are run.
    words = {"equals", "contains", "not_contains", "json_path", "regex", "type"}

    assert shown == {(word, passes) for word in words for passes in (True, False)}


@pytest.mark.parametrize("one", EXAMPLES, ids=lambda one: f"line {one.line}")
def test_an_example_says_what_the_page_says(one: Example) -> None:
    case = {"id": "one", "input": "question", "assert": one.check}

    report = assay.run([case], agent=lambda request: one.answer, environ={})

    (result,) = report.results
    (verdict,) = result.attempts[0].verdicts
    place = f"{DOCS.name}/assertions.md:{one.line}"
    assert (place, verdict.passed, verdict.message) == (place, one.passes, one.says)


ANSWERS_ALL = """
import json, os
from assay import hookimpl

def told(hook):
    with open(os.environ["HOOKS_TOLD"], "a") as file:
        file.write(hook + "\\n")

class Serial:
    name = "asked"

    def __init__(self, context, settings):
        self.worker = context.worker

    async def run(self, tasks):
        async for task in tasks:
            yield await self.worker.run(task)

class Loader:
    name = "asked"

    def accepts(self, source, context):
        return False

    def load(self, source, context):
        return iter(())

class Shown:
    name = "asked"
    suffixes = (".asked",)

    def __init__(self, settings):
        pass

    def write(self, report, out):
        pass

class Engine:
    name = "asked"
    suffixes = (".asked",)

    def __init__(self, settings):
        pass

    def defines(self, file, function):
        return True

    def command(self, root):
        return ("true",)

@hookimpl
def assay_loaders():
    told("assay_loaders")
    return [Loader]

@hookimpl
def assay_describe_folder(folder):
    told("assay_describe_folder")

@hookimpl
def assay_select_cases(cases, settings):
    told("assay_select_cases")
    return cases

@hookimpl
def assay_assertion_types():
    from assay_plugins.assertions.script import ScriptCheck
    told("assay_assertion_types")
    return [type("Asked", (ScriptCheck,), {"name": "asked"})]

@hookimpl
def assay_script_engines():
    told("assay_script_engines")
    return [Engine]

@hookimpl
def assay_reporters():
    told("assay_reporters")
    return [Shown]

@hookimpl
def assay_transports():
    from assay_plugins.transports.echo import Echo
    told("assay_transports")
    return [type("Asked", (Echo,), {"name": "asked"})]

@hookimpl
def assay_wrap_transport(transport, agent, settings):
    told("assay_wrap_transport")
    return transport

@hookimpl
def assay_executors():
    told("assay_executors")
    return [Serial]

@hookimpl
def assay_commands():
    import click
    told("assay_commands")

    @click.command("asked")
    @click.pass_context
    def asked(ctx):
        import assay
        case = {
            "id": "a",
            "input": "b",
            "assert": {"type": "asked", "script": os.environ["SCRIPT"]},
        }
        assay.run([case], agent="asked:", executor="asked", plugins=ctx.obj.plugins)
    return [asked]
"""

KINDS = (
    "loader",
    "agent",
    "select",
    "assertion",
    "script",
    "reporter",
    "transport",
    "wrap",
    "executor",
    "command",
)


def test_hooks_are_asked_in_the_order_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = tmp_path / "asked-1.0.dist-info"
    info.mkdir()
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: asked\nVersion: 1.0\n")
    points = "".join(f"{kind}.asked = asked_plugin\n" for kind in KINDS)
    info.joinpath("entry_points.txt").write_text(f"[assay]\n{points}")
    (tmp_path / "asked_plugin.py").write_text(ANSWERS_ALL)
    (tmp_path / "check.py").write_text("def check(output, input, expected):\n    return True\n")
    told = tmp_path / "told"
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("HOOKS_TOLD", str(told))
    monkeypatch.setenv("SCRIPT", f"{tmp_path}/check.py:check")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(SystemExit) as ended:
        main(["asked"])

    assert ended.value.code == 0
    order = page("architecture")["The order of hooks"].tables[0]
    asked = told.read_text().split()
    # Cases are selected for the first reading and, at the end, for the second.
    assert [*dict.fromkeys(asked), asked[-1]] == order.column(1)
    assert set(asked) == {name for name in dir(hookspecs) if name.startswith("assay_")}
