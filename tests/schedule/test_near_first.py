"""Step `priority`: near nodes come first however a relaxation is spelled; what is none has no order and stays right."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.backends.cuda_family import blocks_together
from starplat.graph import Graph, generators
from starplat.ir import nodes as ir
from starplat.ir.visitor import loops_of
from starplat.runtime import run_module
from starplat.schedule import AUTO, PLAIN
from starplat.schedule.apply import decided
from starplat.schedule.priority import step
from tests.backends.emulated import Machine, emulated
from tests.oracles import INF
from tests.schedule.programs import BY_HOST, CUDA, LEVELS, SSSP, arguments_for, assert_same_answers, host_ops, scheduled
from tests.zoo import ZOO

PROGRAM = """
function relax(Graph g, propNode<int> dist, propEdge<int> weight, propNode<int> cost, int factor, node src) {
  propNode<bool> active;
  g.attachNodeProperty(dist = INF, active = False);
  src.dist = 0;
  src.active = True;
  bool over = False;
  fixedPoint until (over : !active) {
    forall (v in g.nodes().filter(active == True)) {
      AHEAD
      forall (w in g.neighbors(v)FILTER) {
        edge e = g.get_edge(v, w);
        INSIDE
        <w.dist, w.active> = <Min(w.dist, VALUE), True>;
      }
    }
  }
}
"""


def spelled(value: str, *, ahead: str = "", inside: str = "", filter: str = "") -> str:
    """The program that tells the value."""
    words = {"AHEAD": ahead, "FILTER": filter, "INSIDE": inside, "VALUE": value}
    text = PROGRAM
    for word, by in words.items():
        text = text.replace(word, by)
    return text


SPELLINGS = {
    "plain": spelled("v.dist + e.weight"),
    "turned": spelled("e.weight + v.dist"),
    "a local before the loop": spelled("own + e.weight", ahead="int own = v.dist;"),
    "a local of a local": spelled("sum", ahead="int own = v.dist;", inside="int by = e.weight; int sum = own + by;"),
    "twice the weight": spelled("v.dist + 2 * e.weight"),
    "the weight twice": spelled("e.weight + v.dist + e.weight"),
    "times a parameter": spelled("v.dist + factor * e.weight"),
    "no less than nothing": spelled("v.dist + max(e.weight, 0)"),
    "one or the other": spelled("v.dist + (e.weight > factor ? e.weight : factor)"),
    "no loops": spelled("v.dist + e.weight", filter=".filter(w != v)"),
    "light arcs only": spelled("v.dist + by", filter="", inside="int by = e.weight < 5 ? e.weight : INF;"),
}
NEAR_MISSES = {
    "hops": spelled("v.dist + 1"),
    "what the neighbor costs": spelled("v.dist + w.cost"),
    "the distance counts twice": spelled("v.dist + v.dist + e.weight"),
    "the dearest arc of a path": spelled("max(v.dist, e.weight)"),
}


def choices(text: str, *, by_host: bool = False) -> list[str]:
    made = decided(starplat.compile(text).module(), AUTO, BY_HOST if by_host else CUDA)
    return [choice.what for choice in made.choices]


@pytest.mark.parametrize("by_host", [False, True], ids=["one launch", "the host"])
@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_near_nodes_come_first(text: str, by_host: bool) -> None:
    assert any("near nodes first" in choice for choice in choices(text, by_host=by_host))


@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_threads_share_arcs_and_sort_out_who_is_near(text: str) -> None:
    kernels = BACKENDS["cuda"].kernels_text(decided(starplat.compile(text).module(), AUTO, CUDA).module)
    assert "advance_near(active, " in kernels
    assert kernels.count("insert(active_later, w);") == 1


def drivers(text: str, schedule: str = "auto") -> list[ir.NearestFirst]:
    ops = host_ops(scheduled(text, schedule))
    return [op.driver for op in ops if isinstance(op, ir.Loop) and isinstance(op.driver, ir.NearestFirst)]


@pytest.mark.parametrize("schedule", ["auto", "loop=device"])
def test_steps_begin_with_a_least_one(schedule: str) -> None:
    found = drivers(SPELLINGS["plain"], schedule)
    assert found
    assert all(driver.least is driver.first is not driver.step for driver in found)


@pytest.mark.parametrize("schedule", ["priority=delta(8)", "memory=mapped", "loop=cluster"])
def test_steps_that_are_told_or_narrower_or_of_thin_graphs_do_not_change(schedule: str) -> None:
    found = drivers(SPELLINGS["plain"], schedule)
    assert found
    assert all(driver.least is None and driver.first is driver.step for driver in found)


@pytest.mark.parametrize("schedule", ["loop=device", "loop=cluster"])
@pytest.mark.parametrize("name", ["long rows", "even rows"])
@pytest.mark.parametrize("near", [65536.0, 64.0], ids=["any node is enough", "the limit rises early"])
def test_growing_steps_come_to_the_same_distances(
    near: float, name: str, schedule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(step, "_NARROW_FROM", 1.0)
    monkeypatch.setattr(step, "_THIN", 1.0)
    monkeypatch.setattr(step, "_ARCS_OF_A_NEAR_NODE", near)
    monkeypatch.setattr(step, "_ARCS_OF_ONE_BESIDE_HUBS", near)
    made = generators.rmat(8, 8, 1) if name == "long rows" else generators.grid(16, 16)
    graph = made.with_random_weights(1, 255, 1)
    assert bool(graph.out_degrees.max() > 4 * graph.out_degrees.mean()) is (name == "long rows")
    given = {"src": int(graph.out_degrees.argmin()), "factor": 3}
    module = scheduled(SPELLINGS["plain"], schedule)
    with emulated(Machine(seed=1)):
        found = run_module(module, graph, target="cuda", arguments=given, schedule=PLAIN)
    expected = starplat.compile(SPELLINGS["plain"]).run(graph, target="reference", arguments=given)
    np.testing.assert_array_equal(found["dist"], expected["dist"])


def test_the_limit_rises_early_where_rows_are_even_or_graphs_small() -> None:
    """Not where nodes have few arcs, nor with hubs among 2^24 arcs and more."""
    text = BACKENDS["cuda"].kernels_text(decided(starplat.compile(SPELLINGS["plain"]).module(), AUTO, CUDA).module)
    told = " ".join(text.split("const int enough = ")[1].split(";")[0].split())
    assert told == (
        "saturated<int>((double)longest_row <= 4.0 * mean_degree"
        " ? (mean_degree < 8.0 ? 1.0 : fmax((double)num_arcs / 65536.0, 1.0)) : (double)num_arcs < 16777216.0"
        " ? fmin(fmax((double)num_arcs / 8192.0, 1.0), 200.0) : 1.0)"
    )
    assert "    __shared__ int enough_near;\n    if (threadIdx.x == 0) enough_near = enough;\n" in text
    assert "if (active_size >= enough_near) continue;" in text


def streets_around_a_hub(side: int) -> Graph:
    """Nodes in rows and columns, of which one is joined to a third of them too."""
    place = np.arange(side * side)
    right, below, others = place[place % side > 0], place[side:], place[::3]
    one = np.concatenate([right, below, np.zeros_like(others)])
    other = np.concatenate([right - 1, below - side, others])
    return Graph.from_arcs(side * side, one, other).undirected().with_random_weights(1, 255, 1)


@pytest.mark.parametrize("blocks", [1, 3, 7])
def test_blocks_that_share_rows_of_few_near_nodes_come_to_the_same_distances(blocks: int) -> None:
    """Some blocks for a node, some nodes for a block, more than its warps lay out."""
    graph, text, given = streets_around_a_hub(20), SPELLINGS["plain"], {"src": 399, "factor": 3}
    expected = starplat.compile(text).run(graph, target="reference", arguments=given)["dist"]
    with emulated(Machine(blocks=blocks, threads=64, seed=blocks, limits=False)):
        found = run_module(scheduled(text, "loop=device"), graph, target="cuda", arguments=given, schedule=PLAIN)
    np.testing.assert_array_equal(found["dist"], expected)


@pytest.mark.parametrize("text", NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_what_adds_nothing_of_an_arc_has_no_order(text: str) -> None:
    assert not any(
        "near nodes first" in choice for by_host in (False, True) for choice in choices(text, by_host=by_host)
    )


@pytest.mark.thin(plain=5)
@pytest.mark.parametrize("text", [*SPELLINGS.values(), *NEAR_MISSES.values()], ids=[*SPELLINGS, *NEAR_MISSES])
def test_all_come_to_the_same_answers(text: str) -> None:
    assert_same_answers(text)


# --- with what the winner carries -----------------------------------------------------------------------------------

PARENTS = (
    PROGRAM.replace("propNode<int> cost", "propNode<node> parent")
    .replace(
        "<w.dist, w.active> = <Min(w.dist, VALUE), True>",
        "<w.dist, w.parent, w.active> = <Min(w.dist, VALUE), v, True>",
    )
    .replace("attachNodeProperty(dist = INF", "attachNodeProperty(dist = INF, parent = -1")
)


def with_parents(text: str = PARENTS) -> str:
    return text.replace("AHEAD", "").replace("FILTER", "").replace("INSIDE", "").replace("VALUE", "v.dist + e.weight")


def assert_parents(graph: Graph, source: int, dist: np.ndarray, parent: np.ndarray) -> None:
    """A node that is reached has a parent at the right distance, and parents lead back to the source."""
    weights = {}
    for u, v, weight in zip(graph.sources.tolist(), graph.columns.tolist(), graph.weights.tolist(), strict=True):
        weights[u, v] = min(weight, weights.get((u, v), weight))
    for node in range(graph.num_nodes):
        steps, at = 0, node
        while dist[at] != INF and at != source:
            assert dist[at] == dist[parent[at]] + weights[parent[at], at]
            at, steps = int(parent[at]), steps + 1
            assert steps <= graph.num_nodes
        assert at == source or dist[node] == INF


@pytest.mark.parametrize("by_host", [False, True], ids=["one launch", "the host"])
def test_who_wins_may_leave_a_parent(by_host: bool) -> None:
    assert any("near nodes first" in choice for choice in choices(with_parents(), by_host=by_host))


def test_cells_under_a_lock_are_told_in_one_launch() -> None:
    """Two numbers are carried, which do not fit into one word beside the cell."""
    text = with_parents().replace("propNode<bool> active;", "propNode<bool> active; propNode<int> hops;")
    text = text.replace("w.active> =", "w.hops, w.active> =").replace(", v, True>", ", v, v.hops + 1, True>")
    kernels = BACKENDS["cuda"].kernels_text(scheduled(text))
    assert kernels.count("__global__") == 1
    assert all(f"volatile int *{name}" in kernels for name in ("dist", "parent", "hops"))


def test_cells_under_a_lock_that_are_updated_without_one_are_left_to_the_host() -> None:
    more = "forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.dist = Min(w.dist, 1000); } }\n"
    text = with_parents(PARENTS.rstrip().removesuffix("}") + f"  {more}}}\n")
    assert "sssp_loop" not in BACKENDS["cuda"].kernels_text(scheduled(text))
    assert not [op for op in host_ops(scheduled(text)) if isinstance(op, ir.OnDevice)]


@pytest.mark.parametrize("name", ["one-node", "parallel", "diamonds", "random", "random-dense", "some-zero-weights"])
@pytest.mark.parametrize("where", ["interpreter", "threads", "openmp"])
def test_parents_lead_back_to_the_source(where: str, name: str) -> None:
    graph = ZOO[name]
    program = starplat.compile(with_parents())
    given = arguments_for(program, graph)
    if where == "openmp":
        found = program.run(graph, target="openmp", arguments=given)
    else:
        made = scheduled(with_parents())
        if where == "threads":
            with emulated(Machine(seed=1)):
                found = run_module(made, graph, target="cuda", arguments=given, schedule=PLAIN)
        else:
            found = run_module(made, graph, target="reference", arguments=given, schedule=PLAIN)
    assert_parents(graph, given["src"], found["dist"], found["parent"])


REPAIR = """
function repair(Graph g, propNode<int> dist, propEdge<int> weight, propNode<int> shorter) {
  propNode<bool> active;
  g.attachNodeProperty(active = False);
  forall (v in g.nodes().filter(shorter < dist)) {
    v.dist = v.shorter;
    v.active = True;
  }
  fixedPoint until (over : !active) {
    forall (v in g.nodes().filter(active)) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        <w.dist, w.active> = <Min(w.dist, v.dist + e.weight), True>;
      }
    }
  }
}
"""
MADE_ANEW = {
    "filled": REPAIR.replace("(active = False)", "(active = False, dist = INF)"),
    "by a kernel": REPAIR.replace(
        "  forall (v in g.nodes().filter(sh",
        """  forall (v in g.nodes()) {
    v.dist = 100 + v.shorter;
  }
  forall (v in g.nodes().filter(sh""",
    ),
    "from the caller's nodes": REPAIR.replace(
        ", propNode<int> shorter", ", propNode<bool> active, propNode<int> shorter"
    ).replace("  propNode<bool> active;\n  g.attachNodeProperty(active = False);\n", ""),
}


def has_order(text: str, schedule: str = "auto") -> bool:
    return any("later" in array.name for f in scheduled(text, schedule).functions for array in f.arrays)


def test_repairs_have_no_order_unless_it_is_asked_for() -> None:
    assert not has_order(REPAIR)
    assert has_order(REPAIR, "priority=delta(8)")
    assert_same_answers(REPAIR)


@pytest.mark.parametrize("text", MADE_ANEW.values(), ids=MADE_ANEW)
def test_searches_that_begin_at_many_nodes_keep_theirs(text: str) -> None:
    assert has_order(text)


@pytest.mark.parametrize(("text", "most"), [(SSSP, 3), (LEVELS, 2)], ids=["near first", "levels"])
def test_large_graphs_get_three_groups_of_threads_where_near_nodes_come_first(text: str, most: int) -> None:
    module = scheduled(text)
    (op,) = loops_of(module)
    graphs = (2**19, 2**22 - 1), (2**19, 2**22), (2**19 + 1, 2**22)
    assert [blocks_together(op, *graph) for graph in graphs] == [2, most, 2]
    assert f"__launch_bounds__(512, {most})" in BACKENDS["cuda"].kernels_text(module)


def test_what_takes_turns_with_a_cluster_keeps_two() -> None:
    """Its graph has few arcs for each node, and for three groups registers are spilled."""
    for op in loops_of(scheduled(SSSP, "loop=cluster")):
        assert blocks_together(op, 2**19, 2**22) == 2
