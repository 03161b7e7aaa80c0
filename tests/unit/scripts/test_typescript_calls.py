"""What functions of TypeScript and JavaScript files are given, and what comes back of them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from assay.errors import CannotCheck

if TYPE_CHECKING:
    from tests.unit.scripts.conftest import Bench

    from assay.scripts.pool import Pool


def outcomes(ts: Bench, *names: str, file: str = "") -> dict[str, object]:
    """Call functions without arguments, in one worker; an error is given as its text."""

    async def work(pool: Pool) -> dict[str, object]:
        found: dict[str, object] = {}
        for name in names:
            try:
                found[name] = await pool.call(ts.found(name, file), [])
            except CannotCheck as error:
                found[name] = str(error).removeprefix(f"{file or ts.file}:{name}: ")
        return found

    return ts.run(work, limit=1)


def test_functions_of_every_kind_are_called(ts: Bench) -> None:
    ts.write("""
        interface Verdict { pass: boolean; message?: string }
        enum Answer { Yes = "yes" }

        function plain(): Verdict { return { pass: true, message: undefined }; }
        async function later() { await new Promise((done) => setTimeout(done, 1)); return "later"; }
        const arrow = () => Answer.Yes;
        let bound = function () { return "bound"; };
        function overloaded(value: string): string;
        function overloaded(value?: unknown): unknown { return String(value); }
        export function exported() { return "exported"; }
        function inner() { return "under another name"; }
        export { inner as outer };
        export default () => "default";
        function nothing() {}
        const helper = <T>(value: T): T => value;
        function generic() { return helper<number[]>([1, 2]); }
        function* generator() { yield 1; }
        class Holder { constructor(private held: string) {} get() { return this.held; } }
        function made() { return new Holder("held").get(); }
    """)
    wanted = {
        "plain": {"pass": True},
        "later": "later",
        "arrow": "yes",
        "bound": "bound",
        "overloaded": "undefined",
        "exported": "exported",
        "inner": "under another name",
        "outer": "under another name",
        "default": "default",
        "nothing": None,
        "generic": [1, 2],
        "made": "held",
    }
    assert outcomes(ts, *wanted) == wanted


def test_javascript_is_run_as_it_stands(ts: Bench) -> None:
    ts.write("function check() { return [1, /* a: T */ 2]; } // the end", "checks.js")
    assert outcomes(ts, "check", file="checks.js") == {"check": [1, 2]}


def test_what_goes_wrong_is_said_with_its_line(ts: Bench) -> None:
    ts.write("""\
        enum Moves { The, Lines }
        function raises() { throw new TypeError("too bad"); }
        async function later() {
          await null;
          throw new RangeError("later");
        }
        function reads(): unknown { return (undefined as any).pass; }
        function parses() { return JSON.parse("{"); }
        const deeper = () => { [1].map(() => raises()); };
        function text() { throw "no error"; }
        function rejects() { return Promise.reject({ code: 5 }); }
        function recurses(): unknown { return recurses(); }
        function silent() { throw new Error(); }
        function unkind() { throw { toString() { throw 1; }, get name() { throw 2; } }; }
        const stackless = { get() { throw 3; } };
        function odd() { throw Object.defineProperty(new Error("x"), "stack", stackless); }
        class Odd extends Error { get message(): string { throw 4; } }
        function odder() { throw new Odd(); }
        function long() { throw new Error("x".repeat(1_000_000)); }
        const check = 5;
        const nothing = null;
        class Kind {}
        type Shape = { a: number };
    """)
    said = outcomes(
        ts,
        *("raises", "later", "reads", "parses", "deeper", "text", "rejects", "recurses", "silent"),
        *("unkind", "odd", "odder", "check", "nothing", "Kind", "Shape", "missing", "class", "a.b"),
    )
    assert said == {
        "raises": "TypeError: too bad (line 2)",
        "later": "RangeError: later (line 5)",
        "reads": "TypeError: Cannot read properties of undefined (reading 'pass') (line 7)",
        "parses": "SyntaxError: Expected property name or '}' in JSON at position 1 "
        "(line 1 column 2) (line 8)",
        "deeper": "TypeError: too bad (line 2)",
        "text": 'it threw "no error"',
        "rejects": "it threw { code: 5 }",
        "recurses": "RangeError: Maximum call stack size exceeded (line 12)",
        "silent": "Error (line 13)",
        "unkind": "it threw { toString: [Function: toString], name: [Getter] }",
        "odd": "Error: x",
        "odder": "an error whose message cannot be shown (line 18)",
        "check": "'check' is a number, not a function",
        "nothing": "'nothing' is a null, not a function",
        "Kind": "TypeError: Class constructor Kind cannot be invoked without 'new'",
        "Shape": "the file has no function 'Shape'",
        "missing": "the file has no function 'missing'",
        "class": "the file has no function 'class'",
        "a.b": "the file has no function 'a.b'",
    }
    assert len(str(outcomes(ts, "long"))) < 5000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("function check(:\n", "SyntaxError: Unexpected token `:`."),
        ("const a = 1;\nfunction check() { return 'x\n}", "Unterminated string constant (line 2)"),
        (
            "enum A { X,\n Y }\nconst A = 1;",
            "SyntaxError: Identifier 'A' has already been declared",
        ),
        ("throw new Error('at once');", "it cannot be imported: Error: at once (line 1)"),
        ("\nimport { none } from './other';\nnone();", "does not provide an export named 'none'"),
        ("import './nowhere';", "./nowhere was not found; it is imported by "),
        ("import 'npm:left-pad';", "npm:left-pad cannot be imported: scripts import files"),
        ("import 'https://example.com/a.ts';", "https://example.com/a.ts cannot be imported"),
        ("import _ from 'lodash';\n_();", "lodash cannot be imported: scripts import files"),
        ("import 'ext:core/mod.js';", "ext:core/mod.js"),
        ("import './notes.txt';", "./notes.txt cannot be imported: it is no .ts, .js or .json"),
        ("import '../../../../../../../etc/passwd';", "it needs read access to"),
        ("import './broken';", "SyntaxError: Expression expected in file://"),
        ("const x = await Promise.reject(new Error('no'));", "imported: Error: no (line 1)"),
        (
            "await import('./nowhere').catch(() => 0);\nthrow new Error('no');",
            ": Error: no (line 2)",
        ),
        ("Deno.exit(3);", "it cannot be imported: it called Deno.exit(3)"),
        ("Process('models.a.Get');", "Process is a global of the Yao server"),
    ],
)
def test_why_a_file_cannot_be_imported(ts: Bench, text: str, message: str) -> None:
    ts.write("export const some = 1;", "other.ts")
    ts.write("const a = ;", "broken.ts")
    ts.write("", "notes.txt")
    ts.write(text)
    said = outcomes(ts, "check")["check"]
    assert isinstance(said, str)
    assert said.startswith("it cannot be imported: ")
    assert message in said
    assert "\n" not in said
    assert "\x1b" not in said


def test_results_that_are_not_json(ts: Bench) -> None:
    ts.write("""
        function big() { return { count: 5n }; }
        function func() { return [() => 1]; }
        function sym() { return Symbol("x"); }
        function map() { return { a: [1, new Map([[1, 2]])] }; }
        function error() { return new Error("x"); }
        function promise() { return { later: Promise.resolve(1) }; }
        function nan() { return { score: NaN }; }
        function far() { return [-Infinity]; }
        function circle() { const a: unknown[] = []; a.push(a); return a; }
        function deep() { let a: unknown = 1; for (let i = 0; i < 1e6; i++) a = [a]; return a; }
        function getter() { return { get a() { throw new Error("from a getter"); } }; }
        function spoilt() { return { toJSON() { throw new Error("from toJSON"); } }; }
    """)
    said = outcomes(
        ts,
        *("big", "func", "sym", "map", "error", "promise", "nan", "far", "circle", "deep"),
        *("getter", "spoilt"),
    )
    start = "its result is not JSON: "
    assert said == {
        "big": start + "$.count is a bigint",
        "func": start + "$[0] is a function",
        "sym": start + "$ is a symbol",
        "map": start + "$.a[1] is a Map",
        "error": start + "$ is a Error",
        "promise": start + "$.later is a Promise",
        "nan": start + "$.score is NaN",
        "far": start + "$[0] is -Infinity",
        "circle": "its result is nested too deeply, or in itself",
        "deep": "its result is nested too deeply, or in itself",
        "getter": start + "Error: from a getter",
        "spoilt": start + "Error: from toJSON",
    }


def test_results_that_json_can_show(ts: Bench) -> None:
    ts.write("""
        class Verdict { pass = true; note?: string; }
        function instance() { return new Verdict(); }
        function date() { return { at: new Date(0) }; }
        function holes() { return [undefined, , 1]; }
        function bare() { return Object.assign(Object.create(null), { a: 1 }); }
        function boxed() { return [new Number(1), new String("x"), new Boolean(false)]; }
        const promised = () => Promise.resolve(Promise.resolve([1]));
    """)
    assert outcomes(ts, "instance", "date", "holes", "bare", "boxed", "promised") == {
        "instance": {"pass": True},
        "date": {"at": "1970-01-01T00:00:00.000Z"},
        "holes": [None, None, 1],
        "bare": {"a": 1},
        "boxed": [1, "x", False],
        "promised": [1],
    }


def test_imports_are_found_as_the_yao_server_finds_them(ts: Bench) -> None:
    ts.write("{}", "app.yao")
    ts.write(
        """{
            // Comments and trailing commas are usual here: "/* kept */"
            "compilerOptions": {
                "baseUrl": ".",
                "paths": { "@scripts/*": ["./scripts/*"], "@lib": ["lib/index.ts"], },
            },
        }""",
        "tsconfig.json",
    )
    for name in ("scripts/sibling", "scripts/util/index", "lib/index", "lib/deep/er"):
        ts.write(f"export const name = '{name}';\nexport type Name = string;", f"{name}.ts")
    ts.write("export const name = 'plain';", "lib/plain.js")
    ts.write('{"__proto__": 1, "name": "data"}', "lib/data.json")
    ts.write("export * from './index';\nexport const other = 'passed on';", "lib/all.ts")
    ts.write(
        """
        import { name as sibling, Name } from "./sibling";
        import { name as suffixed } from "./sibling.ts";
        import * as util from "./util";
        import { name as byAlias } from "@scripts/sibling";
        import * as lib from "@lib";
        import { name as deep } from "../lib/deep/er";
        import { name as plain } from "../lib/plain";
        import data from "../lib/data.json";
        import typed from "../lib/data.json" with { type: "json" };
        import { name as passed, other } from "../lib/all";
        import assert from "node:assert";

        async function check() {
            assert.equal(typed.name, "data");
            const { name } = await import("../lib/deep/er.ts") as { name: Name };
            return [sibling, suffixed, util.name, byAlias, lib.name, deep, plain, data.name,
                    passed, other, name, import.meta.url.slice(-16)];
        }
        """,
        "scripts/check.ts",
    )
    assert outcomes(ts, "check", file="scripts/check.ts")["check"] == [
        *("scripts/sibling", "scripts/sibling", "scripts/util/index", "scripts/sibling"),
        *("lib/index", "lib/deep/er", "plain", "data", "lib/index", "passed on", "lib/deep/er"),
        "scripts/check.ts",
    ]


def test_a_file_that_cannot_be_imported_may_be_mended(ts: Bench) -> None:
    ts.write("import './later';\nfunction check() { return 1; }")

    async def work(pool: Pool) -> object:
        with pytest.raises(CannotCheck, match=r"\./later was not found"):
            await pool.call(ts.found(), [])
        ts.write("export {};", "later.ts")
        return await pool.call(ts.found(), [])

    assert ts.run(work, limit=1) == 1


def test_a_file_is_loaded_once_though_it_is_imported_too(ts: Bench) -> None:
    ts.write("let count = 0;\nfunction next() { return ++count; }\nexport { next };", "count.ts")
    ts.write("import { next } from './count';\nfunction check() { return next(); }")

    async def work(pool: Pool) -> list[object]:
        calls = [("check", ""), ("next", "count.ts"), ("check", ""), ("next", "count.ts")]
        return [await pool.call(ts.found(name, file), []) for name, file in calls]

    assert ts.run(work, limit=1) == [1, 2, 3, 4]


def test_names_of_files_and_folders_may_be_unusual(ts: Bench) -> None:
    names = ["a b/%20#?.ts", "ünï/ço,de.ts", "-/--allow-all.ts", "quo'te\"/x.ts"]
    for name in names:
        ts.write("function check() { return import.meta.url.startsWith('file:///'); }", name)
        ts.root = ts.root.resolve()

    async def work(pool: Pool) -> list[object]:
        return [await pool.call(ts.found(name=name), []) for name in names]

    assert ts.run(work) == [True] * len(names)


def test_a_root_that_is_reached_over_a_link(ts: Bench) -> None:
    ts.write("export const name = 'lib';", "real/lib.ts")
    ts.write(
        "import { name } from './lib';\n"
        "function check() { return name + Deno.readTextFileSync('lib.ts').length; }",
        "real/checks.ts",
    )
    (ts.root / "link").symlink_to("real")
    ts.root /= "link"
    assert outcomes(ts, "check") == {"check": "lib26"}


def test_scripts_may_only_read_below_their_root(ts: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECK_WITH", "secret")
    ts.write("text", "inside.txt")
    outside = ts.root.parent / "outside.txt"
    outside.write_text("secret")
    (ts.root / "link.txt").symlink_to(outside)
    ts.write(f"""
        import fs from "node:fs";
        import net from "node:net";
        import child from "node:child_process";
        const outside = {str(outside)!r};
        const inside = () => Deno.readTextFileSync("inside.txt");
        const outsideByDeno = () => Deno.readTextFileSync(outside);
        const outsideByNode = () => fs.readFileSync(outside, "utf8");
        const byLink = () => Deno.readTextFileSync("link.txt");
        const upwards = () => Deno.readTextFileSync("../outside.txt");
        const descriptor = () => Deno.openSync("/dev/fd/3").readSync(new Uint8Array(1));
        const memory = () => Deno.readTextFileSync("/proc/self/environ");
        const importing = () => import("file://" + outside);
        const writing = () => Deno.writeTextFileSync("new.txt", "x");
        const deleting = () => Deno.removeSync("inside.txt");
        const temporary = () => Deno.makeTempFileSync();
        const fetching = () => fetch("http://127.0.0.1:8080/");
        const connecting = () => Deno.connect({{ port: 9 }});
        const listening = () => Deno.listen({{ port: 0 }});
        const socket = () => new Promise((done, fail) =>
            net.connect(9, "127.0.0.1").on("connect", done).on("error", fail));
        const websocket = () => new WebSocket("ws://127.0.0.1:8080/");
        const remote = () => import("http://127.0.0.1:8080/x.ts");
        const variable = () => Deno.env.get("CHECK_WITH");
        const variables = () => ({{ ...Deno.env.toObject() }});
        const byProcess = () => String(globalThis.process?.env.CHECK_WITH);
        const running = () => new Deno.Command("true").outputSync().code;
        const spawning = () => child.execSync("true");
        const killing = () => Deno.kill(Deno.ppid, "SIGTERM");
        const library = () => Deno.dlopen("libc.so.6", {{}});
        const system = () => Deno.hostname();
        const asking = () => Deno.permissions.requestSync({{ name: "env" }}).state;
        async function thread() {{
            const read = `Deno.readTextFileSync(${{JSON.stringify(outside)}})`;
            const told = `try {{ postMessage(${{read}}) }} catch (e) {{ postMessage(e.name) }}`;
            const source = `self.onmessage = () => {{ ${{told}} }}`;
            const blob = URL.createObjectURL(new Blob([source], {{ type: "text/javascript" }}));
            const worker = new Worker(blob, {{ type: "module" }});
            worker.postMessage(1);
            return await new Promise((done) => worker.onmessage = (event) => done(event.data));
        }}
        const widened = () => new Worker("data:text/javascript,1", {{
            type: "module", deno: {{ permissions: {{ read: true }} }} }} as any);
    """)
    refused = [
        *("outsideByDeno", "outsideByNode", "upwards", "descriptor", "memory"),
        *("importing", "writing", "deleting", "temporary", "fetching", "connecting", "listening"),
        *("socket", "websocket", "variable", "variables", "byProcess", "running", "spawning"),
        *("killing", "library", "system", "widened"),
    ]
    said = outcomes(ts, "inside", "byLink", "asking", "thread", "remote", *refused)
    assert said.pop("inside") == "text"
    # A link is there because the owner of the folder put it there: scripts cannot.
    assert said.pop("byLink") == "secret"
    assert said.pop("asking") == "denied"
    assert said.pop("thread") == "NotCapable"
    assert "http://127.0.0.1:8080/x.ts cannot be imported" in str(said.pop("remote"))
    for name, what in said.items():
        assert isinstance(what, str), name
        assert "secret" not in what, name
        assert "--allow" not in what, name
    for name in ("outsideByDeno", "outsideByNode", "upwards", "importing"):
        assert "it needs read access to" in str(said[name])
        assert "scripts only read files below their root" in str(said[name])
    for name, right in {
        "writing": "write",
        "fetching": "net",
        "variable": "env",
        "running": "run",
    }.items():
        assert f"it needs {right} access" in str(said[name])
    left = sorted(path.name for path in ts.root.iterdir())
    assert left == ["checks.ts", "inside.txt", "link.txt"]


SERVER = """
    import { Process, Exception as Fault, log } from "@yao/runtime";
    import * as yao from "@yaoapps/client";
    import "@gou/anything";
    import type { FS } from "@yao/runtime";

    function process() { return Process("models.user.Find", 1, {}); }
    function store() { return new Store("cache"); }
    function http_() { return http.Get("https://example.com"); }
    function query() { const q = new Query("default"); return q.Get({}); }
    function fs() { return new FS("system"); }
    function lang() { return $L("hello"); }
    function after() { return time.After(1, "x"); }
    function caught() {
        try { Process("x"); } catch (error) { return { pass: false, message: error.message }; }
    }
    function exception() { throw new Exception("not allowed", 403); }
    function plainException() { throw Exception("broken"); }
    function isError() { const e = new Exception("a", 1); return [e instanceof Error, e.code]; }
    function logs() { log.Info("%s is %v", "all", { a: 1 }); log.Error("bad"); time.Sleep(1); }
    function own() { const Process = (name: string) => name; return Process("mine"); }
    class Mine { Get() { return 5; } }
    function mocked() { globalThis.Store = Mine; return new Store().Get(); }
    function printed() { console.log(Process); return true; }
