"""The examples of the README and of the documentation are run: ``tests/README.md`` says how."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import field, frozen
from markdown_it import MarkdownIt

import doc_servers
from scripted_server import ScriptedServer
from yao_server import AGENTS, ALICE, BOB, YaoServer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.e2e.conftest import Cli

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("contrib/*/*.md"))]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands are run by bash")

_TITLE = re.compile(r"(?:#|//) (\S+\.\w+)")
_ASIDE = re.compile(r"<!-- not run: \S.*-->")
_ANY_LINES = "…"

_LOOSE = (
    # What differs from run to run, and how it looks.
    (r"(?:\d+(?:\.\d+)?(?:ms|s|m|h))+(?!\w)", r"(?:\d+(?:\.\d+)?(?:ms|s|m|h))+"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
    # Two runs in one second: the second file has a number behind its name.
    (r"output-\d{14}", r"output-\d{14}(?:-\d+)?"),
    (r'_ms": \d+(?:\.\d+)?', r'_ms": \d+(?:\.\d+)?'),
    (r"\d+\.\d+\.\d+", r"\d+\.\d+\.\d+\S*"),
    (r"…", r".*"),
)
_LOOSE_PATTERN = re.compile("|".join(f"({seen})" for seen, _ in _LOOSE))


@frozen
class Command:
    """A command of a page, and what it shows."""

    text: str
    line: int
    shown: Sequence[str] = field(factory=list[str])


@frozen
class File:
    """A file that a page defines."""

    name: str
    text: str


def parts(page: Path) -> Iterator[Command | File]:
    """Give the files and commands of a page, in its order."""
    is_aside = False
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "html_block":
            is_aside = _ASIDE.fullmatch(token.content.strip()) is not None
        elif token.type == "fence" and not is_aside:
            language = token.info.split(" ")[0]
            lines = token.content.splitlines()
            title = _TITLE.fullmatch(lines[0]) if lines else None
            if language == "console":
                assert token.map is not None
                yield from commands(lines, token.map[0] + 2)
            elif title is not None:
                # A comment is not part of a format that knows none.
                kept = lines[1:] if language == "text" else lines
                yield File(title[1], "\n".join(kept) + "\n")
        if token.type not in ("html_block", "inline"):
            is_aside = False


def commands(lines: Sequence[str], first: int) -> Iterator[Command]:
    """Take a console block apart: a line that starts with ``$`` is a command."""
    assert lines[0].startswith("$ "), f"line {first}: a console block starts with a command"
    for number, line in enumerate(lines):
        if line.startswith("$ "):
            shown: list[str] = []
            for other in lines[number + 1 :]:
                if other.startswith("$ "):
                    break
                shown.append(other)
            yield Command(line[2:], first + number, shown)


def pattern(shown: Sequence[str]) -> str:
    """Make a pattern of what a page shows."""
    parts_: list[str] = []
    for line in shown:
        if line == _ANY_LINES:
            parts_.append(r"(?:.*\n)*?")
            continue
        plain = squeezed(line)
        at = 0
        for match in _LOOSE_PATTERN.finditer(plain):
            assert match.lastindex is not None
            parts_ += [re.escape(plain[at : match.start()]), _LOOSE[match.lastindex - 1][1]]
            at = match.end()
        parts_ += [re.escape(plain[at:]), r"\n"]
    return "".join(parts_)


def squeezed(line: str) -> str:
    """Make columns independent of the width of times."""
    return re.sub(r"(?<=\S) +", " ", line).rstrip()


@pytest.fixture
def served(shell: Cli, page: Path) -> Iterator[None]:
    """Start stand-ins of the servers that a page speaks of."""
    text = page.read_text(encoding="utf-8")
    with ExitStack() as servers:
        if "ASSAY_YAO_SERVER" in text:
            yao = servers.enter_context(YaoServer(*AGENTS))
            shell.env |= {"ASSAY_YAO_SERVER": yao.url, "ASSAY_YAO_TOKEN": ALICE.token}
            shell.env |= {"ADA_TOKEN": ALICE.token, "BOB_TOKEN": BOB.token}
        if "OPENAI_BASE_URL" in text:
            model = servers.enter_context(ScriptedServer(doc_servers.model))
            shell.env |= {
                "OPENAI_BASE_URL": f"{model.url}/v1",
                "OPENAI_API_KEY": "sk-documentation",
            }
        if "SHOP_URL" in text:
            agent = servers.enter_context(ScriptedServer(doc_servers.agent))
            shell.env |= {"SHOP_URL": f"{agent.url}/ask", "SHOP_TOKEN": "token-of-the-shop"}
        yield


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_examples_of_a_page(shell: Cli, page: Path) -> None:
    steps = list(parts(page))
    if not any(isinstance(step, Command) for step in steps):
        pytest.skip("the page shows no command")
    if "docs/examples/" in page.read_text(encoding="utf-8"):
        ignored = shutil.ignore_patterns("output-*", "__pycache__")
        shutil.copytree(ROOT / "docs/examples", shell.root / "docs/examples", ignore=ignored)
    files = [step for step in steps if isinstance(step, File)]
    for file in reversed(files):
        # A command may stand before its file; of two texts of one file the first comes first.
        write(shell, file)
    wrong = [told for step in steps if (told := carried_out(shell, step, page)) is not None]
    assert not wrong, "\n\n".join(wrong)


def write(shell: Cli, file: File) -> None:
    """Write a file; a package of plugins is installed, too, as ``pip install -e`` does."""
    path = shell.write(file.name, file.text)
    if path.name == "pyproject.toml":
        project = tomllib.loads(file.text).get("project", {})
        points = project.get("entry-points", {}).get("assay")
        if points:
            lines = ["[assay]", *(f"{name} = {target}" for name, target in points.items()), ""]
            info = f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
            source = path.parent / "src"
            shell.write(f"{source}/{info}/entry_points.txt", "\n".join(lines))
            known = shell.env.get("PYTHONPATH", "").split(":")
            shell.env["PYTHONPATH"] = ":".join(dict.fromkeys([*known, str(source)])).strip(":")


def carried_out(shell: Cli, step: Command | File, page: Path) -> str | None:
    """Carry a step out; gives what is wrong with it."""
    if isinstance(step, File):
        write(shell, step)
        return None
    if re.search(r"\bjq\b", step.text) and shutil.which("jq") is None:
        return None
    done = subprocess.run(
        ["bash", "-c", step.text],
        cwd=shell.root,
        env=shell.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=60,
    )
    out = "".join(f"{squeezed(line)}\n" for line in done.stdout.decode().splitlines())
    if not step.shown and done.returncode in (0, 1):
        return None
    if step.shown and re.fullmatch(pattern(step.shown), out):
        return None
    place = f"{page.relative_to(ROOT)}:{step.line}: $ {step.text}"
    return f"{place}\nended with {done.returncode} and showed\n{done.stdout.decode()}"
