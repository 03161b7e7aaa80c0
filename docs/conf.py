"""How Sphinx builds the documentation."""

from __future__ import annotations

import re
from pathlib import Path

from pygments.lexers.data import JsonLexer
from sphinx.highlighting import lexers

ROOT = Path(__file__).parent.parent

project = "assay"
author = "the assay authors"
project_copyright = "the assay authors"
release = re.findall(r'"(.+)"', (ROOT / "core/assay/_version.py").read_text(encoding="utf-8"))[0]
version = release

extensions = ["myst_parser"]
exclude_patterns = ["_build", "examples"]
# Pages of agents that a checkout does not have yet are left out of the contents.
suppress_warnings = ["toc.empty_glob"]
nitpicky = True

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"assay {release}"
html_copy_source = False
html_show_sphinx = False

# Case files: JSON, one object a line.
lexers["jsonl"] = JsonLexer()
