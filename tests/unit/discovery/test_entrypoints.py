from __future__ import annotations

import importlib.metadata
import sys
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st

from assay.discovery.entrypoints import normalise, read_offers
from assay.discovery.finder import find

if TYPE_CHECKING:
    from collections.abc import Generator

    import pytest
    from tests.unit.conftest import Site


def names(path: list[str]) -> list[tuple[str, str, str, str]]:
    return [
        (offer.name, offer.target, offer.distribution, offer.version) for offer in read_offers(path)
    ]


def test_reads_dist_info_and_egg_info_and_names_them_alike(site: Site) -> None:
    site.install("Assay_X.y", {"assertion.a": "mod_a"}, version="1.2")
    site.install("assay_old", {"assertion.b": "mod_b:thing"}, version="3", suffix="egg-info")
    assert names(site.path) == [
        ("assertion.b", "mod_b:thing", "assay-old", "3"),
        ("assertion.a", "mod_a", "assay-x-y", "1.2"),
    ]


def test_a_version_that_the_folder_does_not_tell_is_read_from_the_metadata(site: Site) -> None:
    site.install("assay_dev", {"assertion.a": "m"}, version="", suffix="egg-info")
    (site.folder / "assay_dev.egg-info" / "PKG-INFO").write_text(
        "Metadata-Version: 2.1\nName: assay-dev\nVersion: 0.3.dev1\n"
    )
    assert names(site.path) == [("assertion.a", "m", "assay-dev", "0.3.dev1")]


def test_other_groups_and_comments_are_not_read(site: Site) -> None:
    site.install(
        "x",
        "# c\n[console_scripts]\nassay = no:no\n\n[assay]\n# comment\n; too\n"
        "assertion.a = m [extra]\n[assay.more]\nassertion.b = m\n",
    )
    assert names(site.path) == [("assertion.a", "m [extra]", "x", "1.0")]


def test_the_first_on_the_path_wins_under_any_spelling(site: Site, tmp_path: Path) -> None:
    other = type(site)(tmp_path / "other")
    site.install("assay_x", {"assertion.a": "first"})
    other.install("Assay.X", {"assertion.a": "second", "assertion.b": "second"}, version="2")
    assert names([*site.path, *other.path]) == [("assertion.a", "first", "assay-x", "1.0")]
    assert names([*other.path, *site.path])[0][1] == "second"


def test_a_distribution_without_entry_points_hides_a_later_one(site: Site, tmp_path: Path) -> None:
    other = type(site)(tmp_path / "other")
    (site.folder / "assay_x-1.0.dist-info").mkdir()
    other.install("assay_x", {"assertion.a": "m"})
    assert names([*site.path, *other.path]) == []


def test_an_empty_folder_of_an_older_version_is_passed_over(site: Site) -> None:
    (site.folder / "assay_x-0.9.dist-info").mkdir()
    site.install("assay_x", {"assertion.a": "m"}, version="1.0")
    (site.folder / "assay_x-1.0.dist-info" / "METADATA").write_text("Version: 1.0\n")
    assert names(site.path) == [("assertion.a", "m", "assay-x", "1.0")]


def test_what_an_interrupted_pip_leaves_is_passed_over(site: Site) -> None:
    site.install("~ssay_x", {"assertion.a": "m"})
    assert names(site.path) == []


def test_what_cannot_be_read_is_passed_over(site: Site, tmp_path: Path) -> None:
    (site.folder / "assay_bad-1.0.dist-info").mkdir()
    (site.folder / "assay_bad-1.0.dist-info" / "entry_points.txt").write_bytes(
        b"[assay]\nassertion.\xff = m\n"
    )
    (site.folder / "assay_dir-1.0.dist-info" / "entry_points.txt").mkdir(parents=True)
    (site.folder / "file-1.0.egg-info").write_text("Version: 1.0\n")
    site.install("good", {"assertion.a": "m"})
    text = tmp_path / "no.zip"
    text.write_text("no zip")
    missing = str(tmp_path / "missing")
    assert names([missing, str(text), "nul\0byte", *site.path, *site.path]) == [
        ("assertion.a", "m", "good", "1.0")
    ]


def test_a_zip_file_on_the_path_is_read(tmp_path: Path) -> None:
    archive = tmp_path / "app.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("assay_z-2.0.dist-info/entry_points.txt", "[assay]\nassertion.z = m\n")
        file.writestr("assay_z-2.0.dist-info/METADATA", "Version: 2.0\n")
    assert names([str(archive)]) == [("assertion.z", "m", "assay-z", "2.0")]


def test_an_empty_entry_of_the_path_is_the_working_directory(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.install("here", {"assertion.a": "m"})
    monkeypatch.chdir(site.folder)
    assert names([""]) == [("assertion.a", "m", "here", "1.0")]


def test_agrees_with_importlib_metadata_about_what_is_installed_here() -> None:
    theirs = {
        (point.name, point.value, normalise(point.dist.name), point.dist.version)
        for point in importlib.metadata.entry_points(group="assay")
        if point.dist is not None
    }
    assert theirs, "assay must be installed for its tests"
    assert set(names(sys.path)) == theirs


NAMES = st.from_regex(r"[a-z]{1,8}\.[A-Za-z0-9_ .-]{1,12}", fullmatch=True)
TARGETS = st.from_regex(r"[a-z_]{1,6}(\.[a-z_]{1,6}){0,2}( ?: ?[a-z_]{1,6})?", fullmatch=True)


@contextmanager
def installed(data: bytes) -> Generator[list[str]]:
    """A path with one distribution whose ``entry_points.txt`` holds the data."""
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder, "assay_x-1.0.dist-info")
        info.mkdir()
        (info / "entry_points.txt").write_bytes(data)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: assay-x\nVersion: 1.0\n")
        yield [folder]


@given(entries=st.dictionaries(NAMES, TARGETS, max_size=5), blanks=st.text(" \t", max_size=4))
def test_agrees_with_importlib_metadata_about_any_entry_points(
    entries: dict[str, str], blanks: str
) -> None:
    lines = [f"{blanks}{name}{blanks}={blanks}{target}" for name, target in entries.items()]
    with installed("\n".join(["[other]", "a = b", "[assay]", *lines]).encode()) as path:
        (theirs,) = importlib.metadata.distributions(path=path)
        points = [point for point in theirs.entry_points if point.group == "assay"]
        read = [(offer.name, offer.target) for offer in read_offers(path)]
    assert read == [(point.name, point.value) for point in points]


@given(data=st.binary() | st.text().map(lambda text: f"[assay]\n{text}".encode("utf-8", "replace")))
@example(b"[assay]\n=\n = \n[\n]\n[]\nassertion.a")
def test_no_entry_points_make_it_fail(data: bytes) -> None:
    with installed(data) as path:
        found = find(path=path)
    assert all("\n" not in str(problem) for problem in found.problems)
