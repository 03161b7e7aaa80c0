"""What an installation without extras is: how many distributions, and how many bytes."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

from measure import judged

ROOT = Path(__file__).parents[2]
MOST_PACKAGES = 32
MOST_MB = 55.0
OF_ENVIRONMENTS = frozenset({"pip", "setuptools", "wheel"})
"""What ``python -m venv`` brings along."""


def run(folder: Path) -> None:
    """Install this checkout on its own, and print what that brought, compiled files included."""
    home = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    python = home / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "-q", str(ROOT)], check=True)
    (site,) = home.glob("lib/python*/site-packages")
    brought = [found for found in distributions(path=[str(site)]) if not is_of_environment(found)]
    size = sum(size_of(found) for found in brought) / 1e6
    print(judged(len(brought), MOST_PACKAGES, "distributions"))
    print(judged(size, MOST_MB, "MB"))
    for found in sorted(brought, key=size_of, reverse=True)[:5]:
        print(f"  {found.metadata['Name']:20} {size_of(found) / 1e6:5.1f} MB")


def is_of_environment(found: Distribution) -> bool:
    """Say whether a distribution stands in every new environment."""
    return found.metadata["Name"].lower() in OF_ENVIRONMENTS


def size_of(found: Distribution) -> int:
    """Give the bytes of all files of a distribution."""
    return sum(
        path.stat().st_size
        for file in found.files or ()
        if (path := Path(str(file.locate()))).is_file()
    )
