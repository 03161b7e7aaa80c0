"""The ``tap`` reporter: the Test Anything Protocol, version 14.

https://testanything.org/tap-version-14-specification.html
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, ClassVar, Final

from assay import PageReporter, hookimpl
from assay.jsonvalue import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay import CaseResult, Report

# What ends a line for some reader, steers a terminal or changes the direction of text.
_CONTROL: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_LONGEST_MESSAGE: Final = 2_000


class Tap:
    """Writes a line per case, and a YAML block below those that did not pass."""

    name: ClassVar[str] = "tap"
    suffixes: ClassVar[tuple[str, ...]] = (".tap",)

    def __init__(self, settings: None = None) -> None:
        """Core hands over None: the class has no ``Settings``."""

    def write(self, report: Report, out: IO[str]) -> None:
        """Write the report."""
        several = len(report.info.suites) > 1
        out.write("TAP version 14\n")
        number = 0
        for number, result in enumerate(report.cases, 1):
            out.writelines(f"{line}\n" for line in _lines(number, result, several))
        # The plan may stand last, where the number of lines is known for certain.
        out.write(f"1..{number}\n")
        if report.summary.stopped is not None:
            out.write(f"Bail out! {_plain(report.summary.stopped)}\n")


def _lines(number: int, result: CaseResult, several: bool) -> Iterator[str]:
    name = f"{result.suite}: {result.case.id}" if several else result.case.id
    point = f"{number} - {_plain(name)}"
    if result.status == "skipped":
        yield f"ok {point} # SKIP {_plain(result.reason or '')}".rstrip()
    elif result.status == "passed":
        yield f"ok {point}"
    else:
        yield f"not ok {point}"
        yield "  ---"
        yield from (f"  {key}: {_yaml(value)}" for key, value in _details(result).items())
        yield "  ..."


def _details(result: CaseResult) -> dict[str, object]:
    """Tell why a case did not pass."""
    details: dict[str, object] = {"status": result.status, "duration_ms": result.duration_ms}
    if result.shown is not None and result.shown.error:
        details["message"] = result.shown.error[:_LONGEST_MESSAGE]
    if result.several and result.stability is not None:
        details["pass_rate"] = result.stability.pass_rate
    return details


def _plain(text: str) -> str:
    """Make text safe for a test point, where backslashes and ``#`` mean something."""
    return _escaped(text.replace("\\", "\\\\").replace("#", "\\#"))


def _yaml(value: object) -> str:
    """Write a value as JSON on one line, which YAML reads alike."""
    return _escaped(dumps(value))


def _escaped(text: str) -> str:
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter]]:
    """Offer ``tap``."""
    return [Tap]
