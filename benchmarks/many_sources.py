"""Sums of levels from many sources at once and one after another: milliseconds, and whether the answers are the same.

    python benchmarks/many_sources.py --graphs egotw,rmat22 --schedules "auto;sources=batch(256)" --repeat 3

The first schedule is run once and is the measure; sources are drawn among the nodes with neighbors, always the same.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import starplat
from benchmarks.measured import graphs

TEXT = """
function sums(Graph g, propNode<long> far, SetN<g> sources) {
  g.attachNodeProperty(far = 0);
  for (src in sources) {
    propNode<int> level;
    g.attachNodeProperty(level = INF);
    src.level = 0;
    iterateInBFS (v in g.nodes() from src) {
      forall (w in g.neighbors(v)) {
        w.level = v.level + 1;
      }
      v.far += v.level;
    }
  }
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default="egotw,NY,rmat22,urand22", help="names, with commas between")
    parser.add_argument("--schedules", default="auto;sources=batch(64);sources=batch(256)", help="with ; between")
    parser.add_argument("--sources", type=int, default=256, help="how many")
    parser.add_argument("--target", default="cuda")
    parser.add_argument("--repeat", type=int, default=3, help="runs of all schedules but the first")
    asked = parser.parse_args()
    program = starplat.compile(TEXT)
    for name in asked.graphs.split(","):
        graph = graphs.load(name, weighted=False).graph
        with_neighbors = np.flatnonzero(graph.out_degrees > 0)
        sources = np.random.default_rng(1).choice(
            with_neighbors, min(asked.sources, len(with_neighbors)), replace=False
        )
        measure = None
        for place, schedule in enumerate(asked.schedules.split(";")):
            times: list[float] = []
            for _ in range(asked.repeat if place else 1):
                result = program.run(graph, target=asked.target, schedule=schedule, sources=sources.tolist())
                times += result.seconds.run
            far = np.asarray(result["far"])
            measure = far if measure is None else measure
            same = "same" if np.array_equal(far, measure) else "DIFFERENT"
            print(f"{name:10} {schedule:28} {1e3 * min(times):12.3f} ms  {same}", flush=True)


if __name__ == "__main__":
    main()
