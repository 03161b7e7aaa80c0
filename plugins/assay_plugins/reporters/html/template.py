"""The page as files: template, style and scripts, made into one document."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Final

from attrs import frozen

_SCRIPTS: Final = (
    "dom",
    "format",
    "json",
    "tip",
    "tree",
    "markdown",
    "text",
    "menu",
    "header",
    "figure",
    "forest",
    "charts",
    "store",
    "search",
    "state",
    "view",
    "toolbar",
    "row",
    "table",
    "result",
    "checks",
    "conversation",
    "attempts",
    "detail",
    "panel",
    "export",
    "download",
    "print",
    "theme",
    "keys",
    "main",
)
"""The modules of the page, each after those that it imports."""

_STYLES: Final = (
    "base",
    "controls",
    "head",
    "charts",
    "toolbar",
    "table",
    "panel",
    "checks",
    "conversation",
    "runs",
    "tree",
    "markdown",
    "help",
    "narrow",
    "print",
)
"""The style sheets of the page; the last ones overrule the others."""

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


@frozen(kw_only=True)
class Template:
    """The parts of the page that are the same for every run."""

    html: str
    style: str
    script: str

    def fill(self, parts: Mapping[str, Callable[[], Iterator[str]]]) -> Iterator[str]:
        """Give the page in pieces, each ``{{place}}`` of the template filled when it is reached.

        Args:
            parts: By the name of the place: gives what stands there, already escaped.
        """
        pieces = _PLACE.split(self.html)
        for number, piece in enumerate(pieces):
            if number % 2:
                yield from parts[piece]()
            else:
                yield piece


def read_template() -> Template:
    """Read the files of the page."""
    return Template(
        html=_read("page.html"),
        style="".join(_read(f"{name}.css") for name in _STYLES),
        script=join_modules(_module, _SCRIPTS),
    )


def join_modules(read: Callable[[str], str], names: tuple[str, ...]) -> str:
    """Make one script of modules, for a page that must run from a disk, without a server.

    Each module becomes a function that gives what the module exports; an import becomes a look
    into that. So they must import by name from one another alone, without circles, and export
    functions, classes and constants where they are declared.

    Args:
        read: Gives the text of a module.
        names: The modules, each after those that it imports.
    """
    return '"use strict";\n' + "".join(_as_function(name, read(name)) for name in names)


def _as_function(name: str, text: str) -> str:
    exported = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = $\2;", text))
    return f"const ${name} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def module_names() -> tuple[str, ...]:
    """Name the modules of the page, each after those that it imports."""
    return _SCRIPTS


def _module(name: str) -> str:
    return _read(f"{name}.js")


def _read(name: str) -> str:
    # A checkout may have turned line ends; browsers turn them back before they hash.
    text = files("assay_plugins.reporters.html").joinpath("page", name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")
