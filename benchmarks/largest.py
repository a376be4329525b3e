"""The largest graph that a machine holds: BFS, components and PageRank on more arcs than the device has room for.

    python benchmarks/largest.py --scale 28 --pairs 40 --device-memory 40G       11.4 G arcs, 46 GB of columns
    python benchmarks/largest.py --scale 20 --pairs 16 --device-memory 150M      a minute's look

Every node draws some of so many pairs: pair k of node v leads to p_k(v), where p_k is a permutation of the nodes, so
that the rows of nodes can be computed one by one, both ways, and nothing has to be sorted by source. Node v keeps each
with a probability of 1 - (v % 16) / 16, so that degrees differ. The rows are made on the GPU by pieces and copied into
one array of the host.

Answers are judged by the same rule, not by that array: along every arc levels differ by at most one and every node but
the source has a neighbor one level below its own; labels are the same along every arc, and all that is reached has one;
ranks are those of as many iterations done by another kernel. Needs CuPy. Exit code 1 if an answer is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import starplat
from starplat.graph import Graph
from starplat.sizes import in_words

TEXT = r"""
// The neighbors of v in any order, and how many they are.
__device__ int neighbors(unsigned v, int *found) {
    int count = 0;
    for (unsigned k = 0; k < PAIRS; k++) {
        unsigned to = v, from = v;
        for (unsigned round = 0; round < 3; round++) {
            to = (to * MULTIPLIER + k * 2654435761u + round * 40503u) & MASK;
            to ^= to >> HALF;
        }
        for (unsigned round = 3; round-- > 0;) {
            from ^= from >> HALF;
            from = ((from - k * 2654435761u - round * 40503u) * INVERSE) & MASK;
        }
        if (KEEPS(v)) found[count++] = to;
        if (KEEPS(from)) found[count++] = from;
    }
    return count;
}

#define EACH_NODE for (unsigned v = first + blockIdx.x * blockDim.x + threadIdx.x; v < end; v += gridDim.x * blockDim.x)

extern "C" __global__ void degrees(unsigned first, unsigned end, long long *degree) {
    int found[2 * PAIRS];
    EACH_NODE degree[v] = neighbors(v, found);
}

extern "C" __global__ void rows(unsigned first, unsigned end, const long long *offsets, int *columns) {
    int found[2 * PAIRS];
    EACH_NODE {
        const int count = neighbors(v, found);
        for (int i = 1; i < count; i++) {
            const int one = found[i];
            int place = i;
            for (; place > 0 && found[place - 1] > one; place--) found[place] = found[place - 1];
            found[place] = one;
        }
        int *const row = columns + (offsets[v] - offsets[first]);
        for (int i = 0; i < count; i++) row[i] = found[i];
    }
}

extern "C" __global__ void wrong_levels(unsigned first, unsigned end, const int *level, int source, long long *wrong) {
    int found[2 * PAIRS];
    EACH_NODE {
        const int count = neighbors(v, found), own = level[v];
        bool above = own == 0x7fffffff || v == (unsigned)source, right = (own == 0) == (v == (unsigned)source);
        for (int i = 0; i < count; i++) {
            const long long apart = (long long)level[found[i]] - own;
            right = right && apart >= -1 && apart <= 1;
            above = above || apart == -1;
        }
        if (!right || !above) atomicAdd((unsigned long long *)wrong, 1ull);
    }
}

extern "C" __global__ void wrong_labels(unsigned first, unsigned end, const int *label, int *, long long *wrong) {
    int found[2 * PAIRS];
    EACH_NODE {
        const int count = neighbors(v, found), own = label[v];
        bool right = label[own] == own;
        for (int i = 0; i < count; i++) right = right && label[found[i]] == own;
        if (!right) atomicAdd((unsigned long long *)wrong, 1ull);
    }
}

