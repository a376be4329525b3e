"""Programs in parts on the interpreter: each part answers as one part does, and no exchange is one too many."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.backends.scheduled import capabilities_of
from starplat.diagnostics import DiagnosticError
from starplat.graph import generators
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.passes.parts.placing import in_parts
from starplat.passes.parts.rows import why_all_rows
from starplat.runtime.arguments.bind import bind
from starplat.runtime.launch import run_module
from starplat.runtime.parts.communicator import Communicator, parts_of
from starplat.runtime.parts.threads import in_threads
from starplat.runtime.results.result import Result
from starplat.runtime.session import Session
from starplat.runtime.tracing.trace import Crossing, Exchange
from starplat.schedule import PLAIN
from starplat.schedule.algebra import components_in_parts
from starplat.schedule.apply import either_way_in_parts
from tests.passes.spreading import BOTH_WAYS, ONE_WAY
from tests.programs.cases import CASES, Case
from tests.programs.targets import compiled
from tests.zoo import ZOO

MOST = 7
SIZES = range(1, MOST + 1)
EXCHANGES = ir.ShareParts | ir.CombineParts | ir.CombineChanged | ir.Together
SESSIONS = [Session() for _ in range(MOST)]
HEAD = 3 * 8
"""Bytes by which a part says what it has of a set."""

ALL_EXCHANGES = """
function exchanges(Graph g, propNode<int> a, propNode<int> b, propNode<long> c, propNode<int> d) {
    int total = 0;
    forall (v in g.nodes()) {
        v.a = g.count_outNbrs(v) + 3;
        v.d = 100;
    }
    forall (v in g.nodes()) {
        int sum = 0;
        forall (w in g.neighbors(v)) {
            sum += w.a;
        }
        v.b = sum;
    }
    forall (v in g.nodes()) {
        total += v.b;
        forall (w in g.neighbors(v)) {
            w.c += v.b;
            w.d = Min(w.d, v.b);
        }
    }
    return total;
}
"""


def in_so_many(size: int, module: ir.Module, graph: Graph, arguments: dict[str, Any]) -> list[Result]:
    """What each of so many parts answers."""

    def work(communicator: Communicator) -> Result:
        return run_module(
            module,
            graph,
            target="reference",
            arguments=bind(module, graph, arguments),
            schedule=PLAIN,
            session=SESSIONS[communicator.rank],
            communicator=communicator,
        )

    return in_threads(size, work)


@cache
def divided(case: Case, poison: bool | None) -> ir.Module:
    """The program of a case in parts."""
    return in_parts(compiled(case.path).module(), poison)


def right_in_parts(case: Case, sizes: tuple[int, ...], graphs: list[Graph]) -> None:
    """Each part's answer is the oracle's, with low or high poison in the cells that it may not look at."""
    for graph in map(case.suits, graphs):
        for call in case.calls(graph):
            for size in sizes:
                for result in in_so_many(size, divided(case, size % 2 == 1), graph, call):
                    case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)


CAN_BE_DIVIDED = [case for case in CASES if case.program != "label_propagation"]
"""It keeps a local map."""


@pytest.mark.parametrize("case", CAN_BE_DIVIDED, ids=lambda case: case.program)
def test_examples_are_right_in_three_parts(case: Case) -> None:
    right_in_parts(case, (3,), list(ZOO.values())[::4])


@pytest.mark.campaign
@pytest.mark.parametrize("case", CAN_BE_DIVIDED, ids=lambda case: case.program)
def test_examples_are_right_in_any_number_of_parts(case: Case) -> None:
    """Every graph in one number of parts, another for each program."""
    for turn, size in enumerate(SIZES):
        right_in_parts(case, (size,), list(ZOO.values())[(turn + CASES.index(case)) % len(SIZES) :: len(SIZES)])


@pytest.mark.nightly
@pytest.mark.parametrize("case", CAN_BE_DIVIDED, ids=lambda case: case.program)
def test_examples_are_right_on_every_graph_in_any_number_of_parts(case: Case) -> None:
    right_in_parts(case, SIZES, list(ZOO.values()))


SPELLINGS = {name: text for name, text in (BOTH_WAYS | ONE_WAY).items() if "stores" not in name}
"""Those with stores race, so that they are not divided."""

SPELLINGS["values"] = (
    BOTH_WAYS["arcs"].replace("propNode<node>", "propNode<int>").replace("v.comp = v;", "v.comp = 50 - v;")
)


@cache
def settled(program: str, symmetric: bool, target: str = "openmp") -> ir.Module:
    """The program in parts, with union-find in place of its loop; those of GPUs have all rows."""
    given = starplat.compile(SPELLINGS[program]).module()
    able = capabilities_of(target)
    made = components_in_parts(given, able, symmetric=symmetric, all_rows=able.lockstep)
    assert any(isinstance(op, ir.HostBlock) and op.placed for f in made.functions for op in walk_host(f.body))
    return in_parts(made, poison=symmetric)


SPREADING = [*((name, False) for name in SPELLINGS if name not in ONE_WAY), *((name, True) for name in SPELLINGS)]


@pytest.mark.parametrize("target", ["openmp", "cuda"])
@pytest.mark.parametrize(("program", "symmetric"), SPREADING)
def test_parts_join_trees_until_all_have_the_same(program: str, symmetric: bool, target: str) -> None:
    """Chains lie across parts, so that what one part joins is apart again where another one's arc has won."""
    module = settled(program, symmetric, target)
    chain, nodes = np.random.default_rng(3).permutation(40), np.arange(40)
    shuffled = Graph.from_arcs(40, chain[:-1], chain[1:], directed=True)
    crossed = Graph.from_arcs(40, nodes, nodes * 7 % 40, directed=True)
    for size, graph in ((1, shuffled), (2, crossed), (4, shuffled), (7, crossed), (3, ZOO["isolated"])):
        taken = graph.undirected() if symmetric else graph
        if symmetric and target == "cuda" and not taken.num_arcs:
            continue  # `planning` says of no such graph that it is symmetric
        alone = starplat.compile(SPELLINGS[program]).run(taken, target="reference")
        for result in in_so_many(size, module, taken, {}):
            assert result.returned == alone.returned
            for array in module.results:
                np.testing.assert_array_equal(result[array.name], alone[array.name])


