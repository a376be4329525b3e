"""Emitted programs under `memory=ondemand` take `--device-memory` and place arrays of arcs within it."""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import starplat
from tests.backends.built import built
from tests.runtime.devices import device_of

ARCHITECTURE = "sm_80"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NODES, ARCS = 50, 300
OTHERS = 4 * (NODES + 1) + 8 * NODES
"""Bytes of row offsets and sums."""

SUM = starplat.compile("""
function weights(Graph g, propEdge<int> weight, propNode<long> total) {
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            edge e = g.get_edge(v, w);
            v.total += e.weight * (w + 1);
        }
    }
}
""")


@pytest.fixture
def roads(tmp_path: Path) -> Path:
    generator = np.random.default_rng(5)
    path = tmp_path / "roads.wel"
    arcs = np.column_stack([generator.integers(0, NODES, (ARCS, 2)), generator.integers(1, 9, ARCS)])
    arcs[:2, :2] = [[0, 1], [NODES - 1, 0]]
    np.savetxt(path, arcs, fmt="%d")
    return path


def run(program: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("target", ["opencl", "sycl", "cuda"])
def test_a_program_keeps_to_the_limit_that_it_is_run_with(target: str, roads: Path, tmp_path: Path) -> None:
    device_of(target)
    program = built(SUM.artifact(target, schedule="memory=ondemand"), tmp_path)
    expected = SUM.run(roads, target="reference", arguments={})["total"].tolist()
    size = 4 * ARCS
    limits = {None: 0, OTHERS: 0, OTHERS + size - 1: 0, OTHERS + size: size, OTHERS + 2 * size - 1: size,
              OTHERS + 2 * size: 2 * size, "1M": 2 * size}  # fmt: skip
    for limit, near in limits.items():
        out = tmp_path / "out.csv"
        words = () if limit is None else ("--device-memory", limit)
        done = run(program, roads, *words, "--out", out)
        assert done.returncode == 0, done.stderr
        assert f"arcs: {near} bytes on the device, {2 * size - near} on the host" in done.stderr
        with out.open() as rows:
            assert [int(row["total"]) for row in csv.DictReader(rows) if row["total"]] == expected


# By program: what it is called with, bytes of all arrays of arcs, and whether all arcs of a row are copied or none.
HEADS = {
    "bfs_levels": ("level", ("--src", 0), 2, False),
    "connected_components": ("component", (), 1, False),
    "sssp": ("dist", ("--src", 0), 2, True),
}


@pytest.mark.spread
@pytest.mark.parametrize("target", ["opencl", "sycl", "cuda"])
@pytest.mark.parametrize("name", HEADS)
def test_heads_of_rows_get_the_room_that_is_less_than_all_arcs(
    name: str, target: str, roads: Path, tmp_path: Path
) -> None:
    device_of(target)
    result, words, arrays, whole = HEADS[name]
    program = starplat.compile(EXAMPLES / f"{name}.sp")
    call = {"src": 0} if words else {}
    expected = program.run(roads, target="reference", **call)
    runs = built(program.artifact(target, schedule="memory=ondemand"), tmp_path)
    degrees = np.bincount(np.loadtxt(roads, dtype=int)[:, 0], minlength=NODES)
    if name == "bfs_levels":  # its heads are of the arcs into a node
        degrees = np.bincount(np.loadtxt(roads, dtype=int)[:, 1], minlength=NODES)
    copied = [np.where(degrees <= n, degrees, 0) if whole else np.minimum(degrees, n) for n in range(degrees.max() + 1)]
    heads = [4 * (2 if whole else 1) * int(each.sum()) for each in copied]
    refused = run(runs, roads, *words, "--device-memory", 1)
    least = int(re.findall("need ([0-9]+)", refused.stderr)[0])
    out, everything = tmp_path / "out.csv", 4 * ARCS * arrays
    for room in (0, heads[2] - 1, heads[2], heads[5], heads[-1] - 1, everything):
        done = run(runs, roads, *words, "--device-memory", least + room, "--out", out)
        assert done.returncode == 0, done.stderr
        near = everything if room == everything else max(size for size in heads if size <= room)
        assert f"arcs: {near} bytes on the device, {everything * (near < everything)} on the host" in done.stderr
        with out.open() as rows:
            found = [row[result] for row in csv.DictReader(rows) if row[result]]
        assert found == [str(value) for value in expected[result].tolist()]


def test_what_is_no_limit_or_too_little_is_refused(roads: Path, tmp_path: Path) -> None:
    device_of("opencl")
    program = built(SUM.artifact("opencl", schedule="memory=ondemand"), tmp_path)
    for word in ("12 apples", "2x", "G", "-5", "99999999999G", "1GG"):
        done = run(program, roads, "--device-memory", word)
        assert done.returncode == 2
        assert f"--device-memory cannot be '{word}'" in done.stderr
    done = run(program, roads, f"--device-memory={OTHERS - 1}")
    assert done.returncode == 1
    assert f"allows {OTHERS - 1} bytes, and arrays that are not of arcs need {OTHERS}" in done.stderr
    assert "--device-memory SIZE" in run(program, "--help").stdout


def loops(text: str) -> dict[str, str]:
    """The kernels of a text for CUDA by name, from their signature on, without places in the program."""
    plain = re.sub(r"^ *#line.*\n", "", text, flags=re.MULTILINE)
    kernel = re.compile(r"^extern \"C\" __global__ void (?:__\w+__\(.*?\) )*(\w+)\((.*?)^}", re.MULTILINE | re.DOTALL)
    return dict(kernel.findall(plain))


@pytest.mark.parametrize("name", ["bfs_levels", "connected_components", "k_core", "pagerank", "sssp"])
def test_with_room_for_all_arcs_programs_have_the_kernels_of_resident(name: str) -> None:
    program = starplat.compile(EXAMPLES / f"{name}.sp")
    resident, placed = (
        program.artifact("cuda", schedule=f"memory={memory}")[f"{name}.cu"] for memory in ("resident", "ondemand")
    )
    assert "room.holds_all()" in placed
    assert "room.holds_all()" not in resident
    near = {kernel.removesuffix("_near"): body for kernel, body in loops(placed).items() if kernel.endswith("_near")}
    assert near
    shared = {kernel: body for kernel, body in loops(placed).items() if kernel not in near}
    assert {**shared, **near}.items() >= loops(resident).items()


@pytest.mark.parametrize("name", ["clustering_coefficient", "label_propagation", "triangle_count"])
def test_programs_whose_kernels_do_not_depend_on_room_have_them_once(name: str) -> None:
    program = starplat.compile(EXAMPLES / f"{name}.sp")
    text = program.artifact("cuda", schedule="memory=ondemand")[f"{name}.cu"]
    assert "PlacedBuffer" in text
    assert "_near(" not in text


@pytest.mark.parametrize("name", ["sssp", "betweenness"])
def test_programs_for_cuda_compile_without_warnings(name: str, tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    program = starplat.compile(EXAMPLES / f"{name}.sp")
    for file, text in program.artifact("cuda", schedule="memory=ondemand").items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    command = ["nvcc", "-std=c++17", f"-arch={ARCHITECTURE}", "-Xcompiler", "-Wall,-Wextra,-Wshadow", "-c"]
    done = subprocess.run([*command, f"{name}.cu"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("target", "file", "begins"),
    [("sycl", "closeness_kernels.cpp", "for (int word = "), ("opencl", "closeness.cl", "const int word = rows.node[")],
)
def test_nodes_that_look_for_bits_know_where_the_heads_of_their_rows_are(target: str, file: str, begins: str) -> None:
    text = starplat.compile(EXAMPLES / "closeness.sp").artifact(target, schedule="memory=ondemand")[file]
    at_heads = text.index("in_head_columns[")
    first = text.rindex(begins, 0, at_heads)
    assert first < text.index("const int w_2 = word;", first) < text.index("in_row_offsets[w_2]", first) < at_heads


def test_threads_that_collect_bits_together_read_rows_where_they_lie() -> None:
    text = starplat.compile(EXAMPLES / "closeness.sp").artifact("cuda", schedule="memory=ondemand")["closeness.cu"]
    assert "collect_all<4>(num_nodes, in_row_offsets, in_columns, seen," in text
    assert "in_head_columns[" not in text


@pytest.mark.parametrize("target", ["cuda", "hip", "opencl", "sycl"])
def test_only_programs_with_a_limit_have_placed_arrays(target: str) -> None:
    def text(schedule: str, *, library: bool = False) -> str:
        return "".join(SUM.artifact(target, schedule=schedule, library=library, single_file=True).values())

    assert re.search(r"PlacedBuffer<int> columns\{device, room, host\.columns\};", text("memory=ondemand"))
    assert "PlacedBuffer" not in text("memory=mapped") + text("memory=ondemand", library=True)
    assert "MappedBuffer<int> columns{device, host.columns};" in text("memory=ondemand", library=True)


def test_a_program_with_managed_memory_has_its_arrays_there() -> None:
    text = "".join(SUM.artifact("cuda", schedule="memory=unified").values())
    assert "ManagedBuffer<int> columns{device, host.columns};" in text
    assert "cudaMallocManaged" in text
    assert not re.search("(Mapped|Placed)Buffer", text)
