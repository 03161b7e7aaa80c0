"""Whatever can hang does: transports, agents, executors, reporters, and who reads the output."""

from __future__ import annotations

import fcntl
import os
import signal
import termios
import time

import judge
from attrs import define
from subjects import PARALLEL, Server, Subject
from trial import Command, Trial

PLACES = ("open", "info", "send", "close")
WAYS = ("waiting", "blocking", "stubborn")
"""It waits and can be cancelled; it blocks the event loop; it waits and swallows cancellations."""

HANG = """
    import asyncio, os, sys, threading

    WHERE, WAY = os.environ.get("HANG_WHERE"), os.environ.get("HANG_WAY")

    def told():
        print("hanging", file=sys.stderr, flush=True)

    async def hang(where):
        if where != WHERE:
            return
        told()
        if WAY == "waiting":
            await asyncio.Event().wait()
        if WAY == "blocking":
            threading.Event().wait()
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                pass
"""

TRANSPORT = (
    HANG
    + """
    from assay import Response, hookimpl

    class Faulty:
        name = "faulty"

        def __init__(self, agent, settings=None):
            pass

        async def __aenter__(self):
            await hang("open")
            return self

        async def __aexit__(self, *_):
            await hang("close")

        async def info(self):
            await hang("info")

        async def send(self, request):
            if request.text == "7":
                await hang("send")
            return Response(text=f"answer to {request.text}")

    @hookimpl
    def assay_transports():
        return [Faulty]
"""
)

AGENTS = (
    HANG
    + """
    import re

    async def stubborn(request):
        if request.text == "7":
            await hang("send")
        return f"answer to {request.text}"

    def holds(request):
        if request.text == "7" and WHERE == "send":
            told()
            re.match("(a+)+$", 50 * "a" + "b")
        return f"answer to {request.text}"

    async def talks(request):
        return f"answer to {request.text}" + 20_000 * "!"

    def leaves(request):
        if request.text == "7":
            threading.Thread(target=threading.Event().wait, name="left", daemon=False).start()
        return f"answer to {request.text}"
"""
)

EXECUTOR = """
    import asyncio, sys
    from assay import hookimpl

    class Faulty:
        name = "faulty"

        def __init__(self, context, settings=None):
            pass

        async def run(self, tasks):
            print("hanging", file=sys.stderr, flush=True)
            await asyncio.Event().wait()
            yield

    @hookimpl
    def assay_executors():
        return [Faulty]
"""

REPORTER = """
    import sys, threading
    from assay import hookimpl

    def _at(method):
        if method == "{method}":
            print("hanging", file=sys.stderr, flush=True)
            threading.Event().wait()

    class Faulty:
        name = "faulty"

        @classmethod
        def wanted(cls, environ):
            return True

        def __init__(self, context, settings=None):
            pass

        def start(self, info):
            _at("start")

        def attempt(self, result, attempt):
            _at("attempt")

        def result(self, result):
            _at("result")

        def finish(self, summary):
            _at("finish")

        def written(self, paths):
            _at("written")

        def close(self):
            _at("close")

    @hookimpl
    def assay_reporters():
        return [Faulty]
"""

PAGE = """
    import sys, threading
    from assay import hookimpl

    class Faulty:
        name = "faulty"
        suffixes = (".faulty",)

        def __init__(self, settings=None):
            pass

        def write(self, report, out):
            print("hanging", file=sys.stderr, flush=True)
            threading.Event().wait()

    @hookimpl
    def assay_reporters():
        return [Faulty]
"""

HASTE = ("--timeout", "1s", "--grace", "1s", "--retries", "0", "--max-wait", "0s")
OUTPUTS = ("-o", "run.jsonl", "-o", "report.json", "-o", "report.html")
REPORTS = ("report.json", "report.html")


