"""A schedule never changes an answer: every example and random programs, under schedules in which any two values of two
knobs come together.

What a schedule makes of a program for CUDA is run by the interpreter, which does what a launch of waiting threads does
as plain host operations; by g++ with fibers for threads (`tests.backends.emulated`); and on CUDA where there is a GPU.
What it makes for targets whose loops the host drives is run by the interpreter and on the cores of this machine.

`STARPLAT_PROGRAMS=5000 STARPLAT_SEED=100000 pytest -m campaign tests/programs/test_schedules.py -k cuda` tries others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, islice, product
from pathlib import Path
from typing import Any

import pytest

from starplat import Program, Result
from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import launched_alone, loops_of, walk_host
from starplat.runtime import run_module
from starplat.runtime.validate import first_difference
from starplat.schedule import AUTO, KNOBS, PLAIN, Schedule
from starplat.schedule.apply import decided
from starplat.schedule.schedule import Balance, Loop
from tests.backends.emulated import Machine, emulated
from tests.backends.test_cuda import to_machine_code
from tests.generator import Case as Random, generate, shrunk
from tests.programs import cases
from tests.programs.every_schedule import pairs_of, schedules, values_of, variants
from tests.programs.targets import REFERENCE, TARGETS, compiled, opencl_targets
from tests.programs.test_generated import FEW, FIRST, MANY, arcs, legitimate
from tests.zoo import ZOO

CUDA = next(target for target in TARGETS if target.target == "cuda")
OPENACC = next(target for target in TARGETS if target.target == "openacc")
SHARED = Schedule(balance=Balance.EDGE, loop=Loop.HOST)
BY_HOST = "openmp"
"""A target without a barrier for all threads; what others of that kind get is the same."""


# --- where they run ------------------------------------------------------------------------------------------------

Runner = Callable[[Program, ir.Module, Schedule, Graph, dict[str, Any]], Result]


def interpreted(program: Program, made: ir.Module, schedule: Schedule, graph: Graph, call: dict[str, Any]) -> Result:
    return run_module(made, graph, target="reference", arguments=call, schedule=PLAIN)


def on_cores(program: Program, made: ir.Module, schedule: Schedule, graph: Graph, call: dict[str, Any]) -> Result:
    return run_module(made, graph, target=BY_HOST, arguments=call, schedule=PLAIN)


def on_cuda(program: Program, made: ir.Module, schedule: Schedule, graph: Graph, call: dict[str, Any]) -> Result:
    return run_module(made, graph, target="cuda", arguments=call, schedule=PLAIN)


def by_opencl(program: Program, made: ir.Module, schedule: Schedule, graph: Graph, call: dict[str, Any]) -> Result:
    return run_module(made, graph, target="opencl", arguments=call, schedule=PLAIN)


def by_openacc(program: Program, made: ir.Module, schedule: Schedule, graph: Graph, call: dict[str, Any]) -> Result:
    return run_module(made, graph, target="openacc", arguments=call, schedule=PLAIN)


def on_fibers(program: Program, made: ir.Module, schedule: Schedule, graph: Graph, call: dict[str, Any]) -> Result:
    with emulated(MACHINES[len(str(schedule)) % len(MACHINES)]):
        return run_module(made, graph, target="cuda", arguments=call, schedule=PLAIN)


MACHINES = (Machine(seed=1), Machine(2, 96, seed=2), Machine(5, 32, seed=3), Machine(1, 128, seed=4, limits=False))


def need_opencl() -> None:
    """Skips where no OpenCL device builds kernels."""
    if all(target.fault for target in opencl_targets()):
        pytest.skip("no OpenCL device of this machine can run")


def need_openacc() -> None:
    """Skips where nothing builds kernels under OpenACC's directives."""
    if OPENACC.fault is not None:
        pytest.skip(f"openacc cannot run here: {OPENACC.fault}")


def need_cuda() -> None:
    """Skips where there is no GPU, before anything is made."""
    if CUDA.fault is not None:
        pytest.skip(f"cuda cannot run here: {CUDA.fault}")


# --- examples ------------------------------------------------------------------------------------------------------

GRAPHS = (
    "empty",
    "one-node",
    "one-loop",
    "parallel",
    "both-ways",
    "diamonds",
    "random",
    "star-out",
    "star-in-undirected",
)
every_case = pytest.mark.parametrize("case", cases.CASES, ids=lambda case: case.program)


