"""Files that the content parts of a case name by ``file://`` addresses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, cast
from urllib.parse import unquote

from attrs import frozen

from assay import size
from assay.errors import AgentError

SCHEME: Final = "file://"

MOST_BYTES: Final = 20_000_000
"""Of one file, where a transport has no setting for it."""

_DEEPEST: Final = 4
"""How deep in a part an address is looked for; the known forms of parts need two."""


class FileProblem(ValueError):  # noqa: N818 - told to users as what is wrong, not raised at them
    """Why a file cannot be used.

    Args:
        what: What is wrong.
        mend: How to mend it.
    """

    def __init__(self, what: str, mend: str = "") -> None:
        super().__init__(f"{what}; {mend}" if mend else what)
        self.what = what
        self.mend = mend


@frozen(kw_only=True)
class FileAccess:
    """Which files the content parts of a case may name, and where they are."""

    folder: Path = Path()
    """What relative addresses are relative to."""
    roots: tuple[Path, ...] = ()
    """Folders in which a file must lie, links followed; without any, no file may be named."""
    max_size: int = MOST_BYTES
    """Bytes of one file."""

    def path(self, url: str) -> Path:
        """Find the file that an address names, and look whether it may be read.

        Args:
            url: ``file://`` and a path, absolute or relative; ``%20`` and the like may stand
                for characters.

        Raises:
            FileProblem: It is not there, too large, or none of those that may be named.
        """
        written = url.removeprefix(SCHEME)
        if not written:
            raise FileProblem("the address names no file", "write file:// and a path")
        found = self._found(written)
        roots = [root.resolve() for root in self.roots]
        if not any(found.is_relative_to(root) for root in roots):
            below = f" of {roots[0]}" if roots else ""
            mend = f"allow its folder with --allow-files {found.parent}"
            raise FileProblem(f"{written!r} is outside{below}", mend)
        if not found.is_file():
            raise FileProblem(f"{written!r} is not a file", "name a file")
        bytes_there = found.stat().st_size
        if bytes_there > self.max_size:
            raise FileProblem(
                f"{written!r} has {bytes_there} bytes, more than {size.show(self.max_size)}",
                "use a smaller one, or raise the transport's max_file_size",
            )
        try:
            found.open("rb").close()
        except OSError as error:
            raise FileProblem(f"{written!r} cannot be read: {error.strerror}") from error
        return found

    def read(self, url: str) -> bytes:
        """Read the file that an address names.

        Raises:
            AgentError: It cannot be read any more, since the cases were loaded.
        """
        try:
            with self.path(url).open("rb") as file:
                data = file.read(self.max_size + 1)
        except (FileProblem, OSError) as error:
            raise AgentError(f"the attachment {url} cannot be read now: {error}") from error
        if len(data) > self.max_size:
            raise AgentError(f"the attachment {url} has grown beyond {size.show(self.max_size)}")
        return data

    def _found(self, written: str) -> Path:
        # A name is taken as it is written where there is such a file: "100%25.png" may be one.
        for text in dict.fromkeys((written, unquote(written))):
            try:
                return (self.folder / text).resolve(strict=True)
            except (OSError, RuntimeError, ValueError):
                continue
        where = "" if Path(written).is_absolute() else f" in {self.folder}"
        raise FileProblem(f"no file {written!r}{where}", "mend the path")


def file_urls(part: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Give every address of a file in a content part, each with its path in the part.

    Text is what is said to the agent: it names no file, whatever stands in it.
    """
    if part.get("type") != "text":
        yield from _urls(part, "", _DEEPEST)


def _urls(value: object, path: str, deeper: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        if value.startswith(SCHEME):
            yield path, value
    elif deeper and isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            yield from _urls(item, f"{path}.{key}", deeper - 1)
    elif deeper and isinstance(value, (list, tuple)):
        for index, item in enumerate(cast("list[object]", value)):
            yield from _urls(item, f"{path}[{index}]", deeper - 1)