@define(eq=False)
class ThingsThatHang:
    """Makes the trials."""

    server: Server

    def transport(self, where: str, way: str, trial: Trial) -> None:
        """A transport hangs until its time is up."""
        command = trial.start(*self._hanging(trial, where, way), *OUTPUTS)
        # Being cancelled in time is enough for one that waits; a timeout is a result.
        is_over = where in ("send", "close") and (way, where) != ("stubborn", "send")
        done = trial.ended(command.end(), 1 if is_over and way != "blocking" else 3)
        told = {
            "open": "agent 'faulty:x'",
            "info": "agent 'faulty:x'",
            "send": "case 'case-7'",
            "close": "agent 'faulty:x'",
        }[where]
        if (where, way) != ("send", "waiting"):
            trial.says(done, told)
        if where in ("send", "close"):
            is_whole = done.code == 1 or where == "close"
            self._judge(trial, 30 if is_whole else 7 - PARALLEL)

    def transport_interrupted(self, where: str, way: str, trial: Trial) -> None:
        """A transport hangs, and Ctrl-C ends the run."""
        command = trial.start(*self._hanging(trial, where, way), *OUTPUTS, "--timeout", "60s")
        command.wait_for("hanging")
        command.signal(signal.SIGINT)
        # What is over when the run's result stands is over: a transport that is closed late.
        codes = (1, 130) if where == "close" else (130,)
        done = trial.ended(command.end(30), *codes)
        if where == "send":
            self._judge(trial, 7 - PARALLEL)
        trial.require("Traceback" not in done.err, f"a traceback: {done.err[-700:]}")

    def agent_ignores_cancellation(self, trial: Trial) -> None:
        """An async function swallows its cancellation: it is left behind."""
        trial.env.update(HANG_WHERE="send", HANG_WAY="stubborn")
        flags = [*self._agent(trial, "stubborn"), "--grace", "10s"]
        trial.ended(trial.start(*flags, *OUTPUTS).end(), 1)
        statuses = self._judge(trial, 30)
        trial.require(statuses.get("case-7") == "timeout", f"case-7 is {statuses.get('case-7')}")

    def agent_holds_the_interpreter(self, trial: Trial) -> None:
        """A regular expression holds the interpreter for minutes; later it does not."""
        flags = self._agent(trial, "holds")
        held = {"HANG_WHERE": "send"}
        done = trial.ended(trial.start(*flags, "-o", "run.jsonl", env=held).end(), 1)
        trial.says(done, "Timeout (", "agents.py", "in holds")
        lines = judge.journal(trial, trial.root / "run.jsonl")
        trial.require(not judge.is_over(lines), "the run came to its end")
        again = trial.run(*flags, "--resume", "run.jsonl", "-o", "report.json", "-o", "report.html")
        trial.require(again.code == 1, f"--resume: exit code {again.code}: {again.err[-2000:]}")
        self._judge(trial, 30)

    def executor(self, trial: Trial) -> None:
        """An executor never gives a result, for longer than any attempt can take."""
        trial.ended(self._silent(trial).end(900), 3)
        self._judge(trial, 0)
        lines = judge.journal(trial, trial.root / "run.jsonl")
        stopped = str(lines[-1].get("stopped"))
        trial.require("executor 'faulty' has given no result" in stopped, stopped)

    def executor_interrupted(self, trial: Trial) -> None:
        """An executor never gives a result, and Ctrl-C ends the run."""
        command = self._silent(trial)
        command.wait_for("hanging")
        command.signal(signal.SIGINT)
        trial.ended(command.end(30), 130)
        self._judge(trial, 0)

    def reporter(self, method: str, trial: Trial) -> None:
        """A reporter that shows the run hangs in a method: all else is written."""
        trial.install(reporter__faulty=REPORTER.format(method=method))
        runs = ("--runs", "2") if method == "attempt" else ()
        flags = self._flags(trial, "python:agent.py:awaited")
        done = trial.ended(trial.start(*flags, *OUTPUTS, *runs).end(), 3)
        trial.says(done, "telling reporter 'faulty'", "site/faulty_reporter__faulty.py")
        self._judge(trial, {"start": 0, "attempt": 1, "result": 1}.get(method, 30))

    def page_interrupted(self, trial: Trial) -> None:
        """A page is never done, and Ctrl-C ends the run: the other pages are written."""
        trial.install(reporter__faulty=PAGE)
        flags = self._flags(trial, "python:agent.py:awaited")
        command = trial.start(*flags, *OUTPUTS, "-o", "page.faulty")
        command.wait_for("hanging")
        command.signal(signal.SIGINT)
        done = trial.ended(command.end(30), 130)
        trial.says(done, "writing report page.faulty with 'faulty'", "run.jsonl holds")
        self._judge(trial, 30)

    def reader_of_results_stops(self, trial: Trial) -> None:
        """Whoever reads the lines on standard output stops reading."""
        ours, theirs = os.pipe()
        fcntl.fcntl(theirs, fcntl.F_SETPIPE_SZ, 4096)
        flags = [*self._agent(trial, "talks"), *OUTPUTS, "--json"]
        command = trial.start(*flags, stdout=theirs)
        os.close(theirs)
        done = trial.ended(command.end(), 3)
        os.close(ours)
        trial.says(done, "writing a result")
        self._judge(trial, 1)

    def reader_of_errors_stops(self, trial: Trial) -> None:
        """Whoever reads standard error has stopped reading."""
        ours, theirs = os.pipe()
        os.set_blocking(theirs, False)
        try:
            while True:
                os.write(theirs, b"x" * 4096)
        except BlockingIOError:
            os.set_blocking(theirs, True)
        command = trial.start(*self._agent(trial, "stubborn"), *OUTPUTS, stderr=theirs)
        os.close(theirs)
        trial.ended(command.end(200), 3)
        os.close(ours)
        self._judge(trial, 0)

    def standard_input_stays_open(self, trial: Trial) -> None:
        """The cases come from a pipe that never ends, and Ctrl-C ends the run."""
        ours, theirs = os.pipe()
        with os.fdopen(ours, "rb") as source:
            command = trial.start("test", "-i", "-", "-n", "echo:", "-v", stdin=source)
        # Standard input has been opened when all that Python loads at its start is there.
        os.write(theirs, b'{"id": "case-1", "input": "x"}\n')
        while _is_readable(theirs) and command.process.poll() is None:
            time.sleep(0.01)
        command.signal(signal.SIGINT)
        done = trial.ended(command.end(30), 130)
        os.close(theirs)
        trial.says(done, "interrupted by Ctrl-C, before any case ran")

    def agent_leaves_a_thread(self, trial: Trial) -> None:
        """An agent leaves a thread that never ends: the process does, with its own code."""
        done = trial.ended(trial.start(*self._agent(trial, "leaves"), *OUTPUTS).end(), 1)
        trial.says(done, "threads that do not end are left behind: left")
        self._judge(trial, 30)

    def _flags(self, trial: Trial, agent: str) -> list[str]:
        return [*Subject("async", 1, self.server, trial).flags_for(agent), *HASTE]

    def _hanging(self, trial: Trial, where: str, way: str) -> list[str]:
        trial.install(transport__faulty=TRANSPORT)
        trial.env.update(HANG_WHERE=where, HANG_WAY=way)
        return self._flags(trial, "faulty:x")

    def _agent(self, trial: Trial, function: str) -> list[str]:
        trial.write("agents.py", AGENTS)
        return self._flags(trial, f"python:agents.py:{function}")

    def _silent(self, trial: Trial) -> Command:
        trial.install(executor__faulty=EXECUTOR)
        flags = self._flags(trial, "python:agent.py:awaited")
        return trial.start(*flags, *OUTPUTS, "--executor", "faulty")

    def _judge(self, trial: Trial, least: int) -> dict[str, str]:
        """Judge the files; gives the status of each case that was carried out."""
        lines = judge.journal(trial, trial.root / "run.jsonl")
        trial.require(judge.is_over(lines), "the journal has no end")
        judge.reports(trial, lines, *REPORTS, all_there=True)
        done = {
            line["id"]: line["status"]
            for line in lines
            if line["type"] in ("result", "attempt") and line["status"] != "skipped"
        }
        trial.require(len(done) >= least, f"{len(done)} cases are recorded, not {least} at least")
        return done


def _is_readable(pipe: int) -> bool:
    """Whether what was written to a pipe has not been read yet."""
    left = bytearray(4)
    fcntl.ioctl(pipe, termios.FIONREAD, left)
    return any(left)