def some_graphs(case: cases.Case) -> tuple[str, ...]:
    """Three of the graphs, other ones for each program."""
    first = [one.program for one in cases.CASES].index(case.program)
    return tuple(GRAPHS[(first + step) % len(GRAPHS)] for step in (0, 3, 6))


def agree(case: cases.Case, runner: Runner, graphs: tuple[str, ...], target: str = "cuda") -> None:
    program = compiled(case.path)
    for name in graphs:
        graph = case.suits(ZOO[name])
        for call in case.calls(graph):
            expected = REFERENCE.run(program, graph, {"arguments": call})
            for schedule, made in variants(program.module(), target):
                found = runner(program, made, schedule, graph, call)
                differs = first_difference(found, expected)
                assert differs is None, f"{schedule} on {name} with {call}: {differs}"


@pytest.mark.thin(plain=4)
@every_case
def test_examples_say_the_same_under_every_schedule(case: cases.Case) -> None:
    agree(case, interpreted, some_graphs(case))


@pytest.mark.thin(plain=8)
@pytest.mark.parametrize("target", [BY_HOST, "opencl"])
@every_case
def test_examples_say_the_same_by_rounds_that_the_host_drives(case: cases.Case, target: str) -> None:
    agree(case, interpreted, some_graphs(case), target)


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("program", ["sssp", "sssp_two_flags", "bfs_levels", "k_core"])
def test_examples_say_the_same_on_the_cores_of_this_machine(program: str) -> None:
    target = next(target for target in TARGETS if target.target == BY_HOST)
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    case = next(case for case in cases.CASES if case.program == program)
    agree(case, on_cores, some_graphs(case), BY_HOST)


@pytest.mark.nightly
@pytest.mark.parametrize("target", ["cuda", BY_HOST])
@every_case
def test_examples_say_the_same_on_all_small_graphs(case: cases.Case, target: str) -> None:
    agree(case, interpreted, tuple(ZOO), target)


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("program", ["sssp", "bfs", "k_core", "betweenness"])
def test_examples_say_the_same_on_fibers(program: str) -> None:
    case = next(case for case in cases.CASES if case.program == program)
    module = compiled(case.path).module()
    made = decided(module, AUTO, BACKENDS["cuda"].capabilities).module
    for name in GRAPHS:
        graph = case.suits(ZOO[name])
        for call in case.calls(graph):
            expected = REFERENCE.run(compiled(case.path), graph, {"arguments": call})
            for seed in range(3):
                with emulated(Machine(seed=seed)):
                    found = run_module(made, graph, target="cuda", arguments=call, schedule=PLAIN)
                differs = first_difference(found, expected)
                assert differs is None, f"seed {seed} on {name} with {call}: {differs}"


@pytest.mark.nightly
@every_case
def test_examples_say_the_same_on_fibers_under_every_schedule(case: cases.Case) -> None:
    agree(case, on_fibers, tuple(ZOO))


@every_case
def test_examples_say_the_same_on_cuda_under_every_schedule(case: cases.Case) -> None:
    need_cuda()
    agree(case, on_cuda, GRAPHS)


@pytest.mark.campaign
@every_case
def test_examples_say_the_same_on_cuda_on_all_small_graphs(case: cases.Case) -> None:
    need_cuda()
    agree(case, on_cuda, tuple(ZOO))


@every_case
def test_the_choices_of_every_schedule_have_reasons(case: cases.Case) -> None:
    module = compiled(case.path).module()
    for schedule in schedules():
        for choice in decided(module, schedule, BACKENDS["cuda"].capabilities).choices:
            assert choice.what
            assert choice.why
            assert choice.step


# --- random programs -----------------------------------------------------------------------------------------------


def auto_alone(module: ir.Module) -> Iterator[tuple[Schedule, ir.Module]]:
    """What `auto` makes of a module for CUDA, if there is a loop in one launch."""
    made = decided(module, AUTO, BACKENDS["cuda"].capabilities).module
    if loops_of(made):
        yield AUTO, made


def by_host(module: ir.Module) -> Iterator[tuple[Schedule, ir.Module]]:
    """What the schedules make of a module where the host drives all loops."""
    yield from variants(module, BY_HOST)


def by_groups(module: ir.Module) -> Iterator[tuple[Schedule, ir.Module]]:
    """What comes of a module where groups of OpenCL share arcs, if they do."""
    made = decided(module, SHARED, BACKENDS["opencl"].capabilities).module
    if any(kernel.shares_arcs for kernel in launched_alone(made)):
        yield SHARED, made


