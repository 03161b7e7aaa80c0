"""Which suites share the transports to their agents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from attrs import evolve

from assay.running.work import SuiteSpec, first_alike
from assay.settings.sections import SettingsFile

if TYPE_CHECKING:
    from tests.unit.running.conftest import Bench


def spec(bench: Bench, *files: str, timeout: str = "5m") -> SuiteSpec:
    """Make a suite below settings files of these names."""
    prepared = bench.prepared(str, [{"id": "a", "input": "x"}], timeout=timeout)
    (made,) = bench.workshop(prepared).specs
    found = [SettingsFile(path=Path(name), name=name) for name in files]
    return evolve(made, sources=evolve(made.sources, files=tuple(found)))


def test_suites_with_the_same_settings_are_one(bench: Bench) -> None:
    specs = [
        spec(bench, "a/assay.toml", "assay.toml"),
        spec(bench, "assay.toml"),
        spec(bench, "a/assay.toml", "assay.toml"),
        spec(bench, "assay.toml", timeout="1m"),
        spec(bench, "assay.toml", timeout="1m"),
        spec(bench, "assay.toml"),
    ]
    assert first_alike(specs) == [0, 1, 0, 3, 3, 1]


def test_settings_files_of_one_name_that_say_something_else_are_not_alike(bench: Bench) -> None:
    one = spec(bench, "assay.toml")
    (file,) = one.sources.files
    said = evolve(file, plugins={("transport", "openai"): {"seed": 7}})
    other = evolve(one, sources=evolve(one.sources, files=(said,)))
    assert first_alike([one, other, one, other]) == [0, 1, 0, 1]
