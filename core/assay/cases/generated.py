"""Suites that no file holds: a direct message, and cases handed over from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import ConfigError
from assay.jsonvalue import dumps, loads
from assay.model.case import Entry, Suite, Where

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from assay.cases.spool import Spool

MESSAGE_ID = "T001"
"""The id of the case that a direct message becomes."""


def message_suite(text: str, assertions: Sequence[Mapping[str, object]]) -> Suite:
    """Make a suite of one case of a direct message."""
    raw: dict[str, object] = {"id": MESSAGE_ID, "input": text}
    if assertions:
        raw["assert"] = list(assertions)

    def entries() -> Iterator[Entry]:
        yield Entry(where=Where("message"), value=dict(raw))

    return Suite(key="message", entries=entries, message=text)


def generated_suite(cases: Iterable[Mapping[str, object]], key: str, spool: Spool) -> Suite:
    """Make a suite of cases, which are iterated once and kept in a temporary file.

    Args:
        cases: Each a JSON object with the fields of a case line.
        key: What reports call the suite.
        spool: Holds the file.

    Raises:
        ConfigError: A case is no JSON value.
    """
    path = spool.file(f"{key}.jsonl")
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, case in enumerate(cases, 1):
            try:
                file.write(dumps(case) + "\n")
            except (TypeError, ValueError) as error:
                raise ConfigError(f"{key}:{number}: not a JSON object: {error}") from error

    def entries() -> Iterator[Entry]:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                yield Entry(where=Where(key, number), value=loads(line))

    return Suite(key=key, entries=entries)
