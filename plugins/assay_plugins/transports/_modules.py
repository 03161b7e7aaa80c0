"""Importing the modules of agents, which share one process."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from assay import ConfigError
from assay.suggest import did_you_mean
from assay_plugins.transports._siblings import claim, imported_siblings, refuse_conflicts, sibling

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from types import ModuleType

# Guards sys.path and sys.modules, which all agents of a process share.
_LOADING: Final = threading.RLock()


def load_file(place: str, base: Path, agent: str) -> ModuleType:
    """Load a file as a module of its own, whatever other files of its name are loaded.

    Args:
        place: The file's path, relative to ``base``.
        base: A folder; it and the file's own folder are on the import path from now on.
        agent: What messages call the agent.

    Raises:
        ConfigError: There is no such file, it cannot be imported, or it imports a module whose
            name is taken.
    """
    path = base / place
    if not path.is_file():
        close = did_you_mean(path.name, sorted(file.name for file in path.parent.glob("*.py")))
        mend = f"did you mean {close}?" if close else "the path is relative to that folder"
        raise ConfigError(f"{agent}: no file {place} in {base}; {mend}")
    real = path.resolve()
    name = f"_assay_agent_{sha256(str(real).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigError(f"{agent}: {path} is not a Python file; name one that ends in .py")
    with _LOADING:
        if name in sys.modules:
            return sys.modules[name]
        folders = (real.parent, base.resolve())
        siblings = imported_siblings(real, folders)
        refuse_conflicts(siblings, agent)
        _put_on_path(folders)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException as exc:
            del sys.modules[name]
            raise ConfigError(_told(exc, agent)) from exc
        claim(module, siblings)
    return module


def load_module(place: str, base: Path, agent: str) -> ModuleType:
    """Import a module by its name.

    Args:
        place: The name, with dots.
        base: A folder, on the import path from now on.
        agent: What messages call the agent.

    Raises:
        ConfigError: There is no such module, it cannot be imported, or it imports a module whose
            name is taken, as its own may be.
    """
    folders = (base.resolve(),)
    with _LOADING:
        siblings = _siblings_of(place, folders)
        refuse_conflicts(siblings, agent)
        _put_on_path(folders)
        try:
            module = importlib.import_module(place)
        except BaseException as exc:
            if isinstance(exc, ModuleNotFoundError) and f"{place}.".startswith(f"{exc.name}."):
                raise ConfigError(_no_module(place, base, agent)) from exc
            raise ConfigError(_told(exc, agent)) from exc
        claim(module, siblings)
    return module


def _siblings_of(place: str, folders: tuple[Path]) -> dict[str, Path]:
    """Give the modules of the agent's folder that a module needs, itself among them."""
    top, *below = place.split(".")
    home = sibling(top, folders)
    if home is None:
        return {}
    file = home.joinpath(*below)
    if home.is_dir():
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    return {top: home, **imported_siblings(file, folders)}


def _put_on_path(folders: Sequence[Path]) -> None:
    """Put folders first on the import path."""
    # What was written since the last import would not be seen.
    importlib.invalidate_caches()
    for folder in reversed([str(folder) for folder in folders]):
        if folder in sys.path:
            sys.path.remove(folder)
        sys.path.insert(0, folder)


def _no_module(place: str, base: Path, agent: str) -> str:
    known = {path.stem for path in base.glob("*.py")}
    known |= {path.parent.name for path in base.glob("*/__init__.py")}
    close = did_you_mean(place, sorted(known))
    mend = f"did you mean {close}?" if close else "install it, or write file.py:function"
    return f"{agent}: no module {place} in {base} or on Python's path; {mend}"


def _told(exc: BaseException, agent: str) -> str:
    """Say what a module raised while it was imported, and where."""
    if isinstance(exc, SyntaxError):
        what, place = exc.msg, f"{exc.filename}:{exc.lineno}"
    else:
        what, place = str(exc), _place(exc)
    told = f"{type(exc).__name__}: {what}" if what else type(exc).__name__
    return f"{agent}: importing it raised {told} ({place}); mend the module"


def _place(exc: BaseException) -> str:
    """Give the file and line that raised, without the import system's own."""
    place = "on import"
    trace = exc.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file != __file__ and not file.startswith("<frozen importlib"):
            place = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place
