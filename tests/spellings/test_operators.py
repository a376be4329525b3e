"""Spellings of one algorithm have one text of operators, after renaming; near misses have others. Connected components
have one text of kernels, as union-find takes the place of loops that it proves to be the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from starplat import pipeline
from starplat.source import SourceFile
from tests.operators.test_first_parents import BEHIND as LEAST_PARENT
from tests.operators.texts import cuda_of, operators_of
from tests.spellings.corpus import FOLDER, Entry, entries, read

EXAMPLES = Path(__file__).parents[2] / "examples"
CANONICAL = {
    "bfs": EXAMPLES / "bfs_levels.sp",
    "sssp": EXAMPLES / "sssp.sp",
    "connected_components": FOLDER / "connected_components" / "round_flag.sp",
    "reachability": FOLDER / "reachability" / "round_flag.sp",
    "widest_path": FOLDER / "widest_path" / "round_flag.sp",
    "pagerank": EXAMPLES / "pagerank.sp",
    "k_core": EXAMPLES / "k_core.sp",
    "triangle_count": EXAMPLES / "triangle_count.sp",
}
REACHED = {
    "bfs": "as_in_the_paper colors_of_nodes count_of_the_frontier counted_loop depth_beside_flags every_arc_every_round"
    " first_come_flags first_flagged_parent first_parent_in_order found_then_levelled goes_on_in_order helper_round"
    " in_bfs left_in_the_middle look_for_parent local_level marked_in_neighbors masked_product number_visited"
    " one_after_another over_edges parent_is_near proposed_then_taken pull_least push_or_pull_by_hand round_flag"
    " rounds_below_nodes seen_beside_level two_flags two_waves_a_round unit_weights visited visited_in_order"
    " while_more",
    "sssp": "all_arcs asks_whether_any_improves changed_in_this_round ends_when_sum_stands frontier_count"
    " gain_of_a_helper goes_on_in_order helpers in_its_turn"
    " last_improved local_result long_sums marked_in_neighbors marked_sources min_plus old_distance one_after_another"
    " over_edges pull pulled_by_fallen relax_of_a_helper round_and_turn_in_helpers round_flag snapshot_differs"
    " tentative_beside_final two_flags unsettled_arcs_counted waiting_in_order",
    "connected_components": "both_neighbors count_rounds edges_until_quiet either_end_in_order helpers"
    " old_and_new round_flag two_flags",
    "reachability": "as_many_rounds asks_whether_any_joins bfs_levels_known count_of_the_frontier count_rounds"
    " distance_known flag_lent_to_a_helper greatest_number helpers int_flags least_number levels levels_offered"
    " local_result look_for_parent marked_in_their_turn missing_until_found number_and_count numbers_as_flags"
    " numbers_for_flags or_and or_assign over_edges parents_only round_flag rounds_below_nodes sequential"
    " set_of_reached size_of_the_set to_do two_flags until_the_count_stands while_more",
    "widest_path": "all_arcs asks_whether_any_widens best_of_the_row_twice both_are_wider c_relax changed_in_this_round"
    " count_of_the_frontier count_rounds goes_on_in_order halves_of_a_round helpers local_result marked_in_neighbors"
    " marked_in_two_buffers max_min narrowest_so_far one_after_another one_after_another_pull over_edges pull"
    " relax_of_a_helper round_flag round_of_widening"
    " the_lesser_in_order the_lesser_of_two sizes_of_pipes told_before two_flags",
    "pagerank": "as_in_the_paper helper_of_a_node inverse_chosen inverse_degrees inverse_or_zero pull sequential_sums"
    " weights_on_arcs weights_set_by_rows",
    "k_core": "alive_and_degree bounds_fall counted_loop edge_flags falling_bounds gone_and_leaving"
    " greatest_fixed_point helpers inner_loop least_degree_next local_result masked_degrees minus_one_is_left"
    " negated_degree over_edges peel pull_degrees recount remove_flags removed_in_waves round_flag sequential_nodes"
    " state_of_nodes stay_while_enough survivors two_flags",
    "triangle_count": "along_a_path arcs_then_thirds as_in_the_paper by_degree closing_arc_of_two continue_in_loops"
    " counted_on_edges equal_ends from_the_greatest from_the_least from_the_middle greater_ends_of_each_arc"
    " greatest_corner helper_common helper_of_a_wedge"
    " in_neighbors marked_neighbors"
    " matrix_masked over_edges per_node private_counts sequential six_times ternaries ternary_sum third_of_the_paths"
    " wedges_closed",
}
"""The spellings that reach the canonical form; the list only grows."""
SOURCE_APART = {
    "bfs": "in_bfs_from_parents level_and_local_flag pull_with_break",
    "reachability": "in_bfs unreached_pull_by_count",
    "sssp": "round_of_improvement",
    "widest_path": "nodes_take_the_best",
}
"""Those that do nothing for a source of -1, as loops over all nodes and `iterateInBFS` do; the same for a node."""
SEARCHED = (
    "as_in_the_paper backward_helper coefficients counted_down dependencies_pushed_back distances_first"
    " flag_beside_level flags_and_levels from_parents helper_for_a_source helpers_store_sums in_bfs_pull"
    " in_bfs_push level_in_the_search levelled_while_summing levels_by_hand levels_by_unit_paths levels_in_locals"
    " levels_in_two_flags local_result matrix_waves next_round_in_a_local one_flag_and_levels over_edges"
    " owed_in_bfs pull_by_hand pulled_after_levels pushed_back_in_order pushed_shares sequential sums_of_helpers"
    " three_numbers_of_a_round two_flags whole_numbers_of_paths"
)
"""The spellings of betweenness that search from each source, there and back, and do nothing else."""
JOINED = (
    "both_neighbors count_rounds edges_min edges_until_quiet ends_that_changed fast_sv helpers hook_then_halve"
    " hooking jump_by_root"
    " label_frontier largest_turned least_label_of_both least_of_the_row local_result min_times_vector old_and_new pull"
    " round_flag search_from_each search_with_a_frontier two_flags"
)
"""The spellings of connected components that union-find takes the place of, as of the example's."""
LOCALS = {"local_result": "mine", "largest_turned": "rank"}
"""What those call the labels that are not the result."""


