"""Step `queue`: where the host drives the rounds a set is a list, its length is read once in a round, and nothing in a
round looks at all nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import loops_of, walk_expression, walk_host, walk_kernel
from starplat.runtime import run_module
from starplat.runtime.tracing.trace import Held
from starplat.runtime.validate import first_difference
from starplat.schedule import PLAIN
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from tests.backends.emulated import Machine, emulated
from tests.programs.cases import EXAMPLES
from tests.programs.targets import TARGETS, Target
from tests.schedule import near_misses
from tests.schedule.programs import (
    CUDA,
    NESTED,
    PEELING,
    RENAMED,
    SSSP,
    TWO_FLAGS,
    arguments_for,
    module_of,
    program_of,
)
from tests.schedule.test_frontiers import FLAGS
from tests.zoo import ZOO

CHOSEN = """function around(Graph g, propNode<int> a, propNode<int> b) {
  g.attachNodeProperty(b = 0);
  int i = 0;
  while (i < 4) {
    SetN<g> chosen;
    forall (v in g.nodes().filter(a == i)) {
      forall (w in g.neighbors(v)) { chosen.add(w); }
    }
    forall (v in chosen) {
      forall (w in g.neighbors(v)) { w.b += 1; }
    }
    i += 1;
  }
}"""

SETS = {
    "a set that is filled and walked": CHOSEN,
    "one flag": SSSP,
    "two flags": TWO_FLAGS,
    "renamed": RENAMED,
    "peeling": PEELING,
    "in a loop": NESTED,
}
BY_HOST = ("opencl", "sycl", "openacc", "openmp")

NAMES = """function enlist(Graph g, propNode<int> size, propEdge<int> weight, node place) {
  propNode<bool> nodes;
  propNode<bool> list_size;
  propNode<int> list_bits;
  g.attachNodeProperty(size = INF, nodes = False, list_size = False, list_bits = 7);
  place.size = 0;
  place.nodes = True;
  bool list_count = False;
  fixedPoint until (list_count : !nodes) {
    forall (node_ in g.nodes().filter(nodes)) {
      forall (bit in g.neighbors(node_)) {
        edge held = g.get_edge(node_, bit);
        <bit.size, bit.list_size> = <Min(bit.size, node_.size + held.weight), True>;
      }
    }
    g.attachNodeProperty(nodes = list_size, list_size = False);
  }
}"""


def made(text: str, target: str = "openmp", schedule: str = "priority=none") -> ir.Module:
    return decided(module_of(text), parse_schedule(schedule), BACKENDS[target].capabilities).module


def loops(module: ir.Module) -> Iterator[ir.Loop]:
    """The loops that launch kernels."""
    for function in module.functions:
        for op in walk_host(function.body):
            if isinstance(op, ir.Loop) and any(isinstance(inner, ir.Launch) for inner in walk_host(op.body)):
                yield op


def inside(loop: ir.Loop, kind: type[ir.HostOp]) -> list[ir.HostOp]:
    return [op for op in walk_host((*loop.before, *loop.body)) if isinstance(op, kind)]


def walks(module: ir.Module) -> list[ir.Kernel]:
    return [kernel for kernel in module.kernels if isinstance(kernel.domain, ir.Listed)]


@pytest.mark.parametrize("target", BY_HOST)
@pytest.mark.parametrize("text", SETS.values(), ids=SETS)
def test_a_set_is_a_list(text: str, target: str) -> None:
    module = made(text, target)
    assert walks(module)
    assert not any(array.packed for function in module.functions for array in function.arrays)
    assert any(isinstance(op, ir.FetchOr) for helper in module.helpers for op in walk_kernel(helper.body))


@pytest.mark.parametrize("text", [SSSP, TWO_FLAGS, RENAMED])
def test_a_round_reads_one_word_and_looks_at_no_other_nodes(text: str) -> None:
    """But where many are active: then it goes over all, in their order."""
    module = made(text, schedule="priority=none,loop=host")
    (loop,) = loops(module)
    (branch,) = [op for op in inside(loop, ir.HostIf) if isinstance(op, ir.HostIf)]
    (many, cleared), (few,) = branch.then, branch.otherwise
    assert isinstance(many, ir.Launch)
    assert isinstance(few, ir.Launch)
    assert isinstance(module.kernel(few.kernel).domain, ir.Listed)
    assert isinstance(module.kernel(many.kernel).domain, ir.AllNodes)
    assert isinstance(cleared, ir.Fill)
    assert cleared.array.extent is ir.Extent.BITS
    assert len(inside(loop, ir.Launch)) == 2
    assert not any(kernel.reductions for kernel in module.kernels)
    assert len(inside(loop, ir.ReadCell)) == 1
    fills = [op for op in inside(loop, ir.Fill) if op is not cleared]
    assert all(fill.array.extent is ir.Extent.ONE for fill in fills if isinstance(fill, ir.Fill))


def test_what_a_round_counts_anew_is_not_counted_before() -> None:
    module = made(CHOSEN)
    (loop,) = loops(module)
    assert len(inside(loop, ir.ReadCell)) == 1
    assert sum(isinstance(op, ir.ReadCell) for function in module.functions for op in walk_host(function.body)) == 1


@pytest.mark.parametrize("text", SETS.values(), ids=SETS)
def test_sets_take_a_word_and_a_bit_for_a_node(text: str) -> None:
    """No buffer is as long as there are arcs."""
    given, module = module_of(text), made(text)
    before = {array for function in given.functions for array in function.arrays}
    added = [array for f in module.functions for array in f.arrays if array not in before]
    assert {array.extent for array in added} <= {ir.Extent.BITS, ir.Extent.NODES, ir.Extent.ONE}
    assert all(array.element in (ir.Element.INT, ir.Element.NODE) for array in added)


@pytest.mark.parametrize("example", ["sssp", "sssp_two_flags", "bfs_levels", "k_core"])
def test_examples_walk_lists(example: str) -> None:
    text = (EXAMPLES / f"{example}.sp").read_text(encoding="utf-8")
    assert walks(made(text))
    assert not walks(made(text, schedule="plain"))
    assert not walks(made(text, schedule="frontier=flags"))


@pytest.mark.parametrize("name", FLAGS)
def test_what_is_no_set_stays_flags(name: str) -> None:
    assert not walks(made(near_misses.SETS[name]))


def test_flags_that_begin_as_anything_stay_flags() -> None:
    """A list must have a length from the first moment."""

    class Forgetful(Rewriter):
        def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
            return () if isinstance(op, ir.Fill) and op.array.name == "modified" else (self.rebuild(op),)

    given = module_of(SSSP)
    functions = tuple(replace(f, body=Forgetful().host_block(f.body)) for f in given.functions)
    capabilities = BACKENDS["openmp"].capabilities
    module = decided(replace(given, functions=functions), parse_schedule("auto"), capabilities).module
    assert walks(made(SSSP))
    assert not walks(module)


def test_who_must_be_in_another_set_too_is_asked_for_by_a_bit() -> None:
    module = made(near_misses.SETS["members of two sets"])
    asked = [part for kernel in walks(module) if kernel.filter is not None for part in walk_expression(kernel.filter)]
    assert any(isinstance(part, ir.Binary) and part.operator is ir.BinaryOperator.SHIFT_LEFT for part in asked)


@pytest.mark.parametrize("lacking", [ir.Combine.BIT_OR, ir.Combine.ADD])
def test_a_target_without_such_updates_keeps_flags(lacking: ir.Combine) -> None:
    given = BACKENDS["openmp"].capabilities
    less = Capabilities(
        frozenset(pair for pair in given.atomics if pair != (lacking, ir.Element.INT)),
        given.swap_bits,
        structured_loops=True,
    )
    module = module_of(SSSP)
    assert decided(module, parse_schedule("auto"), less).module is module


@pytest.mark.thin(plain=2)
@pytest.mark.parametrize("target", [t for t in TARGETS if t.target in BY_HOST], ids=lambda target: target.label)
@pytest.mark.parametrize("text", [NAMES, SSSP, NESTED, CHOSEN], ids=["names", "sssp", "nested", "chosen"])
def test_devices_give_the_same_answers(text: str, target: Target) -> None:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    program = program_of(text)
    for name in ("one-node", "random", "star-out-undirected", "diamonds"):
        graph = ZOO[name]
        given = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        for schedule in ("priority=none", "priority=delta(2)", "auto"):
            module = made(text, target.target, schedule)
            found = run_module(
                module, graph, target=target.target, device_index=target.device or 0, arguments=given, schedule=PLAIN
            )
            differs = first_difference(found, expected)
            assert differs is None, f"{schedule} on {name}: {differs}"


def test_a_trace_tells_how_many_are_active_and_how_they_are_held() -> None:
    program, graph = starplat.compile(SSSP), ZOO["random-dense"]
    given = arguments_for(program, graph)
    result = program.run(
        graph, target="reference", schedule="loop=host,priority=none", arguments=given, trace=True, validate=True
    )
    assert result.trace is not None
    walks = [walk for each in result.trace.rounds for walk in each.walks]
    assert {walk.held for walk in walks} == {Held.LIST, Held.BITS}
    assert all(walk.active for walk in walks)


def test_few_nodes_are_done_by_one_thread_of_openmp() -> None:
    """To wake the others would take longer; OpenACC's clause of that name means another thing."""
    assert " if(modified_count > " in BACKENDS["openmp"].kernels_text(made(SSSP))
    for text in (
        BACKENDS["openacc"].kernels_text(made(SSSP, "openacc")),
        BACKENDS["openmp"].kernels_text(module_of(SSSP)),
    ):
        kernels, _, _ = text.partition("struct Device {")
        assert not any(" if(" in line for line in kernels.splitlines() if line.lstrip().startswith("#pragma"))


