"""A record that is read: where the lines of each request are, and the lines themselves."""

from __future__ import annotations

from itertools import groupby
from typing import IO, TYPE_CHECKING, Final

from attrs import evolve, frozen

from assay import AgentInfo, ConfigError, from_json
from assay.escape import quoted
from assay.jsonvalue import is_object
from assay.places import Places
from assay.suggest import file_hint
from assay_plugins.wraps._content import compared, digest, place_of
from assay_plugins.wraps._entries import FORMAT, decoded, entry_from_line, environment_from

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay import Environment, Origin
    from assay_plugins.wraps._entries import Entry
    from assay_plugins.wraps._settings import RecordFile

_FAULTS: Final = 10
"""Wrong lines that are told."""
_ALIKE: Final = 200
"""Requests with one content that are looked at for the one to take."""
_NAMED: Final = 1_000
"""Cases whose ids are kept, to name one that is meant."""


@frozen(kw_only=True)
class Found:
    """The recorded tries at a request."""

    offsets: Sequence[int]
    """In the order in which they were made; not empty."""
    note: str | None = None
    """What a reader of the answer should know of how it was found."""


class Tape:
    """A record, which stays in its file: memory holds 48 bytes per request.

    Args:
        file: The record.
        told: Told in one sentence what the user should know.

    Raises:
        ConfigError: It cannot be read, or is no record.
    """

    def __init__(self, file: RecordFile, told: Callable[[str], None]) -> None:
        self.shown = file.shown
        """What messages call it."""
        self.agents: dict[str, AgentInfo | None] = {}
        """What preflights told, by the agents' ids."""
        self.cases: dict[str, None] = {}
        """The first cases."""
        self._path = file.path
        self._environments: dict[str, Environment] = {}
        self._own: dict[tuple[str, str, str], str | None] = {}
        """Who decided the identity of users for whom that was another than for most."""
        self._exact = Places()
        self._alike = Places()
        self._of_case = Places()
        self._taken: dict[int, int] = {}
        self._users = 0
        self._lines: IO[bytes] | None = None
        self._read(told)

    def enter(self) -> None:
        """A transport is about to be replayed.

        Raises:
            ConfigError: The file is gone.
        """
        if self._lines is None:
            self._lines = self._opened()
        self._users += 1

    def leave(self) -> None:
        """A transport is closed; behind the last one the file is, too."""
        self._users -= 1
        if not self._users and self._lines is not None:
            self._lines.close()
            self._lines = None

    def __len__(self) -> int:
        return len(self._exact)

    def find(self, agent: str, origin: Origin, content: Mapping[str, object]) -> Found | None:
        """Find what was recorded of a request.

        First by case, attempt and what else names it, where the content agrees; else by the
        content alone.

        Args:
            agent: Who is asked.
            origin: Which part of the run asks.
            content: As ``content_of`` gives it.
        """
        exact = self._exact.find(_exact(agent, origin, content))
        if exact:
            return Found(offsets=exact)
        if not content:
            return None
        alike = self._alike.find(_alike(agent, content))
        return self._chosen(alike, origin) if alike else None

    def take(self, found: Found, agent: str, origin: Origin) -> Entry:
        """Give the next try of those that were found; the last one again when there are no more.

        Args:
            found: What ``find`` gave.
            agent: Who is asked.
            origin: Which part of the run asks.
        """
        offsets = found.offsets
        if len(offsets) == 1:
            return self.at(offsets[0])
        asker = digest(agent, *place_of(origin), offsets[0])
        number = self._taken.get(asker, 0)
        self._taken[asker] = number + 1
        return self.at(offsets[min(number, len(offsets) - 1)])

    def of_case(self, case: str, most: int) -> list[Entry]:
        """Give the first entries of a case, of any suite, attempt and agent."""
        return [self.at(offset) for offset in self._of_case.find(digest(case))[:most]]

    def identify(self, agent: str, environment: Environment) -> Environment:
        """Say in which environment an agent was really asked where this was asked for."""
        known = self._environments.get(agent)
        if known is None:
            return environment
        own = (agent, environment.user_id, environment.team_id)
        return evolve(
            known,
            user_id=environment.user_id,
            team_id=environment.team_id,
            locale=environment.locale,
            identity=self._own.get(own, known.identity),
        )

    def at(self, offset: int) -> Entry:
        """Read the entry that begins at a place of the file.

        Raises:
            ValueError: The file was changed since it was looked through.
        """
        assert self._lines is not None
        self._lines.seek(offset)
        return entry_from_line(decoded(self._lines.readline().decode()))

    def _chosen(self, alike: Sequence[int], origin: Origin) -> Found:
        """Choose among requests with one content, in a way that is the same each time."""
        known = [(offset, self.at(offset)) for offset in alike[:_ALIKE]]
        known.sort(key=lambda pair: (place_of(pair[1].origin), pair[0]))
        groups = [
            [(offset, entry) for offset, entry in group]
            for _, group in groupby(known, key=lambda pair: place_of(pair[1].origin))
        ]
        best = min(
            range(len(groups)),
            key=lambda number: (
                groups[number][0][1].origin.purpose != origin.purpose,
                groups[number][0][1].origin.case != origin.case,
                groups[number][0][1].origin.suite != origin.suite,
                groups[number][0][1].origin.attempt != origin.attempt,
                number,
            ),
        )
        found = groups[best][0][1].origin
        of = f" of {found.suite}" if found.suite != origin.suite else ""
        return Found(
            offsets=sorted(offset for offset, _ in groups[best]),
            note=f"replayed from {named(found)}{of}, which asked the same",
        )

    def _opened(self) -> IO[bytes]:
        try:
            return self._path.open("rb")
        except OSError as error:
            mend = file_hint(self._path, "name a file that --record wrote")
            raise ConfigError(
                f"--replay {self.shown}: it cannot be read: {error.strerror}; {mend}"
            ) from error

    def _read(self, told: Callable[[str], None]) -> None:
        faults: list[str] = []
        offset = 0
        with self._opened() as lines:
            for number, data in enumerate(lines, 1):
                try:
                    self._line(decoded(data.decode()), number, offset)
                except ValueError as error:
                    if number > 1 and not data.endswith(b"\n"):
                        told(f"{self.shown}: its last line is torn, and left out")
                        break
                    if number == 1:
                        raise ConfigError(
                            f"--replay {self.shown}: it is not a record: its first line is"
                            f" wrong ({error}); name a file that --record wrote"
                        ) from error
                    faults.append(f"{self.shown}:{number}: {error}")
                    if len(faults) == _FAULTS:
                        break
                offset += len(data)
        if faults:
            raise ConfigError(f"--replay {self.shown}: it cannot be read; record it again", faults)
        if not offset:
            raise ConfigError(
                f"--replay {self.shown}: it is empty; name a file that --record wrote"
            )

    def _line(self, line: Mapping[str, object], number: int, offset: int) -> None:
        kind = line.get("type")
        if number == 1:
            _check_head(line)
        elif kind == "agent":
            self._agent(line)
        elif kind == "send":
            self._entry(entry_from_line(line), offset)
        else:
            raise ValueError(f"type: {kind!r} is neither 'agent' nor 'send'")

    def _agent(self, line: Mapping[str, object]) -> None:
        name, environment, info = line.get("agent"), line.get("environment"), line.get("info")
        if not isinstance(name, str) or not is_object(environment):
            raise ValueError("agent and environment: expected a text and an object")
        self._environments.setdefault(name, environment_from(environment))
        self.agents.setdefault(name, None if info is None else from_json(AgentInfo, info))

    def _entry(self, entry: Entry, offset: int) -> None:
        agent, origin, content = entry.agent, entry.origin, entry.request
        self._exact.add(_exact(agent, origin, content), offset)
        self._alike.add(_alike(agent, content), offset)
        self._of_case.add(digest(origin.case), offset)
        self.agents.setdefault(agent, None)
        if len(self.cases) < _NAMED:
            self.cases[origin.case] = None
        known, asked = self._environments.get(agent), content.get("environment")
        if known is not None and is_object(asked) and asked.get("identity") != known.identity:
            own = environment_from(asked)
            self._own[agent, own.user_id, own.team_id] = own.identity


def named(origin: Origin) -> str:
    """Name a request as a user would."""
    if origin.purpose == "reporter":
        return "the request for a report"
    turn = f", turn {origin.turn}" if origin.turn != 1 else ""
    of = "the judge of " if origin.purpose == "judge" else ""
    return f"{of}case {quoted(origin.case)}, attempt {origin.attempt}{turn}"


def _check_head(line: Mapping[str, object]) -> None:
    if line.get("type") != "record":
        raise ValueError("its type is not 'record'")
    found = line.get("format")
    if found != FORMAT:
        raise ValueError(f"its format is {found!r}, and this version of assay reads {FORMAT}")


def _exact(agent: str, origin: Origin, content: Mapping[str, object]) -> int:
    return digest(agent, *place_of(origin), compared(content))


def _alike(agent: str, content: Mapping[str, object]) -> int:
    return digest(agent, compared(content))
