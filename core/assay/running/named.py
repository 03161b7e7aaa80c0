"""An executor of a plugin, whose errors bear its name."""

from __future__ import annotations

from contextlib import aclosing, contextmanager
from inspect import iscoroutine
from typing import TYPE_CHECKING, ClassVar, cast

from attrs import frozen

from assay.discovery.problems import describe_error
from assay.errors import AssayError, RunError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator

    from assay.contracts import Done, Executor, Task


def named_executor(name: str, make: Callable[[], Executor]) -> Executor:
    """Make an executor.

    Args:
        name: Its word and origin, for messages.
        make: Makes it.

    Raises:
        RunError: It cannot be made.
    """
    with _named(name):
        return _Named(make(), name)


@frozen
class _Named:
    """Stands around an executor."""

    name: ClassVar[str] = "named"

    executor: Executor
    label: str

    async def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
        """Run tasks; see ``assay.Executor``.

        Raises:
            RunError: The executor raised what is no error of assay's.
        """
        with _named(self.label):
            given: object = self.executor.run(tasks)
            if iscoroutine(given):
                given.close()
                raise TypeError("its run gives no iterator; let it yield each result")
            finished = cast("AsyncGenerator[Done]", given)
            async with aclosing(finished):
                async for done in finished:
                    yield done


@contextmanager
def _named(name: str) -> Generator[None]:
    try:
        yield
    except AssayError:
        raise
    except Exception as error:
        raise RunError(f"executor {name} failed: {describe_error(error)}") from error
