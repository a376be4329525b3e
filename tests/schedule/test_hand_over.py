"""One cluster runs the rounds of few nodes and hands over to the grid: which loops, and for which graphs."""

from dataclasses import replace

import pytest

import starplat
from starplat.backends.cuda import CUDA
from starplat.backends.hip import HIP
from starplat.ir import nodes as ir
from starplat.ir.printing.operations import print_ops
from starplat.ir.visitor import loops_of
from starplat.schedule.apply import decided, looks_at_the_graph
from starplat.schedule.facts import GraphFacts
from starplat.schedule.loop.hand_over import rounds_by_one_cluster
from starplat.schedule.parse import parse_schedule
from starplat.schedule.step import Decided
from tests.programs.cases import EXAMPLES

CLUSTER, GRID = parse_schedule("loop=cluster"), parse_schedule("loop=device")
ROADS = GraphFacts(264_346, 730_100, 8, symmetric=True)
GRID_OF_4096 = GraphFacts(16_585_016, 46_889_274, 4)


def launches(name: str, schedule: str = "loop=cluster", facts: GraphFacts | None = None) -> list[str]:
    """The persistent kernels of an example on CUDA; those of a cluster with a star."""
    module = starplat.compile(EXAMPLES / f"{name}.sp").module()
    made = decided(module, parse_schedule(schedule), CUDA.capabilities, facts).module
    return [op.name + "*" * op.cluster for op in loops_of(made)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bfs_levels", ["bfs_levels_few*", "bfs_levels_many"]),
        ("sssp", ["sssp_few*", "sssp_many"]),
        (
            "betweenness",
            ["betweenness_begin", "betweenness_few*", "betweenness_many", "betweenness_few_2*", "betweenness_many_2"],
        ),
    ],
)
def test_rounds_that_walk_sets_and_lists_are_handed_over(name: str, expected: list[str]) -> None:
    assert launches(name) == expected


@pytest.mark.parametrize("name", ["pagerank", "k_core"])
def test_rounds_over_all_nodes_stay_with_the_grid(name: str) -> None:
    assert launches(name) == launches(name, "auto")
    found = decided(starplat.compile(EXAMPLES / f"{name}.sp").module(), CLUSTER, CUDA.capabilities)
    assert [choice.what for choice in found.choices if choice.step == "cluster"] == [
        f"{name}_loop: the whole grid runs all rounds"
    ]


def test_a_launch_that_swaps_other_arrays_is_not_parted() -> None:
    """Which memory such an array's name stands for would be lost between two launches."""
    module = decided(starplat.compile(EXAMPLES / "bfs_levels.sp").module(), GRID, CUDA.capabilities).module
    (function,), first, second = module.functions, *(array(name) for name in ("first_ranks", "second_ranks"))
    for ops, parted in (((), True), ((ir.Swap(first, second),), False)):
        body = tuple(replace(op, body=(*op.body, *ops)) if isinstance(op, ir.OnDevice) else op for op in function.body)
        made = replace(module, functions=(replace(function, body=body, arrays=(*function.arrays, first, second)),))
        found = rounds_by_one_cluster(made, CLUSTER, CUDA.capabilities, None)
        assert isinstance(found, Decided)
        assert (found.module is not made) is parted


def array(name: str) -> ir.Array:
    return ir.Array(name, ir.Element.INT, ir.Extent.NODES, ir.Origin.LOCAL)


@pytest.mark.parametrize(
    ("facts", "chosen"),
    [
        (ROADS, True),
        (None, False),
        (GraphFacts(264_346, 730_100, 200), False),
        (GraphFacts(81_306, 2_684_592, 3_383), False),
        (GraphFacts(1_000, 2_000, 4), False),
        (GRID_OF_4096, True),
        (GraphFacts(2**24 + 1, 2**25, 4), False),
    ],
    ids=["roads", "unknown", "a-hub", "social", "small", "large", "larger"],
)
def test_auto_goes_by_degrees(facts: GraphFacts | None, chosen: bool) -> None:
    assert any(name.endswith("*") for name in launches("bfs_levels", "auto", facts)) is chosen


@pytest.mark.parametrize(
    ("name", "of_cluster"), [("sssp", 1), ("betweenness", 2), ("betweenness_push", 1), ("bfs", 0), ("radii", 0)]
)
def test_only_levels_and_nearest_nodes_are_for_a_cluster_on_large_graphs(name: str, of_cluster: int) -> None:
    """A level is reached or summed up for; another loop may change any node in any round."""
    assert any(one.endswith("*") for one in launches(name, "auto", ROADS))
    assert sum(one.endswith("*") for one in launches(name, "auto", GRID_OF_4096)) == of_cluster


SMALL = GraphFacts(1000, 3000, 4)


@pytest.mark.parametrize(
    ("facts", "threads"), [(SMALL, 512), (ROADS, 512), (GRID_OF_4096, 1024)], ids=["small", "roads", "large"]
)
def test_a_search_of_a_large_graph_has_more_threads(facts: GraphFacts, threads: int) -> None:
    module = starplat.compile(EXAMPLES / "bfs_levels.sp").module()
    text = CUDA.kernels_text(decided(module, CLUSTER, CUDA.capabilities, facts).module)
    assert f"__cluster_dims__(16, 1, 1) __launch_bounds__({threads}, 1) bfs_levels_few(" in text


def test_only_graphs_with_few_arcs_are_looked_at() -> None:
    module = starplat.compile(EXAMPLES / "sssp.sp").module()
    assert looks_at_the_graph(module, CUDA.capabilities, ROADS.num_nodes, ROADS.num_arcs)
    assert not looks_at_the_graph(module, CUDA.capabilities, ROADS.num_nodes, 8 * ROADS.num_nodes)
    assert not looks_at_the_graph(module, HIP.capabilities, ROADS.num_nodes, ROADS.num_arcs)


def test_the_cluster_and_the_grid_take_turns() -> None:
    module = starplat.compile(EXAMPLES / "bfs_levels.sp").module()
    made = decided(module, CLUSTER, CUDA.capabilities).module
    ((turns,),) = ([op for op in f.body if isinstance(op, ir.Loop)] for f in made.functions)
    text = "\n".join((*print_ops((turns,)), ""))
    assert (
        text
        == """\
while goes_on
  body
    on device bfs_levels_few, one cluster, going on with frontier, frontier_next unless first
      if first
        fill level with INF
        fill frontier with false
        write level[src] = 0
        write frontier[src] = true
        fill frontier_next with false
      goes_on = false
      do while !finished
        body
          let frontier_size: int = 0
          frontier_size = size of frontier
          if frontier_size > 8192
            goes_on = true
            break
          launch bfs_levels_min_level
          depth = depth + 1
          swap frontier, frontier_next
          finished = frontier is empty
    first = false
    if goes_on
      on device bfs_levels_many, going on with frontier, frontier_next
        goes_on = false
        do while !finished
          body
            let frontier_size_2: int = 0
            frontier_size_2 = size of frontier
            if frontier_size_2 < 4096
              goes_on = true
              break
            launch bfs_levels_min_level
              pull if frontier has many
                launch bfs_levels_min_level_pull
                fill frontier with false
            depth = depth + 1
            swap frontier, frontier_next
            finished = frontier is empty
"""
    )


def test_a_target_without_clusters_is_left_alone() -> None:
    module = starplat.compile(EXAMPLES / "bfs_levels.sp").module()
    assert not loops_of(decided(module, CLUSTER, HIP.capabilities).module)
