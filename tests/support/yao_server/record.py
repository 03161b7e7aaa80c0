"""What reached the server and what became of it, for tests to look at from another thread."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

if TYPE_CHECKING:
    from yao_server.accounts import Account
    from yao_server.gojson import Object
    from yao_server.overrides import Asked

Ending: TypeAlias = Literal["open", "answered", "refused", "left", "dropped", "failed"]

PATIENCE = 60.0
"""Seconds until what a test waits for is given up: far beyond what any of it takes."""


@dataclass(kw_only=True)
class Seen:
    """One request."""

    number: int
    method: str
    target: str
    path: str
    query: Mapping[str, tuple[str, ...]]
    headers: Mapping[str, tuple[str, ...]]
    """By lower-case name."""
    body: bytes
    account: Account | None = None
    """Whose it was; None for routes that do not ask, and where nobody was found."""
    asked: Asked | None = None
    """Of a chat request that the server could read."""
    connector: str = ""
    """That a turn ran with, which need not be the one asked for."""
    context_id: str = ""
    """Of a turn."""
    trace_id: str = ""
    """Of a turn."""
    ending: Ending = "open"
    """``left``: the client closed the connection. ``failed``: the turn did."""
    interrupts: list[Object] = field(default_factory=list["Object"])
    """What was appended to the turn while it ran."""
    status: int = 0
    wire_bytes: int = 0
    """Of the answer, as far as it was sent."""

    @property
    def json(self) -> dict[str, object]:
        """The body, which must be a JSON object."""
        value = json.loads(self.body)
        assert isinstance(value, dict)
        return cast("dict[str, object]", value)

    def param(self, name: str) -> str | None:
        """Give the one query value of that name; None when there is none."""
        values = self.query.get(name)
        if values is None:
            return None
        assert len(values) == 1, f"{name} is there {len(values)} times"
        return values[0]

    def header(self, name: str) -> str | None:
        """Give the one header of that name; None when there is none."""
        values = self.headers.get(name.lower())
        if values is None:
            return None
        assert len(values) == 1, f"{name} is there {len(values)} times"
        return values[0]

    def row(self) -> dict[str, object]:
        """Give the request as JSON."""
        return {
            "number": self.number,
            "method": self.method,
            "target": self.target,
            "headers": {name: list(values) for name, values in self.headers.items()},
            "body": self.body.decode("utf-8", "replace"),
            "user_id": self.account.user_id if self.account else None,
            "team_id": self.account.team_id if self.account else None,
            "assistant_id": self.asked.assistant_id if self.asked else None,
            "connector": self.connector,
            "status": self.status,
            "ending": self.ending,
            "interrupts": list(self.interrupts),
            "wire_bytes": self.wire_bytes,
        }


class Log:
    """All requests, in the order in which they arrived.

    Args:
        told: Gets each request when it has ended.
    """

    def __init__(self, told: Callable[[Seen], None] | None = None) -> None:
        self._changed = threading.Condition(threading.RLock())
        self._seen: list[Seen] = []
        self._told = told
        self._open_now = 0
        self.most_open = 0
        """How many requests were under way at the same time, at most."""

    def add(self, make: Callable[[int], Seen]) -> Seen:
        """Remember a request, which gets its number."""
        with self._changed:
            seen = make(len(self._seen) + 1)
            self._seen.append(seen)
            self._open_now += 1
            self.most_open = max(self.most_open, self._open_now)
            self._changed.notify_all()
        return seen

    def change(self, seen: Seen, **values: object) -> None:
        """Change what is known of a request."""
        with self._changed:
            was_open = seen.ending == "open"
            for name, value in values.items():
                setattr(seen, name, value)
            if was_open and seen.ending != "open":
                self._open_now -= 1
                if self._told is not None:
                    self._told(seen)
            self._changed.notify_all()

    @property
    def all(self) -> list[Seen]:
        """Every request so far."""
        with self._changed:
            return list(self._seen)

    @property
    def turns(self) -> list[Seen]:
        """The chat requests that the server could read."""
        return [seen for seen in self.all if seen.asked is not None]

    def of(self, assistant_id: str) -> list[Seen]:
        """Give the chat requests to one assistant."""
        return [
            seen for seen in self.turns if seen.asked and seen.asked.assistant_id == assistant_id
        ]

    def to(self, path: str, method: str | None = None) -> list[Seen]:
        """Give the requests whose path ends so."""
        return [
            seen for seen in self.all if seen.path.endswith(path) and method in (None, seen.method)
        ]

    def wait(self, is_so: Callable[[], object], what: str = "what was expected") -> None:
        """Wait until something is so, which is looked at whenever a request changes.

        Raises:
            AssertionError: It never is.
        """
        with self._changed:
            happened = self._changed.wait_for(lambda: bool(is_so()), PATIENCE)
            rows = [f"{seen.method} {seen.path} {seen.ending}" for seen in self._seen[-20:]]
        assert happened, f"never seen: {what}; {rows}"

    def turn(self, assistant_id: str, ending: Ending | None = None) -> Seen:
        """Wait for the one turn of an assistant, and for how it ends."""
        self.wait(
            lambda: any(ending in (None, seen.ending) for seen in self.of(assistant_id)),
            f"a turn of {assistant_id} that is {ending or 'there'}",
        )
        (turn,) = self.of(assistant_id)
        return turn
