"""A run always ends: what stands still is named, and what can be written is written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from queue import Queue
from textwrap import dedent

import pytest

from assay.running.stop import Stop
from assay.running.watch import Stage, Watch
from assay.running.watchdog import Watchdog

LIMIT = 60
"""Seconds that only end what would hang for ever."""

COMMON = """
    import asyncio, os, re, signal, sys, threading
    from assay.running.stop import Stop, signals
    from assay.running.watch import Watch
    from assay.running.watchdog import Watchdog

    def tell(message):
        print(message, file=sys.stderr, flush=True)

    def rescue(reason, stage, tell):
        print("rescued:", stage and stage.what, flush=True)

    watch, stop = Watch(), Stop()
    watchdog = Watchdog(watch, stop, tell, grace=0.05, unheard=0.05, ending=0.05)
    watchdog.rescue = rescue
    watchdog.start()
"""


def ended(source: str) -> subprocess.CompletedProcess[str]:
    """Run a program that a watchdog watches, to its end."""
    return subprocess.run(
        [sys.executable, "-c", dedent(COMMON) + dedent(source)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def test_what_outlives_its_limit_is_named_and_the_process_ends() -> None:
    done = ended("""
        def plugin():
            threading.Event().wait()

        watch.enter("writing a page", 0.05)
        plugin()
    """)
    assert done.returncode == 3
    assert done.stderr.startswith("writing a page (for ")
    told = "does not end and cannot be cancelled; it is at <string>:"
    assert told in done.stderr
    assert done.stderr.endswith(" in plugin\n")
    assert done.stdout == "rescued: writing a page\n"


def test_no_place_is_told_where_the_loop_only_waits() -> None:
    done = ended("""
        watch.enter("case 'a'", 0.05)
        asyncio.run(asyncio.Event().wait())
    """)
    assert done.returncode == 3
    assert done.stderr.endswith("does not end and cannot be cancelled\n")


def test_what_blocks_is_named_rather_than_what_waits_for_it() -> None:
    done = ended("""
        watch.enter("case 'a'", 0.05)
        with watch.stage("telling reporter 'x'", 600, blocks=True):
            threading.Event().wait()
    """)
    assert done.returncode == 3
    assert done.stdout == "rescued: telling reporter 'x'\n"


def test_a_rescue_that_fails_is_told() -> None:
    done = ended("""
        def rescue(reason, stage, tell):
            raise OSError("disk full")

        watchdog.rescue = rescue
        watch.enter("case 'a'", 0.05)
        threading.Event().wait()
    """)
    assert done.returncode == 3
    assert done.stderr.endswith("the reports could not be written: OSError: disk full\n")


def test_a_message_that_nobody_takes_holds_nothing_up() -> None:
    done = ended("""
        watchdog.tell = lambda message: threading.Event().wait()
        watch.enter("case 'a'", 0.05)
        threading.Event().wait()
    """)
    assert (done.returncode, done.stdout) == (3, "rescued: case 'a'\n")


def test_a_signal_that_a_blocked_loop_does_not_hear_ends_the_run() -> None:
    done = ended("""
        async def block():
            os.kill(os.getpid(), signal.SIGTERM)
            threading.Event().wait()

        watch.enter("case 'a'", 600)
        loop = asyncio.new_event_loop()
        with signals(stop, loop, at_once=lambda: None):
            loop.run_until_complete(block())
    """)
    assert done.returncode == 143
    assert done.stderr.startswith("interrupted, and case 'a' (for ")
    assert " does not let go; it is at <string>:" in done.stderr
    assert done.stdout == "rescued: case 'a'\n"


def test_what_holds_the_interpreter_is_shown_and_ended() -> None:
    done = ended("""
        def hold():
            re.match("(a+)+$", 50 * "a" + "b")

        watch.enter("case 'a'", 0.05)
        hold()
    """)
    assert done.returncode == 1
    assert "Timeout (" in done.stderr
    assert " in hold\n" in done.stderr


def test_a_thread_that_is_left_does_not_keep_the_process() -> None:
    done = ended("""
        threading.Thread(target=threading.Event().wait, name="forgotten").start()
        watchdog.end(7)
    """)
    assert done.returncode == 7
    assert done.stderr == "threads that do not end are left behind: forgotten\n"


def test_a_process_that_ends_by_itself_ends_as_it_would() -> None:
    done = ended("""
        with watch.stage("case 'a'", 600):
            pass
        watchdog.end(7)
        sys.exit(5)
    """)
    assert (done.returncode, done.stdout, done.stderr) == (5, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Ctrl-Z")
def test_the_handler_of_ctrl_z_is_taken_back() -> None:
    done = ended("""
        assert signal.getsignal(signal.SIGTSTP) != signal.SIG_DFL
        watchdog.rest()
        assert signal.getsignal(signal.SIGTSTP) == signal.SIG_DFL
    """)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Ctrl-Z")
def test_ctrl_z_stops_the_process_and_it_goes_on() -> None:
    program = """
        print("going", flush=True)
        for line in sys.stdin:
            print("on", flush=True)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", dedent(COMMON) + dedent(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process, process.stdout as lines:
        try:
            assert lines.readline() == "going\n"
            for _ in range(2):
                process.send_signal(signal.SIGTSTP)
                _, status = os.waitpid(process.pid, os.WUNTRACED)
                assert os.WIFSTOPPED(status)
                process.send_signal(signal.SIGCONT)
                print(file=process.stdin, flush=True)
                assert lines.readline() == "on\n"
        finally:
            process.kill()


def test_verbose_runs_tell_that_nothing_moves_ever_more_rarely() -> None:
    told = Queue[str]()
    watch = Watch()
    watchdog = Watchdog(watch, Stop(), told.put, grace=600, is_verbose=True, quiet=0.01, tick=0.001)
    watchdog.start()
    try:
        watch.enter("opening agent 'x'", 60)
        with watch.stage("case 'a'", 5):
            message = told.get(timeout=LIMIT)
            assert message.startswith("nothing has moved for ")
            assert ": opening agent 'x' (for " in message
            assert message.endswith("; it may take 1m); and 1 more")
            assert "opening agent 'x'" in told.get(timeout=LIMIT)
        assert told.get(timeout=LIMIT).endswith("; it may take 1m)")
    finally:
        watchdog.rest()


def test_runs_that_are_not_verbose_tell_nothing_of_it() -> None:
    told = Queue[str]()
    looked = Queue[object]()

    class Looked(Watch):
        def stages(self) -> list[Stage]:
            looked.put(None)
            return super().stages()

    watchdog = Watchdog(Looked(), Stop(), told.put, grace=600, quiet=0, tick=0.001)
    watchdog.watch.enter("opening agent 'x'", 60)
    watchdog.start()
    try:
        for _ in range(5):
            looked.get(timeout=LIMIT)
    finally:
        watchdog.rest()
    assert told.empty()