extern "C" __global__ void next_ranks(unsigned first, unsigned end, const double *share, double least, double *rank) {
    int found[2 * PAIRS];
    EACH_NODE {
        const int count = neighbors(v, found);
        double sum = 0.0;
        for (int i = 0; i < count; i++) sum += share[found[i]];
        rank[v] = least + DAMPING * sum;
    }
}
"""
MULTIPLIER, DAMPING, ITERATIONS, PIECE = 0x9E3779B1, 0.85, 3, 1 << 22


class Maker:
    """The graph's rule on a GPU."""

    def __init__(self, cupy: Any, scale: int, pairs: int) -> None:
        self.cupy, self.nodes, inverse = cupy, 1 << scale, pow(MULTIPLIER, -1, 1 << 32)
        given = {"PAIRS": pairs, "MASK": f"{(1 << scale) - 1}u", "HALF": (scale + 1) // 2, "DAMPING": DAMPING}
        given |= {"MULTIPLIER": f"{MULTIPLIER}u", "INVERSE": f"{inverse}u"}
        given["KEEPS(v)"] = "((((v) * 2246822519u + k * 3266489917u) * 668265263u) >> 28 >= ((v) & 15))"
        self.module = cupy.RawModule(code="".join(f"#define {name} {value}\n" for name, value in given.items()) + TEXT)

    def launch(self, kernel: str, first: int, end: int, *given: Any) -> None:
        self.module.get_function(kernel)((4096,), (128,), (np.uint32(first), np.uint32(end), *given))

    def graph(self) -> Graph:
        """All rows, in the host's memory."""
        cupy = self.cupy
        offsets = cupy.zeros(self.nodes + 1, np.int64)
        self.launch("degrees", 0, self.nodes, offsets[1:])
        cupy.cumsum(offsets, out=offsets)
        on_host = offsets.get()
        columns = np.empty(int(on_host[-1]), np.int32)
        for first in range(0, self.nodes, PIECE):
            end = min(first + PIECE, self.nodes)
            part = columns[on_host[first] : on_host[end]]
            made = cupy.empty(len(part), np.int32)
            self.launch("rows", first, end, offsets, made)
            made.get(out=part)
        del offsets, made
        cupy.get_default_memory_pool().free_all_blocks()
        return Graph(on_host, columns, directed=False, name="permutations", format="generated")

    def wrong(self, kernel: str, cells: Any, given: Any) -> int:
        """How many nodes are wrong by a kernel."""
        count = self.cupy.zeros(1, np.int64)
        self.launch(kernel, 0, self.nodes, self.cupy.asarray(cells, np.int32), given, count)
        return int(count[0])

    def ranks(self, degrees: Any) -> Any:
        """After `ITERATIONS`."""
        rank, alone = self.cupy.full(self.nodes, 1 / self.nodes), degrees == 0
        share = self.cupy.empty_like(rank)
        for _ in range(ITERATIONS):
            least = (1 - DAMPING + DAMPING * float(rank[alone].sum())) / self.nodes
            self.cupy.divide(rank, self.cupy.maximum(degrees, 1), out=share)
            self.launch("next_ranks", 0, self.nodes, share, np.float64(least), rank)
        return rank


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--scale", type=int, default=28, help="2 to this many nodes (28)")
    made.add_argument("--pairs", type=int, default=40, help="that a node draws (40)")
    made.add_argument("--device-memory", default="40G", help="what runs may take of the device (40G)")
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    import cupy

    began = perf_counter()
    maker = Maker(cupy, options.scale, options.pairs)
    graph = maker.graph()
    size = in_words(graph.columns.nbytes)
    print(
        f"{graph.num_nodes:,} nodes, {graph.num_arcs:,} arcs, {size}, made in {perf_counter() - began:.1f} s",
        flush=True,
    )
    degrees = graph.out_degrees
    source = int(degrees[:PIECE].argmax())
    told = Told(graph, options.device_memory)
    level = told.run("bfs_levels", "level", src=source)
    told.judge(lambda: maker.wrong("wrong_levels", level, np.int32(source)))
    label = told.run("connected_components", "component")
    told.judge(lambda: maker.wrong("wrong_labels", label, np.int64(0)))
    reached = level != np.iinfo(np.int32).max
    told.judge(lambda: int(np.count_nonzero((label == label[source]) != reached)))
    print(f"  {np.count_nonzero(reached):,} nodes reached, largest level {level[reached].max()}", flush=True)
    rank = told.run("pagerank", "rank", damping=DAMPING, tolerance=0.0, max_iterations=ITERATIONS)
    told.judge(
        lambda: int(cupy.count_nonzero(cupy.abs(cupy.asarray(rank) / maker.ranks(cupy.asarray(degrees)) - 1) > 1e-9))
    )
    print(f"  sum of ranks {rank.sum():.12f}", flush=True)
    return int(told.wrong)


class Told:
    """Runs programs in a part of the device's memory, and says how that went."""

    def __init__(self, graph: Graph, limit: str) -> None:
        self.graph, self.limit, self.wrong = graph, limit, False

    def run(self, name: str, answer: str, **given: Any) -> Any:
        """The answer of a program that is run twice."""
        began = perf_counter()
        program = starplat.compile(Path(__file__).parents[1] / "examples" / f"{name}.sp")
        how: dict[str, Any] = {"target": "cuda", "device_memory": self.limit, "schedule": "memory=ondemand,order=as-is"}
        result = program.run(self.graph, repeat=2, **how, **given)
        times = ", ".join(f"{1e3 * seconds:.1f} ms" for seconds in result.seconds.run)
        near, far = in_words(result.estimate.total), in_words(sum(result.estimate.mapped.values()))
        print(
            f"{name}: {times}; {near} on the device, {far} on the host; {perf_counter() - began:.1f} s in all",
            flush=True,
        )
        return result[answer]

    def judge(self, wrong: Callable[[], int]) -> None:
        """Says how many nodes are wrong."""
        began, count = perf_counter(), wrong()
        self.wrong |= count > 0
        print(f"  {count:,} nodes are wrong, judged in {perf_counter() - began:.1f} s", flush=True)


if __name__ == "__main__":
    sys.exit(main())
