"""Modules beside an agent, and whether another agent's module of the same name is in the way.

Python knows one module per name in a process. Two agents that both import ``helpers``, each from
its own folder, would share the one that was loaded first, so that one of them is tested with the
other's code: this is refused before either is asked.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

_MARK: Final = "__assay_siblings__"


def sibling(name: str, folders: Sequence[Path]) -> Path | None:
    """Give the file or package that a module name means in the first folder that has it."""
    for folder in folders:
        if (folder / name / "__init__.py").is_file():
            return folder / name
        if (folder / f"{name}.py").is_file():
            return folder / f"{name}.py"
        if any((folder / name).glob("*.py")):
            return folder / name
    return None


def imported_siblings(file: Path, folders: Sequence[Path]) -> dict[str, Path]:
    """Give the modules beside an agent that it imports, directly or through each other.

    Imports are read from the sources, those inside functions among them.

    Args:
        file: The agent's file.
        folders: Where modules are looked for, in this order.
    """
    found: dict[str, Path] = {}
    waiting = [file]
    while waiting:
        for name in _imports(waiting.pop()):
            path = None if name in found else sibling(name, folders)
            if path is not None:
                found[name] = path
                waiting.extend(_sources(path))
    return found


def refuse_conflicts(siblings: Mapping[str, Path], agent: str) -> None:
    """Refuse modules whose names are taken by modules from other folders.

    Args:
        siblings: The modules that the agent imports.
        agent: What messages call it.

    Raises:
        ConfigError: Names both files.
    """
    claims = dict(_claims())
    for name, path in siblings.items():
        module = sys.modules.get(name)
        # A folder without __init__.py gives way to any module: Python means the other one.
        if module is not None and _is_bare(path) and not _is_namespace(module):
            continue
        other = claims.get(name) if module is None else _origin(module)
        if other is None and module is None:
            continue
        if other is not None and other.resolve().parent == path.resolve().parent:
            continue
        taken = "built into Python" if other is None else f"already used from {other}"
        raise ConfigError(
            f"{agent}: it imports {name} from {path}, but this name is {taken}; rename one of them"
        )


def claim(module: ModuleType, siblings: Mapping[str, Path]) -> None:
    """Note on an agent's module which siblings it may still import."""
    setattr(module, _MARK, {**getattr(module, _MARK, {}), **siblings})


def _claims() -> Iterator[tuple[str, Path]]:
    """Give what the agents that are loaded may still import."""
    for module in list(sys.modules.values()):
        siblings: Mapping[str, Path] = getattr(module, "__dict__", {}).get(_MARK, {})
        yield from siblings.items()


def _origin(module: ModuleType) -> Path | None:
    """Give the file or folder that a module was loaded from; None when it has none."""
    file = getattr(module, "__file__", None)
    if isinstance(file, str):
        path = Path(file)
        return path.parent if path.stem == "__init__" else path
    return next((Path(str(folder)) for folder in getattr(module, "__path__", ())), None)


def _is_namespace(module: ModuleType) -> bool:
    return getattr(module, "__file__", None) is None and hasattr(module, "__path__")


def _is_bare(path: Path) -> bool:
    return path.is_dir() and not (path / "__init__.py").is_file()


def _imports(file: Path) -> Iterator[str]:
    """Give the first part of each module name that a source imports."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return  # importing it says what is wrong, better than this could
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _sources(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from sorted(path.glob("*.py"))
    else:
        yield path
