"""The first reading of a suite: all its faults, its ids, its needs, how many cases will run."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from attrs import define, field, frozen

from assay.cases.ids import Ids, digest
from assay.codec.faults import Fault
from assay.escape import quoted
from assay.jsonvalue import is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.cases.attachments import Attachments
    from assay.cases.needs import Needs
    from assay.cases.select import Selection
    from assay.codec.cases import CaseReader
    from assay.model.case import Case, Entry, Suite, Where

MOST_FAULTS = 1000
"""How many faults are kept: a file of another kind must not fill the memory."""


@frozen(kw_only=True)
class Scan:
    """What the first reading found."""

    written: int
    """Cases in the source."""
    matching: int
    """Cases that the filters leave, in all shards."""
    matching_skipped: int
    """Matching cases that say ``skip``."""
    selected: int
    """Matching cases of this shard: they are the run."""
    skipped: int
    """Selected cases that say ``skip``."""
    unasserted: int
    """Selected cases without any check."""
    first_unasserted: Where | None
    hashes: array[int]
    """One per selected case, in order: the second reading must find the same."""


@define(eq=False)
class Faults:
    """Faults and warnings of all suites, bounded."""

    faults: list[Fault] = field(factory=list[Fault], init=False)
    more: int = 0
    _odd: dict[str, Fault] = field(factory=dict[str, Fault], init=False)
    _odd_counts: dict[str, int] = field(factory=dict[str, int], init=False)

    def add(self, fault: Fault) -> None:
        """Note a fault."""
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(fault)
        else:
            self.more += 1

    def warn(self, fault: Fault) -> None:
        """Note a warning; the same one on many lines is told once, with their number."""
        key = f"{fault.where.file} {fault.field} {fault.what}"
        self._odd.setdefault(key, fault)
        self._odd_counts[key] = self._odd_counts.get(key, 0) + 1

    def sort(self, start: int) -> None:
        """Put the faults from a place on into the order of their lines."""
        self.faults[start:] = sorted(self.faults[start:], key=lambda fault: fault.where.line or 0)

    def heading(self) -> str:
        """Say what the lines below are."""
        count = len(self.faults) + self.more
        return f"{count} {'fault' if count == 1 else 'faults'} in the cases; no agent was asked"

    def lines(self) -> list[str]:
        """Give one line per fault, and how many more there are."""
        listed = [str(fault) for fault in self.faults]
        return [*listed, f"… and {self.more} more"] if self.more else listed

    def warnings(self) -> list[str]:
        """Give one line per kind of warning."""
        lines: list[str] = []
        for key, fault in self._odd.items():
            count = self._odd_counts[key]
            lines.append(f"{fault} (on {count} lines)" if count > 1 else str(fault))
        return lines


def scan(
    suite: Suite,
    reader: CaseReader,
    needs: Needs,
    attachments: Attachments,
    selection: Selection,
    faults: Faults,
    found: Callable[[int, Case], None] | None = None,
) -> Scan:
    """Read a suite for the first time.

    Args:
        suite: The suite.
        reader: Reads its cases.
        needs: Finds what their checks need.
        attachments: Looks for the files that they attach.
        selection: Which of them run.
        faults: What is wrong with them is added here.
        found: Told of each case that runs, with its place among the cases that the filters leave.
    """
    ids = Ids()
    written = 0
    first_fault = len(faults.faults)

    def good_cases() -> Iterator[Case]:
        nonlocal written
        for entry in suite.entries():
            reading = reader.read(entry)
            for fault in reading.faults:
                faults.add(fault)
            for odd in reading.warnings:
                faults.warn(odd)
            written += 1
            case_id = id_of(entry)
            if case_id:
                ids.add(case_id)
            case = reading.case
            if case is None:
                continue
            if case.checks:
                for fault in needs.look(case):
                    faults.add(fault)
            for fault in attachments.look(case):
                faults.add(fault)
            yield case

    matching = matching_skipped = selected = skipped = unasserted = 0
    first_unasserted: Where | None = None
    hashes = array("Q")
    cases = good_cases()
    for case in selection(cases):
        matching += 1
        matching_skipped += case.skip
        if not selection.in_shard(case.id):
            continue
        selected += 1
        skipped += case.skip
        if not case.has_checks:
            unasserted += 1
            first_unasserted = first_unasserted or case.where
        hashes.append(case.digest)
        if found is not None:
            found(matching - 1, case)
    for _ in cases:
        # A selector may stop early: the faults of the rest are told all the same.
        pass
    _tell_duplicates(suite, ids.duplicates(), faults)
    faults.sort(first_fault)
    return Scan(
        written=written,
        matching=matching,
        matching_skipped=matching_skipped,
        selected=selected,
        skipped=skipped,
        unasserted=unasserted,
        first_unasserted=first_unasserted,
        hashes=hashes,
    )


def _tell_duplicates(suite: Suite, duplicates: set[int], faults: Faults) -> None:
    if not duplicates:
        return
    first: dict[str, Where] = {}
    for entry in suite.entries():
        case_id = id_of(entry)
        if not case_id or digest(case_id) not in duplicates:
            continue
        if case_id in first:
            faults.add(
                Fault(
                    where=entry.where,
                    field="id",
                    what=f"{quoted(case_id)} is the id of line {first[case_id].line} too",
                    mend="give each case an id of its own",
                )
            )
        else:
            first[case_id] = entry.where


def id_of(entry: Entry) -> str:
    """Give the id of an entry, which may be faulty otherwise; empty when it has none."""
    if is_object(entry.value):
        case_id = entry.value.get("id")
        if isinstance(case_id, str):
            return case_id
    return ""
