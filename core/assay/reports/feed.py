"""Gives what happens in a run to the reporters that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from assay.contracts import Closing
from assay.running.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from assay.contracts import ReportContext, StreamReporter
    from assay.model.report import RunInfo, Summary
    from assay.model.result import Attempt, CaseResult
    from assay.reports.installed import InstalledReporter
    from assay.running.watch import Stage


FEEDING: Final = "telling reporter"
"""How the stages of this module begin."""

SECONDS: Final = 60.0
"""How long a reporter may take for one thing that it is told."""


class Feed:
    """Stream reporters. One that raises is told and dropped; the others go on.

    Args:
        installed: Classes of stream reporters.
        context: What they are told when they are made.
        settings: Gives the settings of a reporter.
        told: Told in one sentence which reporter failed.
        watch: Told of what is under way.
    """

    def __init__(
        self,
        installed: Iterable[InstalledReporter],
        context: ReportContext,
        settings: Callable[[InstalledReporter], object],
        told: Callable[[str], None],
        watch: Watch | None = None,
    ) -> None:
        self._told = told
        self._watch = watch or Watch()
        self._shown: list[tuple[InstalledReporter, StreamReporter]] = []
        # Wrong settings end the run: nothing is made before all of them are known.
        for one, given in [(one, settings(one)) for one in installed]:
            make = cast("Callable[[ReportContext, object], StreamReporter]", one.type)
            stage = self._enter(one)
            try:
                self._shown.append((one, make(context, given)))
            except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a plugin raises
                told(one.failure(error))
            finally:
                self._watch.leave(stage)

    def start(self, info: RunInfo) -> None:
        """The run starts."""
        self._each(lambda reporter: reporter.start(info))

    def attempt(self, result: CaseResult, attempt: Attempt) -> None:
        """An attempt of a case with several runs has finished."""
        self._each(lambda reporter: reporter.attempt(result, attempt))

    def result(self, result: CaseResult) -> None:
        """A case is done."""
        self._each(lambda reporter: reporter.result(result))

    def finish(self, summary: Summary) -> None:
        """The run is over, its reports are not written yet."""
        self._each(lambda reporter: reporter.finish(summary))

    def written(self, paths: Sequence[str]) -> None:
        """The reports stand at these paths."""
        self._each(lambda reporter: reporter.written(paths))

    def close(self) -> None:
        """Nothing will be told any more, whether the run came to its end or broke off."""
        while self._shown:
            self._let_go(*self._shown.pop(0))

    def _each(self, tell: Callable[[StreamReporter], None]) -> None:
        for shown in tuple(self._shown):
            stage = self._enter(shown[0])
            try:
                tell(shown[1])
            except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a plugin raises
                self._shown.remove(shown)
                # First, so that no live line gets into the message.
                self._let_go(*shown)
                self._told(shown[0].failure(error))
            finally:
                self._watch.leave(stage)

    def _enter(self, one: InstalledReporter) -> Stage:
        return self._watch.enter(f"{FEEDING} {one.word!r}", SECONDS, blocks=True)

    def _let_go(self, one: InstalledReporter, reporter: StreamReporter) -> None:
        if not isinstance(reporter, Closing):
            return
        stage = self._enter(one)
        try:
            reporter.close()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a plugin raises
            self._told(one.failure(error))
        finally:
            self._watch.leave(stage)


def wanted(
    installed: Iterable[InstalledReporter],
    environ: Mapping[str, str],
    told: Callable[[str], None],
) -> tuple[InstalledReporter, ...]:
    """The stream reporters that are on by themselves.

    Args:
        installed: All reporters.
        environ: The variables of the process.
        told: Told in one sentence which reporter failed; it is not on then.
    """
    found: list[InstalledReporter] = []
    for one in installed:
        if one.is_page:
            continue
        try:
            if cast("type[StreamReporter]", one.type).wanted(environ):
                found.append(one)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a plugin raises
            told(one.failure(error))
    return tuple(found)
