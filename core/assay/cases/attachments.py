"""The files that cases attach, looked at before any agent is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from assay.codec.faults import Fault
from assay.model.files import FileProblem, file_urls

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.model.case import Case
    from assay.model.files import FileAccess

MOST_SEEN = 10_000
"""How many files are remembered: a million cases with one each must not fill the memory."""


@define(eq=False)
class Attachments:
    """Looks at the attachments of one suite's cases; each file once.

    Args:
        find_access: Gives which files may be named; asked when the first one is.
    """

    find_access: Callable[[], FileAccess]
    _access: FileAccess | None = field(default=None, init=False)
    _seen: dict[str, FileProblem | None] = field(
        factory=dict[str, "FileProblem | None"], init=False
    )

    def look(self, case: Case) -> Iterator[Fault]:
        """Give a fault for each file of a case that cannot be used."""
        for index, message in enumerate(case.messages):
            if not isinstance(message.content, tuple):
                continue
            listed = isinstance(case.input, list)
            path = f"input[{index}].content" if listed else "input.content"
            for number, part in enumerate(message.content):
                for below, url in file_urls(part):
                    problem = self._problem(url)
                    if problem is not None:
                        yield Fault(
                            where=case.where,
                            field=f"{path}[{number}]{below}",
                            what=problem.what,
                            mend=problem.mend,
                        )

    def _problem(self, url: str) -> FileProblem | None:
        if self._access is None:
            self._access = self.find_access()
        if url not in self._seen:
            if len(self._seen) >= MOST_SEEN:
                self._seen.clear()
            try:
                self._access.path(url)
            except FileProblem as problem:
                self._seen[url] = problem
            else:
                self._seen[url] = None
        return self._seen[url]