def test_parts_find_the_roots_of_their_own_nodes_only() -> None:
    """Nothing climbs every node's path on every part: trees are combined as they are, and shared once."""
    module = settled("arcs", False)
    ops = [op for function in module.functions for op in walk_host(function.body)]
    flatten = [op for op in ops if isinstance(op, ir.Launch) and op.kernel.endswith("flatten")]
    assert len(flatten) == 1
    domain = module.kernel(flatten[0].kernel).domain
    assert isinstance(domain, ir.AllNodes)
    assert domain.first is not None
    assert isinstance(ops[ops.index(flatten[0]) + 1], ir.ShareParts)


def test_parts_of_large_graphs_begin_at_lines_of_memory() -> None:
    """Threads side by side have nodes side by side: at any other node each would touch a line more."""
    ends = np.arange(1000)
    for nodes, unit in ((2**22 + 5, 128), (2**12, 1)):
        graph = Graph.from_arcs(nodes, ends, ends + 7, directed=True)

        def bounds(communicator: Communicator, graph: Graph = graph) -> list[int]:
            return parts_of(graph, communicator).nodes

        for size in (1, 2, 3):
            first, *inner, last = in_threads(size, bounds)[0]
            assert (first, last) == (0, nodes)
            assert inner == sorted(inner)
            assert all(0 < node < nodes and node % unit == 0 for node in inner)
            assert unit > 1 or any(node % 128 for node in inner) or size == 1


