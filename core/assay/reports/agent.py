"""A report that an agent writes: it is handed the run as JSON, and its answer is the report."""

from __future__ import annotations

import io
import re
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from attrs import frozen

from assay.errors import AssayError, RunError
from assay.jsonvalue import dumps
from assay.model.exchange import Origin, Request
from assay.model.message import Message
from assay.reports.sink import page_file, page_stream
from assay.running.ask import NotAnswered
from assay.running.deadline import Deadline
from assay.running.request import new_chat_id

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from assay.model.case import AgentRef, Environment
    from assay.model.exchange import Response
    from assay.model.report import Report
    from assay.reports.choose import AgentPage
    from assay.running.ask import Asker

_FENCE = re.compile(r"\s*(`{3,}|~{3,})[^\n`]*\n(.*?)\n?[ \t]*\1\s*", re.DOTALL)


Authored: TypeAlias = str | AssayError
"""The text of a report, or why there is none."""


@frozen(kw_only=True)
class Author:
    """An agent that writes a report."""

    page: AgentPage
    ref: AgentRef
    environment: Environment
    """Who asks."""
    seconds: float
    """How long it may take."""
    verbose: bool
    json_reporter: Any
    """The class of the reporter whose JSON the agent is handed."""

    async def write(self, asker: Asker, report: Report) -> str:
        """Let the agent write the report; gives its text.

        Raises:
            RunError: It did not answer, or answered nothing.
        """
        request = Request(
            messages=(Message(content=self._question(report)),),
            environment=self.environment,
            chat_id=new_chat_id(),
            origin=Origin(purpose="reporter"),
        )
        name = f"reporter agent {self.page.agent!r}"
        deadline = Deadline(self.seconds)
        try:
            async with deadline:
                exchange = await asker.ask(request, deadline)
        except NotAnswered as error:
            raise RunError(f"{name}: {error.error}") from error
        except TimeoutError as error:
            raise RunError(f"{name}: no answer after {self.seconds:g}s") from error
        if exchange.response.is_empty:
            raise RunError(f"{name}: it answered nothing")
        return _text(exchange.response)

    def put(self, text: Authored, *, redact: Callable[[str], str], stdout: IO[str]) -> None:
        """Write the text to the file of the report, or to standard output.

        Raises:
            AssayError: There is none, or it cannot be written.
        """
        if isinstance(text, AssayError):
            raise text
        path = self.page.path
        target = page_stream(stdout, redact) if path is None else page_file(path, redact)
        with target as out:
            out.write(text if text.endswith("\n") else text + "\n")

    def keep_lines(self, journal: Path) -> Path:
        """Copy the raw lines to where they would be by default, beside what is there.

        Raises:
            RunError: They cannot be copied; the journal stays where it is.
        """
        target = self.page.fallback
        number = 1
        while target.exists():
            number += 1
            target = target.with_name(f"{self.page.fallback.stem}-{number}{target.suffix}")
        import shutil

        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(journal, target)
        except OSError as error:
            raise RunError(f"{target}: it could not be written: {error.strerror}") from error
        return target

    def _question(self, report: Report) -> str:
        written = io.StringIO()
        self.json_reporter(None).write(report, written)
        options = dumps({"verbose": self.verbose, "include_outputs": True})
        return (
            f'{{"report": {written.getvalue().strip()}, "format": {dumps(self.page.format)},'
            f' "options": {options}}}'
        )


def unfenced(text: str) -> str:
    """Take off a fence that stands around the whole text, as models like to put it."""
    match = _FENCE.fullmatch(text)
    if match is None or re.search(rf"^[ \t]*{match[1]}", match[2], re.MULTILINE):
        return text
    return match[2]


def _text(response: Response) -> str:
    output = response.output
    return unfenced(output) if isinstance(output, str) else dumps(output)
