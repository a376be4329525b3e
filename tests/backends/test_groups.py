"""Work-items of a group share the arcs of rows of all lengths: every arc counts once, whoever has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph

import starplat
from starplat import Program
from starplat.backends import launch
from starplat.backends.hip import HIP
from starplat.backends.opencl import CAPABILITIES, OPENCL
from starplat.backends.scheduled import for_target
from starplat.graph import Graph, from_object
from starplat.ir.visitor import launched_alone
from starplat.runtime import elements
from starplat.runtime.devices.device import LaunchSize
from starplat.runtime.devices.opencl import launch_range
from starplat.runtime.session import default_session
from starplat.runtime.validate import first_difference
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from tests.backends.emulated import Machine, emulated
from tests.programs.cases import EXAMPLES
from tests.programs.targets import REFERENCE, Target, compiled, compiled_targets, opencl_targets
from tests.zoo import ZOO

EDGE = "balance=edge,loop=host"

GATHERS = """
function gathers(Graph g, propNode<int> a, propNode<long> sum, propNode<double> mean, propNode<int> least,
                 propNode<int> most, propNode<bool> any, propNode<bool> all, propNode<int> mixed,
                 propEdge<int> weight) {
  long found = 0;
  bool odd = False;
  g.attachNodeProperty(sum = 3, mean = 0.5, least = 70, most = -5, any = False, all = True, mixed = 0);
  forall (v in g.nodes()) { for (w in g.neighbors(v)) { edge e = g.get_edge(v, w); v.sum += w.a * 2 + e.weight; } }
  forall (v in g.nodes().filter(a % 3 != 1)) {
    double total = v.mean;
    for (w in g.nodes_to(v).filter(w != v)) { total += (w.a + v.a) / 4.0; }
    if (total > 9.0) { continue; }
    v.mean = total;
    found += 1;
  }
  forall (v in g.nodes()) {
    int low = v.least;
    for (w in g.neighbors(v)) { low = min(low, w.a - v); }
    v.least = low;
  }
  forall (v in g.nodes()) { int high = -90; for (w in g.nodes_to(v)) { high = max(high, w.a); } v.most = high; }
  forall (v in g.nodes()) { bool seen = False; for (w in g.neighbors(v)) { seen = seen || w.a == 7; } v.any = seen; }
  forall (v in g.nodes()) { bool ever = True; for (w in g.neighbors(v)) { ever = ever && w.a != 6; } v.all = ever; }
  forall (v in g.nodes()) { int bits = 5; for (w in g.neighbors(v)) { bits = bits ^ w.a; } v.mixed = bits; }
  forall (v in g.nodes()) { if (v.mixed % 2 == 1) { odd = True; } found += v.mixed; }
  return found + (odd ? 1 : 0);
}
"""

PUSHES = """
function pushes(Graph g, propNode<int> a, propNode<long> rows, propNode<int> groups, propNode<int> owner) {
  long count = 0;
  int from = 0;
  g.attachNodeProperty(rows = 0, groups = 1000, owner = 0);
  forall (v in g.nodes().filter(a % 5 != 2)) {
    int place = v.a * 3;
    forall (w in g.neighbors(v)) {
      count += 1;
      if (w == v) { continue; }
      w.rows += place;
      <w.groups> = <Min(w.groups, place + 1)>;
      from = max(from, w.a);
    }
  }
  forall (v in g.nodes()) { forall (w in g.nodes_to(v)) { if (w.a > v.a) { v.owner += 1; } } }
  return count * 1000 + from;
}
"""

ASKS = """
function asks(Graph g, propNode<int> a, propNode<bool> seen, propNode<int> times, propNode<int> left) {
  long found = 0;
  g.attachNodeProperty(left = -1);
  forall (v in g.nodes()) {
    bool near = False;
    for (w in g.neighbors(v)) { if (w.a == 7 && w > v) { near = True; break; } }
    v.seen = near;
    found += near ? 1 : 0;
  }
  forall (v in g.nodes().filter(a % 3 != 1)) {
    int own = v.a;
    bool apart = True;
    for (w in g.nodes_to(v)) { int most = w.a * 2; if (most == own) { apart = False; break; } }
    if (!apart) { continue; }
    v.left = own;
    found += 1000;
  }
  forall (v in g.nodes().filter(a % 2 == 0)) {
    v.times += 3;
    found += v.a;
    forall (w in g.neighbors(v)) { if (w.a > 5) { w.left |= 64; } }
  }
  return found;
}
"""

COUNTS = """
function counts(Graph g, propNode<int> a, propNode<int> best, propNode<int> of_kept, propNode<int> all) {
  g.attachNodeProperty(of_kept = -5, all = -5);
  forall (v in g.nodes()) {
    map<int, int> votes;
    for (w in g.neighbors(v)) { votes[w.a * 200 + w % 130] += 1; }
    v.best = votes.best();
  }
  forall (v in g.nodes().filter(a % 4 != 1)) {
    map<int, int> votes;
    int own = v.a;
    for (w in g.nodes_to(v)) { if (w.a != own) { votes[w.a - 2] += v - w; } }
    v.of_kept = votes.best() * 3 + own;
  }
  forall (v in g.nodes().filter(a % 4 != 2)) {
    map<node, int> votes;
    forall (w in g.inOutNbrs(v)) { votes[w] += w.a; }
    int favourite = votes.best();
    if (favourite < 0) { continue; }
    v.all = favourite;
  }
}
"""

ALMOST_COLLECTS = """
function almost(Graph g, propNode<long> a, propNode<long> got, propNode<long> reached) {{
  list<int> some;
  for (v in g.nodes()) {{ if (v.a % 3 != 1) {{ some.push(v); }} }}
  forall (v in g.nodes()) {{ forall (w in g.neighbors(v)) {{ w.reached |= v.a * 4; }} }}
  forall (i in some) {{
    node v = i;
    long missing = 63 & ~v.reached;
    if ({asked}) {{
      long found = 0;
      for (w in g.nodes_to(v)) {{
        if (w.a > 2) {{
          found = found | {offered};
          if ({enough}) {{ break; }}
        }}
      }}
      found = found & missing;
      if ({taken}) {{ v.got = found; }}
    }}
  }}
}}
"""
"""As a search from many sources, but of some nodes, or for another reason."""
COLLECTS = {"asked": "missing != 0", "offered": "w.a", "enough": "(missing & ~found) == 0", "taken": "found != 0"}
ALMOST = {
    "some nodes": {},
    "one bit asked for": {"asked": "(missing & 1) != 0"},
    "fewer offered": {"offered": "(w.a & ~(found << 1))"},
    "left early": {"enough": "w.a > 4"},
    "taken at times": {"taken": "found > 3"},
}

TEXTS = {"gathers": GATHERS, "pushes": PUSHES, "asks": ASKS}
CALLS: dict[str, dict[str, object]] = {
    "pagerank": {"max_iterations": 5, "tolerance": 0.0},
    "bfs": {"src": 3},
    "bfs_levels": {"src": 3},
    "sssp": {"src": 3},
    "sssp_two_flags": {"src": 3},
    "betweenness": {"sources": [3]},
    "k_core": {},
}

SYCL = next(target for target in compiled_targets() if target.target == "sycl")
every_group = pytest.mark.parametrize("target", [*opencl_targets(), SYCL], ids=lambda target: target.label)


def ugly(nodes: int, degrees: dict[int, int]) -> Graph:
    """Some three neighbors for each node, loops among them, and hubs of such degrees."""
    chance = np.random.default_rng(7)
    ends = [chance.integers(0, nodes, (2, 3 * nodes)), np.array([range(0, nodes, 5)] * 2)]
    for hub, degree in degrees.items():
        others = chance.permutation(nodes)[:degree]
        ends += [np.array([np.full(len(others), hub), others]), np.array([others, np.full(len(others), hub)])]
    sources, destinations = np.concatenate(ends, axis=1)
    weights = chance.integers(1, 90, len(sources))
    return from_object(scipy.sparse.coo_array((weights, (sources, destinations)), shape=(nodes, nodes)).tocsr())


def one_hub(leaves: int) -> Graph:
    """A star both ways, its hub in the middle of isolated nodes."""
    hub, others = np.full(leaves, leaves + 40), np.arange(leaves)
    ends = np.array([hub, others]), np.array([others, hub])
    sources, destinations = np.concatenate(ends, axis=1)
    size = leaves + 300
    return from_object(scipy.sparse.coo_array((sources % 9 + 1, (sources, destinations)), shape=(size, size)).tocsr())


def of_degrees(*degrees: int) -> Graph:
    """Nodes with just so many neighbors, in their order, and others with none."""
    sources = np.repeat(np.arange(len(degrees)), degrees)
    destinations = np.concatenate([np.arange(degree) for degree in degrees])
    size = max(*degrees, len(degrees)) + 1
    weights = sources + destinations % 7 + 1
    return from_object(scipy.sparse.coo_array((weights, (sources, destinations)), shape=(size, size)).tocsr())


GRAPHS = {
    "hubs": ugly(1500, {5: 1400, 6: 1024, 7: 1025, 300: 255, 301: 256, 302: 257, 1499: 1300, 1000: 513}),
    "one-hub": one_hub(5000),
    "edges-of-a-group": of_degrees(0, 1, 255, 256, 257, 0, 1023, 1024, 1025, 1, 2049, 0, 5000, 3),
    "long-rows-only": of_degrees(*[1100] * 20),
    **{name: ZOO[name] for name in ("empty", "one-node", "one-loop", "parallel", "diamonds", "star-in-undirected")},
}
PAIRS = [(name, graph) for name in (*TEXTS, *CALLS) for graph in GRAPHS if graph != "empty" or name not in CALLS]


def program_of(name: str) -> Program:
    texts = TEXTS | {"counts": COUNTS}
    return starplat.compile(texts[name]) if name in texts else compiled(EXAMPLES / f"{name}.sp")


def weighed(graph: Graph) -> Graph:
    return graph if graph.weights is not None else graph.with_random_weights(1, 9, 1)


def agree(name: str, graph: Graph, target: Target) -> None:
    program, graph = program_of(name), weighed(graph)
    given = dict(CALLS.get(name, {"a": np.arange(graph.num_nodes) % 11}))
    if graph.num_nodes < 4:
        given |= {"src": 0} if "src" in given else {"sources": [0]} if "sources" in given else {}
    expected = REFERENCE.run(program, graph, {"arguments": given})
    found = target.run(program, graph, {"arguments": given, "schedule": EDGE})
    assert first_difference(found, expected) is None


@pytest.mark.spread(over=("graph",))
@pytest.mark.parametrize(("name", "graph"), PAIRS)
@every_group
def test_every_arc_counts_once(target: Target, name: str, graph: str) -> None:
    agree(name, GRAPHS[graph], target)


@pytest.mark.parametrize("name", [*TEXTS, "betweenness", "pagerank", "sssp"])
@every_group
def test_few_groups_take_turns(target: Target, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they do where there are more nodes than work-items."""
    if target.fault is None:
        monkeypatch.setattr(launch, "groups_for", lambda iterations: 3)
        monkeypatch.setattr(default_session().device(target.target, target.device or 0), "few_groups", 1)
    agree(name, GRAPHS["hubs"], target)


