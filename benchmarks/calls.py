"""What a call costs beside its kernels, when the program, the graph and the device have been seen before.

    python benchmarks/calls.py                   four programs of the library on grids of 100 and of 65,536 nodes
    python benchmarks/calls.py --graphs grid:10 --algorithms bfs --target opencl --runs 200

A line has, in milliseconds, the least and the median time of a call, from the call to the answer in memory; the least
of what is left of a call without its run (`Result.seconds.run`), which is Python's share; and the least processor time
of all threads. The last number is how many functions of Python a call enters.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import library


def main() -> int:
    options = parser().parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    print(
        f"{'graph':>18} {'algorithm':<14} {'least':>8} {'median':>8} {'beside':>8} {'processor':>10} {'functions':>10}"
    )
    for graph in library.graphs(options.graphs, quick=False):
        for name in options.algorithms.split(","):
            _, run, _ = library.ours(graph, name, options.target)
            print(f"{graph.name:>18} {name:<14} {measured(run, options.runs)}", flush=True)
    return 0


def measured(run: Callable[[], Any], runs: int) -> str:
    """The numbers of a line, after two runs that are not counted."""
    run(), run()
    calls, beside, busy = list[float](), list[float](), list[float]()
    for _ in range(runs):
        started, before = perf_counter(), process_time()
        result = run()
        calls.append(1e3 * (perf_counter() - started))
        busy.append(1e3 * (process_time() - before))
        beside.append(calls[-1] - 1e3 * sum(result.seconds.run))
    times = f"{min(calls):8.3f} {statistics.median(calls):8.3f} {min(beside):8.3f} {min(busy):10.3f}"
    return f"{times} {functions(run):10}"


def functions(run: Callable[[], Any]) -> int:
    """How many functions of Python a call enters, on a thread on which a run takes no other."""
    entered = 0

    def note(frame: Any, event: str, what: Any) -> None:
        nonlocal entered
        entered += event == "call"

    def count() -> None:
        run()
        sys.setprofile(note)
        run()
        sys.setprofile(None)

    thread = threading.Thread(target=count)
    thread.start()
    thread.join()
    return entered


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--graphs", default="grid:10,grid:256", help="with commas (grid:10,grid:256)")
    made.add_argument("--algorithms", default="components,bfs,labels,clustering", help=", ".join(library.OURS))
    made.add_argument("--target", default="openmp", help="openmp")
    made.add_argument("--threads", type=int, default=2, help="threads of OpenMP (2)")
    made.add_argument("--runs", type=library.at_least_one, default=50, help="timed calls of each (50)")
    return made


if __name__ == "__main__":
    sys.exit(main())
