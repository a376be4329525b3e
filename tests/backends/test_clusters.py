"""Loops whose rounds a cluster of blocks and the whole grid take in turn give the answers of other schedules, on
fibers; NVIDIA's compiler takes them."""

import re
from pathlib import Path

import numpy as np
import pytest

import starplat
from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.backends.cuda import CUDA
from starplat.backends.one_launch import nearest
from starplat.graph import Graph
from starplat.schedule.apply import decided
from starplat.schedule.facts import GraphFacts
from starplat.schedule.loop import hand_over
from starplat.schedule.parse import parse_schedule
from tests.backends.emulated import Machine, emulated
from tests.backends.test_cuda import to_machine_code
from tests.backends.test_sets import PROGRAMS, agree, random_graph
from tests.changing import changed
from tests.programs.cases import EXAMPLES

MACHINES = (
    Machine(blocks=1, threads=64, seed=1),
    Machine(blocks=3, threads=96, seed=2),
    Machine(blocks=4, threads=64, seed=5),
    Machine(blocks=7, threads=32, seed=3, limits=False),
)

OFTEN, NEVER = (6, 3), (hand_over.MOST, hand_over.LEAST)
"""The most nodes of a cluster's rounds and the fewest of the grid's."""


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "k_core"])
def test_rounds_that_are_handed_over_often_give_the_same_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_over, "MOST", OFTEN[0])
    monkeypatch.setattr(hand_over, "LEAST", OFTEN[1])
    agree(name, random_graph(260, 6, 7), "auto", MACHINES[list(PROGRAMS).index(name)], "loop=cluster")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_block_shares_the_long_rows_that_its_teams_put_off(name: str) -> None:
    hubs = ((3, 150), (7, 140), (11, 600), (13, 520))
    one = np.repeat([hub for hub, _ in hubs], [degree for _, degree in hubs])
    other = np.concatenate([np.arange(20, 20 + degree) for _, degree in hubs])
    graph = Graph.from_arcs(640, np.append(one, other), np.append(other, one)).with_random_weights(1, 90)
    agree(name, graph, "auto", MACHINES[2], "loop=cluster")


@pytest.mark.parametrize("name", ["bfs_levels", "sssp", "betweenness"])
def test_wide_groups_ask_for_what_stands_beside(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_over, "NODES", range(1))
    monkeypatch.setattr(nearest, "_ENOUGH", 9)
    agree(name, random_graph(260, 6, 7), "auto", MACHINES[2], "loop=cluster")
    module = starplat.compile(EXAMPLES / f"{name}.sp").module()
    made = decided(module, parse_schedule("loop=cluster"), CUDA.capabilities, GraphFacts(260, 800, 6)).module
    few = kernel(CUDA.kernels_text(made), f"{name}_few")
    assert "__launch_bounds__(1024, 1)" in few
    asked = re.findall(r"ask_beside\((\w+)", few)
    assert {"columns", "row_offsets"} <= set(asked)
    assert (len(set(asked)) > 2) == (name == "sssp"), "bits that are set without waiting need not be near"
    assert ("look_ahead(modified, row_offsets, columns, 2 * FEW_AHEAD, offer)" in few) == (name == "sssp")


