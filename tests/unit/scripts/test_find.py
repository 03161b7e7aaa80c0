"""Where a script reference is looked for, and what is said when it leads nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import pytest

from assay.errors import ConfigError
from assay.roots import application_root
from assay.scripts.find import find
from assay_plugins.scripts.python import Python

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from assay.scripts.find import Found

TEXT = "def check(output, input, expected):\n    return True\n"


class Sharp:
    """An engine of another language, whose functions are lines ``fn NAME``."""

    name: ClassVar[str] = "sharp"
    suffixes: ClassVar[tuple[str, ...]] = (".sharp", ".sh")

    def defines(self, file: Path, function: str) -> bool:
        return f"fn {function}" in file.read_text(encoding="utf-8").splitlines()

    def command(self, root: Path) -> Sequence[str]:
        return ["sharp"]


class Tree:
    """An application: root ``app``, an agent in it, a case file's folder in the agent's."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.app = base / "app"
        self.agent = self.app / "assistants/keyword"
        self.tests = self.agent / "tests"
        self.tests.mkdir(parents=True)
        (self.app / "app.yao").write_text("{}")

    def add(self, *names: str, text: str = TEXT) -> None:
        for name in names:
            file = self.base / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def find(self, reference: str, *, root: Path | None = None, bare: bool = False) -> Found:
        return find(
            reference,
            case_folder=self.tests,
            agent_folder=None if bare else self.agent,
            root=root,
            cwd=self.base,
            engines=[Python(), Sharp()],
        )

    def file(self, reference: str) -> str:
        return self.find(reference).target.file.relative_to(self.base).as_posix()


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


DOTTED = (
    "app/scripts/test.py",
    "app/assistants/keyword/scripts/test.py",
    "app/assistants/keyword/src/scripts/test.py",
    "app/assistants/keyword/tests/scripts/test.py",
)

BY_PATH = (
    "app/assistants/keyword/tests/scripts/test.py",
    "app/assistants/keyword/scripts/test.py",
    "app/scripts/test.py",
    "scripts/test.py",
)


@pytest.mark.parametrize("first", range(4))
def test_the_order_of_folders_for_dotted_names(tree: Tree, first: int) -> None:
    tree.add(*DOTTED[first:])
    assert tree.file("scripts.test.check") == DOTTED[first]


@pytest.mark.parametrize("first", range(4))
def test_the_order_of_folders_for_paths(tree: Tree, first: int) -> None:
    tree.add(*BY_PATH[first:])
    assert tree.file("scripts/test.py:check") == BY_PATH[first]


def test_what_is_found(tree: Tree) -> None:
    tree.add("app/scripts/deep/er.py", "elsewhere/x.py")
    found = tree.find("scripts.deep.er.check")
    assert found.engine == "python"
    assert found.target.file == tree.app / "scripts/deep/er.py"
    assert found.target.function == "check"
    assert found.target.root == tree.app
    assert found.label == "scripts/deep/er.py:check"
    # Outside of the application the script's own folder is all that it may use.
    outside = tree.find("elsewhere/x.py:check")
    assert outside.target.root == tree.base / "elsewhere"
    assert outside.label == "x.py:check"


def test_more_forms_of_paths(tree: Tree) -> None:
    tree.add("app/checks.py", "app/assistants/keyword/tests/checks.py")
    assert tree.file("checks.py:check") == "app/assistants/keyword/tests/checks.py"
    assert tree.file("./checks.py:check") == "app/assistants/keyword/tests/checks.py"
    assert tree.file("../../../checks.py:check") == "app/checks.py"
    assert tree.file(f"{tree.app / 'checks.py'}:check") == "app/checks.py"


def test_a_dotted_name_may_have_no_folder(tree: Tree) -> None:
    tree.add("app/assistants/keyword/tests/checks.py")
    assert tree.file("checks.check") == "app/assistants/keyword/tests/checks.py"


def test_engines_and_their_suffixes_in_order(tree: Tree) -> None:
    tree.add("app/scripts/a.sh", "app/scripts/a.sharp", text="fn check\n")
    assert tree.file("scripts.a.check") == "app/scripts/a.sharp"
    assert tree.find("scripts/a.sh:check").engine == "sharp"
    tree.add("app/scripts/a.py")
    assert tree.file("scripts.a.check") == "app/scripts/a.py"
    # The folder counts for more than the language.
    tree.add("app/assistants/keyword/scripts/b.py")
    tree.add("app/scripts/b.sh", text="fn check\n")
    assert tree.file("scripts.b.check") == "app/scripts/b.sh"


