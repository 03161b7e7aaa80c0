"""How long an executor may give no result before the run stops waiting for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import define, field

if TYPE_CHECKING:
    from assay.model.case import Case
    from assay.settings.model import SuiteSettings

ALLOWANCE: Final = 600.0
"""Seconds that an executor may need beside attempts: to get machines, to replace lost ones."""


@define
class Patience:
    """Counts what an attempt may take at the longest, with all its pauses.

    Args:
        executor: Its name.
        parallel: How many attempts wait for one rate limit together.
        allowance: Seconds on top of it.
    """

    executor: str
    parallel: int
    allowance: float = ALLOWANCE
    _longest: float = field(default=0.0, init=False)

    @property
    def seconds(self) -> float:
        """Seconds between two results, at most."""
        return self._longest + self.allowance

    def see(self, case: Case, settings: SuiteSettings) -> None:
        """Reckon with a case that the executor is given."""
        interval = 0.0 if settings.rate is None else settings.rate.interval
        requests = (1 + len(case.checks)) * (1 + settings.retries)
        waits = requests * (settings.max_wait + interval * self.parallel)
        self._longest = max(self._longest, waits + (case.timeout or settings.timeout))
