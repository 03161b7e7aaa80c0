"""What importing an assertion module costs."""

from __future__ import annotations

import subprocess
import sys


def test_heavy_packages_are_imported_when_they_are_needed() -> None:
    program = (
        "import sys\n"
        "for word in 'equals contains not_contains json_path regex type script'.split():\n"
        "    __import__('assay_plugins.assertions.' + word)\n"
        "heavy = {'re2', 'regex', 'jsonpath_rfc9535', 'markdown_it', 'yaml', 'cattrs'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
