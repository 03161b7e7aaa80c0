"""Dask's log kept off the terminal, which shows the run."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Final

_ROOTS: Final = ("distributed", "dask", "tornado", "bokeh")


@contextmanager
def quiet() -> Generator[None]:
    """Let dask's loggers say nothing meanwhile: what matters, the run tells itself."""
    # Its import sets the levels of its loggers.
    import_module("distributed")
    names = [
        name
        for name in (*logging.Logger.manager.loggerDict, *_ROOTS)
        if name.partition(".")[0] in _ROOTS
    ]
    loggers = [logging.getLogger(name) for name in dict.fromkeys(names)]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
