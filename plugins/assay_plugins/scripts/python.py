"""The script engine ``python``: functions in Python files."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from assay import ConfigError, hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay import ScriptEngine

_ANYTHING = "*"
"""Stands for names that only running the file would tell."""

_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Python:
    """Runs functions of ``.py`` files, by the interpreter that assay runs on."""

    name: ClassVar[str] = "python"
    suffixes: ClassVar[tuple[str, ...]] = (".py",)

    def __init__(self, settings: object = None) -> None:
        self._seen: dict[Path, tuple[int, int, frozenset[str]]] = {}

    def defines(self, file: Path, function: str) -> bool:
        """Whether the file binds the name: defined, assigned or imported at its top level.

        Raises:
            ConfigError: The file cannot be read, or is not Python.
        """
        names = self._names(file)
        return function in names or _ANYTHING in names

    def command(self, root: Path) -> Sequence[str]:
        """Give the command of a worker."""
        worker = Path(__file__).with_name("python_worker.py")
        # -P keeps this folder, whose modules have common names, off the scripts' import path.
        return (sys.executable, "-P", "-X", "utf8", str(worker), str(root))

    def _names(self, file: Path) -> frozenset[str]:
        try:
            status = file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            seen = self._seen.get(file)
            if seen is not None and seen[:2] == stamp:
                return seen[2]
            tree = ast.parse(file.read_bytes())
        except OSError as error:
            raise ConfigError(f"{file} cannot be read: {error.strerror}") from error
        except SyntaxError as error:
            where = file if error.lineno is None else f"{file}:{error.lineno}"
            raise ConfigError(f"{where} is not Python: {error.msg}") from error
        except (ValueError, RecursionError, MemoryError) as error:
            raise ConfigError(f"{file} is not Python: {error}") from error
        names = frozenset(_bound(tree.body))
        self._seen[file] = (*stamp, names)
        return names


def _bound(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """Give the names that statements bind in the scope they stand in."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            # A module-level __getattr__ answers for any name.
            yield _ANYTHING if statement.name == "__getattr__" else statement.name
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0]
        else:
            yield from _bound_within(statement)


def _bound_within(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield from _bound([child])
        elif isinstance(child, ast.Name):
            if isinstance(child.ctx, ast.Store):
                yield child.id
        elif not isinstance(child, _SCOPES):
            yield from _bound_within(child)


@hookimpl
def assay_script_engines() -> Sequence[type[ScriptEngine]]:
    """Offer ``python``."""
    return [Python]