@pytest.mark.parametrize(
    ("algorithm", "spelling"), [(algorithm, name) for algorithm, names in REACHED.items() for name in names.split()]
)
def test_a_spelling_reaches_the_operators_of_its_algorithm(algorithm: str, spelling: str) -> None:
    assert operators_of(FOLDER / algorithm / f"{spelling}.sp") == operators_of(CANONICAL[algorithm])


@pytest.mark.parametrize(
    ("algorithm", "spelling"),
    [(algorithm, name) for algorithm, names in SOURCE_APART.items() for name in names.split()],
)
def test_a_spelling_that_asks_for_its_source_does_if_it_is_a_node(algorithm: str, spelling: str) -> None:
    assert operators_of(FOLDER / algorithm / f"{spelling}.sp") == operators_of(_guarded(algorithm))


def test_what_a_search_counts_is_counted_after_it() -> None:
    counting = "forall (v in g.nodes().filter(reached)) { found += 1; } return found; }"
    spread = _guarded("reachability").rstrip().removesuffix("}").replace(") {", ") { long found = 0;", 1) + counting
    assert operators_of(FOLDER / "reachability" / "in_bfs_counted.sp") == operators_of(spread)


def _guarded(algorithm: str) -> str:
    """The canonical program, whose source may be none."""
    return re.sub(r"((?:\s*src\.\w+ = \w+;)+)", r"if (src >= 0) {\1}", CANONICAL[algorithm].read_text())


