"""The ``echo`` transport: answers without an agent, to try case files and plugins out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from attrs import frozen

from assay import AgentError, ConfigError, Response, hookimpl
from assay.jsonvalue import is_object
from assay.suggest import hint
from assay_plugins._lines import read_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from assay import AgentInfo, AgentRef, Entry, Request, TransportType

_KEYS = ("match", "output")
_MEND = 'write {"match": "…", "output": …}'


@frozen
class _Canned:
    """An answer, and the part of a message that it is for."""

    match: str
    response: Response


class Echo:
    """Answers with the last user message, or with the canned answers of a file.

    The file holds JSON lines ``{"match": "…", "output": …}``; the first whose ``match`` is the
    last user message, or part of it, answers. An empty ``match`` is part of every message.
    """

    name: ClassVar[str] = "echo"

    def __init__(self, agent: AgentRef, settings: None = None) -> None:
        self._file = agent.target
        self._base = agent.base
        self._canned: tuple[_Canned, ...] = ()

    async def __aenter__(self) -> Self:
        """Read the canned answers.

        Raises:
            ConfigError: The file cannot be read, or is not of the form above.
        """
        if self._file:
            path = (self._base or Path.cwd()) / self._file
            self._canned = _read(path, self._file)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is held."""

    async def info(self) -> AgentInfo | None:
        """There is nothing to know."""
        return None

    async def send(self, request: Request) -> Response:
        """Answer.

        Raises:
            AgentError: No canned answer is for the message.
        """
        text = request.text
        if not self._file:
            return Response(text=text)
        for canned in self._canned:
            if canned.match in text:
                return canned.response
        raise AgentError(f"echo:{self._file} has no answer to {_short(text)!r}; add a line for it")


def _read(path: Path, name: str) -> tuple[_Canned, ...]:
    faults: list[str] = []
    canned: list[_Canned] = []
    for entry in read_lines(path, name):
        problem = f"{entry.problem}; {entry.mend}" if entry.problem else _problem(entry)
        if problem:
            faults.append(f"{entry.where}: {problem}")
        elif is_object(entry.value):
            canned.append(_canned(str(entry.value["match"]), entry.value["output"]))
    if faults:
        raise ConfigError(f"echo:{name}: the canned answers cannot be read", faults)
    if not canned:
        raise ConfigError(f"{name}: holds no canned answers; {_MEND}")
    return tuple(canned)


def _problem(entry: Entry) -> str | None:
    """Say what is wrong with a line, if anything is."""
    value = entry.value
    if not is_object(value):
        return f"not an object; {_MEND}"
    for key in value:
        if key not in _KEYS:
            return f"unknown key {key!r}; {hint(key, _KEYS)}"
    for key in _KEYS:
        if key not in value:
            return f"{key!r} is missing; {_MEND}"
    return None if isinstance(value["match"], str) else "'match' must be text; put it in quotes"


def _canned(match: str, output: object) -> _Canned:
    if isinstance(output, str):
        return _Canned(match, Response(text=output))
    return _Canned(match, Response(data=output))


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"


@hookimpl
def assay_transports() -> Sequence[TransportType]:
    """Offer ``echo``."""
    return [Echo]