# --- in one launch, where there are no other sets -------------------------------------------------------------------


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("text", [SSSP, TWO_FLAGS, RENAMED, PEELING, CHOSEN])
def test_threads_of_one_launch_walk_lists_too(text: str) -> None:
    """Who waits for the others reads for himself how many there are."""
    program = program_of(text)
    given = decided(program.module(), parse_schedule("auto"), replace(CUDA, shared_arcs=False)).module
    assert loops_of(given)
    assert walks(given)
    for name in ("one-node", "random", "star-out-undirected"):
        graph = ZOO[name]
        arguments = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=arguments, schedule=PLAIN)
        for seed in range(2):
            with emulated(Machine(seed=seed)):
                found = run_module(given, graph, target="cuda", arguments=arguments, schedule=PLAIN)
            differs = first_difference(found, expected)
            assert differs is None, f"seed {seed} on {name}: {differs}"


# --- nearest first --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [SSSP, TWO_FLAGS, RENAMED])
def test_near_nodes_come_first_where_the_host_drives_the_rounds(text: str) -> None:
    plain, near = made(text), made(text, schedule="priority=delta(3)")
    assert len(walks(near)) == len(walks(plain)) + 1
    assert not any(isinstance(kernel.domain, ir.AllNodes) and kernel.reductions for kernel in near.kernels)


@pytest.mark.parametrize("text", [PEELING, *map(near_misses.SETS.__getitem__, FLAGS)])
def test_what_does_not_relax_has_no_order(text: str) -> None:
    assert made(text, schedule="priority=auto") == made(text)