@pytest.mark.parametrize("name", ["app.yao", "app.json", "app.jsonc", "assay.toml"])
def test_the_application_root_is_the_nearest_folder_with_one_of_its_files(
    tmp_path: Path, name: str
) -> None:
    inner = tmp_path / "a/b/c"
    inner.mkdir(parents=True)
    (tmp_path / "a" / name).touch()
    assert application_root(inner) == tmp_path / "a"
    (inner / name).touch()
    assert application_root(inner) == inner


def test_a_given_root_counts_for_more_than_the_nearest(tree: Tree) -> None:
    tree.add("scripts/test.py", "app/scripts/test.py")
    found = tree.find("scripts.test.check", root=tree.base)
    assert found.target.file == tree.base / "scripts/test.py"
    assert found.target.root == tree.base


def test_an_agent_without_a_folder(tree: Tree) -> None:
    tree.add("app/assistants/keyword/scripts/test.py")
    with pytest.raises(ConfigError) as caught:
        tree.find("scripts.test.check", bare=True)
    assert "keyword/scripts" not in str(caught.value).replace("tests/scripts", "")


def fault(tree: Tree, reference: str) -> str:
    with pytest.raises(ConfigError) as caught:
        tree.find(reference)
    message = str(caught.value)
    assert repr(reference) in message
    assert "\n" not in message
    return message


def test_a_reference_that_leads_nowhere_lists_what_was_tried(tree: Tree) -> None:
    message = fault(tree, "scripts.test.check")
    for name in DOTTED:
        stem = name.removesuffix(".py")
        assert f" {stem}.py" in message
        assert f" {stem}.sharp" in message
    message = fault(tree, "scripts/test.py:check")
    tried = message.partition("tried: ")[2].split(", ")
    assert tried == list(BY_PATH)


def test_a_function_that_is_missing_is_a_fault_with_a_hint(tree: Tree) -> None:
    tree.add(
        "app/scripts/test.py",
        text="def ValidateOutput(output):\n    Validate_outputs = 1\n    return True\n",
    )
    message = fault(tree, "scripts.test.ValidateOutptu")
    assert "app/scripts/test.py has no function 'ValidateOutptu'" in message
    assert "did you mean 'ValidateOutput'?" in message
    assert "did you mean" not in fault(tree, "scripts.test.Zzz")
    # Only what the file defines is offered.
    assert "'Validate_outputs'" not in fault(tree, "scripts.test.Validate_output")


def test_a_file_that_cannot_be_read_as_its_language(tree: Tree) -> None:
    tree.add("app/scripts/test.py", text="def check(:\n    pass\n")
    assert "test.py:1 is not Python: invalid syntax" in fault(tree, "scripts.test.check")


def test_what_no_engine_runs(tree: Tree) -> None:
    tree.add("app/scripts/test.ts", text="export function check() {}")
    for reference in ("scripts.test.check", "scripts/test.ts:check"):
        message = fault(tree, reference)
        assert "no installed script engine runs app/scripts/test.ts" in message
        assert "installed: python (.py), sharp (.sharp .sh)" in message


def test_without_any_engine(tree: Tree) -> None:
    with pytest.raises(ConfigError, match="no script engine is installed"):
        find(
            "scripts.test.check",
            case_folder=tree.tests,
            agent_folder=None,
            root=None,
            cwd=tree.base,
            engines=[],
        )


def test_an_engine_whose_runtime_is_missing(tree: Tree) -> None:
    class Missing(Sharp):
        def command(self, root: Path) -> Sequence[str]:
            raise ConfigError("sharp is not installed; install it")

    tree.add("app/scripts/a.sh", text="fn check\n")
    with pytest.raises(ConfigError, match=r"'scripts\.a\.check': sharp is not installed"):
        find(
            "scripts.a.check",
            case_folder=tree.tests,
            agent_folder=None,
            root=None,
            cwd=tree.base,
            engines=[Missing()],
        )


@pytest.mark.parametrize(
    "reference",
    [
        "",
        ".",
        "check",
        "scripts.",
        ".check",
        "scripts..check",
        "scripts.py",
        "scripts/test.py",
        "scripts/test.py:",
        ":check",
        "scripts/test.py:a.b",
        "scripts/test.py:a b",
        "a\0b.check",
        "scripts/a\0b.py:check",
        "x" * 5000 + ".check",
        "x" * 5000 + ".py:check",
        "scripts.test:check",
        "https://example.com/a.py",
    ],
)
def test_references_of_no_use_are_faults(tree: Tree, reference: str) -> None:
    fault(tree, reference)


def test_a_folder_of_the_files_name_is_no_script(tree: Tree) -> None:
    (tree.app / "scripts/test.py").mkdir(parents=True)
    tree.add("app/assistants/keyword/scripts/test.py")
    assert tree.file("scripts.test.check") == "app/assistants/keyword/scripts/test.py"
