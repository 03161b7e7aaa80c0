"""What the run and its workers tell each other: numbers, texts and bytes that msgpack knows.

Tasks and attempts are JSON in bytes, since dask's own formats recurse into values, and what agents
answer is nested as deeply as they like.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from attrs import frozen

from assay import Attempt, Task, from_json, to_json
from assay.jsonvalue import dumps, loads

_CODING = ("utf-8", "surrogatepass")


@frozen(kw_only=True)
class Order:
    """What a worker is told."""

    tasks: tuple[bytes, ...] = ()
    turns: tuple[tuple[int, float], ...] = ()
    """The number of a request for a turn, and the seconds until it comes."""
    pauses: tuple[tuple[str, float], ...] = ()
    """Agents that another worker was asked to leave alone, and for how many seconds."""

    def __bool__(self) -> bool:
        return bool(self.tasks or self.turns or self.pauses)


@frozen(kw_only=True)
class Reply:
    """What a worker has to tell."""

    done: tuple[tuple[int, int, bytes], ...] = ()
    """The index of the case, the number of the attempt, and the attempt."""
    turns: tuple[tuple[int, str, float], ...] = ()
    """Requests for a turn: a number, the agent, and the seconds between two requests to it."""
    pauses: tuple[tuple[str, float], ...] = ()
    """Agents that ask for a pause, and for how many seconds."""
    failed: tuple[int, str] | None = None
    """Why the run cannot go on: the exit code and the message."""
    stuck: float = 0.0
    """For how many seconds the loop of the worker's attempts has not moved."""


def order_to_wire(order: Order) -> dict[str, Any]:
    """Give an order as dask sends it."""
    return attrs.asdict(order, recurse=False)


def order_from_wire(value: Mapping[str, Any]) -> Order:
    """Read an order."""
    return Order(**value)


def reply_to_wire(reply: Reply) -> dict[str, Any]:
    """Give a reply as dask sends it."""
    return attrs.asdict(reply, recurse=False)


def reply_from_wire(value: Mapping[str, Any]) -> Reply:
    """Read a reply."""
    return Reply(**value)


def task_to_bytes(task: Task) -> bytes:
    """Write a task."""
    return dumps(to_json(task)).encode(*_CODING)


def task_from_bytes(data: bytes) -> Task:
    """Read a task."""
    return from_json(Task, loads(data.decode(*_CODING)))


def attempt_to_bytes(attempt: Attempt) -> bytes:
    """Write an attempt."""
    return dumps(to_json(attempt)).encode(*_CODING)


def attempt_from_bytes(data: bytes) -> Attempt:
    """Read an attempt."""
    return from_json(Attempt, loads(data.decode(*_CODING)))
