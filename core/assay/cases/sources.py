"""From what ``-i`` names to suites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.cases.generated import generated_suite, message_suite
from assay.contracts import LoadContext
from assay.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from assay.cases.spool import Spool
    from assay.contracts import Loader
    from assay.model.case import Suite


def find_suites(
    sources: Sequence[str | Iterable[Mapping[str, object]]],
    *,
    loaders: Sequence[Loader],
    cwd: Path,
    stdin: Callable[[], Path],
    spool: Spool,
    assertions: Sequence[Mapping[str, object]] = (),
) -> list[Suite]:
    """Give the suites of all sources, in order, each once.

    Args:
        sources: Paths, globs, ``-`` or a message; from Python also cases themselves.
        loaders: In the order in which they are asked.
        cwd: The working directory.
        stdin: Gives standard input as a file.
        spool: Keeps cases that can be read only once.
        assertions: What must hold of the answer to a message.

    Raises:
        ConfigError: A source cannot be read, or a message stands beside other sources.
    """
    context = LoadContext(cwd=cwd, stdin=stdin)
    suites: dict[str, Suite] = {}
    messages: list[str] = []
    for number, source in enumerate(sources, 1):
        if isinstance(source, str):
            found: Iterator[Suite] = _named(source, loaders, context, assertions)
        else:
            found = iter([generated_suite(source, f"cases-{number}", spool)])
        for suite in found:
            suites.setdefault(suite.key, suite)
            if suite.message is not None:
                messages.append(suite.message)
    if len(messages) > 1 or (messages and len(suites) > 1):
        raise ConfigError(
            f"-i {messages[0]!r}: no such file or folder, and a message is asked alone; "
            "mend the path, or ask the message in a run of its own"
        )
    if assertions and not messages:
        raise ConfigError("--assert: only for a direct message; write assertions into the cases")
    return list(suites.values())


def _named(
    source: str,
    loaders: Sequence[Loader],
    context: LoadContext,
    assertions: Sequence[Mapping[str, object]],
) -> Iterator[Suite]:
    if not source.strip():
        raise ConfigError("-i: the input is empty; write a path or a message")
    for loader in loaders:
        if loader.accepts(source, context):
            return loader.load(source, context)
    if _exists(context.cwd, source):
        raise ConfigError(f"-i {source}: no loader reads such a file; cases are .jsonl files")
    if source.endswith(".jsonl"):
        raise ConfigError(f"-i {source}: no such file; mend the path")
    return iter([message_suite(source, assertions)])


def _exists(cwd: Path, source: str) -> bool:
    try:
        return (cwd / source).exists()
    except (OSError, ValueError):
        return False
