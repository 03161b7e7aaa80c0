from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.errors import ConfigError
from assay.settings.files import SettingsFiles


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder above which no settings file counts."""
    (tmp_path / "assay.toml").write_text("root = true\n")
    (tmp_path / "app" / "tests").mkdir(parents=True)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def refused(tree: Path, folder: str = "app/tests") -> list[str]:
    with pytest.raises(ConfigError) as caught:
        SettingsFiles(tree).above(Path(folder))
    return str(caught.value).splitlines()


def test_files_are_found_upwards_nearest_first(tree: Path) -> None:
    write(tree / "app/assay.toml", "[test]\nruns = 3\n")
    write(tree / "app/tests/assay.toml", "[test]\nruns = 5\n")
    write(tree / "app/tests/deeper/assay.toml", "[test]\nruns = 7\n")
    files = SettingsFiles(tree).above(tree / "app/tests")
    assert [file.name for file in files] == [
        "app/tests/assay.toml",
        "app/assay.toml",
        "assay.toml",
    ]
    assert [file.test.get("runs") for file in files] == [5, 3, None]


def test_the_walk_ends_at_a_file_that_says_root(tree: Path) -> None:
    write(tree / "app/assay.toml", "root = true\n[test]\nruns = 3\n")
    assert [file.name for file in SettingsFiles(tree).above(tree / "app/tests")] == [
        "app/assay.toml"
    ]


def test_the_walk_reaches_the_root_of_the_file_system() -> None:
    assert SettingsFiles(Path("/")).above(Path("/")) == ()


def test_pyproject_says_the_same_below_tool_assay(tree: Path) -> None:
    write(
        tree / "app/pyproject.toml",
        "[project]\nname = 'x'\n[tool.assay.test]\nuser = 'a'\n"
        "[tool.assay.agent]\nconnector = 'c'\n[tool.assay.transport.yao]\nserver = 's'\n",
    )
    write(tree / "app/assay.toml", "[test]\nuser = 'b'\n")
    own, project, _ = SettingsFiles(tree).above(tree / "app")
    assert own.test == {"user": "b"}
    assert project.test == {"user": "a"}
    assert project.agent == {"connector": "c"}
    assert project.plugins == {("transport", "yao"): {"server": "s"}}
    assert project.label("test", "user") == "app/pyproject.toml [tool.assay.test] user"
    assert own.label("test", "user") == "app/assay.toml [test] user"


@pytest.mark.parametrize(
    "text", ["[project]\nname = 'x'\n", "[tool.other]\n", "this is no TOML", "tool = 1 # assay"]
)
def test_a_pyproject_that_says_nothing_of_assay_is_left_alone(tree: Path, text: str) -> None:
    write(tree / "app/pyproject.toml", text)
    assert [file.name for file in SettingsFiles(tree).above(tree / "app")] == ["assay.toml"]


def test_every_section_is_read(tree: Path) -> None:
    write(
        tree / "app/assay.toml",
        """
        [agent]
        name = "keyword"
        description = "finds keywords"
        transport = "python"
        target = "agent.py:reply"
        connector = "openai.gpt4"
        [test]
        transport = "python"
        user = "u"
        team = "t"
        locale = "de"
        runs = 3
        parallel = 4
        timeout = "1m30s"
        retries = 0
        rate = "60/m"
        max_wait = "5m"
        min_pass_rate = 80
        fail_fast = true
        strict = true
        require_assertions = true
        executor = "local"
        [transport.yao]
        server = "http://x"
        [reporter.markdown]
        summary_only = true
        [script.python]
        [executor.dask]
        [select.flaky]
        [wrap.record]
        file = "x"
        """,
    )
    file = SettingsFiles(tree).above(tree / "app")[0]
    assert file.agent["target"] == "agent.py:reply"
    assert file.test["timeout"] == 90.0
    assert str(file.test["rate"]) == "60/m"
    assert file.test["min_pass_rate"] == 80.0
    assert len(file.test) == 15
    assert file.plugins["reporter", "markdown"] == {"summary_only": True}
    assert ("executor", "dask") in file.plugins


def test_every_fault_of_a_file_is_told_at_once(tree: Path) -> None:
    write(
        tree / "app/assay.toml",
        """
        root = "yes"
        surprise = 1
        test.runz = 3
        test.timeout = 30
        test.runs = 0
        transprot.yao.server = "x"
        agent.nane = "x"
        agent.name = 3
        reporter.html = "x"
        script = "x"
        """,
    )
    lines = refused(tree)
    starts = [
        "app/assay.toml root: expected true or false, not the text 'yes'",
        "app/assay.toml [surprise]: unknown section; ",
        "app/assay.toml [test] runz: unknown key; ",
        'app/assay.toml [test] timeout: expected a duration in quotes, such as "30s", not the n',
        "app/assay.toml [test] runs: must be at least 1, not 0",
        "app/assay.toml [transprot]: unknown section; ",
        "app/assay.toml [agent] nane: unknown key; ",
        "app/assay.toml [agent] name: expected text in quotes, not the number 3",
        "app/assay.toml [reporter] html: expected a table; write [reporter.NAME] above it",
        "app/assay.toml [script]: expected a table, not the text 'x'",
    ]
    assert len(lines) == len(starts)
    for line, start in zip(lines, starts, strict=True):
        assert line.startswith(start)
    assert "'runs'" in lines[2]
    assert "'transport'" in lines[5]
    assert "'name'" in lines[6]


@pytest.mark.parametrize("key", ["tag", "run", "inputs", "dry_run", "connector", "name"])
def test_what_only_a_flag_may_say_is_unknown_in_a_file(tree: Path, key: str) -> None:
    write(tree / "app/assay.toml", f"[test]\n{key} = 'x'\n")
    assert refused(tree)[0].startswith(f"app/assay.toml [test] {key}: unknown key; ")


def test_faults_of_pyproject_name_its_sections(tree: Path) -> None:
    write(tree / "app/pyproject.toml", "[tool.assay.test]\nrunz = 3\n")
    assert refused(tree)[0].startswith("app/pyproject.toml [tool.assay.test] runz: unknown key")
    write(tree / "app/pyproject.toml", "[tool]\nassay = 3\n")
    assert refused(tree) == ["app/pyproject.toml [tool.assay]: expected a table, not the number 3"]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        (b"[test]\nruns 3\n", "app/assay.toml:2: "),
        (b"[test\n", "app/assay.toml:1: "),
        (b'user = """open', "app/assay.toml: "),
        (b"a = \xff", "app/assay.toml: not UTF-8 (byte 4); save it as UTF-8"),
        (b"[a]\n[a]\n", "app/assay.toml:2: "),
        (b"a = " + b"[" * 100_000, "app/assay.toml: nested too deeply"),
        (b"a = " + b"9" * 5000, "app/assay.toml: "),
    ],
)
def test_what_is_no_toml_is_refused_with_its_line(tree: Path, text: bytes, start: str) -> None:
    (tree / "app/assay.toml").write_bytes(text)
    (line,) = refused(tree)
    assert line.startswith(start)


