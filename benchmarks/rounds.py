"""What a round costs on the host's cores, where loops are compiled with the kernels and where Python goes through them.

    python benchmarks/rounds.py                  two small loops, and programs of the library on a grid
    python benchmarks/rounds.py --graph rmat:14 --runs 9

Both ways run the same kernels, launched by the host (`loop=host`); rounds that are counted go through Python. Times are
processor time of the whole process with one thread, the least of several runs in turns.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

ROUNDS = 20_000
MANY = 2**31 - 1
ONE_LAUNCH = """function f(Graph g, propNode<int> x, int n) {
  int i = 0;
  while (i != n) {
    forall (v in g.nodes()) { v.x = v.x + 1; }
    i = i + 1;
  }
}"""
TWO_LAUNCHES = """function f(Graph g, propNode<int> x, int n) {
  bool more = True;
  long sum = 0;
  while (more) {
    sum = 0;
    more = False;
    forall (v in g.nodes()) { v.x = v.x + 1; }
    forall (v in g.nodes().filter(v.x < n)) { more = True; sum += v.x; }
  }
  return sum;
}"""
LIBRARY: Mapping[str, Mapping[str, Any]] = {
    "bfs_levels": {"src": 0},
    "sssp": {"src": 0},
    "connected_components": {},
    "k_core": {},
    "pagerank": {"tolerance": 1e-8},
    "eigenvector_centrality": {"weight": 1.0, "tolerance": 1e-4},
}


def main() -> int:
    options = parser().parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    import starplat
    from starplat.graph import Graph, generators

    few = Graph.from_arcs(3, [0, 1], [1, 2])
    print("microseconds a round, three nodes:")
    for name, text in (("one launch", ONE_LAUNCH), ("two launches", TWO_LAUNCHES)):
        program = starplat.compile(text)
        show(name, program.run, few, {"n": ROUNDS}, options.runs, 1e6 / ROUNDS)
    kind, size = options.graph.split(":")
    graph = getattr(generators, kind)(int(size), weights=(1, 255)).without_loops().undirected().deduplicated()
    print(f"milliseconds a call, {graph.name}:")
    for name, given in LIBRARY.items():
        show(name, getattr(starplat, name), graph, given, options.runs, 1e3)
    return 0


def show(name: str, run: Callable[..., Any], graph: Any, given: Mapping[str, Any], runs: int, scale: float) -> None:
    """Prints the least processor time of both ways."""
    ways: tuple[Mapping[str, Any], ...] = ({}, {"max_rounds": MANY})
    times: list[list[float]] = [[], []]
    for _ in range(runs + 1):
        for spent, way in zip(times, ways, strict=True):
            began = process_time()
            run(graph, target="openmp", schedule="loop=host", **given, **way)
            spent.append(process_time() - began)
    compiled, stepped = (scale * min(spent[1:]) for spent in times)
    print(f"  {name:<24} compiled {compiled:8.2f}   through Python {stepped:8.2f}", flush=True)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--graph", default="grid:256", help="of a generator (grid:256)")
    made.add_argument("--runs", type=int, default=5, help="timed runs of each way (5)")
    return made


if __name__ == "__main__":
    sys.exit(main())
