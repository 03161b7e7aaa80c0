"""What can be read only once, kept in a temporary file so that it can be read twice."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Callable


@define(eq=False)
class Spool:
    """Temporary files of a run; gone when it is closed."""

    _folder: Path | None = field(default=None, init=False)
    _stdin: Path | None = field(default=None, init=False)

    def stdin(self, source: Callable[[], IO[bytes]]) -> Path:
        """Give standard input as a file; it is read when this is first asked for."""
        if self._stdin is None:
            import shutil

            self._stdin = self.file("stdin.jsonl")
            with self._stdin.open("wb") as copy:
                shutil.copyfileobj(source(), copy)
        return self._stdin

    def file(self, name: str) -> Path:
        """Give a path for a temporary file of this name."""
        if self._folder is None:
            import tempfile

            self._folder = Path(tempfile.mkdtemp(prefix="assay-"))
        return self._folder / name

    def close(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            import shutil

            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
            self._stdin = None
