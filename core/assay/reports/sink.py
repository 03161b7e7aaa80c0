"""The stream that a page reporter writes to, and how its text becomes a file."""

from __future__ import annotations

import io
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Final, cast

from assay.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_HELD: Final = 1 << 16
"""Characters that wait for what follows: a secret may come in two pieces."""

_FULL: Final = 1 << 18
_IN_MEMORY: Final = 1 << 20


class Page(io.TextIOWrapper):
    r"""A text stream in UTF-8 that replaces secrets, and fails for no character.

    Lone surrogates, which UTF-8 cannot hold, are written as ``\udc80``: in JSON text that is
    the same character. Line ends are written as they come.

    Args:
        target: Where the bytes go.
        name: What errors call it.
        redact: Replaces secrets in a text; a second net, as values have been through the first.
    """

    def __init__(self, target: BinaryIO, name: str, redact: Callable[[str], str]) -> None:
        super().__init__(target, encoding="utf-8", errors="backslashreplace", newline="")
        self._target = name
        self._redact = redact
        self._waiting: list[str] = []
        self._length = 0

    def write(self, text: str, /) -> int:
        """Take text.

        Raises:
            RunError: It cannot be written.
        """
        self._waiting.append(text)
        self._length += len(text)
        if self._length >= _FULL:
            held = self._redact("".join(self._waiting))
            self._put(held[:-_HELD])
            self._hold(held[-_HELD:])
        return len(text)

    def seekable(self) -> bool:
        """Say no: a page is written once, from its beginning to its end."""
        return False

    def finish(self) -> None:
        """Write all that still waits.

        Raises:
            RunError: It cannot be written.
        """
        held = self._redact("".join(self._waiting))
        self._hold("")
        self._put(held)
        with _failing(self._target):
            self.flush()

    def close(self) -> None:
        """Finish and close, also where a reporter closes the stream itself."""
        if not self.closed:
            self.finish()
            with _failing(self._target):
                super().close()

    def discard(self) -> None:
        """Close without writing what still waits."""
        self._hold("")
        with suppress(OSError):
            super().close()

    def _hold(self, text: str) -> None:
        self._waiting = [text] if text else []
        self._length = len(text)

    def _put(self, text: str) -> None:
        with _failing(self._target):
            super().write(text)


@contextmanager
def page_file(path: Path, redact: Callable[[str], str]) -> Generator[IO[str]]:
    """Open a page for a file. It is written beside it and moved into place at the end.

    The folder is made where it is missing. After an exception, the file is as it was.

    Args:
        path: The file.
        redact: Replaces secrets in a text.

    Raises:
        RunError: It cannot be written.
    """
    if is_device(path):
        with _failing(str(path)):
            device = path.open("wb")
        with _closing(Page(device, str(path), redact)) as page:
            yield page
        return
    with _failing(str(path)):
        # The target of a link is replaced, not the link.
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
    beside = target.with_name(f".{target.name[:80]}.{secrets.token_hex(6)}.tmp")
    with _failing(str(path)):
        file = beside.open("xb")
    try:
        with _closing(Page(file, str(path), redact)) as page:
            yield page
        with _failing(str(path)):
            if target.exists():
                beside.chmod(stat.S_IMODE(target.stat().st_mode))
            beside.replace(target)
    finally:
        with suppress(OSError):
            beside.unlink()


@contextmanager
def page_stream(stream: IO[str], redact: Callable[[str], str]) -> Generator[IO[str]]:
    """Open a page for standard output. It is given on when it is whole.

    Args:
        stream: Takes text.
        redact: Replaces secrets in a text.

    Raises:
        RunError: It cannot be written.
    """
    from tempfile import SpooledTemporaryFile

    with SpooledTemporaryFile(_IN_MEMORY) as file:
        page = Page(cast("BinaryIO", file), "standard output", redact)
        try:
            yield page
            page.finish()
            page.detach()
        except BaseException:
            # Whatever ends the writing, Ctrl-C too, half a page must not stand.
            page.discard()
            raise
        file.seek(0)
        with (
            io.TextIOWrapper(cast("BinaryIO", file), encoding="utf-8", newline="") as text,
            _failing("standard output"),
        ):
            while piece := text.read(_FULL):
                stream.write(piece)
            stream.flush()


def is_device(path: Path) -> bool:
    """Whether a path is there and is neither a file nor a folder: it is written to directly."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def _closing(page: Page) -> Generator[Page]:
    try:
        yield page
        page.close()
    except BaseException:
        # Whatever ends the writing, Ctrl-C too, half a page must not stand.
        page.discard()
        raise


@contextmanager
def _failing(name: str) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise RunError(
            f"{name}: the report cannot be written: {error.strerror or error}"
        ) from error
