"""OpenMP's threads take many rows at a time where rows are even, few where the arcs of a graph stand together."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import starplat
from starplat.backends import BACKENDS
from starplat.backends.scheduled import for_target
from starplat.schedule import AUTO

EXAMPLES = Path(__file__).parents[2] / "examples"
EVEN = "schedule(dynamic, rows_at_a_time("
FEW, THREADS = 64, 3
NODES = 100 * 8 * THREADS


def kernels(target: str, program: str) -> str:
    """The text of an example's kernels."""
    return BACKENDS[target].kernels_text(for_target(starplat.compile(EXAMPLES / program).module(), target, AUTO, None))


def test_only_loops_over_the_rows_of_all_nodes_ask_for_them() -> None:
    inflow, peeled = kernels("openmp", "pagerank.sp"), kernels("openmp", "k_core.sp")
    assert inflow.count(f"{EVEN}in_row_offsets, num_nodes))") == 1
    assert [line for line in peeled.splitlines() if "peeling_count; " in line]
    assert not any(EVEN in ahead for ahead in peeled.split("peeling_count; ")[0].splitlines()[-2:])
    assert "rows_at_a_time" not in kernels("openacc", "pagerank.sp")


def test_loops_that_only_follow_paths_are_shared_out_in_some_hundred_pieces() -> None:
    steps, few = "schedule(dynamic, 64 + (num_nodes) / 512)", "schedule(dynamic, 64)"
    trees, listed = kernels("openmp", "minimum_spanning_tree.sp"), kernels("openmp", "bfs_levels.sp")
    assert trees.count(steps) == 1
    assert few not in trees
    assert steps not in listed
    assert few in listed
    assert few not in kernels("openacc", "minimum_spanning_tree.sp")


@pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++")
def test_rows_are_even_where_no_stretch_of_them_has_half_more_arcs_than_its_share(tmp_path: Path) -> None:
    asked = 'extern "C" int asked(const arc_t *offsets, int nodes) { return rows_at_a_time(offsets, nodes); }\n'
    (tmp_path / "asked.cpp").write_text(kernels("openmp", "pagerank.sp") + asked)
    command = ["g++", "-std=c++17", "-fopenmp", "-fwrapv", "-shared", "-fPIC", "asked.cpp", "-o", "asked.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "asked.so"))
    ctypes.CDLL("libgomp.so.1").omp_set_num_threads(THREADS)

    def at_a_time(degrees: NDArray[np.int32]) -> int:
        offsets = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int32)
        return int(library.asked(offsets.ctypes.data_as(ctypes.c_void_p), len(degrees)))

    even = np.full(NODES + 5, 4, dtype=np.int32)
    first, last, near = even.copy(), even.copy(), even.copy()
    first[0] = last[-1] = 900
    near[0] = 150
    assert at_a_time(even) == at_a_time(near) == 100
    assert at_a_time(first) == at_a_time(last) == FEW
    assert at_a_time(even[: FEW * 8 * THREADS]) == at_a_time(even[:1]) == at_a_time(even[:0]) == FEW
    assert at_a_time(np.zeros(NODES, dtype=np.int32)) == 100
