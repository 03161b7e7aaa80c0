"""What functions of Python scripts are given, and what comes back of them."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from assay.errors import CannotCheck
from assay.scripts.pool import Pool
from assay_plugins.scripts.python import Python

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.scripts.conftest import Bench

ECHO = """
    def check(*arguments):
        return list(arguments)
"""

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def test_an_async_function_is_awaited_and_keeps_its_loop(bench: Bench) -> None:
    bench.write("""
        import asyncio

        loops = []

        async def check(value):
            await asyncio.sleep(0)
            loops.append(asyncio.get_running_loop())
            return [value, len(set(loops))]
    """)

    async def work(pool: Pool) -> list[object]:
        return [await pool.call(bench.found(), [number]) for number in range(3)]

    assert bench.run(work, limit=1) == [[0, 1], [1, 1], [2, 1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def check(): raise ValueError('too bad')", "ValueError: too bad (line 1)"),
        ("def check():\n    assert 1 == 2", "AssertionError (line 2: assert 1 == 2)"),
        ("def check():\n    import json\n    json.loads('x')", "JSONDecodeError: "),
        ("def check(): raise KeyboardInterrupt", "KeyboardInterrupt (line 1"),
        ("import sys\ndef check(): sys.exit('no')", "it called sys.exit('no') (line 2)"),
        ("def check(): return check()", "RecursionError: "),
        ("def check(one): return True", "TypeError: check() missing 1 required"),
        ("async def check():\n    raise LookupError('later')", "LookupError: later (line 2)"),
        ("def other(): return True", "the file has no function 'check'"),
        ("check = 5", "'check' is a int, not a function"),
        ("def check(:\n    pass", "it cannot be imported: SyntaxError: invalid syntax (line 1)"),
        ("import nothing_of_this_name", "it cannot be imported: ModuleNotFoundError: "),
        ("import sys\nsys.exit(0)", "it cannot be imported: it called sys.exit(0) (line 2)"),
        ("def check(): return {1, 2}", "its result is not JSON: $ is a set"),
        ("def check(): return {'a': [1, (2, {'b': 1j})]}", "$.a[1][1].b is a complex"),
        ("def check(): return {'a': {1: 2}}", "$.a has the key 1, which is not a string"),
        ("def check(): return {'score': float('nan')}", "$.score is nan"),
        ("def check():\n    a = []\n    a.append(a)\n    return a", "nested too deeply"),
        ("def check(): return 10 ** 5000", "its result is not JSON: "),
        ("def check(): return (n for n in range(3))", "$ is a generator"),
        (
            "class Odd(Exception):\n    def __str__(self): raise OSError\ndef check(): raise Odd",
            "Odd: (its message cannot be shown)",
        ),
    ],
)
def test_what_goes_wrong_is_said_with_its_line(bench: Bench, text: str, message: str) -> None:
    with pytest.raises(CannotCheck) as caught:
        bench.call(text)
    assert str(caught.value).startswith("checks.py:check: ")
    assert message in str(caught.value)


def test_a_worker_goes_on_after_an_error(bench: Bench) -> None:
    bench.write("""
        import os, sys

        def check(how):
            if how == "exit":
                sys.exit(1)
            return os.getpid()
    """)

    async def work(pool: Pool) -> list[object]:
        before = await pool.call(bench.found(), ["pid"])
        with pytest.raises(CannotCheck):
            await pool.call(bench.found(), ["exit"])
        return [before, await pool.call(bench.found(), ["pid"])]

    before, after = bench.run(work, limit=1)
    assert before == after


def test_arguments_nested_too_deeply_are_an_error(bench: Bench) -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(CannotCheck, match="its arguments are not JSON"):
        bench.call(ECHO, deep)


def test_a_tuple_comes_back_as_a_list(bench: Bench) -> None:
    assert bench.call("def check(): return (1, 2)") == [1, 2]


def test_a_file_is_imported_once_with_its_folder_and_root_on_the_path(bench: Bench) -> None:
    bench.write("NAME = 'sibling'", "deep/er/sibling.py")
    bench.write("NAME = 'top'", "top.py")
    bench.write(
        """
        import sibling, top
        from deep.er import sibling as by_root

        count = 0

        def check():
            global count
            count += 1
            return [count, sibling.NAME, top.NAME, by_root.NAME, __name__ == "__main__"]
        """,
        "deep/er/checks.py",
    )

    async def work(pool: Pool) -> list[object]:
        found = bench.found(name="deep/er/checks.py")
        return [await pool.call(found, []) for _ in range(2)]

    rest = ["sibling", "top", "sibling", False]
    assert bench.run(work) == [[1, *rest], [2, *rest]]


def test_neighbours_of_one_name_in_two_folders_do_not_meet(bench: Bench) -> None:
    for folder in ("a", "b"):
        bench.write(f"NAME = {folder!r}", f"{folder}/helpers.py")
        bench.write("from helpers import NAME\ndef check(): return NAME", f"{folder}/checks.py")

    async def work(pool: Pool) -> list[object]:
        names = ["a/checks.py", "b/checks.py", "a/checks.py"]
        return [await pool.call(bench.found(name=name), []) for name in names]

    assert bench.run(work) == ["a", "b", "a"]


def test_scripts_may_bear_the_names_of_modules_that_the_worker_uses(bench: Bench) -> None:
    for name in ("json", "python", "types", "queue", "traceback", "test"):
        bench.write("def check(): return 'mine'", f"scripts/{name}.py")

    async def work(pool: Pool) -> list[object]:
        names = [f"scripts/{name}.py" for name in ("json", "queue", "types", "test")]
        return [await pool.call(bench.found(name=name), []) for name in names]

    assert bench.run(work) == ["mine"] * 4


def test_the_environment_of_a_script(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECK_WITH", "ünï")
    monkeypatch.setenv("LC_ALL", "C")
    text = """
        import locale, os, sys

        def check():
            return {
                "variable": os.environ["CHECK_WITH"],
                "private": [name for name in os.environ if name.startswith("ASSAY_SCRIPT")],
                "folder": os.getcwd(),
                "input": sys.stdin.read(),
                "encoding": locale.getpreferredencoding(False).lower(),
                "argv": sys.argv[1:],
                "inherited": sum(
                    os.get_inheritable(number)
                    for number in map(int, os.listdir("/proc/self/fd"))
                    if number > 2 and os.path.exists(f"/proc/self/fd/{number}")
                ),
            }
    """
    assert bench.call(text) == {
        "variable": "ünï",
        "private": [],
        "folder": os.path.realpath(bench.root),
        "input": "",
        "encoding": "utf-8",
        "argv": [],
        # It ties the worker to assay's life; nothing can be read from it.
        "inherited": 1,
    }


def test_each_call_starts_in_the_root(bench: Bench) -> None:
    bench.write("""
        import os

        def check():
            folder = os.getcwd()
            os.chdir("/")
            return folder
    """)

    async def work(pool: Pool) -> list[object]:
        return [await pool.call(bench.found(), []) for _ in range(2)]

    assert bench.run(work, limit=1) == [os.path.realpath(bench.root)] * 2


def test_what_is_printed_goes_to_the_listener_and_nowhere_else(
    bench: Bench, capfd: pytest.CaptureFixture[str]
) -> None:
    text = r"""
        import os, subprocess, sys

        print("while importing")

        def check():
            print("by print \ud800 \x1b[31m")
            os.write(1, b"on descriptor 1 \xff\n")
            os.write(2, b"on descriptor 2\n")
            subprocess.run(["echo", "by a child"])
            sys.stdout.write("without an end")
            return True
    """
    assert bench.call(text) is True
    assert bench.lines == [
        "while importing",
        "by print \\ud800 \x1b[31m",
        "on descriptor 1 \\xff",
        "on descriptor 2",
        "by a child",
        "without an end",
    ]
    assert capfd.readouterr() == ("", "")


def test_scripts_that_close_or_replace_their_streams_still_answer(bench: Bench) -> None:
    text = """
        import io, os, sys

        def check():
            sys.stdout.close()
            sys.stderr = None
            os.closerange(0, 3)
            return True
    """
    assert bench.call(text) is True


def test_an_engine_that_cannot_be_started(bench: Bench) -> None:
    class Missing(Python):
        def command(self, root: Path) -> list[str]:
            return [str(root / "no-such-program")]

    bench.write(ECHO)

    async def work() -> object:
        async with Pool({"python": Missing()}) as pool:
            return await pool.call(bench.found(), [])

    with pytest.raises(CannotCheck, match="no-such-program' cannot be started"):
        asyncio.run(work())