"""


def test_globals_of_the_yao_server(ts: Bench) -> None:
    ts.write(SERVER)
    absent = {
        "process": "Process",
        "store": "Store",
        "http_": "http",
        "query": "Query",
        "fs": "FS",
        "lang": "$L",
        "after": "time.After",
    }
    said = outcomes(ts, *absent, *("caught", "exception", "plainException", "isError"))
    for name, what in absent.items():
        assert str(said[name]).startswith(
            f"ReferenceError: {what} is a global of the Yao server, "
            "which is not there in assay's worker (line "
        )
    assert "is a global of the Yao server" in str(said["caught"])
    assert str(said["exception"]).startswith("Exception|403: not allowed (line 17)")
    assert str(said["plainException"]).startswith("Exception|500: broken")
    assert said["isError"] == [True, 1]
    said = outcomes(ts, "logs", "own", "mocked", "printed")
    assert said == {"logs": None, "own": "mine", "mocked": 5, "printed": True}
    assert ts.lines[:2] == ["all is { a: 1 }", "bad"]


def test_what_is_printed_goes_to_the_listener_and_nowhere_else(
    ts: Bench, capfd: pytest.CaptureFixture[str]
) -> None:
    ts.write(r"""
        import process from "node:process";
        import fs from "node:fs";

        console.log("while importing", { a: [1] });
        const bytes = (text: string) => new TextEncoder().encode(text);

        function check() {
            console.log("by log \ud800 \x1b[31m");
            console.info("by info");
            console.error("by error");
            console.dir({ by: "dir" });
            console.table([{ by: "table" }]);
            Deno.stdout.writeSync(bytes("by Deno.stdout\n"));
            Deno.stderr.writeSync(new Uint8Array([0xff, 10]));
            process.stdout.write("by process.stdout\n");
            fs.writeSync(1, "on descriptor 1\n");
            fs.writeSync(2, "without an end");
            return true;
        }
    """)
    assert outcomes(ts, "check") == {"check": True}
    plain = [line for line in ts.lines if not line.startswith(("┌", "│", "├", "└"))]
    assert plain == [
        "while importing { a: [ 1 ] }",
        "by log \N{REPLACEMENT CHARACTER} \x1b[31m",
        "by info",
        "by error",
        '{ by: "dir" }',
        "by Deno.stdout",
        "\\xff",
        "by process.stdout",
        "on descriptor 1",
        "without an end",
    ]
    assert any("table" in line for line in ts.lines)
    assert capfd.readouterr() == ("", "")


def test_what_would_end_the_thread_is_an_error_of_the_call(ts: Bench) -> None:
    ts.write("""
        import process from "node:process";
        function exits() { Deno.exit(7); }
        function exitsByNode() { process.exit(8); }
        function closes() { self.close(); }
        async function laterOn() { await null; Deno.exit(); }
        function rejects() { Promise.reject(new Error("nobody waits")); return true; }
        async function throws() {
            setTimeout(() => { throw new Error("in a timer"); });
            await new Promise((done) => setTimeout(done, 10));
            return true;
        }
        async function inAnotherThread() {
            const blob = URL.createObjectURL(new Blob(["throw new Error('there')"]));
            const worker = new Worker(blob, { type: "module" });
            await new Promise((done) => worker.onerror = (event) => {
                event.preventDefault(); done(1); });
            return true;
        }
        function fine() { return Deno.pid; }
    """)
    said = outcomes(
        ts,
        *("exits", "exitsByNode", "closes", "laterOn", "rejects", "throws", "inAnotherThread"),
        "fine",
    )
    assert isinstance(said.pop("fine"), int)
    assert said == {
        "exits": "it called Deno.exit(7) (line 3)",
        "exitsByNode": "it called process.exit(8) (line 4)",
        "closes": "it called close() (line 5)",
        "laterOn": "it called Deno.exit() (line 6)",
        "rejects": True,
        "throws": True,
        "inAnotherThread": True,
    }
    printed = "\n".join(ts.lines)
    assert "nobody waits" in printed
    assert "in a timer" in printed


def test_what_scripts_replace_or_listen_to_changes_no_answer(ts: Bench) -> None:
    ts.write("""
        const heard: unknown[] = [];
        self.onmessage = (event) => heard.push(event.data);
        addEventListener("message", (event) => heard.push(event.data));
        postMessage("nobody asked");
        JSON.stringify = () => "broken";
        JSON.parse = () => { throw new Error("broken"); };
        globalThis.TextEncoder = undefined as any;
        console.error = () => { throw new Error("broken"); };
        Deno.chdir = () => { throw new Error("broken"); };
        function check(...given: unknown[]) { return [heard.length, ...given]; }
    """)

    async def work(pool: Pool) -> list[object]:
        return [await pool.call(ts.found(), [number]) for number in range(3)]

    assert ts.run(work, limit=1) == [[0, 0], [0, 1], [0, 2]]


def test_each_call_starts_in_the_root(ts: Bench) -> None:
    (ts.root / "deeper").mkdir()
    ts.write("""
        function check() {
            const folder = Deno.cwd();
            Deno.chdir("deeper");
            return folder;
        }
    """)

    async def work(pool: Pool) -> list[object]:
        return [await pool.call(ts.found(), []) for _ in range(2)]

    assert ts.run(work, limit=1) == [os.path.realpath(ts.root)] * 2


def test_whole_numbers_are_as_exact_as_the_language_has_them(ts: Bench) -> None:
    ts.write("function check(n: number) { return n; }")

    async def work(pool: Pool) -> list[object]:
        return [await pool.call(ts.found(), [n]) for n in (2**53 - 1, -(2**53), 2**64 + 1)]

    exact, lowest, rounded = ts.run(work)
    assert (exact, lowest) == (2**53 - 1, -(2**53))
    assert isinstance(rounded, int)
    assert float(rounded) == 2.0**64


def test_filling_the_memory_ends_the_process_alone(ts: Bench) -> None:
    ts.write("""
        function check() {
            const kept: number[][] = [];
            for (;;) kept.push(new Array(16_000_000).fill(kept.length));
        }
        function fine() { return true; }
    """)

    async def work(pool: Pool) -> object:
        with pytest.raises(CannotCheck) as caught:
            await pool.call(ts.found(), [])
        assert "its process was killed by SIG" in str(caught.value)
        return await pool.call(ts.found("fine"), [])

    assert ts.run(work, limit=1) is True
