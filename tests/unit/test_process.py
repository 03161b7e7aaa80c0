"""Programs in process groups of their own: how they are spoken to, and how they end."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.process import Channel, Tail, describe_end, kill_group, run, start

DEADLINE = 60.0


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def is_gone(pid: int) -> bool:
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([descriptor], [], [], DEADLINE)[0])
    finally:
        os.close(descriptor)


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_a_program_that_runs_to_its_end() -> None:
    text = (
        "import os, sys; data = sys.stdin.buffer.read(); print(len(data), os.getcwd(),"
        " os.environ.get('ONLY'), len(os.environ) < 5, os.getpgrp() == os.getpid());"
        "sys.stderr.write('aside'); sys.exit(3)"
    )
    done = asyncio.run(
        run(python(text), data=b"x" * 1_000_000, cwd=Path("/"), environ={"ONLY": "ünï"})
    )
    assert done.returncode == 3
    assert done.output.decode() == "1000000 / ünï True True\n"
    assert done.errors == b"aside"
    assert not done.is_cut


def test_a_program_that_does_not_read_its_input() -> None:
    done = asyncio.run(run(python("print('done')"), data=b"x" * 10_000_000))
    assert (done.returncode, done.output) == (0, b"done\n")


def test_output_beyond_what_is_allowed_ends_the_program() -> None:
    done = asyncio.run(run(["yes"], most=100_001))
    assert done.is_cut
    assert done.returncode == -signal.SIGKILL
    assert done.output == b"y\n" * 50_000 + b"y"


def test_output_of_just_what_is_allowed() -> None:
    done = asyncio.run(run(["printf", "12345"], most=5))
    assert (done.is_cut, done.output) == (False, b"12345")


def test_floods_on_stderr_keep_their_end() -> None:
    done = asyncio.run(run(python("import sys; sys.stderr.write('x' * 10_000_000 + 'end')")))
    assert done.errors.endswith(b"xend")
    assert len(done.errors) <= 64 * 1024


@pytest.mark.parametrize("command", [["/no/such/program"], ["/etc/passwd"], ["a\0b"]])
def test_what_cannot_be_started(command: list[str]) -> None:
    before = open_descriptors()
    with pytest.raises((OSError, ValueError)):
        asyncio.run(run(command))
    assert open_descriptors() == before


def test_many_programs_leave_no_descriptor_open() -> None:
    async def work() -> None:
        await asyncio.gather(*(run(["true"]) for _ in range(20)))

    asyncio.run(work())
    before = open_descriptors()
    asyncio.run(work())
    assert open_descriptors() == before


FAMILY = (
    "import subprocess, sys, os, signal;"
    "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()']);"
    "print(os.getpid(), child.pid, flush=True);"
)


def test_cancelling_kills_the_whole_group() -> None:
    async def work() -> list[int]:
        heard: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

        async def whole() -> None:
            async with await start(
                python(FAMILY + "signal.pause()"), output=heard.set_result
            ) as it:
                await it.wait()

        task = asyncio.ensure_future(whole())
        pids = [int(word) for word in (await asyncio.wait_for(heard, DEADLINE)).split()]
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pids

    assert all(is_gone(pid) for pid in asyncio.run(work()))


def test_what_a_program_leaves_behind_ends_with_it() -> None:
    done = asyncio.run(run(python(FAMILY)))
    assert done.returncode == 0
    assert all(is_gone(int(word)) for word in done.output.split())


def test_output_held_open_from_outside_of_the_group_is_not_waited_for() -> None:
    text = (
        "import subprocess; print(subprocess.Popen(['sleep', '1000'], start_new_session=True).pid)"
    )
    done = asyncio.run(asyncio.wait_for(run(python(text)), DEADLINE))
    kill_group(int(done.output))
    assert done.returncode == 0


@pytest.mark.parametrize("turns", range(12))
def test_cancelling_the_start_leaves_nothing(turns: int) -> None:
    marker = f"assay-test-{os.getpid()}-{turns}"

    async def work() -> None:
        task = asyncio.ensure_future(run(python(f"import signal; signal.pause() # {marker}")))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    assert marker not in listed.stdout


def test_a_private_channel() -> None:
    text = (
        "import os; source, sink = int(os.environ['IN']), int(os.environ['OUT']);"
        "data = os.fdopen(source, 'rb').read(); os.write(sink, data.upper() + b'!'); print('aside')"
    )

    async def work() -> tuple[bytes, bytes]:
        output = Tail()
        channel = await Channel.open(longest=1000)
        try:
            numbers = {"IN": str(channel.theirs[0]), "OUT": str(channel.theirs[1])}
            async with await start(
                python(text), output=output.feed, environ=numbers, descriptors=channel.theirs
            ) as program:
                channel.handed_over()
                channel.write(b"hello")
                channel.end_input()
                answer = await asyncio.wait_for(channel.reader.read(), DEADLINE)
                await program.wait()
        finally:
            channel.close()
        return answer, bytes(output)

    assert asyncio.run(work()) == (b"HELLO!", b"aside\n")


def test_input_needs_to_be_asked_for() -> None:
    async def work() -> None:
        async with await start(["cat"], output=print) as program:
            with pytest.raises(ValueError, match="without input"):
                program.write(b"x")
            assert await program.wait() == 0
            assert program.returncode == 0

    asyncio.run(work())


@pytest.mark.parametrize("pid", [-5, 0, 1])
def test_no_other_groups_are_killed(pid: int) -> None:
    with pytest.raises(ValueError, match="no process group"):
        kill_group(pid)


def test_a_group_that_is_gone_is_no_error() -> None:
    done = subprocess.Popen(["true"], start_new_session=True)
    done.wait()
    kill_group(done.pid)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (0, "ended with exit code 0"),
        (3, "ended with exit code 3"),
        (-9, "was killed by SIGKILL"),
        (-35, "was killed by signal 35"),
    ],
)
def test_how_a_program_ended(code: int, text: str) -> None:
    assert describe_end(code) == text


@given(st.lists(st.binary(max_size=40)), st.integers(1, 50))
def test_the_tail_is_the_end_of_all_that_was_written(pieces: list[bytes], most: int) -> None:
    tail = Tail(most=most)
    for piece in pieces:
        tail.feed(piece)
    assert bytes(tail) == b"".join(pieces)[-most:]
