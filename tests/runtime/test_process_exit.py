"""A library of kernels that ends the process does not have the last word."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from starplat.graph_files import read
from starplat.program import compile
from tests.runtime.devices import device_of

ROOT = Path(__file__).parents[2]
SSSP = ROOT / "examples" / "sssp.sp"
RUN = f"""
import sys, starplat
graph = starplat.read(sys.argv[2])
sys.stdout.write("before; ")
found = starplat.compile({str(SSSP)!r}).run(graph, target=sys.argv[1], src=0)
print(found["dist"].tolist())
"""
EXITS = {
    "openacc": ("#include <openacc.h>\n", "acc_set_device_num(0, acc_device_radeon);"),
    "openmp": ("#include <cstdio>\n#include <cstdlib>\n", 'std::fputs("libgomp: no thread\\n", stderr); std::exit(1);'),
}
"""What a kernel must say for its runtime to end the process: openacc asks for a GPU that it cannot reach."""

Start = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.el"
    path.write_text("0 1 5\n1 2 6\n0 2 20\n", encoding="utf-8")
    return path


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Starts a Python that runs the edited kernels of a target, or the emitted ones."""

    def run(*command: object, edited: bool) -> subprocess.CompletedProcess[str]:
        more = {"STARPLAT_OVERRIDE": str(tmp_path / "edited")} if edited else {}
        environment = {**os.environ, "STARPLAT_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT), **more}
        words = [sys.executable, *map(str, command)]
        return subprocess.run(words, capture_output=True, text=True, env=environment, timeout=300, check=False)

    return run


@pytest.fixture(params=sorted(EXITS))
def target(request: pytest.FixtureRequest, graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A target whose kernels, where they are edited, end the process."""
    name = str(request.param)
    device_of(name)
    with monkeypatch.context() as dumping:
        dumping.setenv("STARPLAT_DUMP", str(tmp_path / "edited"))
        compile(SSSP).run(read(graph), target=name, src=0)
    include, action = EXITS[name]
    kernels = tmp_path / "edited" / f"sssp.sssp.{name}.cpp"
    beginning = re.compile(r'extern "C" void \w+\([^{]*\) \{')
    text = beginning.sub(lambda found: f"{found[0]} {action}", kernels.read_text(encoding="utf-8"))
    kernels.write_text(include + text, encoding="utf-8")
    return name


@pytest.mark.thin(plain=2)
def test_a_command_says_so_in_one_sentence_and_the_next_one_works(target: str, graph: Path, start: Start) -> None:
    command = ("-m", "starplat", "run", SSSP, "--graph", graph, "--arg", "src=0", "--target", target, "--json")
    ended = start(*command, edited=True)
    assert ended.returncode == 3, ended.stderr
    (sentence,) = (line for line in ended.stderr.splitlines() if line.startswith("error["))
    assert sentence.startswith("error[E0906]: ")
    assert sentence.endswith("failed while the program ran: its runtime ended the process, and says why above")
    assert "libgomp: " in ended.stderr
    after = start(*command, edited=False)
    assert (after.returncode, '"sum": 16' in after.stdout) == (0, True), after.stderr


@pytest.mark.thin(plain=2)
def test_what_a_program_has_printed_is_not_lost(target: str, graph: Path, start: Start) -> None:
    ended = start("-c", RUN, target, graph, edited=True)
    assert (ended.returncode, ended.stdout) == (3, "before; ")
    assert ended.stderr.count("error[E0906]") == 1
    after = start("-c", RUN, target, graph, edited=False)
    assert (after.returncode, after.stdout) == (0, "before; [0, 5, 11]\n")


def test_other_ends_are_nobodys_business(graph: Path, start: Start) -> None:
    device_of("openmp")
    leaving = start("-c", f"{RUN}\nimport ctypes; ctypes.CDLL(None).exit(7)", "openmp", graph, edited=False)
    assert (leaving.returncode, leaving.stderr.count("error")) == (7, 0)
