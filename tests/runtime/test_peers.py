"""Launches on several devices that reach each other's memory: on emulated GPUs, whose kernels run at the same time, and
on the interpreter, with poison in what other parts have worked out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.backends.cuda import CUDA
from starplat.backends.one_launch import nearest
from starplat.backends.scheduled import for_target
from starplat.diagnostics import DiagnosticError
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.printing.modules import print_module
from starplat.ir.visitor import loops_of, walk_host
from starplat.passes.parts import alike
from starplat.passes.parts.alike import in_parts_alike
from starplat.runtime.divided import planning
from starplat.runtime.divided.planning import in_each_part
from starplat.runtime.parts.communicator import parts_of
from starplat.runtime.parts.tables import PeerTable, table_for
from starplat.runtime.parts.threads import Meeting, ThreadCommunicator
from starplat.runtime.session import default_session
from starplat.schedule.apply import scheduled_alike
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import AUTO, Order, Priority
from tests.backends.emulated import EmulatedDevice, Machine, require_compiler
from tests.programs.cases import CASES, Case
from tests.programs.targets import compiled
from tests.runtime.test_many_devices import right_on
from tests.runtime.test_parts import MOST, in_so_many, ring
from tests.zoo import ZOO

NAMES = ("bfs_levels", "sssp", "sssp_two_flags", "pagerank", "k_core")
ALIKE = [case for case in CASES if case.program in NAMES]


@contextmanager
def peers(count: int) -> Iterator[None]:
    """So many emulated GPUs that reach each other's memory."""
    require_compiler()
    with pytest.MonkeyPatch.context() as instead:
        for number in range(count):
            session = default_session().beside(number)
            device = EmulatedDevice(Machine(seed=number, peers=True))
            instead.setitem(session._devices, ("cuda", 0), device)
        yield


def on_one_device(case: Case, **knobs: Any) -> ir.Module:
    """The program of a case as one GPU would run it."""
    return scheduled_alike(compiled(case.path).module(), replace(AUTO, **knobs), CUDA.capabilities, None)


def pulling(ops: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
    """The operations, with every push that may pull pulling."""
    made: list[ir.HostOp] = []
    for op in ops:
        if isinstance(op, ir.Launch) and op.members is not None:
            made += op.pull
        elif isinstance(op, ir.OnDevice | ir.Loop | ir.HostBlock):
            made.append(replace(op, body=pulling(op.body)))
        else:
            made.append(op)
    return tuple(made)


@cache
def spoilt(case: Case, high: bool, even_rows: bool = False) -> ir.Module:
    """The program of a case in parts that pull wherever they may, with poison."""
    module = in_parts_alike(on_one_device(case), high, even_rows=even_rows)
    assert module is not None
    functions = (replace(function, body=pulling(function.body)) for function in module.functions)
    return replace(module, functions=tuple(functions))


def right_in_parts(case: Case, sizes: tuple[int, ...], graphs: list[Graph], *, even_rows: bool = False) -> None:
    for graph in map(case.suits, graphs):
        for call in case.calls(graph):
            for size in sizes:
                for result in in_so_many(size, spoilt(case, size % 2 == 1, even_rows), graph, call):
                    case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)


@pytest.mark.parametrize("case", ALIKE, ids=lambda case: case.program)
def test_every_part_answers(case: Case) -> None:
    right_in_parts(case, (1, 3), list(ZOO.values())[::7])


@pytest.mark.parametrize("name", ["bfs_levels", "sssp"])
def test_every_part_answers_on_even_rows(name: str) -> None:
    case = next(case for case in ALIKE if case.program == name)
    right_in_parts(case, (2,), list(ZOO.values())[::9], even_rows=True)


@pytest.mark.campaign
@pytest.mark.parametrize("case", ALIKE, ids=lambda case: case.program)
def test_any_number_of_parts_answers(case: Case) -> None:
    right_in_parts(case, (2, 5, MOST), list(ZOO.values())[::3])


@pytest.mark.parametrize("case", ALIKE, ids=lambda case: case.program)
def test_kernels_on_two_devices_change_each_others_memory(case: Case) -> None:
    with peers(2):
        right_on(case, 2, "cuda", 9)


@pytest.mark.campaign
@pytest.mark.parametrize("case", ALIKE, ids=lambda case: case.program)
def test_kernels_on_three_devices_change_each_others_memory(case: Case) -> None:
    with peers(3):
        right_on(case, 3, "cuda", 9)


@pytest.mark.parametrize("name", sorted({case.program for case in CASES}))
def test_programs_whose_parts_may_differ_are_left_alone(name: str) -> None:
    case = next(case for case in CASES if case.program == name)
    assert (in_parts_alike(on_one_device(case)) is not None) == (name in NAMES)


