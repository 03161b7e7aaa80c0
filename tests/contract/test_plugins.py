"""What every built-in plugin must keep, whatever its kind; a new one is tested by being there."""

from __future__ import annotations

import importlib.metadata
import inspect
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest

import assay_plugins
from assay import AgentClue, ConfigError
from assay.discovery.manager import make_plugins
from assay.discovery.records import KINDS, OWN
from assay.testing import (
    HOSTILE_TEXTS,
    check_assertion,
    check_executor,
    check_loader,
    check_reporter,
    check_script_engine,
    check_transport,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.discovery.records import Record

ROOT = Path(__file__).parents[2]
PLUGINS = make_plugins()
RECORDS = [record for record in PLUGINS.records if record.distribution == OWN]
DISK = Path(assay_plugins.__file__).parent

FOLDERS = {f"{kind}s": kind for kind in KINDS}
"""The folder of each kind."""

PROGRAMS = ("python_worker",)
"""Modules beside plugins that are run by themselves, and never imported."""


def declared() -> dict[str, str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    points: dict[str, str] = project["entry-points"]["assay"]
    return points


def on_disk() -> dict[str, str]:
    """Give every public module in the folder of a kind, by the name that its entry point has."""
    found: dict[str, str] = {}
    for folder in sorted(path for path in DISK.iterdir() if path.name in FOLDERS):
        for path in sorted(folder.iterdir()):
            is_module = path.suffix == ".py" or (path / "__init__.py").is_file()
            if is_module and not path.stem.startswith("_") and path.stem not in PROGRAMS:
                name = f"{FOLDERS[folder.name]}.{path.stem}"
                found[name] = f"assay_plugins.{folder.name}.{path.stem}"
    return found


def of_kind(kind: str) -> list[str]:
    return [record.word for record in RECORDS if record.kind == kind]


def test_the_entry_points_are_the_modules_on_disk() -> None:
    assert declared() == on_disk()


def test_every_folder_is_of_a_kind() -> None:
    folders = {path.name for path in DISK.iterdir() if path.is_dir() and path.name[0] not in "_."}

    assert folders <= set(FOLDERS)


def test_what_is_declared_is_installed() -> None:
    points = importlib.metadata.distribution(OWN).entry_points.select(group="assay")

    # After a change of pyproject.toml: pip install -e .
    assert {point.name: point.value for point in points} == declared()


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_a_plugin_loads_without_a_problem(record: Record) -> None:
    offered = PLUGINS.load(record)

    assert PLUGINS.problem(record) is None
    assert offered is not None
    doc = inspect.getdoc(offered) or ""
    assert record.kind == "command" or doc.partition("\n")[0].endswith(".")


ASSERTIONS: Mapping[str, tuple[Sequence[Mapping[str, object]], Sequence[Mapping[str, object]]]] = {
    "equals": (
        [{"value": None}, {"value": ""}, {"value": 1.5}, {"value": [True]}, {"value": {"a": [1]}}],
        [{}, {"values": 1}],
    ),
    "contains": (
        [
            {"value": "a"},
            {"value": 5},
            {"value": ["a", {"b": 1}]},
            {"value": "A", "ignore_case": True},
        ],
        [{}, {"value": None}, {"value": ""}, {"value": []}, {"value": "a", "ignore_case": 1}],
    ),
    "not_contains": (
        [
            {"value": "a"},
            {"value": False},
            {"value": {"a": 1}},
            {"value": "A", "ignore_case": True},
        ],
        [{}, {"value": None}, {"value": {}}, {"value": [""]}],
    ),
    "json_path": (
        [
            {"path": "$.a", "value": None},
            {"path": "a[0].b", "value": [1]},
            {"path": "$..a", "in": [1, "x"]},
            {"path": "$[?@ > 1]", "exists": False},
        ],
        [
            {},
            {"path": "$.a"},
            {"path": "$.a["},
            {"path": "", "value": 1},
            {"path": "$", "value": 1, "exists": True},
            {"path": "$", "in": []},
        ],
    ),
    "regex": (
        [{"value": "a+$"}, {"value": "(?i)^x"}, {"value": "a(?=b)", "engine": "python"}],
        [{}, {"value": ""}, {"value": "("}, {"value": "a(?=b)"}, {"value": "a", "engine": "perl"}],
    ),
    "type": (
        [{"value": "string"}, {"value": "null", "path": "$"}, {"value": "integer", "path": "a.b"}],
        [{}, {"value": "text"}, {"value": "string", "path": "$["}],
    ),
    "script": (
        [{"script": "scripts.test.check"}, {"script": "a.py:check", "value": {"a": 1}}],
        [{}, {"script": ""}, {"script": 1}],
    ),
}
"""Fields that are right, and fields that are a fault, by assertion type."""


@pytest.mark.parametrize("word", of_kind("assertion"))
def test_an_assertion_type_keeps_its_contract(word: str) -> None:
    good, bad = ASSERTIONS[word]

    check_assertion(PLUGINS.assertion(word), good=good, bad=bad)


@pytest.mark.parametrize("word", of_kind("reporter"))
def test_a_reporter_keeps_its_contract(word: str) -> None:
    check_reporter(PLUGINS.reporter(word))


def test_no_two_reporters_write_one_suffix() -> None:
    suffixes = [
        suffix
        for word in of_kind("reporter")
        for suffix in getattr(PLUGINS.reporter(word), "suffixes", ())
    ]

    assert len(suffixes) == len(set(suffixes))


@pytest.mark.parametrize("word", of_kind("loader"))
def test_a_loader_keeps_its_contract(word: str, tmp_path: Path) -> None:
    tests = tmp_path / "agent" / "tests"
    tests.mkdir(parents=True)
    (tests / "a.jsonl").write_text('{"id": "1", "input": "a"}\n// no case\n{"id": 2}\nnot json\n')
    (tests / "b.jsonl").write_text('{"id": "1", "input": "b"}\n')
    sources = {"jsonl": "agent/tests/a.jsonl", "folder": "agent"}
    others = [source for other, source in sources.items() if other != word]
    (cls,) = [each for each in PLUGINS.loaders() if each.name == word]

    check_loader(cls, sources[word], cwd=tmp_path, rejects=[*others, "hello world"])


HERE: Mapping[str, str] = {"echo": "", "python": "agent.py:reply"}
"""Targets of transports that need no server."""

SERVED: Mapping[str, str] = {
    "http": "tests/unit/transports/test_http.py",
    "openai": "tests/unit/transports/test_openai.py",
    "yao": "tests/unit/transports/yao/test_turn.py",
}
"""Where the contract of a transport is checked that needs a server."""


@pytest.mark.parametrize("word", of_kind("transport"))
def test_a_transport_keeps_its_contract(word: str, tmp_path: Path) -> None:
    if word in SERVED:
        assert "check_transport(" in (ROOT / SERVED[word]).read_text(encoding="utf-8")
        return
    (tmp_path / "agent.py").write_text("def reply(request):\n    return request.text\n")

    check_transport(PLUGINS.transport(word), HERE[word], base=tmp_path)


SCRIPTS: Mapping[str, tuple[str, str]] = {
    "python": (
        "five.py",
        """
import os
def give(value): return value
def fail(): raise ValueError("no")
def crash(): os._exit(3)
def hang():
    while True: pass
def shout():
    print("x" * 5_000_000)
    return "done"
""",
    ),
    "typescript": (
        "five.ts",
        """
export function give(value: unknown) { return value; }
export function fail() { throw new Error("no"); }
export function crash() { Deno.exit(3); }
export function hang() { while (true) { /* for ever */ } }
export function shout() { console.log("x".repeat(5_000_000)); return "done"; }
""",
    ),
}
"""A script of each language, as ``check_script_engine`` wants it."""


@pytest.mark.parametrize("word", of_kind("script"))
def test_a_script_engine_keeps_its_contract(word: str, tmp_path: Path) -> None:
    name, text = SCRIPTS[word]
    file = tmp_path / name
    file.write_text(text)
    (cls,) = [each for each in PLUGINS.engines() if each.name == word]

    check_script_engine(cls, file)


@pytest.mark.parametrize("word", ["local", *of_kind("executor")])
def test_an_executor_keeps_its_contract(word: str) -> None:
    from assay.running.local import Local

    check_executor(Local if word == "local" else PLUGINS.executor(word))


@pytest.mark.parametrize("word", of_kind("agent"))
def test_a_resolver_keeps_its_contract(word: str, tmp_path: Path) -> None:
    (record,) = [each for each in RECORDS if (each.kind, each.word) == ("agent", word)]
    plugin: Any = PLUGINS.load(record)
    describe: Callable[[Path], object] = plugin.assay_describe_folder

    assert describe(tmp_path) is None
    assert describe(tmp_path / "not there") is None
    for number, text in enumerate(HOSTILE_TEXTS.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        for file in RESOLVED:
            (folder / file).write_text(text, encoding="utf-8", errors="replace")
        told = clue_or_fault(describe, folder)
        # A fault names the file.
        is_fault = isinstance(told, str) and any(file in told for file in RESOLVED)
        assert told is None or isinstance(told, AgentClue) or is_fault


RESOLVED = ("assay.toml", "package.yao", "pyproject.toml")
"""The files that resolvers read."""


def clue_or_fault(describe: Callable[[Path], object], folder: Path) -> object:
    try:
        return describe(folder)
    except ConfigError as error:
        return str(error)


@pytest.mark.parametrize("word", of_kind("command"))
def test_a_command_keeps_its_contract(word: str) -> None:
    command = PLUGINS.command(word)

    assert command is not None
    assert command.name == word
    assert command.help is not None
    assert command.help.partition("\n")[0].endswith(".")
    for option in command.params:
        if isinstance(option, click.Option):
            assert (option.help or "").endswith("."), f"{option.opts}: the help is no sentence"
