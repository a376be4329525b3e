"""Searches, components and PageRank on a uniform graph whose arcs are more than a GPU's memory, with answers proved.

    python benchmarks/largest.py                                 20.4 G arcs (82 GB) on CUDA, with 96 GiB of the host's
    python benchmarks/largest.py --scale 12 --target opencl --device-memory 400K   whether it all works

Arcs are made a block of rows at a time, on the GPU where there is one, and copied down into arrays of the host whose
pages are locked. As many pairs are drawn between any two of 16 blocks of nodes, so that a block's rows come from its
own pairs alone; parallel arcs stay. The judges read arcs in pieces. Levels prove themselves, and that the nodes that
they reach are joined; PageRank is computed again. Told are the least time of the runs after the first, the time of
the first call with all that it prepares, and the bytes that lie on either side. Exit code 1 if an answer is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

import starplat
from benchmarks.measured import judging, report
from benchmarks.measured.graphs import Entry, Facts
from benchmarks.measured.rows import DAMPING, ROWS
from starplat.graph import Graph
from starplat.runtime.host_memory import host_memory
from starplat.runtime.session import Session
from starplat.sizes import in_words

PROGRAMS = ("bfs", "components", "pagerank")
ITERATIONS = 2
BLOCKS = 16
PIECE = 1 << 27
"""Arcs that a judge looks at together."""
TOUCHED = 1 << 28
"""Cells that a thread writes at a time, so that the system finds pages for them."""


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--scale", type=int, default=28, help="of the number of nodes, from 8 on (28)")
    made.add_argument("--pairs", type=int, default=38, help="drawn for each node, each of them two arcs (38)")
    made.add_argument("--rows", default=",".join(PROGRAMS), help=f"of {', '.join(PROGRAMS)}")
    made.add_argument("--target", default="cuda", help="what to run on (cuda)")
    made.add_argument("--repeat", type=int, default=2, help="measured runs after the first (2)")
    made.add_argument("--device-memory", help="a limit of the device's memory")
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    head, xp = report.circumstances(None, (options.target,)), judging.array_module()
    print(f"starplat {head['starplat']}; {head['devices']}; driver {head['driver']}", flush=True)
    print(f"the host has {in_words(host_memory() or 0)} left", flush=True)
    began = perf_counter()
    graph = urand(xp, options.scale, options.pairs)
    size = in_words(graph.columns.nbytes)
    print(
        f"{graph.num_nodes:,} nodes, {graph.num_arcs:,} arcs, {size}, made in {perf_counter() - began:.1f} s; ", end=""
    )
    print(f"the host has {in_words(host_memory() or 0)} left", flush=True)
    entry, judge = Entry("urand", graph, 0, Facts()), Judge(graph, xp)
    wrong = 0
    for row in options.rows.split(","):
        try:
            result = measured(entry, row, options)
            print(f"  {row:<11} {judge.verdict(row, result)}", flush=True)
        except (judging.WrongAnswerError, starplat.diagnostics.DiagnosticError) as fault:
            print(f"  {row:<11} {fault}", flush=True)
            wrong += 1
    return int(wrong > 0)


# --- the graph -----------------------------------------------------------------------------------------------------


def urand(xp: Any, scale: int, pairs: int) -> Graph:
    """An undirected graph of 2^scale nodes and so many pairs for each, without loops."""
    nodes, wide = 1 << scale, (1 << scale) // BLOCKS
    each = pairs * nodes // BLOCKS**2
    columns = touched(2 * each * BLOCKS**2)
    if xp is not np:
        xp.cuda.runtime.hostRegister(columns.ctypes.data, columns.nbytes, 0)
    offsets, end = np.zeros(nodes + 1, np.int64), 0
    for block in range(BLOCKS):
        rows = xp.concatenate(list(arcs_of(xp, block, wide, each)))
        rows.sort()
        heads = (rows & 0xFFFFFFFF).astype(np.int32)
        degrees = xp.bincount(rows >> 32, minlength=wide)
        offsets[1 + block * wide : 1 + (block + 1) * wide] = end + as_numpy(xp.cumsum(degrees))
        place = columns[end : end + len(heads)]
        place[:] = heads if xp is np else heads.get(out=place)
        end += len(heads)
        del rows, heads
    if xp is not np:
        xp.get_default_memory_pool().free_all_blocks()
    return Graph(offsets, columns[:end], None, directed=False, name=f"urand{scale}", format="generated")


def touched(count: int) -> NDArray[np.int32]:
    """An array of zeros that has its memory already: many threads get it sooner than one."""
    made = np.empty(count, np.int32)
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(lambda first: made[first : first + TOUCHED].fill(0), range(0, count, TOUCHED)))
    return made


def arcs_of(xp: Any, block: int, wide: int, each: int) -> Iterator[Any]:
    """The arcs of a block's rows: the number of the row within it, times 2^32, and the neighbor."""
    for other in range(BLOCKS):
        here, there = drawn(xp, (block * BLOCKS + other) * each, each, wide)
        yield loopless(here, there + other * wide, block * wide)
        there, here = drawn(xp, (other * BLOCKS + block) * each, each, wide)
        yield loopless(here, there + other * wide, block * wide)


