"""Memory of emitted programs: sets whose members the host knows are not read back, and every run finds them anew."""

from __future__ import annotations

import ctypes
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import starplat
from starplat import pipeline
from starplat.backends.uses import fixed_sets
from starplat.graph import generators, write
from starplat.toolchain.devices import report
from tests.backends.built import built
from tests.backends.devices import require_devices
from tests.backends.test_artifacts import require_headers
from tests.backends.test_libraries import c_graph
from tests.backends.test_program_input import EXAMPLES, started_from
from tests.programs.targets import FULL

COUNTING = """
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>

static struct Counts {
    std::map<std::string, long long> calls;
    ~Counts() {
        for (const auto &[name, count] : calls) std::fprintf(stderr, "%s %lld\\n", name.c_str(), count);
    }
} counts;

extern "C" long long counted(const char *name) { return counts.calls[name]; }
"""

OPENCL_CALLS = """
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

extern "C" cl_mem __real_clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
extern "C" cl_mem __wrap_clCreateBuffer(cl_context a, cl_mem_flags b, size_t c, void *d, cl_int *e) {
    counts.calls["allocated"]++;
    return __real_clCreateBuffer(a, b, c, d, e);
}

extern "C" cl_int __real_clEnqueueReadBuffer(
    cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *);
extern "C" cl_int __wrap_clEnqueueReadBuffer(
    cl_command_queue a, cl_mem b, cl_bool c, size_t d, size_t size, void *f, cl_uint g, const cl_event *h, cl_event *i
) {
    counts.calls["bytes read"] += size;
    return __real_clEnqueueReadBuffer(a, b, c, d, size, f, g, h, i);
}
"""

ALLOCATOR = """
extern "C" void *__real_NAME(std::size_t, const void *, const void *);
extern "C" void *__wrap_NAME(std::size_t bytes, const void *a, const void *b) {
    if (bytes > 4000) counts.calls["allocated"]++;
    return __real_NAME(bytes, a, b);
}
"""
"""Of large pieces; what SYCL's takes besides is nothing to the others."""

ALLOCATORS = {
    "openmp": ("malloc", "_Znam"),
    "openacc": ("acc_malloc",),
    "sycl": ("_ZN4sycl3_V113malloc_deviceEmRKNS0_5queueERKNS0_6detail13code_locationE",),
}
"""The functions by which programs get memory, as the linker knows them."""

WRAPPED = {**ALLOCATORS, "opencl": ("clCreateBuffer", "clEnqueueReadBuffer")}

ADDS = """\
function entry(Graph g, SetN<g> chosen) {
  int found = 0;
  for (v in chosen) {
    found += 1;
    chosen.add(3);
  }
  return found;
}
"""

ADDS_ELSEWHERE = """\
function add_three(Graph g, SetN<g> marks, propEdge<int> cost) {
  marks.add(3);
  forall (e in g.edges()) {
    e.cost += 1;
  }
}
function entry(Graph g, SetN<g> chosen, propEdge<int> weight) {
  int found = 0;
  for (v in chosen) {
    found += 1;
  }
  add_three(g, chosen, weight);
  edge first = g.get_edge(0, 1);
  return found + first.weight;
}
"""

CALLS = """\
function walk(Graph g, SetN<g> marks, propNode<int> seen) {
  for (v in marks) {
    forall (w in g.nodes()) {
      if (w < v) {
        w.seen += 1;
      }
    }
  }
}
function entry(Graph g, SetN<g> one, SetN<g> other, propNode<int> seen) {
  g.attachNodeProperty(seen = 0);
  walk(g, one, seen);
  OTHER
}
"""


def counted(stem: str, target: str, folder: Path, *, library: bool = False) -> Path:
    """An example that counts what it allocates; what a program prints ends with the counts."""
    if target == "opencl":
        require_devices()
        require_headers()
    if target == "sycl" and not any(device.usable for device in report(target)):
        pytest.skip("sycl has no device here")
    files = starplat.compile(EXAMPLES / f"{stem}.sp").artifact(target, library=library)
    calls = OPENCL_CALLS if target == "opencl" else "".join(ALLOCATOR.replace("NAME", n) for n in ALLOCATORS[target])
    wrapped = [f"-Wl,--wrap={name}" for name in WRAPPED[target]]
    return built(files | {"counting.cpp": COUNTING + calls}, folder, "counting.cpp", *wrapped)