def test_a_byte_order_mark_is_no_fault(tree: Path) -> None:
    (tree / "app/assay.toml").write_bytes(b"\xef\xbb\xbf[test]\r\nruns = 3\r\n")
    assert SettingsFiles(tree).above(tree / "app")[0].test == {"runs": 3}


def test_a_file_above_the_working_directory_is_named_in_full(tree: Path) -> None:
    write(tree / "app/assay.toml", "[test]\n")
    files = SettingsFiles(tree / "app/tests").above(Path())
    assert files[0].name == str(tree / "app/assay.toml")


def test_each_file_is_read_once(tree: Path) -> None:
    write(tree / "app/assay.toml", "[test]\nruns = 3\n")
    files = SettingsFiles(tree)
    first = files.above(tree / "app/tests")
    write(tree / "app/assay.toml", "[test]\nruns = 4\n")
    assert files.above(tree / "app/tests") is first
    assert files.above(tree / "app")[0] is first[0]
    assert files.above(tree / "app/tests/../../app/new")[0] is first[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes are POSIX")
def test_what_is_no_ordinary_file_is_left_alone(tree: Path) -> None:
    (tree / "app/assay.toml").mkdir()
    os.mkfifo(tree / "app/tests/assay.toml")
    assert [file.name for file in SettingsFiles(tree).above(tree / "app/tests")] == ["assay.toml"]


def test_a_very_deep_folder_is_no_problem(tree: Path) -> None:
    deep = Path(tree, *["d"] * 1500)
    assert [file.name for file in SettingsFiles(tree).above(deep)] == ["assay.toml"]
