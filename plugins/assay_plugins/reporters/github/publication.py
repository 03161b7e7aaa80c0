"""What the ``github`` reporter writes: annotations, and the summary of a step."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.escape import one_line, terminal, workflow
from assay_plugins.reporters._brief import Brief
from assay_plugins.reporters._facts import amount
from assay_plugins.reporters._first import FirstTexts
from assay_plugins.reporters._markdown import inline
from assay_plugins.reporters._plain import attempt_text

if TYPE_CHECKING:
    from assay import CaseResult, ReportContext, RunInfo, Summary

_SUMMARY: Final = 1 << 20
"""Bytes of a step summary; GitHub throws longer ones away as a whole."""
_LEAST: Final = 32_000
"""Bytes that a page takes; where fewer are left, there is none."""
_REPORTS: Final = 20
"""Reports that are named in the summary."""
_ANNOTATIONS: Final = 10
"""Errors of a step; GitHub shows no more of them."""
_TITLE: Final = 100
_MESSAGE: Final = 600
"""Characters of an annotation: the summary has more room."""


class Publication:
    """Keeps what will be shown of a run, and publishes it when the run is over."""

    def __init__(self, context: ReportContext) -> None:
        self._stream = context.stderr
        self._environ = context.environ
        self._brief = Brief(context.info, _SUMMARY)
        self._errors = FirstTexts(most=_ANNOTATIONS, room=_SUMMARY)
        self._summary: Summary | None = None

    def start(self, info: RunInfo) -> None:
        """Begin with an empty page."""
        self._brief = Brief(info, _SUMMARY)

    def result(self, result: CaseResult) -> None:
        """Keep what will be shown of a case."""
        self._brief.add(result)
        if result.status in ("passed", "skipped"):
            return
        if self._errors.wants(result.index):
            self._errors.add(result.index, _error(result, self._environ))
        else:
            self._errors.pass_over()

    def finish(self, summary: Summary) -> None:
        """Keep the figures."""
        self._summary = summary

    def publish(self, paths: Sequence[str]) -> None:
        """Write the annotations and the summary; once."""
        summary, self._summary = self._summary, None
        if summary is None:
            return
        for line in self._commands():
            self._stream.write(line + "\n")
        self._stream.flush()
        file = self._environ.get("GITHUB_STEP_SUMMARY")
        if file:
            self._append(Path(file), summary, paths)

    def _commands(self) -> Iterator[str]:
        shown = self._errors.texts()
        yield from shown
        others = self._errors.count - len(shown)
        if others:
            text = f"{amount(others, 'more case')} did not pass, all in the report"
            yield _command("notice", {"title": "assay"}, text)

    def _append(self, file: Path, summary: Summary, paths: Sequence[str]) -> None:
        taken = file.stat().st_size if file.exists() else 0
        before = "\n\n" if taken else ""
        behind = _reports(paths)
        room = _SUMMARY - taken - len((before + behind).encode())
        if room < _LEAST:
            text = "the summary of this step is full, the figures of the run are left out"
            self._stream.write(_command("notice", {"title": "assay"}, text) + "\n")
            return
        with file.open("ab") as out:
            out.write(f"{before}{self._brief.page(summary, room)}{behind}".encode())


def _reports(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    names = ", ".join(inline(path) for path in paths[:_REPORTS])
    more = f" and {len(paths) - _REPORTS} more" if len(paths) > _REPORTS else ""
    return f"Reports: {names}{more}\n"


def _error(result: CaseResult, environ: Mapping[str, str]) -> str:
    """Give the command that shows a case where it stands."""
    place: dict[str, str] = {}
    where = result.case.where
    file = _in_repository(where.file, environ)
    if file is not None:
        place["file"] = file
        if where.line is not None:
            place["line"] = str(where.line)
    title = f"{one_line(result.case.id, _TITLE)} {result.status}"
    figures = result.stability
    if result.several and figures is not None:
        title += f" ({figures.passed} of {amount(figures.runs, 'run')} passed)"
    if result.replayed:
        title += ", replayed"
    attempt = result.shown
    text = result.status if attempt is None else attempt_text(attempt)
    if len(text) > _MESSAGE:
        text = text[: _MESSAGE - 1] + "…"
    return _command("error", {**place, "title": title}, text or result.status)


def _in_repository(name: str, environ: Mapping[str, str]) -> str | None:
    """Name a file from the root of the checkout; None for what is no file."""
    try:
        path = Path(os.path.realpath(name))
        if not path.is_file():
            return None
    except (OSError, ValueError):
        return None
    root = Path(os.path.realpath(environ.get("GITHUB_WORKSPACE") or "."))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _command(name: str, properties: Mapping[str, str], text: str) -> str:
    """Write a command as one line; no part of it can end another."""
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {given}::{_data(text)}"


def _data(text: str) -> str:
    return workflow(terminal(text)).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
