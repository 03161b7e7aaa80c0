"""Start-up: ``assay --help`` and ``assay plugins`` against a bare interpreter."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from measure import ASSAY, Figures, Sample, interleaved, judged, measure

ROUNDS = 15
MORE_PLUGINS = 50


def run(folder: Path) -> None:
    """Print the CPU time of the commands, bare and with 50 more plugins installed."""
    crowded = {**os.environ, "PYTHONPATH": str(_more_plugins(folder))}

    def assay(*words: str, environ: dict[str, str] | None = None) -> Sample:
        return measure([ASSAY, *words], environ=environ)

    figures = interleaved(
        {
            "python -c pass": lambda: measure([sys.executable, "-c", "pass"]),
            "assay --help": lambda: assay("--help"),
            "assay --help, 50 more plugins": lambda: assay("--help", environ=crowded),
            "assay plugins": lambda: assay("plugins"),
            "assay plugins, 50 more plugins": lambda: assay("plugins", environ=crowded),
            "assay test, one case": lambda: assay("test", "-i", "hello", "-n", "echo:"),
        },
        rounds=ROUNDS,
    )
    bare = figures["python -c pass"].cpu
    for name, figure in figures.items():
        print(f"{name:34} {1000 * figure.cpu:7.1f} ms CPU   {figure.cpu / bare:5.1f} x bare python")
    print("--help                ", judged(1000 * figures["assay --help"].cpu, 150, "ms"))
    for words in ("assay --help", "assay plugins"):
        more = _difference(figures[f"{words}, 50 more plugins"], figures[words])
        print(f"{words}, 50 more ", judged(more, 20, "ms"))
    print("one case              ", judged(1000 * figures["assay test, one case"].cpu, 400, "ms"))


def _difference(more: Figures, fewer: Figures) -> float:
    return 1000 * (more.cpu - fewer.cpu)


def _more_plugins(folder: Path) -> Path:
    """Make 50 distributions, each with an assertion, on a path of their own."""
    site = folder / "site"
    for number in range(MORE_PLUGINS):
        info = site / f"assay_more{number}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: assay-more{number}\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text(
            f"[assay]\nassertion.more_{number} = assay_more{number}\n"
        )
        (site / f"assay_more{number}.py").write_text("raise RuntimeError('not to be imported')\n")
    return site
