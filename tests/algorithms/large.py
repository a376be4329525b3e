"""The library on large graphs: `python -m tests.algorithms.large [--limit SECONDS] [--only PROGRAM,…] GRAPH…`.

Every program of the library runs on the interpreter, OpenCL and OpenMP, judged as `test_programs.py` judges it. What
takes longer than the limit with its judgement is stopped, and not tried on what comes after: searches from every node
are for graphs of some thousand nodes. Prints a line for each program; 1 where an answer is wrong.
"""

from __future__ import annotations

import multiprocessing
import sys
from argparse import ArgumentParser
from collections import Counter
from time import perf_counter

from starplat.graph import Graph, read
from tests.algorithms.judges import TABLE, Row
from tests.algorithms.test_programs import DEVICES
from tests.programs.cases import CASES as EXAMPLES
from tests.programs.targets import REFERENCE, Target

TARGETS = (*DEVICES[::-1], REFERENCE)


def main(words: list[str]) -> int:
    """Judges programs on graphs; 1 where one is wrong."""
    parser = ArgumentParser(prog="python -m tests.algorithms.large", description=__doc__)
    parser.add_argument("graphs", nargs="+", metavar="GRAPH")
    parser.add_argument("--limit", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--only", default="", metavar="PROGRAM,…")
    asked = parser.parse_args(words)
    only = set(filter(None, asked.only.split(",")))
    ends: Counter[str] = Counter()
    for path in asked.graphs:
        graph = read(path)
        print(f"{graph.name}: {graph.num_nodes:,} nodes, {graph.num_arcs:,} arcs", flush=True)
        for row in (row for row in (*EXAMPLES, *TABLE) if not only or row.program in only):
            found: list[tuple[str, ...]] = []
            for target in TARGETS:
                late = ("late",) in found
                found.append(("untried",) if late else within(asked.limit, row, graph, target))
            ends.update(words[0] for words in found)
            shown = (f"{target.label} {' '.join(words)}" for target, words in zip(TARGETS, found, strict=True))
            print(f"  {row.program}:", ", ".join(shown), flush=True)
    print(*(f"{count} {end}" for end, count in sorted(ends.items())), sep=", ")
    return int(ends["wrong"] > 0)


def within(limit: float, row: Row, graph: Graph, target: Target) -> tuple[str, ...]:
    """How the judgement ended: right and the seconds that it took, late, or wrong and how."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=judged, args=(there, row, graph, target))
    began = perf_counter()
    process.start()
    there.close()
    process.join(limit)
    if process.is_alive():
        process.kill()
        process.join()
        return ("late",)
    fault = here.recv() if here.poll() else f"ended with {process.exitcode}"
    return ("wrong", fault) if fault else ("right", f"{perf_counter() - began:.1f} s")


def judged(there: multiprocessing.connection.Connection, row: Row, graph: Graph, target: Target) -> None:
    """Sends what is wrong, or nothing."""
    try:
        row.judge(row.suits(graph), target)
    except Exception as wrong:
        there.send(f"{type(wrong).__name__}: {wrong}"[:300])
    else:
        there.send("")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
