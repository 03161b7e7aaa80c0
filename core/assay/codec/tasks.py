"""Tasks, and what became of them, as JSON and back: what executors send elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.codec.attempts import attempt_from_json, attempt_to_json
from assay.codec.narrow import integer, integer_or_none, table, text
from assay.contracts import Done, Task

if TYPE_CHECKING:
    from assay.codec.narrow import Line


def task_to_json(task: Task) -> dict[str, object]:
    """Write a task: its case as written, which the other side reads for itself."""
    line: dict[str, object] = {
        "index": task.index,
        "suite": task.suite,
        "attempt": task.attempt,
        "line": task.line,
        "file": task.file,
    }
    if task.row is not None:
        line["row"] = task.row
    return line


def task_from_json(line: Line) -> Task:
    """Read a task.

    Raises:
        ValueError: It is none.
    """
    return Task(
        index=integer(line, "index"),
        suite=integer(line, "suite"),
        attempt=integer(line, "attempt"),
        line=table(line, "line"),
        file=text(line, "file"),
        row=integer_or_none(line, "row"),
    )


def done_to_json(done: Done) -> dict[str, object]:
    """Write a task with its attempt."""
    return {"task": task_to_json(done.task), "attempt": attempt_to_json(done.attempt)}


def done_from_json(line: Line) -> Done:
    """Read a task with its attempt.

    Raises:
        ValueError: It is none.
    """
    return Done(
        task=task_from_json(table(line, "task")),
        attempt=attempt_from_json(table(line, "attempt")),
    )
