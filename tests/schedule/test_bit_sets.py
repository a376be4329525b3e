"""`frontier=bitmap` and `frontier=layers` where the host drives the rounds: a set is bits alone, in one layer or two; a
round reads one word, and nothing is as long as there are nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph
from starplat.ir import nodes as ir
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
    LEVELS,
    PEELING,
    RENAMED,
    SSSP,
    TWO_FLAGS,
    arguments_for,
    module_of,
    program_of,
)
from tests.schedule.test_frontiers import FLAGS
from tests.schedule.test_queues import BY_HOST, CHOSEN, NAMES, SETS, inside, loops
from tests.zoo import ZOO

KEPT = ("bitmap", "layers")
ROUNDS = "loop=host,priority=none"


def made(text: str, kept: str, more: str = ROUNDS, target: str = "openmp") -> ir.Module:
    return decided(module_of(text), parse_schedule(f"frontier={kept},{more}"), BACKENDS[target].capabilities).module


def walks(module: ir.Module) -> list[ir.Kernel]:
    """The kernels that go over nodes and ask for a bit."""
    return [
        kernel
        for kernel in module.kernels
        if isinstance(kernel.domain, ir.AllNodes | ir.InWords) and kernel.filter is not None and _asks_bits(kernel)
    ]


def _asks_bits(kernel: ir.Kernel) -> bool:
    assert kernel.filter is not None
    return any(
        isinstance(part, ir.Binary) and part.operator is ir.BinaryOperator.SHIFT_LEFT
        for part in walk_expression(kernel.filter)
    )


@pytest.mark.parametrize("target", [*BY_HOST, "hip", "cuda"])
@pytest.mark.parametrize("text", SETS.values(), ids=SETS)
def test_a_bitmap_is_walked_over_all_nodes(text: str, target: str) -> None:
    module = made(text, "bitmap", target=target)
    assert walks(module)
    assert all(isinstance(kernel.domain, ir.AllNodes) for kernel in walks(module))
    assert not any(isinstance(kernel.domain, ir.Listed | ir.InWords | ir.Numbers) for kernel in module.kernels)
    assert not any(array.packed for function in module.functions for array in function.arrays)


@pytest.mark.parametrize("target", [*BY_HOST, "hip", "cuda"])
@pytest.mark.parametrize("text", SETS.values(), ids=SETS)
def test_of_two_layers_the_words_are_walked_that_are_not_zero(text: str, target: str) -> None:
    module = made(text, "layers", target=target)
    assert any(isinstance(kernel.domain, ir.InWords) for kernel in walks(module))
    assert any(kernel.name.startswith("gather_") for kernel in module.kernels)
    assert not any(isinstance(kernel.domain, ir.Listed) for kernel in module.kernels)
    assert not any(array.packed for function in module.functions for array in function.arrays)


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("text", SETS.values(), ids=SETS)
def test_nothing_is_as_long_as_there_are_nodes(kept: str, text: str) -> None:
    given = module_of(text)
    before = {array for function in given.functions for array in function.arrays}
    added = {array for function in made(text, kept).functions for array in function.arrays} - before
    allowed = {ir.Extent.BITS, ir.Extent.ONE} | ({ir.Extent.LAYER} if kept == "layers" else set())
    assert {array.extent for array in added} == allowed


@pytest.mark.parametrize("text", [SSSP, TWO_FLAGS, RENAMED])
def test_a_round_over_a_bitmap_is_a_walk_two_fills_and_a_word(text: str) -> None:
    module = made(text, "bitmap")
    (loop,) = loops(module)
    (launch,) = inside(loop, ir.Launch)
    assert isinstance(launch, ir.Launch)
    assert module.kernel(launch.kernel) in walks(module)
    assert [op.array.extent for op in inside(loop, ir.Fill) if isinstance(op, ir.Fill)] == [
        ir.Extent.BITS,
        ir.Extent.ONE,
    ]
    assert len(inside(loop, ir.ReadCell)) == 1
    assert not any(kernel.reductions for kernel in module.kernels)


@pytest.mark.parametrize("text", [SSSP, TWO_FLAGS, RENAMED])
def test_a_round_over_layers_looks_at_no_word_that_is_zero(text: str) -> None:
    """It walks, clears what it walked, gathers what comes next, and reads how many words that is."""
    module = made(text, "layers")
    (loop,) = loops(module)
    walk, clear, gather = (module.kernel(op.kernel) for op in inside(loop, ir.Launch) if isinstance(op, ir.Launch))
    assert isinstance(walk.domain, ir.InWords)
    assert isinstance(clear.domain, ir.Numbers)
    assert clear.domain.count == walk.domain.count
    assert isinstance(gather.domain, ir.Numbers)
    assert not gather.scalars
    (zeroed,) = inside(loop, ir.Fill)
    assert isinstance(zeroed, ir.Fill)
    assert zeroed.array.extent is ir.Extent.ONE
    assert len(inside(loop, ir.ReadCell)) == 1
    assert not any(kernel.reductions for kernel in module.kernels)


@pytest.mark.parametrize("kept", KEPT)
def test_who_puts_a_node_in_adds_to_a_shared_cell_once_for_a_word(kept: str) -> None:
    (helper,) = made(SSSP, kept).helpers
    ops = list(walk_kernel(helper.body))
    (told,) = [op for op in ops if isinstance(op, ir.UpdateCell)]
    assert told.shared
    assert sum(isinstance(op, ir.FetchOr) for op in ops) == 1


def test_a_set_that_is_not_emptied_by_its_walk_is_cleared_as_a_whole() -> None:
    module = made(CHOSEN, "layers", "loop=host")
    filled = {op.array.extent for f in module.functions for op in walk_host(f.body) if isinstance(op, ir.Fill)}
    assert {ir.Extent.BITS, ir.Extent.LAYER} <= filled
    assert not any(kernel.name.startswith("clear_") for kernel in module.kernels)


@pytest.mark.parametrize("kept", KEPT)
def test_levels_are_sets_of_bits(kept: str) -> None:
    module = made(LEVELS, kept)
    (loop,) = loops(module)
    assert walks(module)
    assert not any(isinstance(kernel.domain, ir.Listed) for kernel in module.kernels)
    assert len(inside(loop, ir.ReadCell)) == 1


def test_a_way_back_asks_for_the_number_of_a_level() -> None:
    """Bits have no order that a way back could follow."""
    text = (EXAMPLES / "betweenness.sp").read_text(encoding="utf-8")
    found = decided(module_of(text), parse_schedule("frontier=layers"), BACKENDS["openmp"].capabilities)
    assert any("the way back tests the level of every node" in choice.what for choice in found.choices)
    assert not any(isinstance(kernel.domain, ir.Listed) for kernel in found.module.kernels)


@pytest.mark.parametrize("kept", KEPT)
def test_near_nodes_come_first(kept: str) -> None:
    plain, near = made(SSSP, kept), made(SSSP, kept, "priority=delta(3)")
    assert len(walks(near)) == len(walks(plain)) + 1


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize(("target", "eighths"), [("openmp", 7), ("opencl", 5)])
def test_a_round_pulls_where_most_words_have_a_member(kept: str, target: str, eighths: int) -> None:
    """As many as there would be if a sixteenth or a thirty-second of all nodes were members, who lie anywhere."""
    module = made(LEVELS, kept, target=target)
    (loop,) = loops(module)
    ((choice,),) = ([op for op in inside(loop, ir.HostIf) if isinstance(op, ir.HostIf)],)
    assert any(isinstance(op, ir.Launch) and "pull" in op.kernel for op in choice.then)
    assert any(isinstance(part, ir.Const) and part.value == eighths for part in walk_expression(choice.condition))


@pytest.mark.parametrize("kept", KEPT)
def test_groups_share_the_arcs_of_members(kept: str) -> None:
    for text in (SSSP, TWO_FLAGS, RENAMED):
        for target in ("opencl", "cuda"):
            (walk,) = walks(made(text, kept, target=target))
            assert walk.shares_arcs
    text = BACKENDS["opencl"].kernels_text(made(SSSP, kept, target="opencl"))
    assert ("node_of_words(" if kept == "layers" else "node_of_all(") in text
    assert "bring_rows(" in text
    text = BACKENDS["cuda"].kernels_text(made(SSSP, kept, target="cuda"))
    assert ("advance_words(" if kept == "layers" else "advance_all(") in text


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("name", FLAGS)
def test_what_is_no_list_is_no_set_of_bits_either(kept: str, name: str) -> None:
    text = near_misses.SETS[name]
    listed = decided(module_of(text), parse_schedule("frontier=queue"), BACKENDS["openmp"].capabilities).module
    assert bool(walks(made(text, kept, "priority=auto"))) == any(
        isinstance(k.domain, ir.Listed) for k in listed.kernels
    )


class _Beginning(Rewriter):
    """Lets the host begin with a node of another number."""

    def __init__(self, node: int) -> None:
        self.node = ir.Const(node, ir.Element.NODE)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        begins = isinstance(op, ir.WriteCell) and op.array.name == "modified"
        return (replace(op, index=self.node) if begins else self.rebuild(op),)


@pytest.mark.parametrize("target", ["reference", "openmp"])
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("node", [-1, 5, 31])
def test_the_host_puts_in_what_must_be_a_node(node: int, kept: str, target: str) -> None:
    """No array of the set has a cell for every node, and the last word has bits to spare."""
    fault = next(one.fault for one in TARGETS if one.target == target)
    if fault is not None:
        pytest.skip(f"{target} cannot run here: {fault}")
    program, graph = starplat.compile(SSSP), Graph.from_arcs(5, [0, 1], [1, 2])
    given = program.module()
    functions = tuple(replace(f, body=_Beginning(node).host_block(f.body)) for f in given.functions)
    wanted = parse_schedule(f"frontier={kept},{ROUNDS}")
    module = decided(replace(given, functions=functions), wanted, BACKENDS["openmp"].capabilities).module
    assert walks(module)
    with pytest.raises(DiagnosticError, match="E0709"):
        run_module(module, graph, target=target, arguments=arguments_for(program, graph), schedule=PLAIN)


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("target", [t for t in TARGETS if t.target in BY_HOST], ids=lambda target: target.label)
@pytest.mark.parametrize("text", [NAMES, PEELING, CHOSEN, LEVELS], ids=["names", "peeling", "set", "levels"])
def test_devices_give_the_same_answers(text: str, target: Target, kept: str) -> None:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    program, where = program_of(text), {"target": target.target, "device_index": target.device or 0}
    for name in ("one-node", "random", "star-out-undirected", "diamonds"):
        graph = ZOO[name]
        given = arguments_for(program, graph)
        expected = run_module(program.module(), graph, target="reference", arguments=given, schedule=PLAIN)
        for more in ("priority=none", "priority=delta(2),balance=edge", "direction=pull"):
            module = made(text, kept, more, target.target)
            found = run_module(module, graph, arguments=given, schedule=PLAIN, **where)
            differs = first_difference(found, expected)
            assert differs is None, f"{more} on {name}: {differs}"


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("text", [SSSP, PEELING, LEVELS])
def test_cuda_gives_the_same_answers(text: str, kept: str) -> None:
    """By rounds that the host drives, and in one launch of a target that has no other sets."""
    program = program_of(text)
    module = program.module()
    by_host = decided(module, parse_schedule(f"frontier={kept},loop=host"), CUDA).module
    together = decided(module, parse_schedule(f"frontier={kept}"), replace(CUDA, shared_arcs=False)).module
    assert not loops_of(by_host)
    assert loops_of(together)
    assert walks(by_host)
    assert walks(together)
    for name in ("one-node", "random", "star-out-undirected"):
        graph = ZOO[name]
        arguments = arguments_for(program, graph)
        expected = run_module(module, graph, target="reference", arguments=arguments, schedule=PLAIN)
        for given in (by_host, together):
            with emulated(Machine(seed=1)):
                found = run_module(given, graph, target="cuda", arguments=arguments, schedule=PLAIN)
            assert (differs := first_difference(found, expected)) is None, f"on {name}: {differs}"


@pytest.mark.parametrize(("kept", "held"), [("bitmap", Held.BITS), ("layers", Held.LAYERS)])
def test_a_trace_tells_how_sets_are_held(kept: str, held: Held) -> None:
    program, graph = starplat.compile(SSSP), ZOO["random-dense"]
    result = program.run(
        graph,
        target="reference",
        schedule=f"loop=host,priority=none,frontier={kept}",
        arguments=arguments_for(program, graph),
        trace=True,
        validate=True,
    )
    assert result.trace is not None
    members = [w for one in result.trace.rounds for w in one.walks if not w.kernel.startswith(("gather_", "clear_"))]
    assert {walk.held for walk in members} == {held}
    assert all(walk.active for walk in members)