def by_one_group(module: ir.Module) -> Iterator[tuple[Schedule, ir.Module]]:
    """What the schedules make of a module where one group of OpenCL runs rounds of few nodes, if it does."""
    yield from ((schedule, made) for schedule, made in variants(module, "opencl") if loops_of(made))


def in_batches(module: ir.Module, target: str = "opencl") -> Iterator[tuple[Schedule, ir.Module]]:
    """What comes of a module where the host asks for rounds ahead, if it does: with flags, and with arcs shared."""
    for balance in (Balance.NODE, Balance.EDGE):
        schedule = Schedule(loop=Loop.BATCH, balance=balance)
        made = decided(module, schedule, BACKENDS[target].capabilities).module
        if any(isinstance(op, ir.Loop) and op.driver for function in made.functions for op in walk_host(function.body)):
            yield schedule, made


def in_batches_of_cuda(module: ir.Module) -> Iterator[tuple[Schedule, ir.Module]]:
    """The same for CUDA."""
    yield from in_batches(module, "cuda")


def in_batches_of_openacc(module: ir.Module) -> Iterator[tuple[Schedule, ir.Module]]:
    """The same for OpenACC."""
    yield from in_batches(module, "openacc")


def by_warps(module: ir.Module) -> Iterator[tuple[Schedule, ir.Module]]:
    """What comes of a module where warps share arcs in launches of the host, if they do."""
    made = decided(module, SHARED, BACKENDS["cuda"].capabilities).module
    if any(kernel.shares_arcs for kernel in launched_alone(made)):
        yield SHARED, made


Variants = Callable[[ir.Module], Iterator[tuple[Schedule, ir.Module]]]


def difference(case: Random, runner: Runner, chosen: Variants = variants) -> str | None:
    """What is wrong with the case under some schedule; None if nothing is, or if the case itself is at fault."""
    program = legitimate(case)
    if program is None:
        return None
    try:
        expected = REFERENCE.run(program, case.graph, case.call)
    except DiagnosticError:
        return None
    module = program.module("entry")
    schedule = AUTO
    try:
        for schedule, made in chosen(module):
            found = runner(program, made, schedule, case.graph, case.arguments)
            differs = first_difference(found, expected)
            if differs is not None:
                return f"{schedule}: {differs}"
    except Exception as error:  # every kind of failure is one of the compiler's
        return f"{schedule}: {type(error).__name__}: {error}"
    return None


def alike(found: str | None, other: str) -> bool:
    """Whether both are wrong answers, or both failures."""
    return found is not None and ("Error: " in found) == ("Error: " in other)


def examine(case: Random, runner: Runner, chosen: Variants = variants) -> None:
    """Fails with a small program if something is wrong."""
    found = difference(case, runner, chosen)
    if found is None:
        return
    small = shrunk(case, lambda less: alike(difference(less, runner, chosen), found))
    pytest.fail(
        f"seed {case.seed}: {found}\nsmaller: {difference(small, runner, chosen)}\n{small.text}\n"
        f"graph {case.graph.name}: {case.graph.num_nodes} nodes, {list(zip(*arcs(case.graph), strict=True))}\n"
        f"arguments {case.arguments}",
        pytrace=False,
    )


def entry_on_cuda(program: Program, made: ir.Module, schedule: Schedule, graph: Graph, call: dict[str, Any]) -> Result:
    return CUDA.run(program, graph, {"arguments": call, "schedule": schedule, "function": "entry"})