def counts_of(program: Path, *arguments: object) -> Counter[str]:
    answer = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if "no OpenCL device" in answer.stderr:
        pytest.skip("the system's OpenCL loader finds no device")
    assert answer.returncode == 0, answer.stderr
    counts = [line.rsplit(" ", 1) for line in answer.stderr.splitlines()]
    return Counter({name: int(count) for name, count in counts})


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "graph.spg"
    write(generators.rmat(12, seed=3), path)
    return path


def test_members_that_the_host_knows_are_not_read_back(graph: Path, tmp_path: Path) -> None:
    """Ten runs more read some words, and never a flag for every node."""
    program = counted("betweenness", "opencl", tmp_path)
    once, often = (counts_of(program, graph, "--sources", 0, "--repeat", n)["bytes read"] for n in (1, 11))
    assert 0 <= often - once < 10 * 2**12


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("target", WRAPPED)
def test_runs_use_the_memory_of_the_first(target: str, graph: Path, tmp_path: Path) -> None:
    program = counted("betweenness", target, tmp_path)
    once, often = (counts_of(program, graph, "--sources", 0, "--repeat", n)["allocated"] for n in (1, 5))
    assert 0 < once == often


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("target", ["openmp", "opencl"])
def test_an_open_graph_keeps_the_memory_of_its_first_run(target: str, tmp_path: Path) -> None:
    loaded = ctypes.CDLL(str(counted("betweenness", target, tmp_path, library=True)))
    given, kept = c_graph(generators.rmat(12, seed=3))
    loaded.betweenness_open.restype = ctypes.c_void_p
    loaded.betweenness_message.restype = ctypes.c_char_p
    loaded.counted.restype = ctypes.c_longlong
    handle = ctypes.c_void_p(loaded.betweenness_open(given, ctypes.c_int32(0)))
    if b"no OpenCL device" in loaded.betweenness_message():
        pytest.skip("the system's OpenCL loader finds no device")
    assert kept

    def allocated() -> int:
        source = (ctypes.c_int64 * 1)(0)
        arguments = (None, source, ctypes.c_int64(1))
        assert loaded.betweenness_run(handle, *arguments) == 0, loaded.betweenness_message()
        return int(loaded.counted(b"allocated"))

    assert 0 < allocated() == allocated() == allocated()
    loaded.betweenness_close(handle)


@pytest.mark.parametrize("target", sorted(FULL))
def test_host_code_lists_the_members_of_a_set_once(target: str) -> None:
    text = "".join(starplat.compile(EXAMPLES / "betweenness.sp").artifact(target, single_file=True).values())
    assert "FixedSet &sources" in text
    assert "FixedSet sources(device, host.marked_nodes(given_sources));" in text
    assert text.count("Buffer<unsigned> arrived(device, 1, 0);") == (target in ("cuda", "hip"))
    assert text.find("arrived(device, 1, 0)") < text.find("sources.members()")


@pytest.mark.parametrize(
    ("other", "fixed"),
    [
        ("", {"marks", "one"}),
        ("walk(g, other, seen);", {"marks", "one", "other"}),
        ("other.add(1);", {"marks", "one"}),
        ("walk(g, other, seen); other.add(1);", set()),
        ("forall (v in g.nodes()) { one.add(v); }", set()),
    ],
)
def test_a_set_is_fixed_if_nothing_changes_what_it_is_lent_to(other: str, fixed: set[str]) -> None:
    checked = starplat.compile(CALLS.replace("OTHER", other)).checked
    module = pipeline.lower(checked, "entry", as_written=True)  # small functions become part of their callers else
    assert {array.name for array in fixed_sets(module)} == fixed


@pytest.mark.parametrize(("text", "returned"), [(ADDS, 2), (ADDS_ELSEWHERE, 4)])
def test_every_run_finds_what_was_given(text: str, returned: int, tmp_path: Path) -> None:
    start = started_from(starplat.compile(text), tmp_path)
    write(generators.chain(5), tmp_path / "chain.txt")
    for words in ((), ("--repeat", 3)):
        assert f"returned {returned}\n" in start("chain.txt", "--chosen", "0,1", *words).stdout
