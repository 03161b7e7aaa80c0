"""Signals: each is heard, also at the moments at which they are easily lost."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from textwrap import dedent

import pytest

from assay.errors import ExitCode, RunError
from assay.running.stop import Stop, signals

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")

LIMIT = 60


def test_a_signal_that_no_system_call_notices_wakes_the_loop_that_falls_asleep() -> None:
    # The signal arrives in another thread once the loop has decided to sleep: the main thread is
    # in the middle of its system call, or just before it, and nothing interrupts that.
    program = """
        import asyncio, selectors, signal, threading
        from assay.running.stop import Stop, signals

        class Selector(selectors.DefaultSelector):
            is_armed = False

            def select(self, timeout=None):
                if self.is_armed and timeout is None:
                    self.is_armed = False
                    asleep.set()
                return super().select(timeout)

        asleep = threading.Event()

        def send():
            asleep.wait()
            signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

        async def main():
            stop.watch(asyncio.current_task())
            selector.is_armed = True
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                print(stop.reason, int(stop.exit_code))

        threading.Thread(target=send, daemon=True).start()
        selector, stop = Selector(), Stop()
        loop = asyncio.SelectorEventLoop(selector)
        with signals(stop, loop, at_once=lambda: None):
            loop.run_until_complete(main())
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(program)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("terminated by a signal 143\n", "")


def test_handlers_and_the_way_to_wake_up_are_put_back() -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    loop = asyncio.new_event_loop()
    with signals(Stop(), loop, at_once=lambda: None):
        assert signal.getsignal(signal.SIGTERM) != handlers[1]
    loop.close()
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert signal.set_wakeup_fd(-1) == -1


@pytest.mark.parametrize(
    ("number", "told", "code"),
    [
        (signal.SIGINT, "interrupted by Ctrl-C, before any case ran", ExitCode.INTERRUPTED),
        (signal.SIGTERM, "terminated by a signal, before any case ran", ExitCode.TERMINATED),
    ],
)
@pytest.mark.parametrize("is_early", [True, False])
def test_what_blocks_before_any_case_is_broken_off(
    number: int, told: str, code: ExitCode, is_early: bool
) -> None:
    stop = Stop()
    loop = asyncio.new_event_loop()
    ours, theirs = os.pipe()

    async def read() -> None:
        if is_early:
            os.kill(os.getpid(), number)
        with stop.at_once():
            try:
                os.kill(os.getpid(), number)
                os.read(ours, 1)
            except Exception as error:
                raise AssertionError("a plugin may catch any error") from error

    try:
        with pytest.raises(RunError) as caught, signals(stop, loop, at_once=lambda: None):
            loop.run_until_complete(read())
    finally:
        loop.close()
        os.close(ours)
        os.close(theirs)
    assert str(caught.value) == told
    assert caught.value.exit_code == code


def test_the_first_reason_stays() -> None:
    stop = Stop()
    stop.ask("first", ExitCode.RUNTIME)
    stop.ask("second", ExitCode.INTERRUPTED)
    assert (stop.reason, stop.exit_code) == ("first", ExitCode.RUNTIME)


def test_a_second_interrupt_ends_the_process_whatever_stopped_the_run_before() -> None:
    program = """
        import asyncio, os, signal
        from assay.running.stop import Stop, signals

        async def main():
            stop.ask("stopped by --fail-fast after a")
            os.kill(os.getpid(), signal.SIGINT)
            print(stop.reason, flush=True)
            os.kill(os.getpid(), signal.SIGINT)

        stop = Stop()
        loop = asyncio.new_event_loop()
        with signals(stop, loop, at_once=lambda: print("at once", flush=True)):
            loop.run_until_complete(main())
    """
    done = subprocess.run(
        [sys.executable, "-c", dedent(program)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 130
    assert done.stdout == "stopped by --fail-fast after a\nat once\n"
