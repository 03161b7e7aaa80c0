"""How Sphinx builds the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from pygments.lexers.data import JsonLexer
from sphinx.highlighting import lexers

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOT = Path(__file__).parent.parent

project = "assay"
author = "the assay authors"
project_copyright = "the assay authors"
release = re.findall(r'"(.+)"', (ROOT / "core/assay/_version.py").read_text(encoding="utf-8"))[0]
version = release

extensions = ["myst_parser"]
exclude_patterns = ["_build", "examples"]
nitpicky = True

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"assay {release}"
html_copy_source = False
html_show_sphinx = False

# Case files: JSON, one object a line.
lexers["jsonl"] = JsonLexer()

OPTIONAL = ("reporter-agents", "html", "junit", "yao", "openai", "http", "scripts")
"""Pages of features that a checkout may be without."""


def leave_out(_: Sphinx, page: str, source: list[str]) -> None:
    """Take pages that are not there out of the contents."""
    if page == "index":
        gone = {name for name in OPTIONAL if not Path(__file__).with_name(f"{name}.md").exists()}
        source[0] = "\n".join(line for line in source[0].splitlines() if line not in gone)


def setup(app: Sphinx) -> None:
    """Register it."""
    app.connect("source-read", leave_out)