def without_exchanges(ops: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
    kept = (op for op in ops if not isinstance(op, ir.ExchangeCells))
    return tuple(
        replace(op, body=without_exchanges(op.body)) if isinstance(op, ir.OnDevice | ir.Loop | ir.HostBlock) else op
        for op in kept
    )


@pytest.mark.parametrize("case", ALIKE, ids=lambda case: case.program)
def test_parts_need_their_exchanges(case: Case) -> None:
    module = spoilt(case, True)
    functions = tuple(replace(function, body=without_exchanges(function.body)) for function in module.functions)
    graph = case.suits(ring())
    call = case.calls(graph)[0]

    def answer() -> None:
        for result in in_so_many(2, replace(module, functions=functions), graph, call):
            case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)

    with pytest.raises((AssertionError, DiagnosticError)):
        answer()


def test_a_launch_that_waits_for_a_part_without_one_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    case = ALIKE[0]
    graph = case.suits(ring())
    launch = EmulatedDevice.launch

    def fails_on_one(device: EmulatedDevice, *given: Any) -> None:
        if device.machine.seed == 1:
            raise MemoryError("no room for the launch")
        launch(device, *given)

    monkeypatch.setattr(EmulatedDevice, "launch", fails_on_one)
    with peers(2), pytest.raises(MemoryError, match="no room for the launch"):
        starplat.compile(case.path).run(graph, target="cuda", devices=2, arguments=case.calls(graph)[0])


def test_what_crosses_is_counted() -> None:
    case = next(case for case in ALIKE if case.program == "pagerank")
    graph = case.suits(ring())
    with peers(2):
        result = starplat.compile(case.path).run(graph, target="cuda", devices=2, arguments=case.calls(graph)[0])
    crossed, rest = divmod(result.parts.bytes, 8 * graph.num_nodes)  # contributions in every round, ranks at the end
    assert crossed > 1
    assert rest == 0
    assert result.parts.exchanges == 4 * (crossed - 1) + 2


def cut_in_rows(case: Case, high: bool) -> ir.Module:
    """The program of a case, whose sums are gathered from one part of the nodes after the other."""
    module = in_parts_alike(on_one_device(case, order=Order.PARTS), high)
    assert module is not None
    return module


def test_what_grows_over_several_launches_stays_where_it_is() -> None:
    case = next(case for case in ALIKE if case.program == "pagerank")
    module = cut_in_rows(case, True)
    loop = next(op for op in walk_host(module.function("pagerank").body) if isinstance(op, ir.Loop))
    inner = next(op for op in walk_host(loop.body) if isinstance(op, ir.Loop))
    assert not any(isinstance(op, ir.ExchangeCells) for op in walk_host((inner,)))
    graph = case.suits(ring())
    for call in case.calls(graph):
        for result in in_so_many(3, module, graph, call):
            case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)


EXCHANGES = {
    "bfs_levels": ["exchange level, one value, where frontier_next has members"],
    "sssp": ["take weight_total of the first part", "exchange dist where modified_next has members by min"],
    "pagerank": [
        "exchange contribution",
        "together stranded = stranded_before + that of all parts",
        "together change = change_before + that of all parts",
        "exchange rank",
    ],
}


@pytest.mark.parametrize("name", EXCHANGES)
def test_parts_only_tell_what_others_need(name: str) -> None:
    module = in_parts_alike(on_one_device(next(case for case in ALIKE if case.program == name)))
    assert module is not None
    words = ("exchange ", "take ", "together ")
    lines = [line.strip() for line in print_module(module).splitlines()]
    assert [line for line in lines if line.startswith(words)] == EXCHANGES[name]


def test_launches_that_gather_ask_for_registers_of_four_blocks() -> None:
    """What meets other parts takes registers; without a bound they leave room for three blocks of PageRank."""
    asked = {"pagerank": 4, "bfs_levels": 2, "sssp": 2}
    for name, blocks in asked.items():
        module = in_parts_alike(on_one_device(next(case for case in ALIKE if case.program == name)))
        assert module is not None
        assert f"__launch_bounds__(512, {blocks}) {name}_loop(" in CUDA.kernels_text(module)


RELAXES = """bool finished = False;
    fixedPoint until (finished : !modified) {
      forall (v in g.nodes().filter(modified == True)) {
        forall (nbr in g.neighbors(v)) {
          edge e = g.get_edge(v, nbr);
          <nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + e.weight), True>;
        }
      }
    }"""

