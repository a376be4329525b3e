"""The script that times NetworkX's functions runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "networkx_times.py"


def test_the_conversion_is_set_beside_a_walk() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "conversion", "500"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"500 edges: converted in \S+ s, walked in \S+ s, \S+ times as long\n", done.stdout)
