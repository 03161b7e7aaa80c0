"""The ``command`` transport: a program that is run once per request."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Self

from attrs import field, frozen, validators

from assay import AgentError, ConfigError, Response, TransportError, hookimpl, process, to_json
from assay.jsonvalue import JsonError, dumps, is_object, loads

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from assay import AgentInfo, AgentRef, Request, TransportType

_ENVELOPE: Final = frozenset({"text", "data"})
_LAST_LINES: Final = 5


class Command:
    """Runs a program per request: the request as JSON on its stdin, the answer on its stdout.

    An answer is text, or a JSON object of ``text`` and ``data`` (either may be missing) and
    nothing else. A program that ends with another exit code than 0 has failed; the end of what
    it wrote to stderr says why. On timeout it is killed with all that it started.
    """

    name: ClassVar[str] = "command"

    @frozen(kw_only=True)
    class Settings:
        """The table ``[transport.command]``."""

        max_output: int = field(
            default=20_000_000, validator=validators.ge(1), metadata={"unit": "size"}
        )
        """The longest answer, written as ``"20MB"``; a program that writes more is ended."""

    def __init__(self, agent: AgentRef, settings: Settings) -> None:
        try:
            self._command = shlex.split(agent.target)
        except ValueError as exc:
            raise ConfigError(f"command:{agent.target}: {exc}; close the quotes") from exc
        if not self._command:
            raise ConfigError("command: names no program; write command:PROGRAM ARGUMENTS")
        self._folder = agent.base or Path.cwd()
        self._most = settings.max_output

    async def __aenter__(self) -> Self:
        """Nothing is opened: each request starts its own program."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is held."""

    async def info(self) -> AgentInfo | None:
        """Look whether there is such a program.

        Raises:
            ConfigError: There is none.
        """
        program = self._command[0]
        # A path is relative to the agent's folder; a bare name is looked for in PATH.
        is_path = Path(program).name != program
        if shutil.which(self._folder / program if is_path else program) is None:
            raise ConfigError(f"command: no program {program}; check the path, or install it")
        return None

    async def send(self, request: Request) -> Response:
        """Run the program; it is killed when this is cancelled.

        Raises:
            AgentError: It failed, or wrote too much, or no UTF-8.
            TransportError: It could not be started.
        """
        program = self._command[0]
        data = dumps(to_json(request)).encode()
        try:
            done = await process.run(self._command, data=data, most=self._most, cwd=self._folder)
        except OSError as exc:
            raise TransportError(f"{program} could not be started: {exc}") from exc
        if done.is_cut:
            raise AgentError(f"{program} wrote more than {self._most} bytes; raise max_output")
        if done.returncode != 0:
            end = process.describe_end(done.returncode)
            raise AgentError(f"{program} {end}{_last_lines(done.errors)}")
        try:
            return _answer(done.output.decode())
        except UnicodeDecodeError as exc:
            raise AgentError(f"{program} wrote what is not UTF-8: {exc.reason}") from exc


def _answer(text: str) -> Response:
    """Read an answer. JSON of another form is the agent's own, and stays text."""
    try:
        value = loads(text)
    except JsonError:
        return Response(text=text.removesuffix("\n"))
    if not is_object(value) or not value or not value.keys() <= _ENVELOPE:
        return Response(text=text.removesuffix("\n"))
    said = value.get("text", "")
    if not isinstance(said, str):
        raise AgentError('the "text" of the answer is not text; "data" may be any JSON value')
    if "data" in value:
        return Response(text=said, data=value["data"])
    return Response(text=said)


def _last_lines(errors: bytes) -> str:
    """Give the last lines of stderr, as the end of a sentence."""
    lines = errors.decode(errors="replace").strip().splitlines()
    return ": " + "\n".join(lines[-_LAST_LINES:]) if lines else ""


@hookimpl
def assay_transports() -> Sequence[TransportType]:
    """Offer ``command``."""
    return [Command]
