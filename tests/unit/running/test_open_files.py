"""The limit on open files is raised as far as a run may need it."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")

PROGRAM = """
import resource
from assay.running.open_files import check_open_files

hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
hard = 4096 if hard == resource.RLIM_INFINITY else min(hard, 4096)
resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
check_open_files(10, agents={agents})
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.parametrize(("agents", "allowed"), [(1, 346), (200, 2336), (100_000, 4096)])
def test_it_is_raised_for_all_agents(agents: int, allowed: int) -> None:
    program = PROGRAM.replace("{agents}", str(agents))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert int(done.stdout) == allowed
