"""Ten weighted products A·x, of floats, beside cuSPARSE: times of runs in turns, the last vectors compared.

    python benchmarks/products.py                     the five graphs of the table of figures
    python benchmarks/products.py --graphs rmat18

Times are medians in milliseconds of all ten products, by the device's clock. cuSPARSE has its descriptions and its
buffer made before, and the best of its algorithms for compressed rows counts. Exit code 1 if the vectors differ.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import starplat
from benchmarks.measured import graphs
from benchmarks.measured.options import names
from starplat.graph import Graph

PRODUCTS = 10
PROGRAM = f"""
function products(Graph g, propNode<float> value, propEdge<float> weight) {{
  propNode<float> value_nxt;
  for (int i = 0; i < {PRODUCTS}; i++) {{
    forall (v in g.nodes()) {{
      float sum = 0.0;
      for (w in g.neighbors(v)) {{
        edge e = g.get_edge(v, w);
        sum += w.value * e.weight;
      }}
      v.value_nxt = sum;
    }}
    value = value_nxt;
  }}
}}
"""
TOLERANCE = 1e-4
"""Of the largest value: a float has 24 bits, and the two add in different orders."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=names, default=graphs.NAMES, help=f"of {', '.join(graphs.NAMES)}, rmat18 …")
    parser.add_argument("--data", type=Path, help="where the files of NY and egotw are")
    parser.add_argument("--repeat", type=int, default=9, help="runs of each (9)")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "products.sp"
        file.write_text(PROGRAM, encoding="utf-8")
        program = starplat.compile(file)
    wrong = False
    for name in options.graphs:
        entry = graphs.load(name, options.data)
        graph, x = with_shares(entry.graph), first_vector(entry.graph.num_nodes)
        theirs, (y, times) = CuSparse(graph, x), ours(program, graph, x, options.repeat)
        others = {number: theirs.run(number, options.repeat) for number in theirs.ALGORITHMS}
        best = min(others, key=lambda number: median(others[number][1]))
        off = float(np.abs(y - others[best][0]).max() / np.abs(y).max())
        wrong |= not off < TOLERANCE
        print(
            f"{name:>9} starplat {median(times):8.3f} ms ({min(times):.3f}..{max(times):.3f}), "
            f"cuSPARSE {median(others[best][1]):8.3f} ms, off by {off:.1e}"
        )
    return int(wrong)


def with_shares(graph: Graph) -> Graph:
    """The graph with weights that sum up to 1 for every node, so that vectors stay bounded."""
    assert graph.weights is not None
    weights = graph.weights.astype(np.float32)
    degrees = np.diff(graph.row_offsets)
    sums = np.add.reduceat(np.append(weights, np.float32(0)), np.minimum(graph.row_offsets[:-1], len(weights)))
    return replace(graph, weights=weights / np.repeat(sums.astype(np.float32), degrees))


def first_vector(nodes: int) -> Any:
    return np.random.default_rng(1).random(nodes, dtype=np.float32)


def ours(program: starplat.Program, graph: Graph, x: Any, repeat: int) -> tuple[Any, list[float]]:
    """The last vector, and the times of runs."""
    result = program.run(graph, target="cuda", arguments={"value": x}, results=["value"], repeat=repeat + 1)
    return result["value"], [1e3 * seconds for seconds in result.seconds.run[1:]]


class CuSparse:
    """The same by NVIDIA's library."""

    ALGORITHMS = (0, 2, 3)
    """Its numbers of the default and of both for compressed rows."""

    def __init__(self, graph: Graph, x: Any) -> None:
        import cupy
        from cupyx.scipy.sparse import csr_matrix

        assert graph.weights is not None
        rows = graph.row_offsets.astype(np.int32)
        arrays = tuple(cupy.asarray(array) for array in (graph.weights, graph.columns, rows))
        self.matrix = csr_matrix(arrays, shape=(graph.num_nodes, graph.num_nodes))
        self.cupy, self.x = cupy, x

    def run(self, algorithm: int, repeat: int) -> tuple[Any, list[float]]:
        """The last vector, and the times of runs behind one that warms up."""
        cupy = self.cupy
        first, second = cupy.asarray(self.x), cupy.empty_like(cupy.asarray(self.x))
        multiply, times = self._multiplier(algorithm, first, second), list[float]()
        for _ in range(repeat + 1):
            first[:] = cupy.asarray(self.x)
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            for turn in range(PRODUCTS):
                multiply(turn % 2)
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(begin, end))
        return cupy.asnumpy(first), times[1:]

    def _multiplier(self, algorithm: int, first: Any, second: Any) -> Callable[[int], None]:
        """Multiplies `first` into `second`, or the other way for 1."""
        from cupy.cuda import device
        from cupy_backends.cuda.libs import cusparse
        from cupyx.cusparse import DnVecDescriptor, SpMatDescriptor

        handle, float_32 = device.get_cusparse_handle(), 0
        matrix = SpMatDescriptor.create(self.matrix)
        vectors = DnVecDescriptor.create(first), DnVecDescriptor.create(second)
        one, zero = np.array(1, np.float32), np.array(0, np.float32)

        def given(turn: int) -> tuple[Any, ...]:
            x, y = vectors[turn], vectors[1 - turn]
            return handle, 0, one.ctypes.data, matrix.desc, x.desc, zero.ctypes.data, y.desc, float_32, algorithm

        room = self.cupy.empty(max(cusparse.spMV_bufferSize(*given(0)), 1), np.int8)
        both = given(0), given(1)
        return lambda turn: cusparse.spMV(*both[turn], room.data.ptr)


if __name__ == "__main__":
    sys.exit(main())
