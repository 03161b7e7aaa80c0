"""Cost of a case: many cases on the ``echo`` agent, which answers at once."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from measure import ASSAY, Sample, interleaved, judged, measure

SIZES = (1_000, 100_000)
PARALLEL = (1, 64)


def run(folder: Path) -> None:
    """Print CPU per case and peak memory, for two sizes and two numbers in flight."""
    files = {size: write_cases(folder / f"cases-{size}.jsonl", size) for size in SIZES}

    def assay(size: int, parallel: int) -> Sample:
        out = folder / "out.jsonl"
        words = ["test", "-i", str(files[size]), "-n", "echo:", "-o", str(out)]
        return measure([ASSAY, *words, "--parallel", str(parallel)], cwd=folder)

    start = interleaved({"one": lambda: assay_one(folder)}, rounds=5)["one"].cpu
    bare = interleaved({"json": lambda: bare_json(files[SIZES[-1]])}, rounds=3)["json"].cpu
    print(f"reading and writing {SIZES[-1]} lines as JSON alone: {bare:.2f} s CPU")
    peaks: list[float] = []
    for size in SIZES:
        for parallel in PARALLEL:
            rounds = 5 if size == SIZES[0] else 2
            made = (lambda size=size, parallel=parallel: assay(size, parallel),)
            figure = interleaved({"assay": made[0]}, rounds=rounds)["assay"]
            each = 1000 * (figure.cpu - start) / size
            peaks.append(figure.peak)
            print(f"{size:>7} cases, {parallel:>2} in flight  {judged(each, 0.5, 'ms CPU/case')}")
            print(f"{'':27}  {judged(figure.peak, 120, 'MB')}")
    print(f"peak of the largest to the smallest: {max(peaks) / min(peaks):.2f}")
    print(f"whole run to bare JSON, {SIZES[-1]} cases: {figure.cpu / bare:.1f}")


def assay_one(folder: Path) -> Sample:
    """Run one case: what start-up costs."""
    return measure([ASSAY, "test", "-i", "hello", "-n", "echo:"], cwd=folder)


def bare_json(path: Path) -> Sample:
    """Read and write the lines with the standard library alone."""
    code = (
        "import json,sys\n"
        "with open(sys.argv[1]) as f, open('/dev/null', 'w') as o:\n"
        "    for line in f: o.write(json.dumps(json.loads(line)))\n"
    )
    return measure([sys.executable, "-c", code, str(path)])


def write_cases(path: Path, size: int) -> Path:
    """Write a case file of short questions with one check each."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(size):
            case = {
                "id": f"T{number:06}",
                "input": f"Question number {number}: what is it?",
                "assert": {"type": "contains", "value": f"number {number}"},
            }
            file.write(json.dumps(case) + "\n")
    return path