def test_a_counted_loop_that_is_left_when_little_changes_asks_at_its_end() -> None:
    while_much = "while (change > tolerance && iterations < max_iterations) {"
    at_the_end = "} while (!(change <= tolerance) && iterations < max_iterations); }\n"
    example = CANONICAL["pagerank"].read_text().replace("double change = INF;", "double change;")
    example = example.replace(while_much, "if (iterations < max_iterations) { do {").replace(
        "++;\n  }\n", f"++;\n  {at_the_end}"
    )
    assert operators_of(FOLDER / "pagerank" / "break_when_small.sp") == operators_of(example)


@pytest.mark.parametrize("spelling", ["helper_returns_count", "rounds_from_one"])
def test_nodes_that_are_not_reached_get_their_number_in_the_end(spelling: str) -> None:
    with_nothing = "forall (v in g.nodes().filter(level == INF)) { v.level = -1; } }"
    example = CANONICAL["bfs"].read_text().rstrip().removesuffix("}") + with_nothing
    assert operators_of(FOLDER / "bfs" / f"{spelling}.sp") == operators_of(example)


@pytest.mark.parametrize(
    ("algorithm", "pulled"),
    [
        ("bfs", "parent_beside_flags"),
        ("bfs", "parent_beside_level"),
        ("bfs", "parent_pulled"),
        ("sssp", "best_parent_pulled"),
        ("sssp", "pull_with_parent"),
        ("widest_path", "pull_with_parent"),
    ],
)
def test_a_parent_is_carried_however_it_is_found(algorithm: str, pulled: str) -> None:
    pushed = operators_of(FOLDER / algorithm / "with_parent.sp")
    assert "carrying" in pushed
    assert operators_of(FOLDER / algorithm / f"{pulled}.sp") == pushed


@pytest.mark.parametrize("spelling", ["parent_by_break", "found_in_a_local"])
def test_the_first_parent_of_a_row_is_found_behind_the_search(spelling: str) -> None:
    assert operators_of(FOLDER / "bfs" / f"{spelling}.sp") == operators_of(LEAST_PARENT)


@pytest.mark.parametrize("spelling", SEARCHED.split())
def test_paths_are_summed_by_one_search_there_and_back(spelling: str) -> None:
    operators = operators_of(FOLDER / "betweenness" / f"{spelling}.sp")
    assert operators.count("search level by level") == operators.count("back from the last level") == 1
    assert not any(line.strip().startswith(("count", "while", "do", "loop")) for line in operators.splitlines())


@pytest.mark.parametrize("algorithm", CANONICAL)
def test_no_near_miss_does(algorithm: str) -> None:
    near = [entry for entry in entries() if entry.is_near_miss and entry.algorithm == algorithm]
    canonical = operators_of(CANONICAL[algorithm])
    assert len(near) >= 7
    assert [str(entry) for entry in near if operators_of(entry.path) == canonical] == []


def _kernels(entry: Entry) -> list[str]:
    """The kernels for CUDA, with the example's names in place of the program's."""
    function = pipeline.check(SourceFile(str(entry.path), entry.path.read_text())).facts.program.functions[-1].name
    return cuda_of(
        entry.path,
        {LOCALS.get(entry.path.stem, entry.name("component")): "component", function: "connected_components"},
    )


@pytest.mark.parametrize("spelling", JOINED.split())
def test_a_spelling_of_components_has_the_kernels_of_the_example(spelling: str) -> None:
    entry = read(FOLDER / "connected_components" / f"{spelling}.sp")
    assert _kernels(entry) == cuda_of(EXAMPLES / "connected_components.sp", {})


def test_no_near_miss_of_components_has_them() -> None:
    near = [entry for entry in entries() if entry.is_near_miss and entry.algorithm == "connected_components"]
    example = cuda_of(EXAMPLES / "connected_components.sp", {})
    assert len(near) >= 7
    assert [str(entry) for entry in near if _kernels(entry) == example] == []
