"""What was asked and answered in an attempt, as part of its line, and back.

What can be told from the case is left out: a line holds the conversation that was sent only
where it is not the case's own input, and the answer's text only where it is not the output.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from assay.absent import ABSENT
from assay.codec.answers import add_details, read_details, tries_from_json, try_to_json
from assay.codec.encode import encode
from assay.codec.narrow import flag, table, tables, text_or, text_or_none
from assay.codec.wire import (
    DEFAULT_ENVIRONMENT,
    environment_from_json,
    environment_to_json,
    message_to_json,
    messages_from_json,
    origin_from_json,
)
from assay.model.exchange import Exchange, Origin, Request, Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.codec.narrow import Line
    from assay.model.case import Case, Environment
    from assay.model.result import Attempt


def add_exchanges(line: dict[str, object], attempt: Attempt, case: Case, suite: str) -> None:
    """Add to a line what was asked and answered.

    A single exchange is written as ``chat_id``, ``request``, ``response`` and ``tries`` of the
    line itself, several as a list ``exchanges`` of such objects. Where no answer came, the line
    has ``tries`` alone.
    """
    if attempt.unreached:
        line["unreached"] = True
    if attempt.tries:
        line["tries"] = [try_to_json(tried) for tried in attempt.tries]
    exchanges = attempt.exchanges
    if len(exchanges) == 1:
        _add_exchange(line, exchanges[0], attempt, _origin(case, suite, attempt.number, 1), case)
    elif exchanges:
        entries: list[dict[str, object]] = [{} for _ in exchanges]
        for turn, (entry, exchange) in enumerate(zip(entries, exchanges, strict=True), 1):
            origin = _origin(case, suite, attempt.number, turn)
            _add_exchange(entry, exchange, attempt, origin, case)
        line["exchanges"] = entries


def exchanges_from_json(line: Line, number: int, case: Case, suite: str) -> tuple[Exchange, ...]:
    """Read what was asked and answered in the attempt of a number.

    Raises:
        ValueError: The line is none of an attempt.
    """
    entries = (line,) if "response" in line else tables(line, "exchanges")
    output = line.get("output", ABSENT)
    return tuple(
        [
            _exchange_from_json(entry, output, _origin(case, suite, number, turn), case)
            for turn, entry in enumerate(entries, 1)
        ]
    )


def _origin(case: Case, suite: str, attempt: int, turn: int) -> Origin:
    return Origin(suite=suite, case=case.id, attempt=attempt, turn=turn)


def _add_exchange(
    line: dict[str, object], exchange: Exchange, attempt: Attempt, origin: Origin, case: Case
) -> None:
    request = exchange.request
    if request.chat_id:
        line["chat_id"] = request.chat_id
    own = _own_of_request(request, origin, case)
    if own:
        line["request"] = own
    line["response"] = _answer(exchange.response, attempt.output)
    if exchange.tries:
        line["tries"] = [try_to_json(tried) for tried in exchange.tries]


def _exchange_from_json(line: Line, output: object, origin: Origin, case: Case) -> Exchange:
    response = _answer_from_json(table(line, "response"), output)
    asked = table(line, "request")
    request = Request(
        messages=messages_from_json(asked, "messages") if "messages" in asked else case.messages,
        environment=environment_from_json(table(asked, "environment")),
        chat_id=text_or(line, "chat_id", ""),
        connector=text_or_none(asked, "connector"),
        metadata=table(asked, "metadata") if "metadata" in asked else _sent_metadata(case),
        options=table(asked, "options") if "options" in asked else case.options,
        origin=origin_from_json(table(asked, "origin"), origin),
    )
    return Exchange(request=request, response=response, tries=tries_from_json(line))


def _own_of_request(request: Request, origin: Origin, case: Case) -> dict[str, object]:
    """What a request holds that its case does not say."""
    own: dict[str, object] = {}
    if request.messages is not case.messages and request.messages != case.messages:
        own["messages"] = [message_to_json(message) for message in request.messages]
    if request.environment != DEFAULT_ENVIRONMENT:
        own["environment"] = _differing(request.environment)
    if request.connector is not None:
        own["connector"] = request.connector
    if not is_same(request.metadata, _sent_metadata(case)):
        own["metadata"] = request.metadata
    if not is_same(request.options, case.options):
        own["options"] = request.options
    if request.origin != origin:
        own["origin"] = {
            name: value
            for name in ("suite", "case", "attempt", "turn", "purpose")
            if (value := getattr(request.origin, name)) != getattr(origin, name)
        }
    return own


def _differing(environment: Environment) -> dict[str, object]:
    written = environment_to_json(environment)
    return {name: value for name, value in written.items() if _USUAL.get(name) != value}


_USUAL: Final = environment_to_json(DEFAULT_ENVIRONMENT)


def _sent_metadata(case: Case) -> Mapping[str, object]:
    over = case.options.get("metadata")
    if isinstance(over, dict) and over:
        return {**case.metadata, **cast("dict[str, object]", over)}
    return case.metadata


def is_same(first: Mapping[str, object], second: Mapping[str, object]) -> bool:
    """Whether two JSON objects are the same to the letter: ``1`` and ``1.0`` are not."""
    if first is second or not (first or second):
        return True
    return first == second and encode(first) == encode(second)


def _answer(response: Response, output: object) -> dict[str, object]:
    """Write a response beside the output that was made of it.

    ``structured`` says that the output is its data. Without ``text``, the text is the output,
    or empty when the output is no text or is the data.
    """
    line: dict[str, object] = {}
    implied = output if isinstance(output, str) else ""
    if response.data is not ABSENT:
        implied = ""
        if response.data is output:
            line["structured"] = True
        else:
            line["data"] = response.data
    if response.text != implied:
        line["text"] = response.text
    add_details(line, response)
    return line


def _answer_from_json(line: Line, output: object) -> Response:
    implied = output if isinstance(output, str) else ""
    if not line:
        return Response(text=implied)
    if flag(line, "structured"):
        return read_details(line, text_or(line, "text", ""), output)
    if "data" in line:
        return read_details(line, text_or(line, "text", ""), line["data"])
    return read_details(line, text_or(line, "text", implied), ABSENT)
