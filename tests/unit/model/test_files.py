"""Which files a case may attach."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay import AgentError, FileAccess, FileProblem, file_urls


@pytest.fixture
def app(tmp_path: Path) -> Path:
    (tmp_path / "app/tests").mkdir(parents=True)
    (tmp_path / "app/tests/a.png").write_bytes(b"picture")
    (tmp_path / "app/photo b.png").write_bytes(b"other")
    (tmp_path / "secret.txt").write_bytes(b"secret")
    return tmp_path / "app"


@pytest.fixture
def access(app: Path) -> FileAccess:
    return FileAccess(folder=app / "tests", roots=(app,), max_size=10)


def problem(access: FileAccess, url: str) -> str:
    with pytest.raises(FileProblem) as caught:
        access.path(url)
    return str(caught.value)


def test_relative_to_the_folder(access: FileAccess) -> None:
    assert access.read("file://a.png") == b"picture"
    assert access.read("file://./a.png") == b"picture"
    assert access.read("file://../photo b.png") == b"other"


def test_absolute(access: FileAccess, app: Path) -> None:
    assert access.read(f"file://{app / 'tests/a.png'}") == b"picture"


def test_escaped_characters(access: FileAccess, app: Path) -> None:
    assert access.read("file://../photo%20b.png") == b"other"
    (app / "tests/100%25.png").write_bytes(b"as it is")
    assert access.read("file://100%25.png") == b"as it is"


@pytest.mark.parametrize(
    "way", ["file://../../secret.txt", "file://..%2F..%2Fsecret.txt", "file://link.txt"]
)
def test_never_outside(access: FileAccess, app: Path, way: str) -> None:
    (app / "tests/link.txt").symlink_to("../../secret.txt")
    said = problem(access, way)
    assert f"outside of {app}" in said
    assert "--allow-files" in said


def test_outside_where_it_is_allowed(access: FileAccess, app: Path) -> None:
    allowed = FileAccess(folder=app / "tests", roots=(app, app.parent))
    assert allowed.read("file://../../secret.txt") == b"secret"


def test_without_roots_nothing_is_allowed(app: Path) -> None:
    assert "outside" in problem(FileAccess(folder=app / "tests"), "file://a.png")
    assert "outside" in problem(FileAccess(), f"file://{app}/tests/a.png")


def test_what_is_no_file(access: FileAccess, app: Path) -> None:
    os.mkfifo(app / "tests/pipe")
    assert "names no file" in problem(access, "file://")
    assert "no file 'b.png'" in problem(access, "file://b.png")
    assert "no file" in problem(access, "file://a\x00.png")
    assert "no file" in problem(access, f"file://{'x' * 5000}")
    assert "is not a file" in problem(access, "file://.")
    assert "is not a file" in problem(access, "file://pipe")


def test_links_in_a_circle(access: FileAccess, app: Path) -> None:
    (app / "tests/round").symlink_to("round")
    assert "no file" in problem(access, "file://round")


def test_too_large(access: FileAccess, app: Path) -> None:
    (app / "tests/a.png").write_bytes(b"x" * 10)
    assert len(access.read("file://a.png")) == 10
    (app / "tests/a.png").write_bytes(b"x" * 11)
    assert "11 bytes, more than 10B" in problem(access, "file://a.png")
    assert "max_file_size" in problem(access, "file://a.png")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable(access: FileAccess, app: Path) -> None:
    (app / "tests/a.png").chmod(0)
    assert "cannot be read" in problem(access, "file://a.png")


def test_gone_since_it_was_looked_at(access: FileAccess, app: Path) -> None:
    access.path("file://a.png")
    (app / "tests/a.png").unlink()
    with pytest.raises(AgentError, match=r"a\.png cannot be read now: no file"):
        access.read("file://a.png")


def test_addresses_in_parts() -> None:
    assert list(file_urls({"type": "image", "source": "file://a.png"})) == [
        (".source", "file://a.png")
    ]
    assert list(file_urls({"type": "image_url", "image_url": {"url": "file://b"}})) == [
        (".image_url.url", "file://b")
    ]
    assert list(file_urls({"type": "data", "sources": [{"u": "file://c"}]})) == [
        (".sources[0].u", "file://c")
    ]
    assert not list(file_urls({"type": "text", "text": "file://a.png"}))
    assert not list(file_urls({"type": "image", "source": "https://x/file://a"}))
