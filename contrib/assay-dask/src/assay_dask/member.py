"""A worker that takes part in a run: which attempts it has, and what it is to be told."""

from __future__ import annotations

from time import monotonic
from typing import TypeAlias

from attrs import define, field, frozen

from assay import Task
from assay_dask.messages import Order, task_to_bytes

Key: TypeAlias = tuple[int, int]
"""The index of a case and the number of an attempt."""


@frozen
class Out:
    """An attempt that a worker has."""

    task: Task
    since: float


@define(eq=False)
class Member:
    """A worker that takes part."""

    address: str
    out: dict[Key, Out] = field(factory=dict[Key, Out], init=False)
    is_asked: bool = field(default=False, init=False)
    """Whether it is being asked for what it has done."""
    _tasks: list[bytes] = field(factory=list[bytes], init=False)
    _turns: list[tuple[int, float]] = field(factory=list[tuple[int, float]], init=False)
    _pauses: dict[str, float] = field(factory=dict[str, float], init=False)
    """When they end, by agent."""

    def give(self, task: Task) -> None:
        """Have it carry a task out; it is told with the next order."""
        self.out[task.index, task.attempt] = Out(task, monotonic())
        self._tasks.append(task_to_bytes(task))

    def grant(self, number: int, seconds: float) -> None:
        """Have it told when a turn comes."""
        self._turns.append((number, monotonic() + seconds))

    def pause(self, agent: str, seconds: float) -> None:
        """Have it leave an agent alone."""
        self._pauses[agent] = max(self._pauses.get(agent, 0.0), monotonic() + seconds)

    @property
    def has_order(self) -> bool:
        """Whether there is something to tell it."""
        return bool(self._tasks or self._turns or self._pauses)

    def order(self) -> Order:
        """Give what it has not been told."""
        now = monotonic()
        order = Order(
            tasks=tuple(self._tasks),
            turns=tuple((number, max(0.0, at - now)) for number, at in self._turns),
            pauses=tuple((agent, max(0.0, at - now)) for agent, at in self._pauses.items()),
        )
        self._tasks.clear()
        self._turns.clear()
        self._pauses.clear()
        return order
