"""Kernels as loops under directives: how they read, and that g++ takes them without a warning, offloaded too."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.ir import nodes as ir
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from starplat.toolchain.compilers import gnu_compiler, offloading_compiler
from tests.backends.modules import V, load, module_of, node_array, number, over_nodes, sssp, variable
from tests.programs.cases import CASES, EXAMPLES, Case

TARGETS = ("openacc", "openmp")
every_target = pytest.mark.parametrize("target", TARGETS)

RELAX = """\
// sssp.sp:9 forall (v in g.nodes().filter(modified == True))
#line 9 "sssp.sp"
extern "C" void sssp_relax(
    int num_nodes, const arc_t *__restrict__ row_offsets, const int *__restrict__ columns,
    const bool *__restrict__ modified, int *dist, const int *__restrict__ weight, bool *modified_next
) {
    #pragma acc parallel loop gang(static:1) worker vector \\
        num_gangs(256) num_workers(16) vector_length(32) \\
        deviceptr(row_offsets, columns, modified, dist, weight, modified_next)
    for (int v = 0; v < num_nodes; v++) {
        if (!modified[v]) continue;
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
            const int candidate = add_inf(dist[v], weight[e]);
            if (candidate < dist[nbr] && candidate < atomic_min_int(&dist[nbr], candidate)) {
                modified_next[nbr] = true;
            }
        }
    }
}
"""
FINISHED = {
    "openacc": """\
extern "C" void sssp_finished(int num_nodes, const bool *__restrict__ modified, int *finished) {
    int finished_part = 1;
    #pragma acc parallel loop gang worker vector num_gangs(256) num_workers(16) vector_length(32) \\
        deviceptr(modified) reduction(&& : finished_part)
    for (int v = 0; v < num_nodes; v++) {
        if (modified[v]) finished_part = 0;
    }
    *finished = finished_part;
}
""",
    "openmp": """\