def test_parts_begin_between_few_nodes_that_have_all_arcs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else one part would have all: the first line of memory holds cells of all of these nodes."""
    monkeypatch.setattr("starplat.runtime.parts.communicator._LARGE", 2**10)
    starts = np.repeat(np.arange(100), 300)
    graph = Graph.from_arcs(2**12, starts, np.arange(len(starts)) % 2**12, directed=True)
    arcs = in_threads(4, lambda communicator: parts_of(graph, communicator).arcs)[0]
    assert max(np.diff(arcs)) < 0.3 * graph.num_arcs


def test_parts_join_trees_with_the_rows_of_their_own_nodes() -> None:
    """Those of GPUs, which have all rows, join all nodes that are outside of the great tree."""
    for symmetric in (False, True):
        assert why_all_rows(settled("arcs", symmetric)) is None
    assert why_all_rows(settled("arcs", True, "cuda")) is not None


@pytest.mark.parametrize("target", ["openmp", "cuda"])
def test_great_trees_of_parts_may_have_little_in_common(target: str) -> None:
    """Two stars, of which each lies in one part alone, and a chain that ends in one of them; then the mirror image."""
    start = np.concatenate([np.repeat([0, 21], 20), [63, 64, 65, 62]])
    end = np.concatenate([np.arange(1, 21), np.arange(22, 42), [64, 65, 66, 5]])
    for ends in ((start, end), (66 - start, 66 - end)):
        taken = Graph.from_arcs(67, *ends, directed=True).undirected()
        alone = starplat.compile(SPELLINGS["arcs"]).run(taken, target="reference")
        for size in (2, 3, 5):
            for result in in_so_many(size, settled("arcs", True, target), taken, {}):
                np.testing.assert_array_equal(result["comp"], alone["comp"])


@pytest.mark.parametrize("target", ["openmp", "cuda"])
def test_parts_tell_which_nodes_are_outside_of_the_great_tree_and_little_else(target: str) -> None:
    """That is a flag of each node, where whole arrays of trees took 4 bytes of each in every exchange; also where all
    nodes but a hub are better than their only neighbor."""
    module, leaves = settled("arcs", True, target), np.arange(1000)
    hub = Graph.from_arcs(1001, leaves, np.full(1000, 1000), directed=True).undirected()
    for graph, sizes in ((generators.rmat(10, 16, 1), (2, 3, 7)), (hub, (2, 3))):

        def given(communicator: Communicator, graph: Graph = graph) -> int:
            session = SESSIONS[communicator.rank]
            before = communicator.bytes
            run_module(module, graph, target="reference", schedule=PLAIN, session=session, communicator=communicator)
            return communicator.bytes - before

        for size in sizes:
            assert sum(in_threads(size, given)) < size * graph.num_nodes


@pytest.mark.parametrize("poison", [False, True])
def test_parts_push_or_pull_by_what_they_count_together(poison: bool) -> None:
    """Few nodes of a chain push; the many that follow a hub pull, in all parts or in none."""
    case = next(case for case in CASES if case.program == "bfs_levels")
    module = either_way_in_parts(compiled(case.path).module(), capabilities_of("openmp"))
    ops = [op for function in module.functions for op in walk_host(function.body)]
    assert not any(isinstance(op, ir.Launch) and op.members is not None for op in ops)
    assert any(kernel.name.endswith("_pull") for kernel in module.kernels)
    [loop] = (op for op in ops if isinstance(op, ir.Loop))
    always = {op.kernel for op in loop.body if isinstance(op, ir.Launch)}
    sometimes = {op.kernel for op in ops if isinstance(op, ir.Launch)} - always
    assert always == {"size_of_frontier"}
    assert "arcs_of_frontier" in sometimes
    divided = in_parts(module, poison)
    start = np.concatenate([np.arange(5), np.full(60, 5), np.arange(6, 66)])
    end = np.concatenate([np.arange(1, 6), np.arange(6, 66), np.arange(66, 126)])
    for graph in (Graph.from_arcs(126, start, end, directed=True), ring(), ZOO["unreachable"], ZOO["random-sparse"]):
        for call in case.calls(graph):
            for size in (1, 2, 3, 7):
                for result in in_so_many(size, divided, graph, call):
                    case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)


def ring(nodes: int = 12) -> Graph:
    start = np.arange(nodes)
    ends = np.concatenate([(start + 1) % nodes, (start + 5) % nodes])
    return Graph.from_arcs(nodes, np.concatenate([start, start]), ends, directed=True)


def answers(module: ir.Module) -> list[Any]:
    """What two parts find, each."""
    results = in_so_many(2, module, ring(), {})
    return [(result.returned, *(result[name].tolist() for name in "abcd")) for result in results]


def without(module: ir.Module, number: int) -> ir.Module:
    """The module without one of its exchanges, counted in the order of the text."""
    count = -1

    def kept(ops: Any) -> Any:
        nonlocal count
        left = []
        for op in ops:
            if isinstance(op, EXCHANGES):
                count += 1
                if count == number:
                    continue
            left.append(replace(op, body=kept(op.body)) if isinstance(op, ir.HostBlock) else op)
        return tuple(left)

    functions = tuple(replace(function, body=kept(function.body)) for function in module.functions)
    return replace(module, functions=functions)


def test_every_exchange_matters() -> None:
    program = starplat.compile(ALL_EXCHANGES)
    module = in_parts(program.module(), poison=False)
    single = program.run(ring(), target="reference")
    expected = (single.returned, *(single[name].tolist() for name in "abcd"))
    assert answers(module) == [expected, expected]
    entry = module.function(module.entry)
    found = [op for op in walk_host(entry.body) if isinstance(op, EXCHANGES)]
    assert {type(op) for op in found} == {ir.ShareParts, ir.CombineParts, ir.Together}
    for number in range(len(found)):
        assert answers(without(module, number)) != [expected, expected], f"exchange {number} is one too many"


def test_a_trace_shows_what_crosses_in_every_round() -> None:
    ring_of_twelve, parts = ring(), 3
    program = starplat.compile("bfs_levels")
    result = program.run(ring_of_twelve, src=0, target="reference", devices=parts, trace=True)
    alone = program.run(ring_of_twelve, src=0, target="reference", schedule="plain", trace=True)
    assert result.trace is not None
    assert alone.trace is not None
    active = [np.flatnonzero(alone["level"] == level) for level in range(6)]
    for one, nodes in zip(result.trace.rounds, active, strict=True):
        found = len({node // 4 for node in nodes if one.chief.active and level_rises(node, alone["level"])})
        assert list(one.exchanges) == [
            Exchange(Crossing.COMBINE, "level, frontier_next", parts * HEAD + found * 2),  # one level, a bit for a node
            Exchange(Crossing.TOGETHER, "finished", parts * 8),
        ]
    assert result.trace.exchanged_outside == ()
    assert result.parts is not None
    assert result.parts.bytes == sum(one.bytes for one in result.trace.exchanges)
    assert result.parts.exchanges == len(result.trace.exchanges)
    for one, other in zip(result.trace.rounds, alone.trace.rounds, strict=True):
        assert (one.chief.active, one.chief.arcs) == (other.chief.active, other.chief.arcs)


def level_rises(node: int, levels: np.ndarray) -> bool:
    """Whether a node of the ring has found a neighbor."""
    return any(levels[(node + step) % 12] == levels[node] + 1 for step in (1, 5))


def test_a_trace_shows_own_cells_that_are_shared() -> None:
    result = starplat.compile(ALL_EXCHANGES).run(ring(), target="reference", devices=2, trace=True)
    assert result.trace is not None
    outside = {(one.crossing, one.name): one.bytes for one in result.trace.exchanged_outside}
    assert outside[Crossing.SHARE, "a"] == outside[Crossing.SHARE, "b"] == 12 * 4
    assert outside[Crossing.COMBINE, "c"] == 2 * 12 * 8
    assert outside[Crossing.TOGETHER, "total"] == 2 * 8


def test_a_trace_of_divided_sources_has_the_exchanges_of_all_parts() -> None:
    result = starplat.compile("betweenness").run(ring(), sources=[0, 1], target="reference", devices=3, trace=True)
    assert result.trace is not None
    assert result.trace.rounds
    assert result.trace.exchanges == (Exchange(Crossing.COMBINE, "bc", 3 * 12 * 8),)


def test_parts_have_all_nodes_and_like_numbers_of_arcs() -> None:
    found = in_threads(5, lambda communicator: parts_of(ring(1000), communicator))
    assert [parts.rank for parts in found] == [0, 1, 2, 3, 4]
    assert [parts.nodes for parts in found] == [[0, 200, 400, 600, 800, 1000]] * 5
    assert found[0].arcs == [0, 400, 800, 1200, 1600, 2000]


def test_a_part_that_fails_ends_all() -> None:
    def work(communicator: Communicator) -> int:
        if communicator.rank == 1:
            raise ValueError("the second part fails")
        return len(communicator.gather(communicator.rank))

    with pytest.raises(ValueError, match="the second part fails"):
        in_threads(3, work)


@pytest.mark.parametrize("program", ["label_propagation"])
def test_what_cannot_be_divided_is_refused_with_the_reason(program: str) -> None:
    case = next(case for case in CASES if case.program == program)
    with pytest.raises(DiagnosticError, match=r"E0668(.|\n)*it keeps a local map"):
        divided(case, None)
