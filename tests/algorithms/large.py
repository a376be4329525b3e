"""The library on larger graphs: `python -m tests.algorithms.large [--limit SECONDS] [--only PROGRAM,…] [GRAPH…]`.

Every program of the library runs on OpenMP, OpenCL and the interpreter, judged as `test_programs.py` judges it. Without
a GRAPH it takes three real ones of `../shared/data`. A target on which a run and its judgement take longer than the
limit is late, and those after it are not tried: judges are NetworkX and definitions in Python, for which searches from
every node of some thousand are long. Then three smaller real graphs, of `tests/data`, stand in.

Prints each end as it comes, then a table; 1 where an answer is wrong.
"""

from __future__ import annotations

import multiprocessing
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from starplat.graph import Graph, read
from tests.algorithms.graphs import real
from tests.algorithms.judges import TABLE, Row
from tests.algorithms.test_programs import DEVICES
from tests.graph.graphs import SHARED
from tests.programs.cases import CASES as EXAMPLES
from tests.programs.targets import REFERENCE

TARGETS = (*DEVICES[::-1], REFERENCE)
LARGER: tuple[tuple[str, dict[str, Any]], ...] = (
    ("email-Eu-core/email-Eu-core.txt.gz", {}),  # 1,005 nodes, directed, with loops
    ("graphit/monaco.wel", {}),  # 1,590 nodes, directed, with weights
    ("cugraph-datasets/netscience.mtx", {"weights": "random:1..9:1"}),  # 1,589 nodes, undirected, 396 components
)


def main(words: list[str]) -> int:
    """Judges programs on graphs; 1 where one is wrong."""
    parser = ArgumentParser(prog="python -m tests.algorithms.large", description=__doc__)
    parser.add_argument("graphs", nargs="*", metavar="GRAPH")
    parser.add_argument("--limit", type=float, default=20, metavar="SECONDS")
    parser.add_argument("--only", default="", metavar="PROGRAM,…")
    asked = parser.parse_args(words)
    only = set(filter(None, asked.only.split(",")))
    graphs = [read(path) for path in asked.graphs]
    if not graphs:
        graphs = [read(SHARED / name, **options) for name, options in LARGER if (SHARED / name).exists()]
    smaller = [*real().values()]
    for graph in graphs:
        print(f"{graph.name}: {graph.num_nodes:,} nodes, {graph.num_arcs:,} arcs", flush=True)
    rows = [row for row in (*EXAMPLES, *TABLE) if not only or row.program in only]
    table = [(row, ends_on(row, graphs, smaller, asked.limit)) for row in rows]
    print(f"\n{'':28}", *(f"{graph.name:>24}" for graph in (*graphs, *smaller)))
    for row, ends in table:
        print(f"{row.program:28}", *(f"{ends.get(graph.name, ''):>24}" for graph in (*graphs, *smaller)))
    count = Counter(end for _, ends in table for cell in ends.values() for end in cell.split())
    print(f"{' '.join(target.label for target in TARGETS)}:", *(f"{n} {end}" for end, n in count.items()))
    return int("wrong" in count)


def ends_on(row: Row, graphs: list[Graph], smaller: list[Graph], limit: float) -> dict[str, str]:
    """How a program ended on each graph, a word a target; on the smaller ones if it was late or there are no others."""
    ends = {graph.name: end_on(row, graph, limit) for graph in graphs}
    if not graphs or any("late" in end for end in ends.values()):
        ends |= {graph.name: end_on(row, graph, limit) for graph in smaller}
    return ends


def end_on(row: Row, graph: Graph, limit: float) -> str:
    found = [*within(limit, row, graph)]
    shown = (f"{target.label} {' '.join(words)}" for target, words in zip(TARGETS, found, strict=False))
    print(f"{row.program} on {graph.name}:", ", ".join(shown), flush=True)
    return " ".join(words[0] for words in found)


def within(limit: float, row: Row, graph: Graph) -> Iterator[tuple[str, ...]]:
    """How the judgement ended on each target: right and the seconds that it took, wrong and how, or late, the last."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=judged, args=(there, row, graph))
    process.start()
    there.close()
    for _ in TARGETS:
        began = perf_counter()
        if not here.poll(limit):
            yield ("late",)
            break
        try:
            fault = here.recv()
        except EOFError:
            process.join()
            yield ("wrong", f"ended with {process.exitcode}")
            break
        yield ("wrong", fault) if fault else ("right", f"{perf_counter() - began:.1f} s")
    process.kill()
    process.join()


def judged(there: multiprocessing.connection.Connection, row: Row, graph: Graph) -> None:
    """Sends of each target what is wrong, or nothing."""
    suited = row.suits(graph)
    for target in TARGETS:
        try:
            row.judge(suited, target)
        except Exception as wrong:
            there.send(f"{type(wrong).__name__}: {wrong}"[:300])
        else:
            there.send("")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
