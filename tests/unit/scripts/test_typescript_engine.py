"""What the TypeScript engine says of a file without running it, and where it finds Deno."""

from __future__ import annotations

import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from assay.errors import ConfigError
from assay.testing import check_script_engine
from assay_plugins.scripts.typescript import TypeScript

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXT = dedent(r"""
    #!/usr/bin/env deno
    import type { Shape } from "./shapes";
    import { Process, Exception } from "@yao/runtime";
    import { used, unused, Other as Renamed } from "./nowhere";

    function plain(): number { const inner = 1; function nested() {} return used(inner); }
    async function later() {}
    function* generator() {}
    export function exported() {}
    export async function exportedLater() {}
    const arrow = (hidden: number) => hidden, second = 2;
    let { a, b: [c, ...rest], ...others } = {} as any;
    var old;
    class Class_ { method() {} static field = 1; }
    enum Kind { A, B }
    namespace Space { export const within = 1; }
    interface Face { member: number }
    type Alias = string;
    declare function declared(): void;
    function inside() {} export { inside as outside };
    export * as everything from "./nowhere";
    export { theirs, mine as yours } from "./nowhere";
    export default class {}
    const $dollar = 1, _under = 2, prüfe = 3;
    if (true) { var hoisted = 1; let blocked = 2; }
    label: for (const looped of []) { break label; }
    /* function commented() {} */ // const alsoCommented = 1;
    const text = "function quoted() {}", regex = /function matched() {}/g;
    const template = `
    function templated() {}
    ${((inTemplate: number) => inTemplate)(1)}
    `;
    const { length } = Renamed;
    throw new Error("never run");
""").lstrip()

DEFINED = """
    used Renamed plain later generator exported exportedLater arrow second a c rest others old
    Class_ Kind Space inside outside everything theirs yours default $dollar _under prüfe hoisted
    text regex template length
"""

