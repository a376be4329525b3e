"""Compiling, reading a small graph and running on `reference` do without what a browser's Python lacks."""

import subprocess
import sys
from pathlib import Path

LACKING = "lzma zstandard scipy filelock typer rich pygments multiprocessing _posixsubprocess"

PROGRAM = f"""
import sys
for name in "{LACKING}".split():
    sys.modules[name] = None  # importing it fails
sys.platform = "emscripten"
import threading
def start(thread):
    raise RuntimeError("can't start new thread")
threading.Thread.start = start

import starplat
from pathlib import Path
path = Path(sys.argv[1], "edges.el")
path.write_text("1 2\\n0 1\\n")
program = starplat.compile("bfs_levels")
for target in ("cuda", "opencl", "sycl", "openacc", "openmp", "hip"):
    assert program.artifact(target)
print(program.run(starplat.read(path, undirected=True), src=0, target="reference")["level"].tolist())
"""


def test_a_program_compiles_and_runs_without_what_a_browser_lacks(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[0, 1, 2]\n"), done.stderr