@pytest.mark.thin(plain=8, campaign=None)  # which has the same seeds below
@pytest.mark.parametrize("seed", range(FEW))
def test_a_random_program_says_the_same_under_every_schedule(seed: int) -> None:
    examine(generate(seed), interpreted)
    examine(generate(seed), interpreted, by_host)


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(8))
def test_random_programs_say_the_same_under_every_schedule(part: int) -> None:
    for seed in range(FIRST + part, FIRST + MANY, 8):
        examine(generate(seed), interpreted)
        examine(generate(seed), interpreted, by_host)


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(8))
def test_random_programs_say_the_same_on_fibers(part: int) -> None:
    """Under `auto`, those in which it puts something into one launch."""
    for seed in range(FIRST + part, FIRST + MANY // 10, 8):
        examine(generate(seed), on_fibers, auto_alone)


@pytest.mark.thin(plain=5, campaign=None)
@pytest.mark.parametrize("seed", range(FEW // 4))
def test_a_random_program_says_the_same_where_groups_share_arcs(seed: int) -> None:
    need_opencl()
    examine(generate(seed), by_opencl, by_groups)


@pytest.mark.thin(plain=5, campaign=None)
@pytest.mark.parametrize("seed", range(FEW // 4))
def test_a_random_program_says_the_same_where_one_group_runs_rounds(seed: int) -> None:
    examine(generate(seed), interpreted, by_one_group)


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(8))
def test_random_programs_say_the_same_where_one_group_runs_rounds(part: int) -> None:
    need_opencl()
    for seed in range(FIRST + part, FIRST + MANY // 5, 8):
        examine(generate(seed), interpreted, by_one_group)
        examine(generate(seed), by_opencl, by_one_group)


@pytest.mark.thin(plain=5, campaign=None)
@pytest.mark.parametrize("seed", range(FEW // 4))
def test_a_random_program_says_the_same_where_the_host_asks_ahead(seed: int) -> None:
    examine(generate(seed), interpreted, in_batches)


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(8))
def test_random_programs_say_the_same_where_the_host_asks_ahead(part: int) -> None:
    need_opencl()
    for seed in range(FIRST + part, FIRST + MANY // 5, 8):
        examine(generate(seed), interpreted, in_batches)
        examine(generate(seed), by_opencl, in_batches)
        examine(generate(seed), on_fibers, in_batches_of_cuda)


@pytest.mark.thin(plain=5)
@pytest.mark.parametrize("program", ["pagerank", "sssp", "sssp_two_flags", "k_core", "maximal_independent_set"])
def test_examples_say_the_same_where_openacc_asks_ahead(program: str) -> None:
    need_openacc()
    case = next(case for case in cases.CASES if case.program == program)
    module = compiled(case.path).module()
    for name in some_graphs(case):
        graph = case.suits(ZOO[name])
        for call in case.calls(graph):
            expected = REFERENCE.run(compiled(case.path), graph, {"arguments": call})
            for schedule, made in in_batches_of_openacc(module):
                found = by_openacc(compiled(case.path), made, schedule, graph, call)
                differs = first_difference(found, expected)
                assert differs is None, f"{schedule} on {name} with {call}: {differs}"


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(8))
def test_random_programs_say_the_same_where_openacc_asks_ahead(part: int) -> None:
    need_openacc()
    for seed in range(FIRST + part, FIRST + MANY // 5, 8):
        examine(generate(seed), by_openacc, in_batches_of_openacc)


@pytest.mark.campaign
@pytest.mark.parametrize("part", range(8))
def test_random_programs_say_the_same_where_threads_share_arcs(part: int) -> None:
    """In launches of the host: by groups on OpenCL, by warps on fibers."""
    need_opencl()
    for seed in range(FIRST + part, FIRST + MANY // 5, 8):
        examine(generate(seed), by_opencl, by_groups)
        examine(generate(seed), on_fibers, by_warps)


@pytest.mark.campaign
def test_random_programs_say_the_same_on_cuda_under_every_schedule() -> None:
    need_cuda()
    for seed in range(FIRST, FIRST + MANY // 10):
        examine(generate(seed), entry_on_cuda)


@pytest.mark.campaign
def test_schedules_find_something_to_do_in_random_programs() -> None:
    """Else the tests above would say nothing."""
    programs = filter(None, map(legitimate, map(generate, range(200))))
    changed = (True for program in programs if any(True for _ in variants(program.module("entry"))))
    assert len(list(islice(changed, 21))) == 21


# --- their text ----------------------------------------------------------------------------------------------------


@pytest.mark.thin(plain=40, campaign=8)
@pytest.mark.parametrize("flags", [(), ("-DARC_64",)], ids=["arcs32", "arcs64"])
@every_case
def test_cuda_takes_every_schedule_of_an_example(case: cases.Case, flags: tuple[str, ...], tmp_path: Path) -> None:
    for _, made in variants(compiled(case.path).module()):
        to_machine_code(BACKENDS["cuda"].kernels_text(made), tmp_path, *flags)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(FIRST, FIRST + max(1, MANY // 100)))
def test_cuda_takes_every_schedule_of_a_random_program(seed: int, tmp_path: Path) -> None:
    program = legitimate(generate(seed))
    if program is None:
        return
    for _, made in variants(program.module("entry")):
        to_machine_code(BACKENDS["cuda"].kernels_text(made), tmp_path)


def test_any_two_values_of_two_knobs_come_together() -> None:
    together = {pair for schedule in schedules() for pair in pairs_of(schedule)}
    for one, other in combinations(KNOBS, 2):
        for a, b in product(values_of(one), values_of(other)):
            assert ((one, a), (other, b)) in together
    assert len(schedules()) < 45
