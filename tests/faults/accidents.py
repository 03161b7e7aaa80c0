"""What else happens to a run: workers die, clocks jump, processes are stopped for a while."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from datetime import datetime

import judge
from attrs import define
from subjects import Server, Subject
from trial import Trial

KILLED = """
    import os, signal, sys
    from pathlib import Path

    def judge(output, input, expected):
        if input == "7":
            Path("pid").write_text(str(os.getpid()))
            print("hanging", flush=True)
            signal.pause()
        return True
"""

CLOCK = r"""
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdlib.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    /* The wall clock jumps as soon as a file is there. */
    static long jump(void) {
        return access(getenv("CLOCK_FILE"), F_OK) == 0 ? atol(getenv("CLOCK_JUMP")) : 0;
    }

    int clock_gettime(clockid_t id, struct timespec *at) {
        static int (*real)(clockid_t, struct timespec *);
        if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
        int failed = real(id, at);
        if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += jump();
        return failed;
    }

    int gettimeofday(struct timeval *at, void *zone) {
        static int (*real)(struct timeval *, void *);
        if (!real) real = dlsym(RTLD_NEXT, "gettimeofday");
        int failed = real(at, zone);
        if (!failed) at->tv_sec += jump();
        return failed;
    }

    time_t time(time_t *at) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        if (at) *at = now.tv_sec;
        return now.tv_sec;
    }
"""

JUMPING = """
    from pathlib import Path
    import agent

    async def reply(request):
        if request.text == "7":
            Path("jumped").touch()
        return await agent.awaited(request)
"""

STOPPED = """
    import asyncio, os, signal

    async def reply(request):
        if request.text == "7":
            os.kill(os.getpid(), signal.SIGTSTP)
        await asyncio.sleep(0.01)
        return f"answer to {request.text}"
"""

DAY = 86_400
OUTPUTS = ("-o", "run.jsonl", "-o", "report.json", "-o", "report.html")
REPORTS = ("report.json", "report.html")


def can_compile() -> bool:
    """Whether there is a C compiler."""
    return shutil.which("cc") is not None


@define(eq=False)
class Accidents:
    """Makes the trials."""

    server: Server

    def worker_killed(self, trial: Trial) -> None:
        """Somebody kills the process that runs a script."""
        subject = Subject("script", 1, self.server, trial)
        trial.write("check.py", KILLED)
        command = trial.start(*subject.flags, *OUTPUTS, "-v")
        command.wait_for("hanging")
        os.kill(int((trial.root / "pid").read_text()), signal.SIGKILL)
        trial.ended(command.end(), 1)
        results = self._judge(trial, subject)
        error = str(results["case-7"].get("error"))
        trial.require("killed by SIGKILL from outside" in error, f"case-7: {error}")

    def clock_jumps(self, days: int, trial: Trial) -> None:
        """The wall clock jumps by a number of days in mid-run."""
        subject = Subject("async", 1, self.server, trial)
        trial.write("jumping.py", JUMPING)
        source = trial.write("clock.c", CLOCK)
        library = trial.root / "clock.so"
        build = ["cc", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
        subprocess.run(build, check=True)
        flags = subject.flags_for("python:jumping.py:reply")
        jumping = {
            "LD_PRELOAD": str(library),
            "CLOCK_FILE": str(trial.root / "jumped"),
            "CLOCK_JUMP": str(days * DAY),
        }
        command = trial.start(*flags, *OUTPUTS, "--timeout", "30s", env=jumping)
        trial.ended(command.end(), 1)
        results = self._judge(trial, subject)
        report = json.loads((trial.root / "report.json").read_text(encoding="utf-8"))
        start = judge.journal(trial, trial.root / "run.jsonl")[0]
        took = _time(report["summary"]["completed_at"]) - _time(start["timestamp"])
        trial.require(abs(took - days * DAY) < 60, f"the clock did not jump: {took}s")
        durations = [int(str(line["duration_ms"])) for line in results.values()]
        durations.append(report["summary"]["duration_ms"])
        trial.require(all(0 <= each < 30_000 for each in durations), f"durations {durations}")

    def stopped_for_a_while(self, trial: Trial) -> None:
        """Ctrl-Z stops the run for longer than any of its limits, then it goes on."""
        subject = Subject("async", 1, self.server, trial)
        trial.write("stopped.py", STOPPED)
        flags = subject.flags_for("python:stopped.py:reply")
        limits = ("--timeout", "1s", "--grace", "1s")
        command = trial.start(*flags, *OUTPUTS, *limits, in_session=True)
        _, status = os.waitpid(command.process.pid, os.WUNTRACED)
        trial.require(os.WIFSTOPPED(status), f"it was not stopped: {status}")
        # Beyond the limit, the grace, and the last resort.
        time.sleep(1 + 1 + 5 + 2)
        command.signal(signal.SIGCONT)
        trial.ended(command.end(), 1)
        self._judge(trial, None)

    def _judge(self, trial: Trial, subject: Subject | None) -> dict[str, dict[str, object]]:
        lines = judge.journal(trial, trial.root / "run.jsonl")
        trial.require(judge.is_over(lines), "the journal has no end")
        trial.require(lines[-1].get("stopped") is None, f"stopped: {lines[-1].get('stopped')}")
        if subject is not None:
            judge.nothing_lost(trial, subject.answered(), lines, 0)
        judge.reports(trial, lines, *REPORTS, all_there=True)
        judge.no_scraps(trial)
        return {line["id"]: line for line in lines if line["type"] == "result"}


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