ORDER_MATTERS = """
function order_matters(Graph g, propNode<int> dist, propEdge<int> weight, propNode<long> sum, node src) {
    propNode<bool> modified;
    g.attachNodeProperty(dist = INF, modified = False, sum = 0);
    src.dist = 0;
    src.modified = True;
    int rounds = 0;
    while (rounds < 3) {
        forall (v in g.nodes()) {
            forall (w in g.neighbors(v)) {
                v.sum += w.dist;
            }
        }
        rounds += 1;
    }
    RELAXES
}
""".replace("RELAXES", RELAXES)


@pytest.mark.parametrize("priority", [Priority.AUTO, Priority.NONE])
def test_parts_whose_rounds_depend_on_the_order_of_threads_are_left_alone(priority: Priority) -> None:
    """Near nodes first is an exchange after every round; all active ones at once would be left to each part."""
    module = starplat.compile(ORDER_MATTERS).module()
    scheduled = for_target(module, "cuda", replace(AUTO, priority=priority), None, CUDA.capabilities)
    assert (in_parts_alike(scheduled) is None) == (priority is Priority.NONE)


SUMS_OVER_ARCS = """
function f(Graph g, propNode<double> mass, propNode<double> got, node src) {
  propNode<bool> active;
  propNode<bool> fresh;
  propNode<bool> seen;
  g.attachNodeProperty(mass = 1.0, active = False, fresh = False, got = 0.0, seen = False);
  src.active = True;
  src.seen = True;
  bool finished = False;
  fixedPoint until (finished : !active) {
    forall (v in g.nodes().filter(active == True)) {
      double s = 0.0;
      for (u in g.nodes_to(v)) {
        s += u.mass / 3.0;
      }
      v.got = s;
    }
    forall (v in g.nodes().filter(active == True)) {
      if (v.got > 0.5) {
        forall (u in g.neighbors(v)) {
          if (!u.seen) {
            u.fresh = True;
          }
        }
      }
    }
    forall (v in g.nodes().filter(fresh == True)) {
      v.seen = True;
    }
    forall (v in g.nodes()) {
      double t = 0.0;
      for (u in g.nodes_to(v)) {
        t += u.got;
      }
      v.mass = t + 1.0;
    }
    active = fresh;
    g.attachNodeProperty(fresh = False);
  }
}
"""


@pytest.mark.parametrize(("element", "left_alone"), [("double", True), ("long", False)])
def test_parts_whose_last_bits_depend_on_a_sets_order_are_left_alone(element: str, left_alone: bool) -> None:
    """They might find other nodes beyond the limit, and wait for each other for ever."""
    text = SUMS_OVER_ARCS if left_alone else SUMS_OVER_ARCS.replace("double", "long").replace(" / 3.0", "")
    text = text if left_alone else text.replace("1.0", "1").replace("0.0", "0").replace("0.5", "0")
    scheduled = for_target(starplat.compile(text).module(), "cuda", AUTO, None, CUDA.capabilities)
    assert (in_parts_alike(scheduled) is None) == left_alone


def test_launches_of_more_arrays_than_a_table_holds_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduled = on_one_device(next(case for case in ALIKE if case.program == "pagerank"))
    monkeypatch.setattr(alike, "MOST_ARRAYS_OF_PARTS", 1)
    assert in_parts_alike(scheduled) is None


def test_a_table_can_be_given_up_before_parts_have_met() -> None:
    """A part that fails once it has met the others finds their tables, whose launches would wait for it."""
    device = EmulatedDevice(Machine(seed=1, peers=True))
    scheduled = in_parts_alike(on_one_device(next(case for case in ALIKE if case.program == "bfs_levels")))
    assert scheduled is not None
    (op,) = loops_of(scheduled)
    arrays = (array for array in op.arrays if array.origin is not ir.Origin.GRAPH)
    buffers = {array.name: device.allocate(np.dtype(np.int32), 8) for array in arrays}
    tables: dict[str, PeerTable] = {}
    met: list[int] = []

    def gather(own: Any) -> list[Any]:
        tables[op.name].give_up()
        met.append(len(tables))
        return [own]

    table = table_for(op, device, buffers, 0, gather, tables)
    assert (met, table.stop_cells.tolist()) == ([1], [1])
    assert table_for(op, device, buffers, 0, gather, tables) is table


def test_parts_meet_in_launches_on_graphs_whose_rounds_one_device_leaves_to_a_cluster() -> None:
    able, module = replace(CUDA.capabilities, clusters=True), starplat.compile("bfs_levels").module()
    assert any(op.cluster for op in loops_of(for_target(module, "cuda", None, GRID, able)))
    launches = list(loops_of(in_each_part(module, "cuda", able, GRID, peers=True)))
    assert launches
    assert all(op.in_parts for op in launches)


