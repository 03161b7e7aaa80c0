"""What ``assay`` exports is what it says it exports, whatever else was imported before."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pytest

import assay


@pytest.mark.parametrize("name", assay.__all__)
def test_each_name_can_be_had(name: str) -> None:
    value: object = getattr(assay, name)

    assert not isinstance(value, ModuleType)


def test_the_names_are_sorted_and_unique() -> None:
    assert list(assay.__all__) == sorted(set(assay.__all__))
    assert dir(assay) == list(assay.__all__)


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(assay, "".join(("noth", "ing")))


@pytest.mark.parametrize(
    "before", ["assay.testing", "assay.running.ask", "assay.api", "assay.extract"]
)
def test_a_module_does_not_hide_a_name(before: str) -> None:
    # In a process of its own: here all of them have long been imported.
    run = "assay.run([{'id': 'a', 'input': 'b'}], agent='echo:')"
    program = f"import {before}, assay; print({run}.exit_code)"

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr) == ("0\n", "")
