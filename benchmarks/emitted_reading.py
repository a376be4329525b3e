"""Measures how fast emitted programs read graph files, beside Python's reader: seconds of both, and how they compare.

    python benchmarks/emitted_reading.py            random graphs, 16 million arcs as .spg and 2 million as text
    python benchmarks/emitted_reading.py FILE …     these files

Each reader reads a file three times, with weights as they are (real where the file's are), and the least time counts.
The emitted reader is built with the flags that programs are built with.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from starplat.backends.files.layout import header
from starplat.graph import Graph, read, write

NODES, ARCS, TEXT_ARCS = 1 << 20, 16_000_000, 2_000_000
TIMES = 3
PROGRAM = """\
#include <chrono>
#include <iostream>

#include "starplat_read_graph.hpp"

template <class Weight>
static double seconds(const char *path) {
    const auto begin = std::chrono::steady_clock::now();
    const auto graph = starplat::read_weighted_graph<Weight>(path, false);
    if (graph.num_arcs < 0) throw std::logic_error("there are arcs");
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

int main(int, char **argv) {
    for (int i = 0; i < TIMES; i++) {
        std::cout << (argv[2][0] == 'r' ? seconds<double>(argv[1]) : seconds<int>(argv[1])) << "\\n";
    }
}
"""


def main(arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = built(folder)
        for path in [Path(argument) for argument in arguments] or made_up(folder):
            compare(program, path)


def built(folder: Path) -> Path:
    """A program that reads a graph and says how long that took."""
    for name in ("starplat_graph.hpp", "starplat_read_graph.hpp"):
        (folder / name).write_text(header(name))
    (folder / "reader.cpp").write_text(PROGRAM)
    command = ["g++", "-O2", "-std=c++17", "-fwrapv", f"-DTIMES={TIMES}", "reader.cpp", "-o", "reader"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "reader"


def compare(program: Path, path: Path) -> None:
    weights = read(path).weights
    ours = min(by_python(path) for _ in range(TIMES))
    kind = "real" if weights is not None and weights.dtype.kind == "f" else "whole"
    said = subprocess.run([program, path, kind], capture_output=True, text=True, check=True).stdout
    theirs = min(map(float, said.split()))
    size = path.stat().st_size / 1e6
    times = f"Python {ours:6.3f} s  emitted {theirs:6.3f} s  {theirs / ours:5.2f}"
    print(f"{path.name:14} {size:7.1f} MB  {times}", flush=True)


def by_python(path: Path) -> float:
    begin = time.perf_counter()
    read(path)
    return time.perf_counter() - begin


def made_up(folder: Path) -> list[Path]:
    """Random graphs in all formats that emitted programs read."""
    random = np.random.default_rng(1)
    source, destination = random.integers(0, NODES, (2, ARCS))
    whole, real = random.integers(1, 256, ARCS), np.round(random.random(TEXT_ARCS), 6)
    graphs = {"whole.spg": Graph.from_arcs(NODES, source, destination, whole)}
    ends = source[:TEXT_ARCS], destination[:TEXT_ARCS]
    text = Graph.from_arcs(NODES, *ends, whole[:TEXT_ARCS])
    graphs |= dict.fromkeys(("whole.gr", "whole.mtx", "whole.wel", "whole.txt"), text)
    graphs |= {"real.mtx": text.with_weights(real), "long.mtx": text.with_weights(random.random(TEXT_ARCS))}
    plain = text.with_weights(None)
    graphs |= {"plain.spg": plain, "plain.el": plain, "both.mtx": plain.undirected()}
    for name, graph in graphs.items():
        kept = graph if not name.endswith((".txt", ".wel", ".el")) else without_isolated(graph)
        write(kept, folder / name)
    shuffled(folder / "whole.txt", folder / "shuffled.txt")
    return [folder / name for name in (*graphs, "shuffled.txt")]


def without_isolated(graph: Graph) -> Graph:
    """The graph between the nodes that have arcs, which is what a list of edges can hold."""
    ends = np.concatenate([graph.sources, graph.columns])
    kept, numbered = np.unique(ends, return_inverse=True)
    half = len(ends) // 2
    return Graph.from_arcs(len(kept), numbered[:half], numbered[half:], graph.weights)


def shuffled(path: Path, to: Path) -> None:
    """The same lines in another order."""
    lines = np.array(path.read_bytes().splitlines(keepends=True), dtype=object)
    np.random.default_rng(2).shuffle(lines)
    to.write_bytes(b"".join(lines.tolist()))


if __name__ == "__main__":
    main(sys.argv[1:])
