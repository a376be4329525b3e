"""Emitted programs in parts: right in any number of these, and failures are said once.

Those for OpenMP are processes of MPI's. Those for CUDA are built for the host, where NCCL is emulated (see
`emulated_programs`), as threads and as processes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators, write
from starplat.resources import shipped_programs
from starplat.toolchain.compilers import Compiler
from tests.backends import emulated_programs
from tests.backends.built import built
from tests.backends.emulated_programs import built_for_host, with_gpus
from tests.programs.cases import Case
from tests.programs.targets import compiled
from tests.programs.test_artifacts import flags
from tests.runtime.test_parts import CAN_BE_DIVIDED
from tests.runtime.test_ranks import PATIENT, mpiexec
from tests.zoo import ZOO

Done = subprocess.CompletedProcess[str]


def program_of(case: Case, folder: Path) -> Path:
    """The program of a case, which finds MPI's header and library in its own installation."""
    mpiexec()
    return built(compiled(case.path).artifact("openmp", mpi=True), folder)


def ran(program: Path, parts: int, *words: str) -> Done:
    return said("-n", str(parts), str(program), *words, folder=program.parent)


def said(*words: str, folder: Path) -> Done:
    """What the launcher of processes says."""
    command, environment = [mpiexec(), *words], {**os.environ, **PATIENT, "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def columns(out: Path, names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """The properties in the tables of results: that of nodes and that of edges."""
    found = {}
    for file in filter(Path.exists, (out, out.with_suffix(".edges.csv"))):
        head, *rows = (line.split(",") for line in file.read_text(encoding="utf-8").splitlines())
        cells = zip(*rows, strict=True) if rows else ((),) * len(head)
        found |= {name: array_of(column) for name, column in zip(head, cells, strict=True) if name in names}
    return found


WORDS = {"true": True, "false": False}


def array_of(cells: tuple[str, ...]) -> NDArray[Any]:
    if set(cells) <= WORDS.keys():
        return np.array([WORDS[cell] for cell in cells], np.bool_)
    return np.array(cells, float if any(re.search("[.einf]", cell) for cell in cells) else np.int64)


def right_in_parts(case: Case, program: Path, graph: Graph, parts: int) -> None:
    right_as_run(case, program.parent, graph, lambda words: ran(program, parts, *words))


def right_as_run(
    case: Case, folder: Path, graph: Graph, run: Callable[[list[str]], Done], most_calls: int = 99
) -> None:
    """Judges what an emitted program prints and writes, which `run` starts with a graph and the words of a call."""
    path, out = folder / "graph.spg", folder / "out.csv"
    write(graph, path)
    for call in case.calls(graph)[:most_calls]:
        done = run([str(path), *flags(call), *(("--out", str(out)) if case.properties else ())])
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("seconds: ") == 1
        found = columns(out, case.properties) if case.properties else {}
        returned = re.search(r"^returned (\S+)$", done.stdout, re.MULTILINE)
        case.check(graph, call, found, None if returned is None else float(array_of((returned[1],))[0]))


@pytest.mark.thin(plain=19, campaign=6)
@pytest.mark.parametrize("case", CAN_BE_DIVIDED, ids=lambda case: case.program)
def test_examples_are_right_in_any_number_of_parts(case: Case, tmp_path: Path) -> None:
    program = program_of(case, tmp_path)
    graphs = [case.suits(graph) for graph in list(ZOO.values())[::9]]
    graphs.append(case.suits(generators.rmat(6, 4, 1).with_random_weights(1, 9, 1)))
    for turn, graph in enumerate(graphs):
        right_in_parts(case, program, graph, (1, 2, 3, 5)[turn % 4])
    for parts in (1, 2, 3):
        right_in_parts(case, program, graphs[-1], parts)


def test_levels_are_the_same_in_one_two_and_three_parts(tmp_path: Path) -> None:
    case = case_of("bfs_levels")
    program = program_of(case, tmp_path)
    for parts in (1, 2, 3):
        right_in_parts(case, program, generators.rmat(6, 4, 1), parts)


def test_what_crosses_is_that_of_one_run(tmp_path: Path) -> None:
    program = program_of(case_of("bfs_levels"), tmp_path)
    write(generators.rmat(6, 4, 1), tmp_path / "a.spg")
    once, often = (ran(program, 2, "a.spg", "--src", "0", *more).stdout for more in ((), ("--repeat", "3")))
    crossed = re.compile("^parts: .* exchanges$", re.MULTILINE)
    assert crossed.findall(once) == crossed.findall(often) != []


def case_of(program: str) -> Case:
    return next(case for case in CAN_BE_DIVIDED if case.program == program)


CONNECTIONS = {"devices": {"devices": True}, "mpi": {"mpi": True}}


def program_of_gpus(case: Case, way: str, folder: Path) -> Path:
    """The program of a case for CUDA, whose parts are connected in that way, on an emulated GPU each."""
    if way == "mpi":
        mpiexec()
    files = compiled(case.path).artifact("cuda", **CONNECTIONS[way])
    return built_for_host(files, folder, mpi=way == "mpi")


def ran_on_gpus(program: Path, way: str, parts: int, *words: str, gpus: int = 5, failure: str | None = None) -> Done:
    launcher = [mpiexec(), "-n", str(parts)] if way == "mpi" else []
    number = ["--devices", str(parts)] if way == "devices" else []
    environment = {**with_gpus(gpus, failure), **PATIENT}
    command = [*launcher, str(program), *words, *number]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.thin(plain=38, campaign=8)
@pytest.mark.parametrize("way", CONNECTIONS)
@pytest.mark.parametrize("case", CAN_BE_DIVIDED, ids=lambda case: case.program)
def test_examples_are_right_on_several_gpus(case: Case, way: str, tmp_path: Path) -> None:
    program = program_of_gpus(case, way, tmp_path)
    graphs = [case.suits(graph) for graph in list(ZOO.values())[::9]]
    graphs.append(case.suits(generators.rmat(6, 4, 1).with_random_weights(1, 9, 1)))
    for turn, graph in enumerate(graphs):
        for parts in (1, 2, 3) if graph is graphs[-1] else ((2, 3, 5)[turn % 3],):
            right_as_run(case, tmp_path, graph, lambda words, parts=parts: ran_on_gpus(program, way, parts, *words))


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("way", ["openmp", *CONNECTIONS])
@pytest.mark.parametrize("name", ["minimum_spanning_tree", "pagerank", "sssp"])
def test_numbers_of_arcs_may_have_64_bits(name: str, way: str, tmp_path: Path) -> None:
    """As in programs for graphs of 2^31 arcs or more."""
    mpiexec()
    case = case_of(name)
    target, options = ("openmp", {"mpi": True}) if way == "openmp" else ("cuda", CONNECTIONS[way])
    files = compiled(case.path).artifact(target, **options)
    wide = {file: f"#define ARC_64\n{text}" for file, text in files.items()}
    program = built(wide, tmp_path) if way == "openmp" else built_for_host(wide, tmp_path, mpi=way == "mpi")
    graph = case.suits(generators.rmat(5, 4, 1).with_random_weights(1, 9, 1))
    if way == "openmp":
        right_in_parts(case, program, graph, 3)
    else:
        right_as_run(case, tmp_path, graph, lambda words: ran_on_gpus(program, way, 3, *words), 1)


def test_programs_of_gpus_fail_with_a_message_and_a_code(tmp_path: Path) -> None:
    """However many parts wait for the one that has failed."""
    write(generators.chain(9), tmp_path / "a.spg")
    call = (str(tmp_path / "a.spg"), "--src", "0")
    for way in CONNECTIONS:
        folder = tmp_path / way
        folder.mkdir()
        program = program_of_gpus(case_of("bfs_levels"), way, folder)
        few = ran_on_gpus(program, way, 3, *call, gpus=2)
        reasons = {
            "devices": "there are no 3 GPUs from number 0 on: this machine has 2",
            "mpi": "parts 0 and 2 have the same GPU: start no more of them than there are GPUs",
        }
        assert (few.returncode, few.stderr) == (1, f"error: {reasons[way]}\n")
        late = ran_on_gpus(program, way, 3, *call, failure="1,4")
        assert (late.returncode, late.stdout) == (1, "")
        assert late.stderr.count("error: ncclAllReduce: emulated: as the environment wants it\n") == 1
        wrong = ran_on_gpus(program, way, 3, call[0], "--src", "99")
        assert (wrong.returncode, wrong.stderr) == (1, "error: the graph has no node 99\n")
    none = ran_on_gpus(tmp_path / "devices" / "bfs_levels", "devices", 0, *call)
    assert (none.returncode, none.stderr) == (2, "error: --devices is a number from 1 on; --help says more\n")
    nowhere = ran_on_gpus(tmp_path / "devices" / "bfs_levels", "devices", 1, *call, gpus=0)
    assert (nowhere.returncode, nowhere.stderr) == (1, "error: there is no GPU 0: this machine has 0\n")


def test_programs_of_gpus_read_well() -> None:
    devices, mpi = (
        compiled(case_of("sssp").path).artifact("cuda", **CONNECTIONS[way])["sssp.cu"] for way in CONNECTIONS
    )
    assert "// build: nvcc -O3 -std=c++17 -arch=native -Xcompiler -fwrapv sssp.cu -o sssp -lnccl\n" in devices
    assert "// build: nvcc -ccbin mpicxx -O3 -std=c++17 -arch=native -Xcompiler -fwrapv sssp.cu -o sssp -lnccl\n" in mpi
    assert "// run:   ./sssp GRAPH " in devices
    assert "// run:   mpiexec -n 4 ./sssp GRAPH " in mpi
    assert "in_parts<Parts>(program, gpus, host, [&](Program &program, Parts &parts) {\n" in devices
    functions = [text[text.index("// sssp.sp:") : text.index("int main")] for text in (devices, mpi)]
    assert functions[0] == functions[1]
    assert "graph.parts.combine<Least>(dist, graph.parts.nodes);" in functions[0]


def test_exchanges_read_well() -> None:
    text = compiled(case_of("pagerank").path).artifact("openmp", mpi=True)["pagerank.cpp"]
    assert "// build: mpicxx -O2 -std=c++17 -fwrapv -fopenmp pagerank.cpp -o pagerank\n// run:   mpiexec -n 4 " in text
    assert (
        """\
        stranded += stranded_result.read();
        stranded = graph.parts.together<Sum>(stranded_before, stranded);
        graph.parts.share(contribution, graph.parts.nodes);
"""
        in text
    )
    alone = compiled(case_of("pagerank").path).artifact("openmp", mpi=True, single_file=True)
    assert list(alone) == ["pagerank.cpp"]
    assert "using Parts = Exchanging<OnHost>;" in alone["pagerank.cpp"]


def test_a_part_holds_its_own_rows_where_it_needs_no_others() -> None:
    """What other cells are is 0, so that answers would change if one were asked for."""
    own, all_rows = (
        compiled(case_of(name).path).artifact("openmp", mpi=True)[f"{name}.cpp"] for name in ("sssp", "triangle_count")
    )
    assert "Buffer<int> columns{parts.own_rows<Buffer<int>>(device, host.columns, parts.arcs)};" in own
    assert "Buffer<int> weight = parts.own_rows<Buffer<int>>(device, host.weights, parts.arcs);" in own
    assert "own_rows" not in all_rows


def test_weights_that_are_shown_are_those_of_all_parts(tmp_path: Path) -> None:
    mpiexec()
    program = built(compiled(shipped_programs()["astar"]).artifact("openmp", mpi=True), tmp_path)
    graph = generators.rmat(6, 4, 1).with_random_weights(1, 9, 1)
    write(graph, tmp_path / "graph.spg")
    done = ran(program, 2, "graph.spg", "--src", "0", "--goal", "9")
    assert f"weight: count {graph.num_arcs}, finite {graph.num_arcs}, sum {graph.weights.sum()}," in done.stdout


def test_other_arcs_and_other_weights_are_another_graph(tmp_path: Path) -> None:
    program = program_of(case_of("sssp"), tmp_path)
    rows, weights = np.array([0, 1, 2, 2]), np.array([5, 6], np.int32)
    for name, columns, light in (("a", [1, 2], 0), ("b", [2, 1], 0), ("c", [1, 2], 1)):
        graph = Graph(rows, np.array(columns, np.int32), weights - light, directed=True)
        write(graph, tmp_path / f"{name}.spg")
    for other in "bc":
        done = ran(program, 1, "a.spg", "--src", "0", ":", "-n", "1", str(program), f"{other}.spg", "--src", "0")
        assert (done.returncode, done.stderr) == (1, "error: part 1 has read another graph than part 0\n")


def test_other_names_of_nodes_and_other_nodes_without_arcs_are_another_graph(tmp_path: Path) -> None:
    program = program_of(case_of("bfs_levels"), tmp_path)
    for name, text in (("a", "10 20\n20 30\n"), ("b", "20 30\n30 40\n"), ("c", "5 20\n20 30\n")):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    for nodes in (4, 5):
        alone = Graph(np.zeros(nodes + 1, np.int64), np.zeros(0, np.int32), None, directed=False)
        write(alone, tmp_path / f"{nodes}.spg")
    for one, other, source in (("a.txt", "b.txt", "20"), ("a.txt", "c.txt", "20"), ("4.spg", "5.spg", "0")):
        done = ran(program, 1, one, "--src", source, ":", "-n", "1", str(program), other, "--src", source)
        assert (done.returncode, done.stderr) == (1, "error: part 1 has read another graph than part 0\n")


def test_lists_in_files_are_compared_by_what_they_hold(tmp_path: Path) -> None:
    program = program_of(case_of("radii"), tmp_path)
    write(generators.chain(9), tmp_path / "a.spg")
    for folder, text in (("a", "0,1"), ("b", "0,1"), ("c", "0,2")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "list").write_text(text, encoding="utf-8")
    words = (str(program), str(tmp_path / "a.spg"), "--sources", "@list")
    for other, error in (("b", ""), ("c", "error: part 1 is another program than part 0, or has other arguments\n")):
        places = [("-n", "1", "-wdir", str(tmp_path / folder), *words) for folder in ("a", other)]
        done = said(*places[0], ":", *places[1], folder=tmp_path)
        assert (done.returncode, done.stderr) == (int(error != ""), error)


UNORDERED = """\
function unordered(Graph g, propNode<double> key, propNode<int> from, propNode<double> offer, double zero) {
  g.attachNodeProperty(key = zero / zero, from = 7, offer = zero / zero);
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      <w.key, w.from> = <Min(w.key, v.offer), v>;
    }
  }
}
"""


def test_what_goes_with_keys_that_are_no_numbers_stays(tmp_path: Path) -> None:
    """A comparison with NaN holds nowhere, so no part has a winner."""
    text = starplat.compile(UNORDERED)
    programs = {"openmp": built(text.artifact("openmp", mpi=True), tmp_path)}
    for way, option in CONNECTIONS.items():
        (folder := tmp_path / way).mkdir()
        programs[way] = built_for_host(text.artifact("cuda", **option), folder, mpi=way == "mpi")
    write(generators.rmat(5, 4, 1), tmp_path / "a.spg")
    for way, program in programs.items():
        words = (str(tmp_path / "a.spg"), "--zero", "0")
        done = ran(program, 2, *words) if way == "openmp" else ran_on_gpus(program, way, 2, *words)
        assert "from: count 32, sum 224" in done.stdout.replace("finite 32, ", ""), done.stdout + done.stderr


def test_symmetric_graphs_have_a_variant() -> None:
    text = compiled(case_of("connected_components").path).artifact("openmp", mpi=True)["connected_components.cpp"]
    assert "? connected_components_symmetric(device, graph, component)" in text


def test_what_fails_is_said_once_and_leaves_no_process(tmp_path: Path) -> None:
    program = program_of(case_of("bfs_levels"), tmp_path)
    for name, nodes in (("a", 9), ("b", 7)):
        write(generators.chain(nodes), tmp_path / f"{name}.spg")
    shutil.copy(tmp_path / "a.spg", tmp_path / "same.spg")
    shutil.copy(program, renamed := tmp_path / "renamed")
    (tmp_path / "two").mkdir()
    text = case_of("bfs_levels").path.read_text(encoding="utf-8").replace("v.level + 1", "v.level + 2")
    of_two = built(starplat.compile(text).artifact("openmp", mpi=True), tmp_path / "two")
    wrong = {
        ("a.spg",): (2, "error: --src is not given; --help says more\n"),
        ("no.spg", "--src", "0"): (1, "error: no.spg: No such file or directory\n"),
        ("a.spg", "--src", "99"): (1, "error: the graph has no node 99\n"),
        ("a.spg", "--src", "0", "--out", "no/r.csv"): (1, "no/r.csv"),
    }
    for words, (code, message) in wrong.items():
        done = ran(program, 3, *words)
        assert done.returncode == code, done.stderr
        assert done.stderr.count(message) == done.stderr.count("error: ") == 1
    other_run = "error: part 1 is another program than part 0, or has other arguments\n"
    for other, words, error in (
        (program, ("b.spg", "--src", "0"), "error: part 1 has read another graph than part 0\n"),
        (program, ("a.spg", "--src", "1"), other_run),
        (of_two, ("a.spg", "--src", "0"), other_run),
        (renamed, ("a.spg", "--src", "0"), ""),
        (program, ("--help",), other_run),
        (program, ("same.spg", "--src", "0", "--out", "there.csv"), ""),
    ):
        done = ran(program, 1, "a.spg", "--src", "0", ":", "-n", "2", str(other), *words)
        assert (done.returncode, done.stderr) == (int(error != ""), error)
    one = ran(program, 2, "a.spg", "--src", "0", ":", "-n", "1", str(program), "a.spg", "--wrong")
    assert (one.returncode, one.stderr) == (2, "error: '--wrong' is no argument of this program; --help says more\n")
    helped = ran(program, 2, "--help")
    assert (helped.returncode, helped.stdout.count("usage: ")) == (0, 1)
    assert "usage: mpiexec -n PARTS bfs_levels GRAPH --src NODE [OPTIONS]\n" in helped.stdout


@pytest.mark.parametrize(
    ("program", "target", "options", "message"),
    [
        ("label_propagation", "openmp", {}, "E0668: the program cannot be divided into parts"),
        ("pagerank", "opencl", {}, "E0736: programs in parts ('--mpi') are not written for target 'opencl'"),
        ("label_propagation", "cuda", {}, "E0668: the program cannot be divided into parts"),
        ("pagerank", "cuda", {"devices": True}, "E0736: a program in parts has '--mpi' or '--devices', not both"),
        ("pagerank", "openmp", {"library": True}, "E0736: a program in parts goes without --library"),
        ("pagerank", "openmp", {"schedule": "direction=pull"}, "E0736: a program in parts goes without a schedule"),
    ],
)
def test_what_is_not_written_in_parts_is_refused(
    program: str, target: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(DiagnosticError) as caught:
        compiled(shipped_programs()[program]).artifact(target, mpi=True, **options)
    found = caught.value.diagnostics[0]
    assert f"{found.code}: {found.message}" == message


def test_programs_of_threads_are_for_cuda_only() -> None:
    with pytest.raises(DiagnosticError) as caught:
        compiled(shipped_programs()["pagerank"]).artifact("openmp", devices=True)
    found = caught.value.diagnostics[0]
    assert found.message == "programs in parts ('--devices') are not written for target 'openmp'"
    assert found.help is not None
    assert found.help.startswith("they are for: cuda; ")


def test_what_another_version_of_a_compiler_made_is_not_linked(monkeypatch: pytest.MonkeyPatch) -> None:
    """It refuses headers that were compiled by the other."""
    here = emulated_programs.known_by("g++")
    other = Compiler("/usr/bin/g++", "g++ 99", "g++ 99\n")
    monkeypatch.setattr(emulated_programs, "compiler_named", lambda _: other)
    assert emulated_programs.known_by("g++") != here