def loopless(rows: Any, heads: Any, first: int) -> Any:
    """These arcs as numbers, without those from a node to itself."""
    return (rows << 32 | heads)[rows + first != heads]


def drawn(xp: Any, first: int, count: int, wide: int) -> tuple[Any, Any]:
    """Pairs number `first` and on, of numbers below `wide`, a power of two.

    Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
    """
    bits = xp.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    mask = np.uint64(wide - 1)
    return ((bits >> np.uint64(32)) & mask).astype(np.int64), (bits & mask).astype(np.int64)


def as_numpy(array: Any) -> NDArray[Any]:
    return array if isinstance(array, np.ndarray) else array.get()


# --- runs ----------------------------------------------------------------------------------------------------------


def measured(entry: Entry, name: str, options: argparse.Namespace) -> starplat.Result:
    """One program, in a session of its own, so that its memory is free for the judge."""
    row = ROWS[name]
    program, given = starplat.compile(Path("examples") / f"{row.program}.sp"), dict(row.arguments(entry))
    if name == "pagerank":
        given["max_iterations"] = ITERATIONS
    began = perf_counter()
    with Session() as session:
        how = {"target": options.target, "session": session, "device_memory": options.device_memory}
        result = program.run(entry.graph, repeat=options.repeat + 1, **how, **given)
    took, best = perf_counter() - began, min(result.seconds.run[1:]) * 1e3 / (ITERATIONS if name == "pagerank" else 1)
    near, far = result.estimate.total, sum(result.estimate.mapped.values())
    where = f"{in_words(near)} on the device, {in_words(far)} on the host"
    print(f"  {name:<11} {best:,.1f} ms, {took:.1f} s with all preparation; {where}", flush=True)
    return result


# --- judges --------------------------------------------------------------------------------------------------------


class Streamed(judging.Arcs):
    """Arcs that cross to the device a piece at a time: those of whole rows."""

    def pieces(self) -> Iterator[tuple[slice, Any, Any]]:
        offsets, columns = self.on_host()
        for start in range(0, self.m, PIECE):
            stop = min(start + PIECE, self.m)
            low, high = np.searchsorted(offsets, (start, stop - 1), side="right") - 1
            numbers = self.xp.arange(start, stop, dtype=np.int64)
            tails = self.xp.searchsorted(self.offsets[low : high + 1], numbers, side="right") - 1 + low
            yield slice(start, stop), tails.astype(np.int32), self.xp.asarray(columns[start:stop])


class Judge:
    """Proves answers; components after levels."""

    def __init__(self, graph: Graph, xp: Any) -> None:
        self.graph, self.xp = graph, xp
        self.count: int | None = None

    def verdict(self, row: str, result: starplat.Result) -> str:
        """What is proved, and how long that took.

        Raises:
            WrongAnswerError: the answer is wrong.
        """
        began, arcs = perf_counter(), Streamed(self.graph, self.xp)
        match row:
            case "bfs":
                reached, _, deepest = judging.distances(arcs, 0, result["level"], weighted=False)
                self.count = 1 + components_beside(self.graph, result["level"] < judging.INF)
                said = f"{reached:,} nodes reached, largest level {deepest}"
            case "components":
                judging.require(self.count is not None, "there are no levels that tell how many components there are")
                said = f"{judging.components(arcs, result['component'], self.count):,} components"
            case _:
                judging.pagerank(arcs, result["rank"], damping=DAMPING, rounds=ITERATIONS)
                said = f"{ITERATIONS} iterations computed again"
        return f"right: {said}, judged in {perf_counter() - began:.1f} s"


def components_beside(graph: Graph, reached: NDArray[np.bool_]) -> int:
    """How many components the nodes have that a search has not reached: no arc joins them with those that it has."""
    nodes = np.flatnonzero(~reached)
    if not len(nodes):
        return 0
    starts, degrees = graph.row_offsets[nodes], graph.out_degrees[nodes]
    rows = np.concatenate(([0], np.cumsum(degrees)))
    slots = np.arange(rows[-1]) + np.repeat(starts - rows[:-1], degrees)
    heads = np.searchsorted(nodes, graph.columns[slots])
    matrix = csr_array((np.ones(len(heads), np.int8), heads, rows), (len(nodes), len(nodes)))
    return int(connected_components(matrix, directed=False, return_labels=False))


if __name__ == "__main__":
    sys.exit(main())