extern "C" void sssp_finished(int num_nodes, const bool *__restrict__ modified, int *finished) {
    int finished_part = 1;
    #pragma omp parallel for schedule(static) reduction(&& : finished_part)
    for (int v = 0; v < num_nodes; v++) {
        if (modified[v]) finished_part = 0;
    }
    *finished = finished_part;
}
""",
}


TEAMS = """\
    #pragma acc parallel loop gang(static:1) worker num_gangs(256) num_workers(16) vector_length(32) \\
        deviceptr(row_offsets, columns, modified, dist, weight, modified_next)
    for (int v = 0; v < num_nodes; v++) {
        if (!modified[v]) continue;
        #pragma acc loop vector
        for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
            const int nbr = columns[e];
"""


def test_shortest_paths_read_well() -> None:
    assert RELAX in BACKENDS["openacc"].kernels_text(sssp())


def test_teams_share_the_arcs_of_a_node() -> None:
    assert TEAMS in BACKENDS["openacc"].kernels_text(in_teams())
    for_openmp = BACKENDS["openmp"].kernels_text(in_teams())
    assert for_openmp == BACKENDS["openmp"].kernels_text(sssp()), "OpenMP's threads take nodes"


def in_teams() -> ir.Module:
    module = sssp()
    relax, *others = module.kernels
    return replace(module, kernels=(replace(relax, shares_arcs=True), *others))


@every_target
def test_reductions_are_clauses(target: str) -> None:
    assert FINISHED[target] in BACKENDS[target].kernels_text(sssp())


IN_BATCHES = {
    "nodes": """\
    #pragma acc parallel loop gang num_gangs(256) num_workers(16) vector_length(32) \\
        deviceptr(row_offsets, columns, goes_on, modified, dist, weight, modified_next, \\
            finished_found) async(1)
    for (int gang = 0; gang < (*goes_on ? 256 : 0); gang++) {
        int finished_part = 1;
        #pragma acc loop worker reduction(&& : finished_part)
        for (int first_v = gang * 32; first_v < num_nodes; first_v += 8192) {
            #pragma acc loop vector reduction(&& : finished_part)
            for (int v = first_v; v < (first_v + 32 < num_nodes ? first_v + 32 : num_nodes); v++) {
                if (!modified[v]) continue;
                for (arc_t e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
                    const int nbr = columns[e];
                    const int candidate = add_inf(dist[v], weight[e]);
                    if (candidate < dist[nbr] && candidate < atomic_min_int(&dist[nbr], candidate)) {
                        modified_next[nbr] = true;
                        finished_part = 0;
                    }
                }
            }
        }
        if (!finished_part) *finished_found = 0;
    }
""",
    "teams": """\
        #pragma acc loop worker reduction(+ : change_part)
        for (int v = gang; v < num_nodes; v += 256) {
            double inflow = 0.0;
            #pragma acc loop vector reduction(+ : inflow)
            for (arc_t in_e = in_row_offsets[v]; in_e < in_row_offsets[v + 1]; in_e++) {
""",
    "what gangs found": """\
        #pragma acc atomic update
        *change_found += change_part;
""",
    "nothing to find": """\
        deviceptr(goes_on, modified_next) async(1)
    for (int v = 0; v < (*goes_on ? num_nodes : 0); v++) {
        modified_next[v] = false;
""",
    "one thread": """\
    #pragma acc serial deviceptr(goes_on, finished_found, turned_on_device_cell) async(1)
    {
        if (*goes_on) {
            const bool finished = *finished_found != 0;
""",
}


def in_batches(program: str, balance: str = "auto") -> ir.Module:
    """An example whose host asks for rounds ahead."""
    case = next(case for case in CASES if case.program == program)
    schedule = parse_schedule(f"loop=batch,balance={balance},algebra=plain")
    return decided(starplat.compile(case.path).module(), schedule, BACKENDS["openacc"].capabilities).module


def test_what_stays_on_the_device_is_combined_by_gangs() -> None:
    texts = [BACKENDS["openacc"].kernels_text(in_batches(*one)) for one in (("sssp", "node"), ("pagerank",))]
    for part, piece in IN_BATCHES.items():
        assert any(piece in text for text in texts), part


def test_the_host_waits_before_it_looks() -> None:
    text = starplat.compile(EXAMPLES / "pagerank.sp").artifact("openacc", schedule="loop=batch")["pagerank.cpp"]
    assert "device.finish();\n            if (!goes_on.read(0)) break;" in text


def test_loops_whose_rounds_differ_are_handed_out_in_small_pieces() -> None:
    text, _, _ = BACKENDS["openmp"].kernels_text(sssp()).partition("struct Device {")
    assert text.count("schedule(dynamic, rows_at_a_time(row_offsets, num_nodes))") == 1
    assert text.count("schedule(static)") == 1


def test_what_loops_call_is_a_routine_of_the_device() -> None:
    text = BACKENDS["openacc"].kernels_text(sssp())
    for function in ("static int add_inf(", "static int atomic_min_int("):
        assert f"#pragma acc routine seq\n{function}" in text


@pytest.mark.parametrize(("target", "directive"), [("openacc", "acc atomic update"), ("openmp", "omp atomic update")])
def test_sums_of_shared_cells_are_atomic_updates(target: str, directive: str) -> None:
    cells = node_array("cells", ir.Element.DOUBLE)
    add = ir.UpdateCell(ir.Combine.ADD, cells, number(0), ir.Const(1.0, ir.Element.DOUBLE), shared=True)
    text = BACKENDS[target].kernels_text(module_of(over_nodes([add], [cells])))
    assert f"#pragma {directive}\n        cells[0] += 1.0;" in text


def test_reductions_of_one_operator_share_a_clause() -> None:
    values = node_array("values", ir.Element.LONG)
    totals = [variable(name, ir.Element.LONG) for name in ("first", "second", "third")]
    combines = (ir.Combine.ADD, ir.Combine.MAX, ir.Combine.ADD)
    kernel = over_nodes(
        [ir.Contribute(total, load(values, V)) for total in totals],
        [values],
        reductions=[ir.Reduction(total, combine) for total, combine in zip(totals, combines, strict=True)],
    )
    text = BACKENDS["openacc"].kernels_text(module_of(kernel))
    assert "reduction(+ : first_part, third_part) reduction(max : second_part)" in text.replace("\\\n        ", "")


def test_one_thread_runs_sequential_pieces() -> None:
    cells, total = node_array("cells", ir.Element.INT), variable("total")
    body = (ir.Store(cells, number(0), number(3)), ir.Contribute(total, number(4)))
    module = module_of(
        ir.Kernel("once", ir.Once(), None, body, arrays=(cells,), reductions=(ir.Reduction(total, ir.Combine.ADD),))
    )
    text = BACKENDS["openacc"].kernels_text(module)
    assert "    #pragma acc serial deviceptr(cells) copy(total_part)\n    {\n" in text
    assert "#pragma" not in BACKENDS["openmp"].kernels_text(module)


def locked() -> ir.ExtremeCell:
    best, who = node_array("best", ir.Element.DOUBLE), node_array("who", ir.Element.NODE)
    lock = ir.Array("lock", ir.Element.INT, ir.Extent.NODES, ir.Origin.TEMPORARY)
    carry, candidate = ir.Carry(who, number(0), ir.Ref(V)), ir.Const(1.0, ir.Element.DOUBLE)
    return ir.ExtremeCell(ir.Combine.MIN, best, number(0), candidate, (carry,), shared=True, lock=lock)


@every_target
def test_a_lock_is_taken_and_freed_in_one_round(target: str) -> None:
    take = locked()
    assert take.lock is not None
    module = module_of(over_nodes([take], [take.array, take.carried[0].array, take.lock]))
    text = BACKENDS[target].kernels_text(module)
    in_order = ("for (bool done", "__atomic_exchange_n(&lock[0], 1", "__atomic_store_n(&lock[0], 0", "= true")
    places = [text.index(words) for words in in_order]
    assert places == sorted(places)


@pytest.mark.thin(plain=10, campaign=4)
@every_target
@pytest.mark.parametrize("wide", [(), ("-DARC_64",)], ids=("narrow", "wide"))
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)
def test_every_example_compiles_without_a_warning(
    case: Case, wide: tuple[str, ...], target: str, tmp_path: Path
) -> None:
    compiler = gnu_compiler()
    if compiler is None:
        pytest.skip("no g++ is here")
    flags = ("-fopenacc", "-foffload=disable") if target == "openacc" else ("-fopenmp",)
    syntax = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-c", "-o", "kernels.o")
    text = BACKENDS[target].kernels_text(starplat.compile(case.path).module())
    check(compiler.path, (*syntax, *flags, *wide), text, tmp_path)


@pytest.mark.parametrize("balance", ["node", "edge"])
@pytest.mark.parametrize("program", ["pagerank", "sssp", "k_core", "maximal_independent_set"])
def test_batches_compile_without_a_warning(program: str, balance: str, tmp_path: Path) -> None:
    compiler = gnu_compiler()
    if compiler is None:
        pytest.skip("no g++ is here")
    syntax = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-c", "-o", "kernels.o")
    text = BACKENDS["openacc"].kernels_text(in_batches(program, balance))
    check(compiler.path, (*syntax, "-fopenacc", "-foffload=disable", "-DARC_64"), text, tmp_path)


@pytest.mark.parametrize(
    ("module", "loops"),
    [(sssp(), ("gang worker vector",)), (in_teams(), ("gang worker", "vector"))],
    ids=["nodes", "teams"],
)
def test_an_example_is_offloaded(module: ir.Module, loops: tuple[str, ...], tmp_path: Path) -> None:
    compiler = offloading_compiler()
    if compiler is None:
        pytest.skip("no g++ with a compiler for NVIDIA's GPUs is here")
    flags = ("-std=c++17", "-O2", "-fPIC", "-shared", "-fopenacc", "-foffload=nvptx-none", "-o", "kernels.so")
    architecture = ("-foffload-options=nvptx-none=-misa=sm_80", "-fopt-info-omp-optimized")
    notes = check(compiler.path, (*flags, *architecture), BACKENDS["openacc"].kernels_text(module), tmp_path)
    for loop in loops:
        assert f"assigned OpenACC {loop} loop parallelism" in notes
    assert b"sm_80" in (tmp_path / "kernels.so").read_bytes()


@pytest.mark.parametrize("balance", ["node", "edge"])
def test_a_gang_is_a_block_of_threads(balance: str, tmp_path: Path) -> None:
    test_an_example_is_offloaded(in_batches("pagerank", balance), ("gang", "worker", "vector"), tmp_path)


def check(compiler: str, flags: tuple[str, ...], text: str, folder: Path) -> str:
    (folder / "kernels.cpp").write_text(text)
    done = subprocess.run([compiler, *flags, "kernels.cpp"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


# --- complete programs ---------------------------------------------------------------------------------------------

GRAPH = "1 2 3\n2 3 4\n1 3 10\n3 4 1\n5 1 2\n"


@pytest.mark.campaign
@every_target
def test_the_first_comment_builds_a_program_that_runs(target: str, tmp_path: Path) -> None:
    if gnu_compiler() is None:
        pytest.skip("no g++ is here")
    text = BACKENDS[target].artifact(sssp(), "paths", single_file=True)["paths.cpp"]
    (tmp_path / "paths.cpp").write_text(text)
    (tmp_path / "graph.txt").write_text(GRAPH)
    command = re.search(r"build: (.*)", text)
    assert command is not None
    flags = ["-foffload=disable"] if target == "openacc" and offloading_compiler() is None else []
    built = subprocess.run([*command[1].split(), *flags], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    answer = started(tmp_path, "--src", "1")
    assert "dist: count 5, finite 4, sum 18, min 0, max 8" in answer.stdout, answer.stderr
    wrong = started(tmp_path, "--src", "9")
    assert (wrong.returncode, wrong.stderr) == (1, "error: the graph has no node 9\n")


def started(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [folder / "paths", "graph.txt", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.thin(plain=20)
@every_target
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.program)
def test_every_program_is_complete(case: Case, target: str, tmp_path: Path) -> None:
    compiler = gnu_compiler()
    if compiler is None:
        pytest.skip("no g++ is here")
    (text,) = BACKENDS[target].artifact(starplat.compile(case.path).module(), "kernels", single_file=True).values()
    language = ("-fopenacc", "-foffload=disable") if target == "openacc" else ("-fopenmp",)
    warnings = ("-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror", "-fsyntax-only")
    check(compiler.path, ("-std=c++17", *warnings, *language), text, tmp_path)


@every_target
def test_after_the_kernels_lines_are_those_of_the_file(target: str) -> None:
    text = BACKENDS[target].artifact(sssp(), "paths", single_file=True)["paths.cpp"]
    lines = text.splitlines()
    (place,) = [
        number for number, line in enumerate(lines) if line.endswith('"paths.cpp"') and line.startswith("#line")
    ]
    assert lines[place] == f'#line {place + 2} "paths.cpp"'