@pytest.mark.parametrize(("more", "within"), [(0, 0), (64, 29)])
def test_warps_put_the_nodes_of_their_part_into_a_set_together(more: int, within: int) -> None:
    """In parts with more nodes than a launch has threads, which begin at a word of the set's bits or within one."""
    chance, nodes = np.random.default_rng(1), 2048
    starts = np.concatenate([np.tile(np.arange(nodes), 8), np.zeros(more, np.int64)])
    ends = np.concatenate([*(chance.permutation(nodes) for _ in range(8)), np.arange(1, more + 1)])
    graph = Graph.from_arcs(nodes, starts, ends, directed=True)
    assert parts_of(graph, ThreadCommunicator(0, 2, Meeting(2))).nodes[1] % 32 == within
    program = starplat.compile("bfs_levels")
    with peers(2):
        found = program.run(graph, target="cuda", devices=2, src=7)
    assert found["level"].tolist() == program.run(graph, target="reference", src=7)["level"].tolist()


GRID = GraphFacts(16_585_016, 46_889_274, 4, symmetric=True)
FREE = GraphFacts(16_585_016, 46_889_274, 40_000, symmetric=True)


@pytest.mark.parametrize(("facts", "few"), [(GRID, "num_nodes / 64"), (FREE, "min(MUCH_NEW - 1, num_nodes / 64)")])
def test_parts_agree_on_sets_that_may_have_many_arcs(facts: GraphFacts, few: str) -> None:
    module = in_each_part(starplat.compile("bfs_levels").module(), "cuda", CUDA.capabilities, facts, peers=True)
    assert f"agree_on(peers, arrived, frontier, {few})" in CUDA.kernels_text(module)


@pytest.mark.parametrize(("facts", "some"), [(GRID, True), (FREE, False)])
def test_parts_walk_few_near_nodes_alone_where_rows_are_even(facts: GraphFacts, some: bool) -> None:
    """Not before the limit has risen once: what a loop begins with may be beyond it, and is walked with distances that
    are still to fall, in an order that is chance."""
    module = in_each_part(starplat.compile("sssp").module(), "cuda", CUDA.capabilities, facts, peers=True)
    text = CUDA.kernels_text(module)
    assert ("bool alone = false;" in text) == ("alone = modified_size <= 16384;" in text) == some


@pytest.mark.parametrize("parts", [2, 3])
def test_parts_meet_again_behind_rounds_of_their_own(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts come back from different numbers of rounds, and give each other the same sets: of a ladder of four nodes in
    a step, from which four to seven are near when the limit rises."""
    monkeypatch.setattr(nearest, "ALONE", 4)
    monkeypatch.setattr(planning, "_facts", lambda *given: GRID)
    nodes = np.arange(2000)
    along, across = nodes[:-4], nodes[nodes % 4 < 3]
    starts, ends = np.concatenate([along, across]), np.concatenate([along + 4, across + 1])
    graph = Graph.from_arcs(len(nodes), starts, ends, directed=False).with_random_weights(1, 40, 3)
    program = starplat.compile("sssp")
    with peers(parts):
        found = program.run(graph, target="cuda", devices=parts, src=0)
    assert 200 < found.parts.exchanges < 900  # all alone 133, all together 1,200
    assert found["dist"].tolist() == program.run(graph, target="reference", src=0)["dist"].tolist()


AGAIN = """
function again(Graph g, propNode<int> dist, propEdge<int> weight, propNode<int> sum, node src) {
  propNode<bool> modified;
  g.attachNodeProperty(sum = 0, dist = INF, modified = False);
  src.dist = 0;
  src.modified = True;
  int i = 0;
  while (i < 24) {
    RELAXES
    forall (v in g.nodes()) { v.sum += v.dist; }
    forall (v in g.nodes()) { if (v.sum % 397 == i) { v.dist = 0; v.modified = True; } }
    i += 1;
  }
}
""".replace("RELAXES", RELAXES)


@pytest.mark.parametrize("parts", [1, 3])
def test_nearest_nodes_are_found_again_in_one_launch(parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes join a set right behind rounds whose end all threads ask it for; parts that were alone for different
    numbers of rounds give each other the same sets."""
    monkeypatch.setattr(planning, "_facts", lambda *given: GRID)
    nodes = np.arange(300)
    along, across = nodes[:-4], nodes[nodes % 4 < 3]
    starts, ends = np.concatenate([along, across]), np.concatenate([along + 4, across + 1])
    program = starplat.compile(AGAIN)
    for seed in range(1, 5):
        graph = Graph.from_arcs(len(nodes), starts, ends, directed=False).with_random_weights(1, 40, seed)
        with peers(parts):
            found = program.run(graph, target="cuda", devices=parts, src=0)
        assert found["sum"].tolist() == program.run(graph, target="reference", src=0)["sum"].tolist()
