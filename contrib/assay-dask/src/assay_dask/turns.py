"""The ceilings of agents, over all workers."""

from __future__ import annotations


class Turns:
    """Gives turns, evenly spaced for each agent."""

    def __init__(self) -> None:
        self._next: dict[str, float] = {}

    def take(self, agent: str, interval: float, now: float) -> float:
        """Give the seconds until the next turn, which is then taken.

        Args:
            agent: Which agent.
            interval: Seconds between two turns.
            now: The time, of any clock that does not jump.
        """
        at = max(now, self._next.get(agent, now))
        self._next[agent] = at + interval
        return at - now
