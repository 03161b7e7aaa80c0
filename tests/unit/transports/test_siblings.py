"""Agents in one process that import modules beside them."""

from __future__ import annotations

import asyncio
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from assay import AgentRef, ConfigError, Request
from assay_plugins.transports.python import Python

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def modules() -> Iterator[None]:
    """Forget what agents have put on the import path and loaded."""
    path, loaded = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - loaded:
        del sys.modules[name]


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(dedent(text))
    return folder


def asked(target: str, base: Path) -> object:
    async def go() -> object:
        agent = AgentRef(transport="python", target=target, name="agent", base=base)
        async with Python(agent) as transport:
            return (await transport.send(Request(messages=()))).output

    return asyncio.run(go())


def test_files_of_one_name_in_two_folders_are_two_agents(tmp_path: Path) -> None:
    one = write(tmp_path / "one", agent="def reply(request): return 1")
    two = write(tmp_path / "two", agent="def reply(request): return 2")

    assert [asked("agent.py:reply", folder) for folder in (one, two, one)] == [1, 2, 1]


def test_an_agent_imports_modules_beside_it_and_in_the_folder_that_names_it(
    tmp_path: Path,
) -> None:
    write(tmp_path, sibling_a="value = 'a'")
    write(
        tmp_path / "inner",
        sibling_b="value = 'b'",
        agent="""
        from sibling_a import value as a
        def reply(request):
            import sibling_b
            return a + sibling_b.value
        """,
    )

    assert asked("inner/agent.py:reply", tmp_path) == "ab"


def test_functions_of_one_file_share_its_module(tmp_path: Path) -> None:
    write(
        tmp_path,
        agent="""
        seen = []
        def remember(request): seen.append(1)
        def count(request): return len(seen)
        """,
    )
    asked("agent.py:remember", tmp_path)

    assert asked("agent.py:count", tmp_path) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import helper_c\ndef reply(request): return helper_c.value",
        "def reply(request):\n    from helper_c import value\n    return value",
        "import between_c\ndef reply(request): return between_c.value",
    ],
)
def test_a_module_of_another_agents_folder_is_refused(tmp_path: Path, source: str) -> None:
    folders = [
        write(
            tmp_path / name,
            agent=source,
            helper_c=f"value = {name!r}",
            **{f"between_{'c' if name == 'one' else 'd'}": "from helper_c import value"},
        )
        for name in ("one", "two")
    ]
    if "between_c" in source:
        write(folders[1], agent=source.replace("between_c", "between_d"))
    assert asked("agent.py:reply", folders[0]) == "one"

    with pytest.raises(ConfigError) as told:
        asked("agent.py:reply", folders[1])

    assert str(told.value).startswith("python:agent.py:reply: it imports helper_c from ")
    assert str(folders[0] / "helper_c.py") in str(told.value)
    assert str(folders[1] / "helper_c.py") in str(told.value)


def test_a_module_that_an_agent_may_yet_import_is_refused(tmp_path: Path) -> None:
    source = """
    def reply(request):
        if request.metadata: import helper_e
        return "asked"
    """
    one = write(tmp_path / "one", agent=source, helper_e="")
    two = write(tmp_path / "two", agent=source, helper_e="")
    assert asked("agent.py:reply", one) == "asked"
    assert "helper_e" not in sys.modules

    with pytest.raises(ConfigError, match="it imports helper_e"):
        asked("agent.py:reply", two)


def test_a_module_that_is_not_imported_is_in_nobodys_way(tmp_path: Path) -> None:
    one = write(tmp_path / "one", agent="import helper_f\ndef reply(r): return 1", helper_f="")
    two = write(tmp_path / "two", agent="def reply(r): return 2", helper_f="")

    assert (asked("agent.py:reply", one), asked("agent.py:reply", two)) == (1, 2)


def test_modules_of_one_name_are_refused(tmp_path: Path) -> None:
    one = write(tmp_path / "one", agent_module_g="def reply(request): return 1")
    two = write(tmp_path / "two", agent_module_g="def reply(request): return 2")
    assert asked("agent_module_g:reply", one) == 1

    with pytest.raises(ConfigError, match=r"imports agent_module_g from .*already used from"):
        asked("agent_module_g:reply", two)


def test_packages_of_one_name_are_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folder = write(tmp_path / name, agent="import package_h\ndef reply(request): return 1")
        write(folder / "package_h", __init__="")
    assert asked("agent.py:reply", tmp_path / "one") == 1

    with pytest.raises(ConfigError, match="it imports package_h from "):
        asked("agent.py:reply", tmp_path / "two")


def test_folders_without_init_count_as_packages(tmp_path: Path) -> None:
    source = "from bare_i import inner\ndef reply(request): return inner.value"
    for name in ("one", "two"):
        folder = write(tmp_path / name, agent=source)
        write(folder / "bare_i", inner=f"value = {name!r}")
    assert asked("agent.py:reply", tmp_path / "one") == "one"

    with pytest.raises(ConfigError, match="it imports bare_i from "):
        asked("agent.py:reply", tmp_path / "two")


def test_a_folder_named_as_a_module_of_python_is_in_nobodys_way(tmp_path: Path) -> None:
    write(tmp_path, agent="import json, sys\ndef reply(request): return json.loads('1')")
    write(tmp_path / "json", inner="")
    write(tmp_path / "sys", inner="")

    assert asked("agent.py:reply", tmp_path) == 1


@pytest.mark.parametrize(("name", "where"), [("json", "already used from"), ("sys", "built into")])
def test_a_file_named_as_a_module_of_python_is_refused(
    tmp_path: Path, name: str, where: str
) -> None:
    write(tmp_path, agent=f"import {name}\ndef reply(request): return 1", **{name: ""})

    with pytest.raises(ConfigError, match=rf"it imports {name} from .*this name is {where}"):
        asked("agent.py:reply", tmp_path)


def test_a_folder_without_python_files_is_no_module(tmp_path: Path) -> None:
    source = "def reply(request):\n    if request.metadata: import data_j\n    return 1"
    for name in ("one", "two"):
        folder = write(tmp_path / name, agent=source)
        (folder / "data_j").mkdir()
        (folder / "data_j" / "notes.txt").write_text("")

    assert [asked("agent.py:reply", tmp_path / name) for name in ("one", "two")] == [1, 1]


def test_a_module_comes_before_a_folder_of_its_name(tmp_path: Path) -> None:
    write(
        tmp_path, agent="import both_k\ndef reply(request): return both_k.value", both_k="value = 1"
    )
    write(tmp_path / "both_k", inner="")

    assert asked("agent.py:reply", tmp_path) == 1