OTHERS = """
    unused Other Shape inner nested hidden b method field within Face member Alias declared mine
    blocked looped label commented alsoCommented quoted matched templated inTemplate nowhere
    class function assay_name Process a.b 1a
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "checks.ts"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_names_bound_at_the_top_level_or_exported_count_and_no_others(file: Path) -> None:
    engine = TypeScript()
    names = [*DEFINED.split(), *OTHERS.split(), "", "no such", "x\ny", "x as y", "`"]
    assert [name for name in names if engine.defines(file, name)] == DEFINED.split()


def test_javascript(tmp_path: Path) -> None:
    file = tmp_path / "checks.js"
    file.write_text("import { unused } from 'x';\nfunction check() {}\n// the end")
    engine = TypeScript()
    assert engine.defines(file, "check")
    # Nothing takes what is not used out of it.
    assert engine.defines(file, "unused")
    assert not engine.defines(file, "other")


def test_a_file_that_passes_on_all_of_another_is_given_the_benefit(file: Path) -> None:
    file.write_text("export * from './other';")
    assert TypeScript().defines(file, "whatever")


def test_a_changed_file_is_read_again(file: Path) -> None:
    engine = TypeScript()
    assert not engine.defines(file, "added")
    file.write_text(TEXT + "const added = 1;\n", encoding="utf-8")
    assert engine.defines(file, "added")


def test_one_question_answers_for_other_names_of_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = TypeScript()
    assert engine.defines(file, "plain")
    monkeypatch.setattr(engine, "_deno", "no-such-program")
    for name in ("later", "exported", "arrow", "inside", "outside", "Class_"):
        assert engine.defines(file, name)
    assert not engine.defines(file, "nested")
    assert not engine.defines(file, "nowhere_in_it")
    with pytest.raises(ConfigError, match="no-such-program cannot be run: "):
        engine.defines(file, "label")


def test_a_mark_at_the_start_and_line_ends_of_windows(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbffunction pr\xc3\xbcfe(): void {}\r\nenum A {}\r\n")
    engine = TypeScript()
    assert engine.defines(file, "prüfe")
    assert engine.defines(file, "A")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "a.ts",
            b"const x = 1;\nfunction check(:\n",
            r"a\.ts:2 is not TypeScript: Unexpected token",
        ),
        ("a.ts", b"const x = `\n", r"a\.ts:\d is not TypeScript: Unterminated template"),
        ("a.ts", b"(" * 10_000, r"a\.ts cannot be compiled: .*deno was killed by SIG"),
        ("a.ts", b"const a = 1;\nconst a = 2;\n", r"is not TypeScript: .*already been declared"),
        ("a.js", b"const x = 1;\nfunction check(a: b) {}\n", r"a\.js:2 is not JavaScript: "),
        ("a.js", b"\nreturn 1;\n", r"a\.js:2 is not JavaScript: Illegal return"),
        ("a.ts", b"const x = '\xff'\n", r"a\.ts is not UTF-8: .*; save it as UTF-8"),
        ("a.ts", b"const x = 1;\0\n", r"a\.ts:1 is not TypeScript: "),
    ],
)
def test_what_cannot_be_compiled_is_an_error_with_its_line(
    tmp_path: Path, name: str, data: bytes, message: str
) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(ConfigError, match=message) as caught:
        TypeScript().defines(file, "check")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_gone(file: Path) -> None:
    file.unlink()
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        TypeScript().defines(file, "check")


def test_nothing_of_a_file_is_run_or_loaded(tmp_path: Path) -> None:
    (tmp_path / "other.ts").write_text("const broken = ;")
    file = tmp_path / "checks.ts"
    file.write_text("""
        import "./other";
        import "./nowhere";
        import data from "https://example.com/x.json" with { type: "json" };
        console.log("ran");
        while (true);
        export function check() { return data; }
        await new Promise(() => {});
    """)
    assert TypeScript().defines(file, "check")


SCRIPT = """
function give(value: unknown) { return value; }
function fail() { throw new Error("no"); }
function crash() { Deno.exit(3); }
function hang() { for (;;); }
function shout() { for (let i = 0; i < 20_000; i++) console.log("x".repeat(99)); return "done"; }
"""


@pytest.mark.parametrize("suffix", [".ts", ".js"])
def test_it_keeps_the_contract_of_a_script_engine(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"script{suffix}"
    file.write_text(SCRIPT if suffix == ".ts" else SCRIPT.replace(": unknown", ""))
    check_script_engine(TypeScript, file)


def test_the_command_names_deno_and_the_root(tmp_path: Path) -> None:
    program, *flags, root = TypeScript().command(tmp_path)
    assert program.endswith("deno")
    assert root == str(tmp_path)
    assert {"--no-prompt", "--no-remote", "--no-npm", "--no-config"} <= set(flags)


@pytest.fixture
def without_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """No package ``deno``; gives a way to put a program of that name on the path."""
    monkeypatch.setitem(sys.modules, "deno", None)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def put(script: str) -> Path:
        program = folder / "deno"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return program

    return put


def test_without_deno_the_extra_is_named(
    file: Path, without_package: Callable[[str], Path], tmp_path: Path
) -> None:
    mend = r"is not installed; install it with: pip install 'assay\[typescript\]'"
    with pytest.raises(ConfigError, match=mend):
        TypeScript().command(tmp_path)
    with pytest.raises(ConfigError, match=mend):
        TypeScript().defines(file, "check")


def test_a_deno_on_the_path_is_used(without_package: Callable[[str], Path], tmp_path: Path) -> None:
    program = without_package("echo 'deno 2.10.0 (stable, release)'")
    assert TypeScript().command(tmp_path)[0] == str(program)


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ("echo 'deno 2.8.9 (stable, release)'", "is Deno 2.8, but scripts need 2.9 or later"),
        ("echo 'deno 1.46.3'", "is Deno 1.46, but"),
        ("echo 'something else'", "is Deno of an unknown version, but"),
        ("exit 1", "is Deno of an unknown version, but"),
    ],
)
def test_a_deno_that_is_too_old(
    without_package: Callable[[str], Path], tmp_path: Path, script: str, shown: str
) -> None:
    program = without_package(script)
    with pytest.raises(ConfigError) as caught:
        TypeScript().command(tmp_path)
    assert str(caught.value).startswith(f"{program} {shown}")
    assert str(caught.value).endswith("install it with: pip install 'assay[typescript]'")


def test_a_deno_that_fails(file: Path, without_package: Callable[[str], Path]) -> None:
    without_package(
        "[ $1 = --version ] && echo 'deno 3.0.0' && exit\necho 'no such flag' >&2; exit 4"
    )
    with pytest.raises(
        ConfigError, match=r"cannot be compiled: .*deno ended with exit code 4 \(no such flag"
    ):
        TypeScript().defines(file, "check")
