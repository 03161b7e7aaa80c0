"""assay tests AI agents: this is all that plugins and programs may use of it.

Names are resolved on first use, so that the command line starts without what it does not need.
Beside these, the modules ``assay.jsonvalue``, ``assay.extract``, ``assay.escape``,
``assay.duration``, ``assay.suggest``, ``assay.process`` and ``assay.testing`` are public.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from assay._version import __version__

if TYPE_CHECKING:
    from assay.absent import ABSENT
    from assay.api import check, run, run_async, schema
    from assay.codec.lines import from_json, to_json
    from assay.contracts import (
        AssertionType,
        CaseReporter,
        Closing,
        Done,
        Executor,
        ExecutorContext,
        Identifying,
        LoadContext,
        Loader,
        Pace,
        PacedWorker,
        PageReporter,
        Recalling,
        ReportContext,
        ScriptEngine,
        ScriptTarget,
        StreamReporter,
        Task,
        Transport,
        TransportType,
        Worker,
        WrapContext,
    )
    from assay.errors import (
        AgentError,
        AssayError,
        CannotCheck,
        ConfigError,
        ExitCode,
        RateLimited,
        RunError,
        TimedOut,
        TransportError,
    )
    from assay.hookspecs import hookimpl
    from assay.merging.write import merge_results
    from assay.model.case import (
        Agent,
        AgentClue,
        AgentRef,
        Case,
        Check,
        Entry,
        Environment,
        File,
        Script,
        Suite,
        Where,
    )
    from assay.model.exchange import (
        AgentInfo,
        Exchange,
        Origin,
        Request,
        Response,
        Try,
        Usage,
    )
    from assay.model.files import FileAccess, FileProblem, file_urls
    from assay.model.message import Message, ToolCall
    from assay.model.outcome import CheckResult, Outcome, Services, Verdict
    from assay.model.report import Report, RunInfo, SuiteInfo, Summary
    from assay.model.result import Attempt, CaseResult, Counts, Stability, SuiteSummary
    from assay.recorded import read_results, write_cases, write_reports
    from assay.remote import worker
    from assay.secret import Secret

_HOMES = {
    "assay.api": ("check", "run", "run_async", "schema"),
    "assay.recorded": ("read_results", "write_cases", "write_reports"),
    "assay.merging.write": ("merge_results",),
    "assay.remote": ("worker",),
    "assay.codec.lines": ("from_json", "to_json"),
    "assay.contracts": (
        "AssertionType",
        "CaseReporter",
        "Closing",
        "Done",
        "Executor",
        "ExecutorContext",
        "Identifying",
        "LoadContext",
        "Loader",
        "Pace",
        "PacedWorker",
        "PageReporter",
        "Recalling",
        "ReportContext",
        "ScriptEngine",
        "ScriptTarget",
        "StreamReporter",
        "Task",
        "Transport",
        "TransportType",
        "Worker",
        "WrapContext",
    ),
    "assay.errors": (
        "AgentError",
        "AssayError",
        "CannotCheck",
        "ConfigError",
        "ExitCode",
        "RateLimited",
        "RunError",
        "TimedOut",
        "TransportError",
    ),
    "assay.hookspecs": ("hookimpl",),
    "assay.model.case": (
        "Agent",
        "AgentClue",
        "AgentRef",
        "Case",
        "Check",
        "Entry",
        "Environment",
        "File",
        "Script",
        "Suite",
        "Where",
    ),
    "assay.model.exchange": (
        "AgentInfo",
        "Exchange",
        "Origin",
        "Request",
        "Response",
        "Try",
        "Usage",
    ),
    "assay.absent": ("ABSENT",),
    "assay.model.files": ("FileAccess", "FileProblem", "file_urls"),
    "assay.model.message": ("Message", "ToolCall"),
    "assay.model.outcome": ("CheckResult", "Outcome", "Services", "Verdict"),
    "assay.model.report": ("Report", "RunInfo", "SuiteInfo", "Summary"),
    "assay.model.result": ("Attempt", "CaseResult", "Counts", "Stability", "SuiteSummary"),
    "assay.secret": ("Secret",),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used (PEP 562)."""
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return list(__all__)


__all__ = [
    "ABSENT",
    "Agent",
    "AgentClue",
    "AgentError",
    "AgentInfo",
    "AgentRef",
    "AssayError",
    "AssertionType",
    "Attempt",
    "CannotCheck",
    "Case",
    "CaseReporter",
    "CaseResult",
    "Check",
    "CheckResult",
    "Closing",
    "ConfigError",
    "Counts",
    "Done",
    "Entry",
    "Environment",
    "Exchange",
    "Executor",
    "ExecutorContext",
    "ExitCode",
    "File",
    "FileAccess",
    "FileProblem",
    "Identifying",
    "LoadContext",
    "Loader",
    "Message",
    "Origin",
    "Outcome",
    "Pace",
    "PacedWorker",
    "PageReporter",
    "RateLimited",
    "Recalling",
    "Report",
    "ReportContext",
    "Request",
    "Response",
    "RunError",
    "RunInfo",
    "Script",
    "ScriptEngine",
    "ScriptTarget",
    "Secret",
    "Services",
    "Stability",
    "StreamReporter",
    "Suite",
    "SuiteInfo",
    "SuiteSummary",
    "Summary",
    "Task",
    "TimedOut",
    "ToolCall",
    "Transport",
    "TransportError",
    "TransportType",
    "Try",
    "Usage",
    "Verdict",
    "Where",
    "Worker",
    "WrapContext",
    "__version__",
    "check",
    "file_urls",
    "from_json",
    "hookimpl",
    "merge_results",
    "read_results",
    "run",
    "run_async",
    "schema",
    "to_json",
    "worker",
    "write_cases",
    "write_reports",
]
