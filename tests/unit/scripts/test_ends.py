"""Scripts that hang, crash, flood or are killed: what is said of them, and what is left."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from assay.errors import CannotCheck
from assay.process import kill_group
from assay_plugins.scripts.python import Python

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.scripts.conftest import Bench

    from assay.scripts.pool import Pool

DEADLINE = 60.0

HANGING = {
    "a loop": "while True: pass",
    "code that holds the interpreter": "import re; re.match('(a+)+$', 'a' * 64 + 'b')",
    "a loop that catches everything": """
            while True:
                try:
                    while True: pass
                except BaseException: pass""",
    "ignored signals": """
            import signal
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGIO):
                signal.signal(number, signal.SIG_IGN)
            while True: signal.pause()""",
    "a wait for a child": "child.wait()",
    "a wait for input that never comes": "os.read(os.pipe()[0], 1)",
}


def hanging(how: str) -> str:
    return f"""
        import os, subprocess, sys

        GRANDCHILD = (
            "import os, signal; print('grandchild', os.getpid(), flush=True); signal.pause()"
        )

        def check():
            child = subprocess.Popen(
                [sys.executable, "-c", GRANDCHILD]
            )
            print("child", os.getpid(), flush=True)
            {HANGING[how]}

        def fine():
            return os.getpid()
    """


@pytest.mark.parametrize("how", HANGING)
def test_a_call_that_is_cancelled_ends_with_its_whole_group(
    bench: Bench, gone: Callable[[int], bool], how: str
) -> None:
    bench.write(hanging(how))

    async def work(pool: Pool) -> tuple[int, int]:
        other = await pool.call(bench.found("fine"), [])
        call = asyncio.ensure_future(pool.call(bench.found(), []))
        child, grandchild = int(await bench.hear("child ")), int(await bench.hear("grandchild "))
        assert child == other
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await asyncio.to_thread(gone, child)
        assert await asyncio.to_thread(gone, grandchild)
        assert await pool.call(bench.found("fine"), []) != child
        return child, grandchild

    bench.run(work)


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (
            "import os\ndef check():\n    print('last words'); os._exit(7)",
            ["its process ended with exit code 7", "last words"],
        ),
        ("import os\ndef check(): os._exit(0)", ["its process ended with exit code 0"]),
        (
            "import os, signal\ndef check(): os.kill(os.getpid(), signal.SIGKILL)",
            ["its process was killed by SIGKILL from outside"],
        ),
        (
            "import os\ndef check(): os.abort()",
            ["its process was killed by SIGABRT", "Fatal Python error: Aborted", "line 2 in check"],
        ),
        (
            "import ctypes\ndef check(): ctypes.string_at(0)",
            ["its process was killed by SIGSEGV", "line 2 in check"],
        ),
        (
            "import os\ndef check():\n    os.closerange(3, 100)\n    while True: pass",
            ["its process closed the way to assay"],
        ),
        (
            "import os, subprocess, sys\n"
            "def check():\n"
            "    sleep = ['sleep', '1000']\n"
            "    child = subprocess.Popen(sleep, start_new_session=True, close_fds=False)\n"
            "    print('escaped', child.pid)\n"
            "    os._exit(9)",
            ["its process ended with exit code 9"],
        ),
        (
            "import os, sys\ndef check():\n"
            "    for n in range(3, 20):\n"
            '        try: os.write(n, b\'{"id": 77, "value": true}\\n\')\n'
            "        except OSError: pass\n"
            "    while True: pass",
            ["its worker answered what it was not asked"],
        ),
        (
            "import os, sys\ndef check():\n"
            "    for n in range(3, 20):\n"
            "        try: os.write(n, b'chatter\\n')\n"
            "        except OSError: pass\n"
            "    while True: pass",
            ["its worker answered what is not JSON"],
        ),
    ],
)
def test_the_end_of_a_worker_is_told_and_the_next_call_has_a_new_one(
    bench: Bench, text: str, messages: list[str]
) -> None:
    bench.write(text)
    bench.write("def check(): return True", "fine/checks.py")
    bench.write(text + "\ndef fine(): return True")

    async def work(pool: Pool) -> object:
        with pytest.raises(CannotCheck) as caught:
            await pool.call(bench.found(), [])
        assert str(caught.value).startswith("checks.py:check: ")
        for line in bench.lines:
            if line.startswith("escaped "):
                kill_group(int(line.removeprefix("escaped ")))
        for message in messages:
            assert message in str(caught.value)
        return await pool.call(bench.found("fine"), [])

    assert bench.run(work, limit=1) is True


ASSAY = """
import asyncio, json, sys
from pathlib import Path
from assay.contracts import ScriptTarget
from assay.scripts.find import Found
from assay.scripts.pool import Pool
from assay_plugins.scripts.python import Python

