"""Plugins that raise wherever they are called."""

from __future__ import annotations

import judge
from attrs import define
from subjects import Server, Subject
from trial import Trial

ERRORS = ("ValueError('on purpose')", "SystemExit(7)")
STREAM_METHODS = (
    *("wanted", "__init__", "start", "attempt", "result", "finish", "written", "close"),
)
PAGE_METHODS = ("__init__", "write")
HOOKS = ("assay_select_cases", "assay_wrap_transport", "assay_describe_folder")

STREAM = """
    from assay import hookimpl

    def _at(method):
        if method == "{method}":
            raise {error}

    class Faulty:
        name = "faulty"

        @classmethod
        def wanted(cls, environ):
            _at("wanted")
            return True

        def __init__(self, context, settings=None):
            _at("__init__")

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
    from assay import hookimpl

    def _at(method):
        if method == "{method}":
            raise {error}

    class Faulty:
        name = "faulty"
        suffixes = (".faulty",)

        def __init__(self, settings=None):
            _at("__init__")

        def write(self, report, out):
            out.write("begun")
            _at("write")

    @hookimpl
    def assay_reporters():
        return [Faulty]
"""

HOOK = """
    from assay import hookimpl

    @hookimpl
    def {hook}({arguments}):
        raise {error}
"""
ARGUMENTS = {
    "assay_select_cases": "cases, settings",
    "assay_wrap_transport": "transport, agent, context",
    "assay_describe_folder": "folder",
}
KIND = {
    "assay_select_cases": "select__faulty",
    "assay_wrap_transport": "wrap__faulty",
    "assay_describe_folder": "agent__faulty",
}


@define(eq=False)
class PluginsThatRaise:
    """Makes the trials."""

    server: Server

    def stream(self, method: str, trial: Trial) -> None:
        """A reporter that shows the run raises in a method: it is dropped and named."""
        subject = Subject("async", 2, self.server, trial)
        error = trial.random.choice(ERRORS)
        trial.install(reporter__faulty=STREAM.format(method=method, error=error))
        outputs = ("-o", "run.jsonl", "-o", "report.json", "-o", "report.html")
        done = trial.ended(trial.start(*subject.flags, *outputs).end(), 1)
        trial.says(done, "reporter faulty of faulty", error.split("(")[0])
        self._whole(trial, subject, "report.json", "report.html")
        judge.no_scraps(trial)

    def page(self, method: str, trial: Trial) -> None:
        """A reporter that writes a page raises in a method: its file stays as it was."""
        subject = Subject("async", 1, self.server, trial)
        error = trial.random.choice(ERRORS)
        trial.install(reporter__faulty=PAGE.format(method=method, error=error))
        trial.write("page.faulty", "as it was")
        outputs = ("-o", "run.jsonl", "-o", "page.faulty", "-o", "report.json")
        done = trial.ended(trial.start(*subject.flags, *outputs).end(), 3)
        trial.says(done, "page.faulty: reporter faulty of faulty", "run.jsonl holds the results")
        was = (trial.root / "page.faulty").read_text(encoding="utf-8")
        trial.require(was == "as it was", f"page.faulty is now {was!r}")
        self._whole(trial, subject, "report.json")
        judge.no_scraps(trial)

    def hook(self, hook: str, trial: Trial) -> None:
        """A hook that changes what is tested raises: nothing is asked."""
        subject = Subject("async", 1, self.server, trial)
        error = trial.random.choice(ERRORS)
        text = HOOK.format(hook=hook, arguments=ARGUMENTS[hook], error=error)
        trial.install(**{KIND[hook]: text})
        done = trial.ended(trial.start(*subject.flags, "-o", "run.jsonl").end(), 3)
        trial.says(done, "faulty", error.split("(")[0])
        trial.require(not subject.answered(), "the agent was asked all the same")
        judge.no_scraps(trial)

    def _whole(self, trial: Trial, subject: Subject, *names: str) -> None:
        lines = judge.journal(trial, trial.root / "run.jsonl")
        trial.require(judge.is_over(lines), "the journal has no end")
        judge.nothing_lost(trial, subject.answered(), lines, 0)
        judge.reports(trial, lines, *names, all_there=True)