@pytest.mark.parametrize("name", [*TEXTS, "betweenness", "sssp"])
@every_group
def test_arcs_may_have_numbers_of_64_bits(target: Target, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "WIDE_ARCS_FROM", 0)
    graph = weighed(GRAPHS["hubs"])
    agree(name, graph.with_weights(None if graph.weights is None else graph.weights.copy()), target)


@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("target", opencl_targets(), ids=lambda target: target.label)
def test_groups_count_keys_of_rows_of_all_lengths(
    target: Target, graph: str, wide: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In maps in their memory, and in global memory for a row that is longer, whoever has its arcs."""
    if wide:
        monkeypatch.setattr(elements, "WIDE_ARCS_FROM", 0)
    if target.fault is None:
        monkeypatch.setattr(launch, "groups_for", lambda iterations: 3)
        monkeypatch.setattr(default_session().device(target.target, target.device or 0), "few_groups", 1)
    fresh = weighed(GRAPHS[graph])
    agree("counts", fresh.with_weights(None if fresh.weights is None else fresh.weights.copy()), target)


@pytest.mark.spread(over=("graph",))
@pytest.mark.parametrize("few", [False, True], ids=["one node each", "several"])
@pytest.mark.parametrize("sources", ["64", "256,direction=pull", "1024"])
@pytest.mark.parametrize("graph", sorted(GRAPHS.keys() - {"empty"}))
@pytest.mark.parametrize("target", opencl_targets(), ids=lambda target: target.label)
def test_groups_take_the_bits_that_any_arc_offers(
    target: Target, graph: str, sources: str, few: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With 1,024 sources at a time a node has several rows."""
    if few and target.fault is None:
        monkeypatch.setattr(launch, "groups_for", lambda iterations: 3)
    given = GRAPHS[graph]
    chosen = np.random.default_rng(3).choice(given.num_nodes, min(given.num_nodes, 90), replace=False)
    width, _, rest = sources.partition(",")
    schedule = f"{EDGE},sources=batch({width}){rest and ',' + rest}"
    program = starplat.compile("distance_sums")
    found = target.run(program, given, {"arguments": {"sources": chosen}, "schedule": schedule})
    ones = np.ones(given.num_arcs)
    arcs = scipy.sparse.csr_array((ones, given.columns, given.row_offsets), shape=(given.num_nodes, given.num_nodes))
    levels = scipy.sparse.csgraph.dijkstra(arcs, indices=chosen, unweighted=True)
    reached = np.isfinite(levels)
    np.testing.assert_array_equal(found["farness"], np.where(reached, levels, 0).sum(axis=0))
    np.testing.assert_array_equal(found["reached_by"], reached.sum(axis=0))
    np.testing.assert_array_equal(found["farthest"], np.where(reached, levels, -1).max(axis=0))


@pytest.mark.parametrize("parts", ALMOST.values(), ids=ALMOST)
def test_loops_over_lists_take_no_bits_of_all_nodes(parts: dict[str, str]) -> None:
    program, graph = starplat.compile(ALMOST_COLLECTS.format(**COLLECTS | parts)), ugly(60, {5: 55, 6: 20})
    given: dict[str, object] = {"arguments": {"a": np.arange(60) % 11}}
    expected = REFERENCE.run(program, graph, given)
    for target in opencl_targets():
        assert first_difference(target.run(program, graph, given | {"schedule": EDGE}), expected) is None
    with emulated(Machine(seed=2)):
        assert first_difference(program.run(graph, target="cuda", **given), expected) is None


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("name", [*TEXTS, *CALLS])
def test_warps_do_so_in_launches_of_the_host(name: str) -> None:
    program, graph = program_of(name), weighed(ugly(300, {5: 290, 6: 150, 7: 200, 40: 250, 41: 130, 299: 299}))
    given = dict(CALLS.get(name, {"a": np.arange(graph.num_nodes) % 11}))
    expected = REFERENCE.run(program, graph, {"arguments": given})
    with emulated(Machine(blocks=3, threads=64, seed=5)):
        found = program.run(graph, target="cuda", schedule="loop=host", arguments=given)
    assert first_difference(found, expected) is None


WITH_LOOPS = [(name, loop) for name in ("betweenness", "pagerank", "sssp", "k_core") for loop in ("host", "device")]


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("warp", [32, 64])
@pytest.mark.parametrize(("name", "loop"), [*WITH_LOOPS, *((name, "host") for name in TEXTS)])
def test_blocks_of_hip_do_so_whatever_a_wavefront_has(name: str, loop: str, warp: int) -> None:
    program, graph = program_of(name), weighed(ugly(1300, {5: 1290, 6: 150, 7: 200, 40: 1250, 41: 130, 1299: 1299}))
    given = dict(CALLS.get(name, {"a": np.arange(graph.num_nodes) % 11}))
    expected = REFERENCE.run(program, graph, {"arguments": given})
    schedule = f"balance=edge,loop={loop}"
    with emulated(Machine(blocks=2, threads=256, seed=5, warp=warp, family=HIP)):
        found = program.run(graph, target="cuda", schedule=schedule, arguments=given)
    assert first_difference(found, expected) is None


# --- how they read -------------------------------------------------------------------------------------------------

PAGERANK = """\
    double change_part = 0.0;
    __local double values[1024];
    __local GroupRows rows;
    for (int begin = 0; begin < num_nodes; begin += get_global_size(0)) {
        const int brought = node_of_all(begin, num_nodes);
        const arc_t count = bring_rows(&rows, brought, in_row_offsets);
        double inflow = 0.0;
        for (arc_t from = 0, to; from < count; from = to) {
            to = end_of_piece(&rows, from, count);
            double joined = 0.0;
            #pragma unroll 4
            for (arc_t place = from + get_local_id(0); place < to; place += 256) {
                const int owner = owner_of(&rows, place);
                const arc_t in_e = place + rows.shift[owner];
                const int nbr = in_columns[in_e];
                const double value = contribution[nbr];
                if (to - from > 1024) {
                    joined = joined + value;
                } else {
                    values[place - from] = value;
                }
            }
            inflow = join_add_double(&rows, from, to, joined, values, inflow);
        }
        if (brought < 0) continue;
        const int v = brought;
"""

SSSP = """\
    __local GroupRows rows;
    for (int begin = 0; begin < modified_count; begin += get_global_size(0)) {
        const int groups = groups_for_each(modified_count);
        const int brought = listed_node(modified_list, begin, modified_count, groups);
        if (brought >= 0) {
            const int v = brought;
            modified_bits[v / 32] = 0;
        }
        const arc_t count = bring_part(&rows, brought, row_offsets, groups);
        for (arc_t place = get_local_id(0); place < count; place += 256) {
            const int owner = owner_of(&rows, place);
            const int v = rows.node[owner];
            const arc_t e = place + rows.shift[owner];
            const int nbr = columns[e];
"""


def text_of(name: str, schedule: str = EDGE) -> str:
    module = decided(program_of(name).module(), parse_schedule(schedule), CAPABILITIES).module
    return OPENCL.kernels_text(module)


@pytest.mark.parametrize(("name", "part"), [("pagerank", PAGERANK), ("sssp", SSSP)])
def test_what_is_done_to_an_arc_stands_there_once(name: str, part: str) -> None:
    text = text_of(name)
    assert part in text
    assert "contribution[nbr]" not in text.replace(part, "")


def test_all_loops_over_arcs_are_shared_that_may_be() -> None:
    assert text_of("asks").count("__local GroupRows rows;") == 3
    assert text_of("counts").count("__local GroupMaps maps;") == 2  # neighbors either way lie in two rows
    sums = decided(starplat.compile("distance_sums").module(), parse_schedule(EDGE), CAPABILITIES).module
    assert OPENCL.kernels_text(sums).count("find_bits(&lacking[0], owner, offered);") == 1


def test_nothing_of_groups_is_in_a_text_that_does_not_share() -> None:
    text = text_of("sssp", "balance=node,loop=host")
    assert "GroupRows" not in text
    assert "barrier" not in text.partition("void sssp_min_dist(")[2].partition("__kernel")[0]


def test_kernels_that_share_have_groups_of_one_size() -> None:
    module = decided(program_of("bfs").module(), parse_schedule(f"{EDGE},direction=push"), CAPABILITIES).module
    shared = [kernel for kernel in launched_alone(module) if kernel.shares_arcs]
    assert shared
    assert OPENCL.kernels_text(module).count("reqd_work_group_size(256, 1, 1)") == len(shared)
    alone = replace(module, kernels=tuple(replace(kernel, shares_arcs=False) for kernel in module.kernels))
    assert "reqd_work_group_size" not in OPENCL.kernels_text(alone)


# --- how they are launched -----------------------------------------------------------------------------------------


def test_a_launch_over_few_nodes_keeps_the_device_busy() -> None:
    """Even three nodes may have many arcs, which some groups share."""
    module = decided(program_of("bfs").module(), parse_schedule(EDGE), CAPABILITIES).module
    kernel = next(kernel for kernel in launched_alone(module) if kernel.shares_arcs)
    few, many = LaunchSize(3, 9000, 9000), LaunchSize(8000, 9000, 9000)
    assert launch_range(kernel, few, few_groups=16) == ((16 * 256,), (256,))
    assert launch_range(kernel, many, few_groups=16) == ((32 * 256,), (256,))
    assert launch_range(replace(kernel, shares_arcs=False), few, few_groups=16) == ((256,), (256,))


@pytest.mark.parametrize(("target", "file"), [("opencl", "bfs.cpp"), ("cuda", "bfs.cu")])
def test_emitted_programs_keep_the_device_busy_too(target: str, file: str) -> None:
    shared = program_of("bfs").artifact(target, schedule=EDGE)[file]
    assert shared.count("device.busy(") == 2
    assert "busy" not in program_of("bfs").artifact(target, schedule="plain")[file]


@every_group
def test_a_cpu_gives_each_of_its_threads_a_node_unless_asked_otherwise(target: Target) -> None:
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    device = default_session().device(target.target, target.device or 0)
    if device.capabilities is None:
        pytest.skip(f"{target.label} is no CPU")
    module = program_of("bfs").module()
    for schedule, shares in (("auto", False), (EDGE, True)):
        made = for_target(module, target.target, parse_schedule(schedule), None, device.capabilities)
        assert any(kernel.shares_arcs for kernel in made.kernels) is shares
