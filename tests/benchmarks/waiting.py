"""Many at once: cases on an agent that waits 50 ms, against the ideal wall time."""

from __future__ import annotations

import sys
from pathlib import Path

from echo import write_cases
from measure import ASSAY, Sample, interleaved, measure

CASES = 1_000
WAIT = 0.05
IN_FLIGHT = 64

AGENT = f"""
import asyncio

async def reply(request):
    await asyncio.sleep({WAIT})
    return request.text
"""

BARE = """
import asyncio, sys

async def main(cases, at_once, wait):
    turn = asyncio.Semaphore(at_once)
    async def one():
        async with turn:
            await asyncio.sleep(wait)
    await asyncio.gather(*(one() for _ in range(cases)))

asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
"""


def run(folder: Path) -> None:
    """Print the wall time of the run itself against rounds of 50 ms, and a bare asyncio loop."""
    (folder / "agent.py").write_text(AGENT, encoding="utf-8")
    cases = write_cases(folder / "cases.jsonl", CASES)
    one = write_cases(folder / "one.jsonl", 1)

    def assay(file: Path) -> Sample:
        words = ["test", "-i", str(file), "-n", "python:agent.py:reply", "-o", "out.jsonl"]
        return measure([ASSAY, *words, "--parallel", str(IN_FLIGHT)], cwd=folder)

    def bare() -> Sample:
        numbers = [str(CASES), str(IN_FLIGHT), str(WAIT)]
        return measure([sys.executable, "-c", BARE, *numbers])

    figures = interleaved(
        {"assay": lambda: assay(cases), "one case": lambda: assay(one), "bare asyncio": bare},
        rounds=5,
    )
    ideal = -(-CASES // IN_FLIGHT) * WAIT
    took = figures["assay"].wall - (figures["one case"].wall - WAIT)
    over = 100 * (took / ideal - 1)
    verdict = "reached" if over <= 5 else "MISSED"
    print(f"ideal {ideal:.3f} s, the run itself {took:.3f} s: {over:+.1f} % (aim: 5 %, {verdict})")
    for name, figure in figures.items():
        print(f"{name:14} {figure.wall:.3f} s wall, {figure.cpu:.3f} s CPU")
    print(
        f"whole process to bare asyncio: {figures['assay'].wall / figures['bare asyncio'].wall:.2f}"
    )
