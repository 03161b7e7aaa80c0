"""The ``http`` transport: any endpoint that takes JSON, without code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Self

from attrs import field, frozen

from assay import AgentError, ConfigError, Response, Secret, hookimpl
from assay.jsonvalue import JsonError, is_json, loads

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from jsonpath_rfc9535 import JSONPathQuery

    from assay import AgentInfo, AgentRef, Request, TransportType
    from assay_plugins.transports._http import HttpClient

_VALUES: Final = ("input", "messages", "chat_id", "user", "team", "metadata")
_UNSEEN: Final = frozenset(("reasoning", "tool_calls", "tool_results", "usage"))


class Http:
    """Sends a question to an address, as JSON made from a template, and reads the answer by a path.

    In the template, ``$input`` stands for the text of the last user message, ``$messages`` for the
    conversation in the form of chat completions, ``$chat_id``, ``$user`` and ``$team`` for these
    texts, ``$metadata`` for the case's metadata, and ``$$`` for a dollar sign.
    """

    name: ClassVar[str] = "http"

    @frozen(kw_only=True)
    class Settings:
        """``[transport.http]``."""

        method: Literal["POST", "PUT", "PATCH"] = "POST"
        headers: Mapping[str, Secret | str] = field(factory=dict[str, "Secret | str"])
        """``$NAME`` within a value stands for the variable of that name."""
        body: object = field(factory=lambda: {"input": "$input"})
        """The template, as a table or as JSON text."""
        answer: str | None = None
        """A JSON path without filters; None: the whole body is the answer."""
        ca_file: Path | None = None
        """A certificate (PEM) to trust beside those that are trusted anyway."""
        max_file_size: int = field(default=20_000_000, metadata={"unit": "size"})
        """Of one attachment."""

    def __init__(self, agent: AgentRef, settings: Settings | None = None) -> None:
        from assay_plugins.transports._http import HttpClient, address

        held = settings or self.Settings()
        self._method = held.method
        target = agent.target if "://" in agent.target else f"http:{agent.target}"
        self._url = address(target, f"-n {agent.name}")
        self._body = _template(held.body)
        self._path = None if held.answer is None else _path(held.answer)
        headers = {
            name: value.reveal() if isinstance(value, Secret) else value
            for name, value in held.headers.items()
        }
        _check_headers(headers)
        self._http: HttpClient = HttpClient(ca_file=held.ca_file, headers=headers)

    async def __aenter__(self) -> Self:
        """Connections are made when they are needed."""
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self._http.__aexit__(kind, error, trace)

    async def info(self) -> AgentInfo | None:
        """Nothing is known of an address."""
        return None

    async def send(self, request: Request) -> Response:
        """Ask.

        Raises:
            AgentError: The server answers with an error, or there is nothing at the path.
            TransportError: It cannot be reached, or its answer breaks off or is not JSON.
            RateLimited: It asks for a pause.
        """
        from assay_plugins.transports._http import check, json_of, read
        from assay_plugins.transports._template import fill

        body = fill(self._body, _values(request))
        async with self._http.stream(self._method, self._url, json=body) as response:
            await check(response)
            answer = await read(response)
        if self._path is None:
            return _whole(answer)
        return self._found(self._path, json_of(answer, self._url))

    def _found(self, path: JSONPathQuery, value: object) -> Response:
        """Give what is at the path: one value, or several as a list."""
        from assay.jsonvalue import compact
        from assay_plugins.transports._failures import brief, shown

        found: list[object] = [node.value for node in path.find(value)]  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - any JSON value is fine
        if not found:
            raise AgentError(
                f"{shown(self._url)}: the answer has nothing at {path}: {brief(compact(value))};"
                " mend answer in [transport.http]"
            )
        return _response(found[0] if len(found) == 1 else found)


def _values(request: Request) -> dict[str, object]:
    from assay_plugins.transports._attachments import message_to_send

    return {
        "input": request.text,
        "messages": [message_to_send(message, request.files) for message in request.messages],
        "chat_id": request.chat_id,
        "user": request.environment.user_id,
        "team": request.environment.team_id,
        "metadata": request.metadata,
    }


def _whole(body: bytes) -> Response:
    """Take a whole body as the answer: JSON where it is such, else text."""
    text = body.decode("utf-8-sig", "replace")
    try:
        return _response(loads(text))
    except JsonError:
        return Response(text=text, unknown=_UNSEEN)


def _response(value: object) -> Response:
    if isinstance(value, str):
        return Response(text=value, unknown=_UNSEEN)
    return Response(data=value, unknown=_UNSEEN)


def _template(body: object) -> object:
    from assay_plugins.transports._template import check_template

    where = "[transport.http] body"
    if isinstance(body, str):
        try:
            body = loads(body)
        except JsonError as error:
            mend = 'write a table, or JSON such as {"question": "$input"}'
            raise ConfigError(f"{where}: not JSON: {error}; {mend}") from error
    if not is_json(body):
        raise ConfigError(f"{where}: it holds what JSON does not know; put dates in quotes")
    check_template(body, _VALUES, where)
    return body


def _path(text: str) -> JSONPathQuery:
    from jsonpath_rfc9535 import JSONPathError, compile
    from jsonpath_rfc9535.selectors import FilterSelector

    where, mend = "[transport.http] answer", "write a path such as $.data.answer"
    before = "" if text.startswith("$") else "$" if text.startswith("[") else "$."
    try:
        path = compile(before + text)
    except JSONPathError as error:
        raise ConfigError(f"{where}: {text!r} is no JSON path: {error.args[0]}; {mend}") from error
    except (ValueError, OverflowError, RecursionError) as error:
        raise ConfigError(f"{where}: {text!r} is no JSON path; {mend}") from error
    for segment in path.segments:
        if any(isinstance(selector, FilterSelector) for selector in segment.selectors):
            # Their patterns could hang on what an agent answers.
            raise ConfigError(f"{where}: {text!r} holds a filter, which is not for here; {mend}")
    return path


def _check_headers(headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            raise ConfigError(f"[transport.http] headers: {name!r} is no name of a header")
        if any(sign in value for sign in "\r\n\0"):
            raise ConfigError(f"[transport.http] headers.{name}: a value must be a single line")


@hookimpl
def assay_transports() -> Sequence[TransportType]:
    """Offer ``http``."""
    return [Http]
