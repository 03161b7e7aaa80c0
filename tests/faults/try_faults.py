"""Does to real runs what happens to runs, and sees what holds afterwards.

``nox -s faults`` makes a short, seeded part; ``nox -s faults -- --count 200 --slow`` all of it.
Without nox, ``tests/support`` must be on ``PYTHONPATH``: the server that agents ask is there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from attrs import define, field
from faults import Planned, faults, left_out
from subjects import Server
from trial import Trial, carry_out


@define
class Row:
    """What became of all trials of one fault."""

    name: str
    codes: Counter[int] = field(factory=Counter[int])
    tried: int = 0
    lines: int = 0
    broken: int = 0

    def add(self, trial: Trial) -> None:
        """Count a trial."""
        self.tried += 1
        self.codes.update(trial.codes)
        self.lines += trial.checked
        self.broken += bool(trial.problems)

    def cells(self) -> list[str]:
        """Give the row of the table."""
        codes = ", ".join(f"{code} × {count}" for code, count in sorted(self.codes.items()))
        held = "yes" if not self.broken else f"NO ({self.broken})"
        return [self.name, str(self.tried), codes, str(self.lines), held]


def table(rows: Iterable[Row]) -> str:
    """Write the table, as Markdown."""
    head = ["fault", "tried", "exit codes", "lines checked", "held"]
    cells = [head, *(row.cells() for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
    cells.insert(1, ["-" * width for width in widths])
    return "\n".join(f"| {' | '.join(map(str.ljust, line, widths))} |" for line in cells)


def main() -> int:
    """Make the trials, print the table; 1 when something did not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=6, help="trials of each random fault")
    parser.add_argument("--seed", type=int, default=1, help="of all that is random")
    parser.add_argument("--slow", action="store_true", help="also what takes a minute or more")
    parser.add_argument("--only", default="", help="faults whose name holds this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="trials at a time")
    parser.add_argument("--idle", type=int, default=8, help="trials at a time that only wait")
    given = parser.parse_args()
    # Who starts this in the background hands an ignored Ctrl-C down to all commands.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    began = time.monotonic()
    server = Server()
    with server.server:
        chosen = [each for each in faults(given, server) if given.only in each.name]
        rows = _carry_out(chosen, given)
    print(f"\nseed {given.seed}, {time.monotonic() - began:.0f}s\n")
    print(table(rows))
    for reason in left_out(given):
        print(f"not tried: {reason}")
    return 1 if any(row.broken for row in rows) else 0


def _carry_out(chosen: list[Planned], given: argparse.Namespace) -> list[Row]:
    rows = {each.name: Row(each.name) for each in chosen}
    with ThreadPoolExecutor(given.jobs) as busy, ThreadPoolExecutor(given.idle) as idle:
        trials: list[tuple[str, Future[tuple[Trial, Path]]]] = []
        # What takes longest begins first.
        for each in sorted(chosen, key=lambda each: not each.is_idle):
            pool = idle if each.is_idle else busy
            for number in range(each.count):
                seed = f"{given.seed} {each.name} {each.about} {number}"
                trials.append((seed, pool.submit(carry_out, each.name, seed, each.fault)))
        for seed, trial in trials:
            done, folder = trial.result()
            rows[done.name].add(done)
            if done.problems:
                print(f"{seed}, {folder}:", file=sys.stderr)
                print("".join(f"  {problem}\n" for problem in done.problems), file=sys.stderr)
            else:
                shutil.rmtree(folder, ignore_errors=True)
    return list(rows.values())


if __name__ == "__main__":
    raise SystemExit(main())
