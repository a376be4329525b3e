"""A program as a library: callers from C and from Python get what `run` gives, and errors as numbers with a message."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.graph import Graph
from starplat.graph.generators import rmat
from starplat.toolchain.devices import report
from tests.backends.built import built
from tests.programs.targets import FULL

EXAMPLES = Path(__file__).parents[2] / "examples"
HOST_TARGETS = [target for target in ("opencl", "openmp") if target in BACKENDS]
CALLED = [*HOST_TARGETS, "openacc", "sycl"]
"""Those whose libraries the host's C++ compiler builds; the runtimes of the last two want a process of their own."""

C_PROGRAM = """
#include "sssp.h"
#include <stdio.h>

int main(void) {
    const int64_t rows[] = {0, 2, 3, 4, 4}, ids[] = {10, 20, 30, 40};
    const int32_t columns[] = {1, 2, 2, 3}, weights[] = {3, 10, 4, 1};
    const struct sssp_graph graph = {4, 4, rows, columns, weights, ids};
    int32_t dist[4];
    if (sssp(&graph, 0, dist, 10) != 0) {
        puts(sssp_message());
        return 1;
    }
    printf("%d %d %d %d\\n", (int)dist[0], (int)dist[1], (int)dist[2], (int)dist[3]);
    const int status = sssp(&graph, 0, dist, 11);
    printf("%d %s\\n", status, sssp_message());
    return 0;
}
"""

HOSTILE = """\
function entry(
  Graph g, propNode<int> returned, propNode<int> device, SetN<g> template, propNode<int> template_count, SetE<g> handle,
  int graph, int given_graph
) {
  g.attachNodeProperty(returned = 1, device = 2, template_count = 3);
  int count = graph + given_graph;
  for (v in template) {
    count += 1;
  }
  forall (v in g.nodes()) {
    v.device = v.returned + v.template_count;
  }
  for (e in handle) {
    count += 100;
  }
  return count;
}
"""

TWO_AT_ONCE = """
#include "bfs_levels.cpp"

#include <atomic>
#include <chrono>
#include <thread>

int main() {
    std::atomic<bool> running{false}, met{false};
    std::thread other([&] {
        done([&] {
            running = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            running = false;
        });
    });
    while (!running) std::this_thread::yield();
    done([&] { met = running.load(); });
    other.join();
    return met;
}
"""


def c_graph(graph: Graph) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """`struct NAME_graph` of a program without weights, and the arrays that it points to."""
    arrays = [graph.row_offsets.astype(np.int64), graph.columns.astype(np.int32), graph.original_ids.astype(np.int64)]
    words = (graph.num_nodes, graph.num_arcs, *(array.ctypes.data for array in arrays))
    return (ctypes.c_int64 * len(words))(*words), arrays


def library(name: str, target: str, folder: Path) -> Path:
    """Builds an example as its first comment says."""
    if target == "sycl" and not any(device.usable for device in report(target)):
        pytest.skip("sycl has no device here")
    files = starplat.compile(EXAMPLES / f"{name}.sp").artifact(target, library=True)
    return built(files, folder, "-Wall", "-Wextra", "-Wshadow")


def called(path: Path, name: str, graph: Graph, *arguments: Any) -> None:
    """Calls the library in this process; skips where its runtime finds no device."""
    loaded = ctypes.CDLL(str(path))
    message = getattr(loaded, f"{name}_message")
    message.restype = ctypes.c_char_p
    given, kept = c_graph(graph)
    status = getattr(loaded, name)(given, ctypes.c_int32(0), *arguments)
    assert kept
    if b"no OpenCL device" in message():
        pytest.skip("the system's OpenCL loader finds no device")
    assert status == 0, message()


