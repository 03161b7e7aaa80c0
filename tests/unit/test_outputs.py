"""Which files a run writes, and what it says of them to those who write files, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay.discovery.manager import make_plugins
from assay.journal.file import Place
from assay.outputs import Outputs
from assay.reports.choose import AgentPage, Choice, PagePlan
from assay.reports.installed import installed_reporters

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def outputs(tmp_path: Path) -> Outputs:
    reporter = next(each for each in installed_reporters(make_plugins()) if each.word == "html")
    return Outputs(
        choice=Choice(
            journal=Place(tmp_path / "run.jsonl"),
            pages=(
                PagePlan(reporter=reporter, path=tmp_path / "run.html", name="run.html"),
                PagePlan(reporter=reporter, path=None, name="standard output"),
            ),
            agent=AgentPage(
                agent="writer",
                path=tmp_path / "told.md",
                name="told.md",
                format="markdown",
                fallback=tmp_path / "lines.jsonl",
            ),
        ),
        streams=(),
        inputs=(tmp_path / "cases.jsonl",),
    )


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("cases.jsonl", "is a file of cases"),
        ("run.jsonl", "is written by -o"),
        ("run.html", "is written by -o"),
        ("told.md", "is written by -o"),
        ("link", "is a file of cases"),
        ("sub/../run.html", "is written by -o"),
        ("other.jsonl", None),
    ],
)
def test_every_file_of_a_run_has_a_use(
    outputs: Outputs, tmp_path: Path, name: str, use: str | None
) -> None:
    (tmp_path / "cases.jsonl").touch()
    (tmp_path / "link").symlink_to("cases.jsonl")
    (tmp_path / "sub").mkdir()
    assert outputs.use_of(tmp_path / name) == use
