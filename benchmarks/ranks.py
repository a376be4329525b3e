"""Two MPI ranks of one OpenMP thread each, beside one process of two threads: how fast they are, as a ratio.

    python benchmarks/ranks.py                   PageRank, components and breadth-first search of rmat20
    python benchmarks/ranks.py --graph rmat12 --turns 1        whether it works

Both take turns, so that other work on the machine slows both alike. Times are the least of all runs; in brackets are
the least and the greatest median of a turn: where these lie far apart, the ratio says little. A ratio above 1 means
that ranks are faster. Exit code 1 if an answer differs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measured import graphs
from starplat.graph import write

ROWS = {"pagerank": "rank", "connected_components": "component", "bfs_levels": "level"}
"""Programs, and the property by which answers are compared."""


def run(program: str, path: Path, source: object, repeat: int, ranks: int, threads: int) -> dict[str, Any]:
    """What `starplat run` says as JSON."""
    words = [sys.executable, "-m", "starplat", "run", program, "-g", str(path), "-t", "openmp", "--json"]
    words += ["--repeat", str(repeat), *(("-a", f"src={source}") if program == "bfs_levels" else ())]
    words += ["--ranks", str(ranks)] if ranks > 1 else []
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    found: dict[str, Any] = json.loads(
        subprocess.run(words, env=environment, stdout=subprocess.PIPE, check=True, cwd=graphs.ROOT).stdout
    )
    return found


def alike(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether sums of the answers are the same, within what sums of reals may differ by."""
    name = ROWS[one["program"]]
    here, there = one["properties"][name]["sum"], other["properties"][name]["sum"]
    return bool(abs(here - there) <= 1e-9 * abs(there))


def spread(turns: list[list[float]]) -> str:
    """The least time of all turns, and how far their medians lie apart."""
    medians = sorted(map(median, turns))
    return f"{min(map(min, turns)) * 1e3:.1f} [{medians[0] * 1e3:.1f} to {medians[-1] * 1e3:.1f}]"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", default="rmat20", help="the graph (rmat20)")
    parser.add_argument("--rows", default=",".join(ROWS), help=f"with commas ({','.join(ROWS)})")
    parser.add_argument("--ranks", type=int, default=2, help="ranks, and threads of the one process (2)")
    parser.add_argument("--turns", type=int, default=3, help="how often each has its turn (3)")
    parser.add_argument("--repeat", type=int, default=5, help="runs in a turn (5)")
    options = parser.parse_args(arguments)
    right = True
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{options.graph}.spg"
        entry = graphs.load(options.graph)
        write(entry.graph, path)
        source = entry.graph.original_id(entry.source)
        print(f"{options.graph}: {entry.graph.num_nodes:,} nodes, {entry.graph.num_arcs:,} arcs", flush=True)
        for program in options.rows.split(","):
            threads, ranks = [], []
            for _ in range(options.turns):
                alone = run(program, path, source, options.repeat, 1, options.ranks)
                parts = run(program, path, source, options.repeat, options.ranks, 1)
                threads.append(alone["seconds"]["run"])
                ranks.append(parts["seconds"]["run"])
                right = right and alike(parts, alone)
            ratio = min(map(min, threads)) / min(map(min, ranks))
            took = f"{spread(threads)} ms by threads, {spread(ranks)} by ranks"
            crossed = f"{parts['parts']['bytes']:,} bytes in {parts['parts']['exchanges']:,} exchanges"
            print(f"{program}: {ratio:.2f} ({took}; {crossed})", flush=True)
    if not right:
        print("answers differ")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