root = Path(sys.argv[1])
def found(function):
    target = ScriptTarget(file=root / "checks.py", function=function, root=root)
    return Found(target=target, engine="python")

async def main():
    pool = Pool({"python": Python()}, limit=2, tell=lambda line: print(line, flush=True))
    idle = await pool.call(found("fine"), [])
    await asyncio.gather(pool.call(found("check"), []), pool.call(found("fine"), []))

asyncio.run(main())
"""


@pytest.mark.parametrize("how", HANGING)
def test_nothing_outlives_assay_when_it_is_killed(
    bench: Bench, gone: Callable[[int], bool], how: str
) -> None:
    bench.write(hanging(how).replace("return os.getpid()", "print('fine', os.getpid())"))
    assay = subprocess.Popen(
        [sys.executable, "-c", ASSAY, str(bench.root)], stdout=subprocess.PIPE, text=True
    )
    assert assay.stdout is not None
    pids: dict[str, int] = {}
    with assay, assay.stdout:
        while len(pids) < 3 or len(set(pids.values())) < 3:
            word, _, pid = assay.stdout.readline().partition(" ")
            pids[word] = int(pid)
        assay.kill()
    assert {word: gone(pid) for word, pid in pids.items()} == dict.fromkeys(pids, True)


def test_functions_at_exit_are_called_when_the_pool_closes(bench: Bench) -> None:
    bench.write("""
        import atexit

        def check():
            atexit.register(lambda: open("ended", "w").close())
            return True
    """)
    bench.run(lambda pool: pool.call(bench.found(), []))
    assert (bench.root / "ended").exists()


def test_a_pool_closes_though_a_script_left_a_thread_behind(
    bench: Bench, gone: Callable[[int], bool]
) -> None:
    bench.write("""
        import os, signal, threading

        def check():
            threading.Thread(target=threading.Event().wait).start()
            return os.getpid()
    """)

    async def work() -> object:
        pool = bench.pool()
        pid = await pool.call(bench.found(), [])
        await pool.close(deadline=0.2)
        return pid

    pid = asyncio.run(asyncio.wait_for(work(), DEADLINE))
    assert isinstance(pid, int)
    assert gone(pid)


def test_closing_a_pool_ends_calls_under_way(bench: Bench, gone: Callable[[int], bool]) -> None:
    bench.write(hanging("a loop"))

    async def work() -> tuple[int, int]:
        pool = bench.pool()
        call = asyncio.ensure_future(pool.call(bench.found(), []))
        child, grandchild = int(await bench.hear("child ")), int(await bench.hear("grandchild "))
        await pool.close()
        with pytest.raises(CannotCheck):
            await call
        with pytest.raises(CannotCheck, match="the run is over"):
            await pool.call(bench.found("fine"), [])
        return child, grandchild

    child, grandchild = asyncio.run(work())
    assert gone(child)
    assert gone(grandchild)


def start_bare(bench: Bench) -> tuple[subprocess.Popen[str], int, int]:
    """Start a worker without anything of ours; gives it, its requests and its answers."""
    their_input, our_output = os.pipe()
    our_input, their_output = os.pipe()
    numbers = {"ASSAY_SCRIPT_IN": str(their_input), "ASSAY_SCRIPT_OUT": str(their_output)}
    worker = subprocess.Popen(
        Python().command(bench.root),
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **numbers},
        pass_fds=(their_input, their_output),
        start_new_session=True,
    )
    os.close(their_input)
    os.close(their_output)
    return worker, our_output, our_input


def request(file: Path, function: str) -> bytes:
    call = {"id": 1, "file": str(file), "function": function, "arguments": ()}
    return json.dumps(call).encode() + b"\n"


@pytest.mark.parametrize("how", ["a loop", "ignored signals", "a wait for a child"])
def test_a_busy_worker_kills_its_group_when_requests_end(
    bench: Bench, gone: Callable[[int], bool], how: str
) -> None:
    file = bench.write(hanging(how))
    worker, requests, answers = start_bare(bench)
    with worker, os.fdopen(answers, "rb"):
        os.write(requests, request(file, "check"))
        assert worker.stderr is not None
        pids = [int(worker.stderr.readline().split()[1]) for _ in range(2)]
        os.close(requests)
        assert all(gone(pid) for pid in pids)
    assert worker.returncode == -signal.SIGKILL
