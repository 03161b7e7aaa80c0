"""Which cases of a suite are part of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from assay.cases.ids import digest

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    from assay.model.case import Case
    from assay.settings.shard import Shard


@frozen(kw_only=True)
class Selection:
    """What selects cases."""

    run: re.Pattern[str] | None = None
    """Found in the id."""
    tags: tuple[str, ...] = ()
    """A case that bears any of them is selected."""
    chain: Callable[[Iterator[Case]], Iterator[Case]] | None = None
    """The selectors of plugins, one after the other."""
    shard: Shard | None = None
    """The part of the selected cases that runs here; ``in_shard`` tells which they are."""

    def __call__(self, cases: Iterator[Case]) -> Iterator[Case]:
        """Give the selected cases of all shards, lazily."""
        if self.run is not None or self.tags:
            cases = (case for case in cases if self._keeps(case))
        return cases if self.chain is None else self.chain(cases)

    def in_shard(self, case_id: str) -> bool:
        """Whether a case runs in this shard: by its id alone, so that others change nothing."""
        shard = self.shard
        return shard is None or digest(case_id) % shard.count == shard.number - 1

    def describe(self) -> str:
        """Say in the words of the command line what was asked for."""
        parts = [f"--run {self.run.pattern}"] if self.run is not None else []
        parts += [f"--tag {tag}" for tag in self.tags]
        return " ".join(parts)

    def _keeps(self, case: Case) -> bool:
        if self.run is not None and not self.run.search(case.id):
            return False
        return not self.tags or not set(self.tags).isdisjoint(case.tags)