@pytest.mark.parametrize("name", ["bfs_levels", "sssp"])
def test_wide_groups_do_nothing_but_rounds(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What walks all rows ahead of them has memory for as many threads as other groups have."""
    monkeypatch.setattr(hand_over, "NODES", range(1))
    walk = "  forall (v in g.nodes().filter(v % 3 != 1)) { forall (w in g.neighbors(v)) { w.ends += 1; } }\n"
    program = starplat.compile(
        changed(
            (EXAMPLES / f"{name}.sp").read_text(encoding="utf-8"),
            ("(Graph g, ", "(Graph g, propNode<int> ends, "),
            ("Property(", "Property(ends = 0, "),
            ("  bool finished", walk + "  bool finished"),
        )
    )
    graph = random_graph(260, 6, 7)
    expected = program.run(graph, target="reference", arguments={"src": 3})
    with emulated(MACHINES[2]):
        found = program.run(graph, target="cuda", arguments={"src": 3}, schedule="loop=cluster")
    for property_name, values in expected.properties.items():
        np.testing.assert_array_equal(found.properties[property_name], values)
    made = decided(program.module(), parse_schedule("loop=cluster"), CUDA.capabilities, GraphFacts(260, 800, 6)).module
    text = CUDA.kernels_text(made)
    few = kernel(text, f"{name}_few")
    assert "__launch_bounds__(1024, 1)" in few
    assert "advance_all(" not in few
    assert "advance_all(" in kernel(text, f"{name}_begin")
    to_machine_code(text, tmp_path, architecture="sm_90")


def test_a_trace_tells_of_the_rounds_of_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_over, "MOST", OFTEN[0])
    monkeypatch.setattr(hand_over, "LEAST", OFTEN[1])
    program, graph = starplat.compile(EXAMPLES / "bfs_levels.sp"), random_graph(260, 6, 7)
    with emulated(MACHINES[1]):
        found = program.run(graph, target="cuda", arguments={"src": 3}, schedule="loop=cluster", trace=True)
    assert found.trace is not None
    active = [walk.active for round in found.trace.rounds for walk in round.walks]
    level = found.properties["level"]
    assert active == [int((level == depth).sum()) for depth in range(len(active))]


@pytest.mark.campaign
@pytest.mark.parametrize("often", [OFTEN, NEVER], ids=["often", "never"])
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: f"{machine.blocks}x{machine.threads}")
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_cluster_gives_the_same_answer_on_every_machine(
    name: str, machine: Machine, often: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hand_over, "MOST", often[0])
    monkeypatch.setattr(hand_over, "LEAST", often[1])
    agree(name, random_graph(400, 8, 4), "auto", machine, "loop=cluster")


@pytest.mark.parametrize("name", ["bfs_levels", "betweenness", "sssp"])
def test_the_compiler_takes_it_and_spills_no_register(name: str, tmp_path: Path) -> None:
    module = starplat.compile(EXAMPLES / f"{name}.sp").module()
    text = pipeline.kernels_text(module, "cuda", "loop=cluster")
    to_machine_code(text, tmp_path, "--ptxas-options=-warn-spills", architecture="sm_90")


def few_of(name: str) -> str:
    """The text of a program's first launch of a cluster."""
    module = starplat.compile(EXAMPLES / f"{name}.sp").module()
    text = pipeline.kernels_text(module, "cuda", "loop=cluster")
    return re.split(r"(?<=\n)}\n", text[text.index("__cluster_dims__") :])[0]


@pytest.mark.parametrize(
    ("name", "lowered"),
    [
        ("bfs_levels", "if (reach(level, w, level_of_next)) {"),
        ("betweenness", "if (reach(bfs_level, neighbor, bfs_level_of_next)) {"),
        ("sssp", "if (candidate < atomicMin(&dist[nbr], candidate)) {"),
    ],
)
def test_a_bit_is_asked_where_a_round_lowers_cells_that_were_not_lowered_before(name: str, lowered: str) -> None:
    text = few_of(name)
    assert lowered in text
    assert ("note_reached(" in text) == ("reach(" in lowered)


def test_only_a_cluster_lowers_cells_without_reading_them_and_lists_a_node_without_asking() -> None:
    """What sorts the far pile asks there too, so that a node which is listed twice is near once."""
    text = pipeline.kernels_text(starplat.compile(EXAMPLES / "sssp.sp").module(), "cuda", "loop=cluster")
    few, many = kernel(text, "sssp_few"), kernel(text, "sssp_many")
    for body, inserting in ((few, "insert_new"), (many, "insert")):
        walk, sort = body.split("take_members(")
        assert set(re.findall(r"(insert\w*)\(modified_\w+, nbr\)", walk)) == {inserting}
        assert set(re.findall(r"(insert\w*)\(modified\w*, node\w*\)", sort)) == {"insert"}
    assert "candidate < dist[nbr]" in many
    assert "candidate < dist[nbr]" not in few


@pytest.mark.parametrize("enough", [2, 9, 10**6])
def test_near_nodes_come_in_time_however_many_are_enough(enough: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_ENOUGH", enough)
    agree("sssp", random_graph(260, 6, 7), "auto", MACHINES[2], "loop=cluster,priority=delta(9)")


def test_the_limit_rises_by_less_in_a_cluster_while_near_nodes_are_few() -> None:
    text = pipeline.kernels_text(starplat.compile(EXAMPLES / "sssp.sp").module(), "cuda", "loop=cluster")
    few, many = kernel(text, "sssp_few"), kernel(text, "sssp_many")
    assert few.count("= max(width / 4, 1);") == 2
    assert re.search(r">= 256\) \{", few)
    assert many.count("rise = width;") == 2
    assert ">= 256" not in many


def test_sums_of_a_cluster_read_at_once_what_they_may_need() -> None:
    """Cells of both ends of an arc, those of the node, and ahead of the barrier what no round changes."""
    text = pipeline.kernels_text(starplat.compile(EXAMPLES / "betweenness.sp").module(), "cuda", "loop=cluster")
    few, back, by_grid = (kernel(text, f"betweenness_{name}") for name in ("few", "few_2", "many_2"))
    assert "const double paths_there = paths[u];" in few
    assert "const double share_there = share[w];" in back
    assert re.search(r"const double bc_here = bc\[v\];\s*return \[=\]\(double shares\) mutable \{", back)
    assert "gather_behind(" in back
    assert "cluster_barrier();" not in back
    assert "few = false;" in back, "what pays with many nodes is not done ahead"
    assert "if (few) {" in by_grid
    assert "gather_listed(" in by_grid
    assert not re.search("_there|_here|gather_behind", by_grid)


def test_a_sum_that_waits_for_no_walk_is_done_beside_it() -> None:
    text = pipeline.kernels_text(starplat.compile(EXAMPLES / "betweenness.sp").module(), "cuda", "loop=cluster")
    few, many = kernel(text, "betweenness_few"), kernel(text, "betweenness_many")
    assert "advance_and_gather(bfs_level_nodes, bfs_level_order + bfs_level_begin," in few
    assert not re.search(r"advance_and_keep\(|\bgather\(", few)
    assert "advance_and_keep(" in many
    assert "advance_and_gather" not in many


HEAVY = """
function heavy(Graph g, propEdge<int> weight, propNode<int> mark, propNode<long> total, SetN<g> sources) {
    g.attachNodeProperty(total = 0);
    for (src in sources) {
        propNode<long> part;
        g.attachNodeProperty(part = 1);
        iterateInBFS (v in g.nodes() from src) { v.part = v.part + 1; }
        iterateInReverse (v != src) {
            long sum = 0;
            for (w in g.neighbors(v)) {
                edge e = g.get_edge(v, w);
                if (w.mark > v.mark) { sum += e.weight; }
            }
            v.total += sum;
        }
    }
}
"""


def test_what_is_no_cell_of_an_end_is_not_read_ahead_of_its_condition() -> None:
    text = pipeline.kernels_text(starplat.compile(HEAVY).module(), "cuda", "loop=cluster")
    assert re.search(r"if \(mark_there > mark_there_2\) return weight\[e\];", kernel(text, "heavy_few_2"))
    assert "weight_there" not in text


AGAIN = """
function again(Graph g, propNode<long> total, propNode<int> a, propNode<int> b, propNode<int> most, SetN<g> sources) {
    g.attachNodeProperty(total = 0, most = 0);
    for (src in sources) {
        iterateInBFS (v in g.nodes() from src) {
            for (u in g.nodes_to(v)) { v.total += u.a; }
            if (v.total > 3) {
                int highest = 0;
                for (u in g.nodes_to(v)) {
                    if (u.a > highest) { highest = u.b; }
                }
                v.most = highest;
            }
        }
    }
}
"""


@pytest.mark.parametrize(
    ("stored", "at_once"), [("", True), ("v.most = highest;", False), ("u.b = highest;", False)], ids=["", "own", "far"]
)
def test_a_loop_behind_a_sum_reads_cells_of_several_arcs_at_once_unless_it_stores(
    stored: str, at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = starplat.compile(AGAIN.replace("highest = u.b; }", f"highest = u.b; {stored} }}"))
    assert "each_at_once" not in pipeline.kernels_text(program.module(), "cuda", "loop=cluster")
    monkeypatch.setattr(hand_over, "NODES", range(1))
    again = kernel(wide_text(program), "again_few")
    assert ("return [=, &highest] {" in again) is at_once
    assert ("const int b_there = b[u_2];" in again) is at_once
    if at_once:
        values = {name: np.arange(260) * 7 % 11 for name in "ab"}
        given = {"graph": random_graph(260, 6, 7), "arguments": {"sources": [3], **values}}
        with emulated(MACHINES[2]):
            found = program.run(**given, target="cuda", schedule="loop=cluster")["most"]
        np.testing.assert_array_equal(found, program.run(**given, target="reference")["most"])


BACK = """iterateInReverse (v != src) {
            long sum = 1;
            for (w in g.neighbors(v)) { sum += w.back; }
            v.back = sum;
        }
    }
}
"""
AND_BACK = changed(
    AGAIN,
    ("    for (src in sources) {", "    for (src in sources) { propNode<long> back; g.attachNodeProperty(back = 0);"),
)
AND_BACK = AND_BACK.removesuffix("    }\n}\n") + BACK


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("", "", True),
        ("int highest = 0;", "int highest = 0; v.most = 1;", True),
        ("int highest = 0;", "int highest = 0; src.b = 7;", False),
        (
            "        int highest = 0;\n                for (u in g.nodes_to(v))",
            "int highest = 0; for (u in g.neighbors(v))",
            False,
        ),
    ],
    ids=["", "own cells change", "others do", "another row"],
)
def test_a_thread_keeps_the_cells_of_a_row_that_it_goes_through_again(
    old: str, new: str, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = starplat.compile(changed(AND_BACK, (old, new)) if old else AND_BACK)
    monkeypatch.setattr(hand_over, "NODES", range(1))
    again = kernel(wide_text(program), "again_few")
    assert ("row.each([&]" in again) is kept
    assert ("each_at_once(" in again) is not kept
    if not old:
        graph = random_graph(260, 6, 7)
        own = np.arange(graph.num_nodes)
        ends = np.repeat(own, graph.out_degrees), graph.columns
        graph = Graph.from_arcs(graph.num_nodes, *(np.concatenate([one, own]) for one in ends))
        values = {name: np.arange(260) * 7 % 11 for name in "ab"}
        given = {"graph": graph, "arguments": {"sources": [3], **values}}
        with emulated(MACHINES[2]):
            found = program.run(**given, target="cuda", schedule="loop=cluster")["most"]
        np.testing.assert_array_equal(found, program.run(**given, target="reference")["most"])


def test_only_what_no_round_changes_is_read_while_a_block_waits() -> None:
    text = pipeline.kernels_text(starplat.compile(EXAMPLES / "betweenness.sp").module(), "cuda", "loop=cluster")
    ahead, behind = kernel(text, "betweenness_few_2").split("return [=]() -> double {")
    assert {*re.findall(r"(\w+)\[w\]", ahead)} == {"bfs_level", "power"}
    assert "const double share_there = share[w];" in behind


def test_threads_of_a_block_wait_once_behind_a_walk_that_they_leave_together() -> None:
    """Behind sums too, of which those with long rows are shared by the block."""
    for name, barrier in (("bfs_levels", "ahead = look_ahead("), ("betweenness", "barrier_of_blocks();")):
        end = few_of(name).split("while (")[0].rsplit("{ auto other", 1)[1]
        assert f"    {barrier}" in end
        assert "do {" not in end


def test_a_block_reads_rows_of_its_own_nodes_while_it_waits_for_others() -> None:
    few = few_of("bfs_levels")
    assert "auto ahead = look_ahead(frontier, row_offsets, columns);" in few
    assert "advance_ahead(frontier, num_nodes, row_offsets, columns, ahead, every_node," in few
    assert "look_ahead" not in few_of("betweenness"), "what stands behind the barrier, or beside the walk"


def test_a_block_knows_what_arcs_offer_where_nearest_nodes_come_next() -> None:
    """Behind a walk and behind the far pile, which adds to the near nodes; by values as they are then."""
    few = few_of("sssp")
    assert few.count("ahead = look_ahead(modified, row_offsets, columns, FEW_AHEAD, offer);") == 2
    assert few.count("ahead = look_ahead(modified_next, row_offsets, columns, FEW_AHEAD, offer);") == 1
    assert "const int dist_now = *(volatile int *)&dist[v];" in few
    assert "offered = add_inf(dist_now, weight[e]);" in few
    assert "[&](int v, arc_t e, int nbr) {" in few
    assert "const int candidate = offered;" in few
    assert "dist[v]" not in few.split("while (true) {")[1]


SMALL_STEPS = "loop=cluster,priority=delta(9)"
FACTOR = (("Graph g, ", "Graph g, int factor, "), ("e.weight", "factor * e.weight"))
OTHERS = (("g.neighbors(v)", "g.neighbors(v).filter(nbr != v)"),)


@pytest.mark.parametrize(("changes", "knows"), [((), True), (FACTOR, True), (OTHERS, False)], ids=["", "by", "others"])
@pytest.mark.parametrize("enough", [9, 10**6])
def test_nearest_nodes_that_are_read_ahead_come_to_the_same_distances(
    enough: int, changes: tuple[tuple[str, str], ...], *, knows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "_ENOUGH", enough)
    program = starplat.compile(changed((EXAMPLES / "sssp.sp").read_text(encoding="utf-8"), *changes))
    text = pipeline.kernels_text(program.module(), "cuda", SMALL_STEPS)
    assert ("look_ahead(modified, row_offsets, columns, FEW_AHEAD, offer)" in text) == knows
    assert ("look_ahead(modified, row_offsets, columns)" in text) != knows
    graph = random_graph(260, 6, 7).with_random_weights(1, 30)
    arguments = {"src": 3} | ({"factor": 3} if changes is FACTOR else {})
    expected = program.run(graph, target="reference", arguments=arguments)["dist"]
    for machine in MACHINES[1:3]:
        with emulated(machine):
            found = program.run(graph, target="cuda", arguments=arguments, schedule=SMALL_STEPS)["dist"]
        np.testing.assert_array_equal(found, expected)


COUNTED = (
    ("node src", "propNode<int> turns, node src"),
    ("level = INF", "level = INF, turns = 0"),
    ("until (finished : !frontier) {", "until (finished : !frontier) {\n    forall (v in MEMBERS) { v.turns += 1; }"),
    ("MEMBERS", "g.nodes().filter(frontier == True)"),
)
"""Levels whose rounds do something else with the members as well."""


def test_sets_whose_lists_tell_all_have_bits_for_members_without_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where a node may be put in twice, nor where more asks for members than walks that read ahead."""
    assert few_of("bfs_levels").count(", !first, false)") == 2
    for name in ("betweenness", "sssp"):
        assert ", false)" not in few_of(name)
    counted = changed((EXAMPLES / "bfs_levels.sp").read_text(encoding="utf-8"), *COUNTED)
    program, graph = starplat.compile(counted), random_graph(260, 6, 7)
    assert ", !first)" in (text := pipeline.kernels_text(program.module(), "cuda", "loop=cluster"))
    assert ", false)" not in text
    monkeypatch.setattr(hand_over, "MOST", OFTEN[0])
    monkeypatch.setattr(hand_over, "LEAST", OFTEN[1])
    expected = program.run(graph, target="reference", arguments={"src": 3})
    with emulated(MACHINES[1]):
        found = program.run(graph, target="cuda", arguments={"src": 3}, schedule="loop=cluster")
    for property_name, values in expected.properties.items():
        np.testing.assert_array_equal(found.properties[property_name], values)


def test_each_half_of_a_wide_block_reads_the_rows_that_it_needs_while_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_over, "NODES", range(1))
    few = kernel(wide_text(starplat.compile(EXAMPLES / "betweenness.sp")), "betweenness_few")
    assert "advance_and_gather_ahead(bfs_level_nodes, bfs_level_order + bfs_level_begin, num_nodes, ahead," in few
    assert "auto ahead = look_ahead(bfs_level_nodes, row_offsets, columns, in_row_offsets, in_columns);" in few
    assert "[&](int v, arc_t e, int neighbor) {" in few
    assert "[&](int v, arc_t in_e, int u, const There &there) -> double {" in few
    assert "row.each([&](arc_t in_e_2, int u_2, const There &there) {" in few


def test_members_are_listed_in_the_memory_of_the_cluster_alone() -> None:
    module = starplat.compile(EXAMPLES / "bfs_levels.sp").module()
    artifact = BACKENDS["cuda"].artifact(
        pipeline.scheduled(module, "cuda", "loop=cluster"), "bfs_levels", single_file=True
    )
    for text in (pipeline.kernels_text(module, "cuda", "loop=cluster"), artifact["bfs_levels.cu"]):
        few, many = kernel(text, "bfs_levels_few"), kernel(text, "bfs_levels_many")
        assert "__cluster_dims__(16, 1, 1)" in few
        assert "in_cluster::Frontier frontier = in_cluster::shared_out(first" in few
        assert "grid_barrier" not in few
        assert "search_all" not in few, "a cluster's rounds have few nodes, from which it pushes"
        assert "in_cluster" not in many
        assert "in_block(set.fresh(), from)" in text
    assert "device.launch_cluster(" in artifact["bfs_levels.cu"]


def wide_text(program: starplat.Program) -> str:
    """The kernels for a graph that counts as large."""
    facts = GraphFacts(260, 800, 6)
    return CUDA.kernels_text(decided(program.module(), parse_schedule("loop=cluster"), CUDA.capabilities, facts).module)


def kernel(text: str, name: str) -> str:
    """A kernel of a text, from what stands before its name."""
    found = re.search(rf"^extern [^\n]* {name}\(.*?^\}}$", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[0]
