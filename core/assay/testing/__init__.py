"""Contract checks that the author of a plugin calls from pytest, one per kind.

Each raises ``AssertionError`` with the rule that is broken::

    from assay.testing import check_assertion

    def test_contract() -> None:
        check_assertion(MaxWords, good=[{"value": 3}], bad=[{"value": -1}, {}])
"""

from __future__ import annotations

from assay.testing.assertion import check_assertion
from assay.testing.executor import check_executor
from assay.testing.hostile import HOSTILE_TEXTS, HOSTILE_VALUES
from assay.testing.loader import check_loader
from assay.testing.reporter import check_reporter
from assay.testing.runs import hostile_report, large_report, report_of
from assay.testing.script import check_script_engine
from assay.testing.transport import check_transport
from assay.testing.wrap import check_wrap

__all__ = [
    "HOSTILE_TEXTS",
    "HOSTILE_VALUES",
    "check_assertion",
    "check_executor",
    "check_loader",
    "check_reporter",
    "check_script_engine",
    "check_transport",
    "check_wrap",
    "hostile_report",
    "large_report",
    "report_of",
]