def pointer(array: np.ndarray[Any, Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("target", CALLED)
def test_c_calls_it(target: str, tmp_path: Path) -> None:
    path = library("sssp", target, tmp_path)
    (tmp_path / "caller.c").write_text(C_PROGRAM)
    command = ["gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "caller.c", str(path), "-o", "caller"]
    linked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert linked.returncode == 0, linked.stderr
    answer = subprocess.run([tmp_path / "caller"], cwd=tmp_path, capture_output=True, text=True, check=False)
    if "no OpenCL device" in answer.stdout:
        pytest.skip("the system's OpenCL loader finds no device")
    assert answer.stdout == "0 3 7 8\n1 the graph has no node 11\n"


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("target", HOST_TARGETS)
def test_a_property_comes_back_as_run_gives_it(target: str, tmp_path: Path) -> None:
    graph = rmat(8, seed=3)
    rank = np.zeros(graph.num_nodes)
    numbers = (ctypes.c_double(0.85), ctypes.c_double(1e-6), ctypes.c_int32(100))
    called(library("pagerank", target, tmp_path), "pagerank", graph, pointer(rank), *numbers)
    expected = starplat.compile(EXAMPLES / "pagerank.sp").run(graph, target="reference")["rank"]
    np.testing.assert_allclose(rank, expected, rtol=1e-9)


@pytest.mark.campaign
@pytest.mark.parametrize("target", HOST_TARGETS)
def test_a_set_goes_in(target: str, tmp_path: Path) -> None:
    graph = rmat(7, seed=5)
    sources = np.array([int(graph.original_ids[node]) for node in (0, 3, 9)], np.int64)
    centrality = np.zeros(graph.num_nodes)
    given = (pointer(centrality), pointer(sources), ctypes.c_int64(len(sources)))
    called(library("betweenness", target, tmp_path), "betweenness", graph, *given)
    program = starplat.compile(EXAMPLES / "betweenness.sp")
    expected = program.run(graph, target="reference", sources=sources.tolist())["bc"]
    np.testing.assert_allclose(centrality, expected, rtol=1e-9)


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("target", HOST_TARGETS)
def test_what_is_returned_comes_back(target: str, tmp_path: Path) -> None:
    graph = rmat(7, seed=5)
    found = ctypes.c_int64(-1)
    called(library("triangle_count", target, tmp_path), "triangle_count", graph, ctypes.byref(found))
    assert found.value == starplat.compile(EXAMPLES / "triangle_count.sp").run(graph, target="reference").returned


@pytest.mark.thin(plain=5)
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.sp")), ids=lambda path: path.stem)
def test_every_header_is_c(path: Path, tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    headers = {starplat.compile(path).artifact(target, library=True)[f"{path.stem}.h"] for target in FULL}
    assert len(headers) == 1, "the header is the same for every target"
    (tmp_path / "one.c").write_text("".join(headers) * 2, encoding="utf-8")
    command = ["gcc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "one.c"]
    read = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert read.returncode == 0, read.stderr


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("target", HOST_TARGETS)
def test_a_graph_is_opened_once_and_run_on_often(target: str, tmp_path: Path) -> None:
    """By several threads at once too, each with answers of its own; what is wrong is told, and the graph stays open."""
    graph = rmat(7, seed=5)
    loaded, (given, kept) = ctypes.CDLL(str(library("bfs_levels", target, tmp_path))), c_graph(graph)
    loaded.bfs_levels_message.restype = ctypes.c_char_p
    loaded.bfs_levels_open.restype = ctypes.c_void_p
    handle = ctypes.c_void_p(loaded.bfs_levels_open(given, ctypes.c_int32(0)))
    if b"no OpenCL device" in loaded.bfs_levels_message():
        pytest.skip("the system's OpenCL loader finds no device")
    assert handle.value
    for array in kept:
        array[:] = 0  # the graph has been taken over
    program = starplat.compile(EXAMPLES / "bfs_levels.sp")

    def ran(src: int) -> np.ndarray[Any, Any]:
        level = np.zeros(graph.num_nodes, np.int32)
        assert loaded.bfs_levels_run(handle, pointer(level), ctypes.c_int64(src)) == 0, loaded.bfs_levels_message()
        return level

    sources = [int(graph.original_ids[node]) for node in (0, 3, 9, 0)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(ran, sources))
    for src, level in zip(sources, found, strict=True):
        np.testing.assert_array_equal(level, program.run(graph, target="reference", src=src)["level"])
    assert loaded.bfs_levels_run(handle, None, ctypes.c_int64(10**9)) == 1
    assert b"no node 1000000000" in loaded.bfs_levels_message()
    assert ran(sources[0])[0] == 0
    loaded.bfs_levels_close(handle)
    loaded.bfs_levels_close(None)
    assert not loaded.bfs_levels_open(given, ctypes.c_int32(-1))
    assert b"negative" in loaded.bfs_levels_message()
    assert loaded.bfs_levels_run(None, None, ctypes.c_int64(0)) == 1


def test_calls_of_different_functions_wait_for_each_other(tmp_path: Path) -> None:
    """Opening beside running too: both may use the memory of one device."""
    library("bfs_levels", "openmp", tmp_path)
    (tmp_path / "two.cpp").write_text(TWO_AT_ONCE)
    subprocess.run(["g++", "-std=c++17", "-fopenmp", "two.cpp", "-o", "two"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "two"], check=False).returncode == 0


def test_a_program_may_call_its_parameters_as_it_likes(tmp_path: Path) -> None:
    """Its header is C and C++ still, and no two parameters of the function have one name."""
    for file, text in starplat.compile(HOSTILE).artifact("openmp", library=True).items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    (tmp_path / "one.c").write_text('#include "program.h"\n')
    flags = ["-Wall", "-Wextra", "-Wshadow", "-Werror", "-fsyntax-only"]
    for command in (["gcc", "-std=c99", *flags, "one.c"], ["g++", "-std=c++17", "-fopenmp", *flags, "program.cpp"]):
        read = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert read.returncode == 0, read.stderr
