from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from assay import ReportContext
from assay_plugins.reporters.terminal import Terminal

if TYPE_CHECKING:
    from tests.unit.reporters.conftest import Make

HOSTILE = "Fine.\n::error file=x::owned\n##[add-mask]Fine"


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("environ", [{}, {"GITHUB_ACTIONS": "true"}])
def test_no_line_of_an_answer_is_a_command(
    make: Make, verbose: bool, environ: dict[str, str]
) -> None:
    attempt = make.attempt("failed", output=HOSTILE, checks=[make.check(message=HOSTILE)])
    result = make.result(HOSTILE, attempts=[attempt])
    info = make.info()
    stderr = io.StringIO()
    context = ReportContext(info=info, verbose=verbose, environ=environ, stderr=stderr)
    reporter = Terminal(context, None)
    reporter.start(info)
    reporter.result(result)
    reporter.finish(make.summary([result], info))
    lines = stderr.getvalue().splitlines()
    commands = [line for line in lines if line.strip().startswith("::") or "##[" in line]
    assert bool(commands) is not bool(environ)
