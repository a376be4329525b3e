"""Where labels spread over components, union-find gives the same answer; what else they do is left alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import starplat
from starplat import pipeline
from starplat.backends import BACKENDS
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.verifying.modules import verify
from starplat.ir.visitor import all_expressions, walk_expression, walk_host, walk_kernel
from starplat.passes.labels.union_find import union_find
from starplat.passes.rewritten import Rewritten
from starplat.runtime import bind, run_module
from starplat.runtime.facts import facts_of
from starplat.schedule import AUTO
from starplat.schedule.apply import decided
from tests.backends.test_cuda import to_machine_code
from tests.oracles import components, smallest_members
from tests.passes.spreading import BOTH_WAYS, MUTUAL, ONE_WAY, OTHERS
from tests.programs.targets import FULL, REFERENCE, TARGETS, Target
from tests.zoo import ZOO, fewer_examples, random_graphs

SPELLINGS = {**ONE_WAY, **BOTH_WAYS}
every_spelling = pytest.mark.parametrize("name", SPELLINGS)
SOME = [target for target in TARGETS if target.target in ("reference", "openmp", "opencl")]
some_targets = pytest.mark.parametrize("target", SOME, ids=lambda target: target.label)


@cache
def plain(name: str) -> ir.Module:
    return pipeline.lower(starplat.compile({**SPELLINGS, **OTHERS}[name]).checked, as_written=True)


@cache
def canonical(name: str) -> ir.Module:
    return pipeline.lower(starplat.compile({**SPELLINGS, **OTHERS}[name]).checked)


@cache
def rewritten(name: str) -> Rewritten:
    return union_find(canonical(name))


def answer(module: ir.Module, graph: Graph, target: Target) -> list[NDArray[Any]]:
    """Every result and what is returned."""
    if target.fault is not None:
        pytest.skip(f"{target.label} cannot run here: {target.fault}")
    given = bind(module, graph, {})
    result = run_module(module, graph, target=target.target, device_index=target.device or 0, arguments=given)
    return [*(result[array.name] for array in module.results), np.array(result.returned or 0)]


def assert_same(name: str, graph: Graph, target: Target) -> None:
    expected = answer(plain(name), graph, REFERENCE)
    for one, other in zip(answer(rewritten(name).module, graph, target), expected, strict=True):
        np.testing.assert_array_equal(one, other)


@every_spelling
def test_every_spelling_is_seen_through(name: str) -> None:
    found = rewritten(name)
    verify(found.module)
    assert len(found.found) == (2 if name == "twice" else 1)
    assert all("union-find for '" in one.what for one in found.found)
    swaps = [op for kernel in found.module.kernels for op in walk_kernel(kernel.body) if isinstance(op, ir.CompareSwap)]
    assert swaps


@every_spelling
def test_the_loop_stays_where_arcs_may_lead_one_way(name: str) -> None:
    ops = list(walk_host(rewritten(name).module.functions[0].body))
    tests = [op for op in ops if isinstance(op, ir.HostIf)]
    loops = [op for op in ops if isinstance(op, ir.Loop)]
    assert (len(tests), len(loops)) == ((0, 0) if name in BOTH_WAYS else (len(loops), len(tests)))
    assert all(any(inner in loops for inner in walk_host(test.then)) for test in tests)


@pytest.mark.parametrize("name", OTHERS)
def test_what_only_looks_like_it_stays_as_it_is(name: str) -> None:
    found = union_find(canonical(name))
    assert found.module is canonical(name)
    assert found.found == ()


@pytest.mark.thin(plain=3)
@some_targets
@every_spelling
def test_the_answer_is_the_same_on_ugly_graphs(name: str, target: Target) -> None:
    for graph in ZOO.values():
        assert_same(name, graph, target)
        assert_same(name, graph.undirected(), target)


@pytest.mark.thin(plain=3)
@some_targets
@every_spelling
def test_the_answer_is_the_same_on_random_graphs(name: str, target: Target) -> None:
    fewer_examples()(given(random_graphs())(lambda graph: assert_same(name, graph, target)))()


@pytest.mark.thin(plain=3)
@some_targets
@pytest.mark.parametrize("name", ["push-flags", "arcs", "hooking"])
def test_larger_graphs_have_the_components_that_scipy_finds(name: str, target: Target) -> None:
    draw = np.random.default_rng(7)
    n = 3000
    for arcs in (n // 2, n, 3 * n):
        graph = Graph.from_arcs(n, draw.integers(0, n, arcs), draw.integers(0, n, arcs), directed=False)
        (found, _) = answer(rewritten(name).module, graph, target)
        np.testing.assert_array_equal(found, smallest_members(components(graph, "weak")))


@cache
def of_symmetric_graphs(name: str) -> ir.Module:
    return union_find(canonical(name), symmetric=True).module


@pytest.mark.thin(plain=3)
@some_targets
@every_spelling
def test_only_nodes_apart_from_the_great_tree_look_at_all_their_arcs(name: str, target: Target) -> None:
    for graph in (graph.undirected() for graph in ZOO.values()):
        if graph.num_arcs:
            expected = answer(plain(name), graph, REFERENCE)
            for one, other in zip(answer(of_symmetric_graphs(name), graph, target), expected, strict=True):
                np.testing.assert_array_equal(one, other)


@cache
def with_paths_stored(name: str, symmetric: bool) -> ir.Module:
    return union_find(canonical(name), symmetric=symmetric, stores_paths=True).module


@pytest.mark.parametrize("symmetric", [True, False])
@every_spelling
def test_where_threads_are_cores_a_shorter_path_is_stored(name: str, symmetric: bool) -> None:
    """Only labels that are no nodes are still combined atomically, in the kernel that comes after the trees."""
    verify(with_paths_stored(name, symmetric))
    for kernel in with_paths_stored(name, symmetric).kernels:
        if any(isinstance(op, ir.CompareSwap) for op in walk_kernel(kernel.body)) or kernel.name.endswith("flatten"):
            assert not [op for op in walk_kernel(kernel.body) if isinstance(op, ir.UpdateCell)]
            assert [op for op in walk_kernel(kernel.body) if isinstance(op, ir.Store) and op.shared]


@pytest.mark.parametrize(("backend", "atomically"), [("openmp", False), ("cuda", True)])
def test_a_target_whose_threads_are_cores_updates_no_path_atomically(backend: str, atomically: bool) -> None:
    facts = facts_of(Graph.from_arcs(3, np.array([0, 1]), np.array([1, 2]), directed=False))
    module = decided(canonical("push-flags"), AUTO, BACKENDS[backend].capabilities, facts).module
    kernels = [kernel for kernel in module.kernels if kernel.comment.startswith("union-find")]
    updates = [op for kernel in kernels for op in walk_kernel(kernel.body) if isinstance(op, ir.UpdateCell)]
    assert kernels
    assert bool(updates) is atomically


@pytest.mark.thin(plain=3)
@some_targets
@pytest.mark.parametrize("name", ["push-flags", "largest", "mutual", "arcs", "hooking"])
def test_stored_paths_lead_to_the_same_roots(name: str, target: Target) -> None:
    draw = np.random.default_rng(8)
    n = 3000
    chain = np.arange(n - 1)
    graphs = [graph.undirected() for graph in ZOO.values() if graph.num_arcs]
    graphs += [Graph.from_arcs(n, chain, chain + 1, directed=False)]
    graphs += [Graph.from_arcs(n, draw.integers(0, n, m), draw.integers(0, n, m), directed=False) for m in (n, 3 * n)]
    for graph in graphs:
        expected = answer(of_symmetric_graphs(name), graph, target)
        for symmetric in (True, False):
            for one, other in zip(answer(with_paths_stored(name, symmetric), graph, target), expected, strict=True):
                np.testing.assert_array_equal(one, other)


@every_spelling
def test_where_arcs_have_their_reverse_there_is_no_other_loop(name: str) -> None:
    verify(of_symmetric_graphs(name))
    assert not [op for op in walk_host(of_symmetric_graphs(name).functions[0].body) if isinstance(op, ir.Loop)]


@pytest.mark.parametrize("name", MUTUAL)
def test_arcs_are_looked_up_where_their_reverse_is_asked_for_and_not_known(name: str) -> None:
    assert looks_up(union_find(canonical(name), shares_arcs=True).module)
    assert not looks_up(of_symmetric_graphs(name))


def looks_up(module: ir.Module) -> bool:
    """Whether arcs are looked up where trees are joined."""
    kernels = (kernel for kernel in module.kernels if kernel.name.rpartition("_")[2] in ("start", "sample", "join"))
    everything = (e for kernel in kernels for e in all_expressions(kernel.body))
    return any(isinstance(part, ir.FindArc) for e in everything for part in walk_expression(e))


def test_one_thread_walks_both_rows_of_a_node_side_by_side() -> None:
    """If the program has arcs that enter nodes at hand; nobody searches a row then."""
    assert not looks_up(rewritten("mutual-largest").module)
    assert looks_up(rewritten("mutual").module)


@pytest.mark.parametrize("name", ["push-flags", "arcs"])
def test_a_run_knows_whether_arcs_have_their_reverse(name: str) -> None:
    """Of directed graphs, and of those without arcs, nobody is apart."""
    module, capabilities = canonical(name), BACKENDS["openmp"].capabilities

    def sets_apart(graph: Graph) -> bool:
        made = decided(module, AUTO, capabilities, facts_of(graph)).module
        return any(kernel.name.endswith("_set_apart") for kernel in made.kernels)

    ends = np.array([0, 1, 2]), np.array([1, 2, 0])
    assert sets_apart(Graph.from_arcs(4, *ends, directed=False))
    assert not sets_apart(Graph.from_arcs(4, *ends, directed=True))
    assert not sets_apart(Graph.from_arcs(4, ends[0][:0], ends[1][:0], directed=False))


@pytest.mark.parametrize("great", [True, False])
def test_the_middle_arc_may_be_anywhere(great: bool) -> None:
    """The tree that is passed over need not be the greatest for the answer to be right."""
    chain = np.arange(100)
    tails = np.concatenate([chain, [200, 201], 300 + chain[: 2 if great else 90]])
    graph = Graph.from_arcs(400, tails, tails + 1, directed=False)
    for target in (target for target in SOME if target.fault is None):
        (found, _) = answer(of_symmetric_graphs("push-flags"), graph, target)
        np.testing.assert_array_equal(found, smallest_members(components(graph, "weak")))


@pytest.mark.parametrize(("islands", "launches"), [(1, 3), (2, 5)])
def test_nothing_is_joined_along_arcs_where_two_arcs_of_each_node_joined_all(islands: int, launches: int) -> None:
    ring = np.arange(500)
    tails = np.concatenate([ring + 500 * island for island in range(islands)])
    heads = np.concatenate([(ring + 1) % 500 + 500 * island for island in range(islands)])
    graph = Graph.from_arcs(500 * islands, tails, heads, directed=False)
    result = starplat.connected_components(graph, target="openmp")
    np.testing.assert_array_equal(result["component"], np.repeat(500 * np.arange(islands), 500))
    assert result.launches == launches


@every_spelling
def test_who_climbs_a_long_path_tells_every_step_and_gives_up_if_another_comes_later(name: str) -> None:
    """On a chain whose nodes stand in order every node climbs the same path, as long as there are nodes."""
    kernels = {kernel.name.rpartition("_")[2]: kernel for kernel in of_symmetric_graphs(name).kernels}
    for step, loops, has_time in (("sample", 2, True), ("apart", 2, True), ("flatten", 1, False)):
        climbs = [op for op in walk_kernel(kernels[step].body) if isinstance(op, ir.KernelWhile)]
        assert len(climbs) == loops
        assert all(any(isinstance(op, ir.Store | ir.UpdateCell) for op in walk_kernel(climb.body)) for climb in climbs)
        for climb in climbs:
            assert isinstance(climb.condition, ir.Binary)
            assert (climb.condition.operator is ir.BinaryOperator.AND) is has_time


@pytest.mark.parametrize(("name", "from_the_end"), [("push-flags", False), ("largest", True)])
def test_who_climbs_first_is_near_a_root(name: str, from_the_end: bool) -> None:
    """Where the greatest node is the root, a chain is as long for the first as for the last otherwise."""
    for kernel in of_symmetric_graphs(name).kernels:
        if kernel.name.rpartition("_")[2] in ("sample", "apart", "flatten"):
            first = kernel.body[0]
            assert isinstance(first, ir.Let)
            assert isinstance(first.value, ir.Binary) is from_the_end


@pytest.mark.thin(plain=3)
@some_targets
@pytest.mark.parametrize("name", ["push-flags", "largest", "mutual", "mutual-largest"])
def test_paths_that_stand_in_a_row_become_one_component(name: str, target: Target) -> None:
    """Sampled arcs hang each tree below the one before it: subdivided rings, and those whose ends meet last."""
    if target.fault is not None:
        pytest.skip(target.fault)
    n = 3000
    ring = np.arange(n)
    leaves = n + ring
    plain_ring = Graph.from_arcs(n, ring, np.roll(ring, -1), directed=False)
    subdivided = Graph.from_arcs(2 * n, np.r_[leaves, leaves], np.r_[ring, np.roll(ring, -1)], directed=False)
    turned = Graph.from_arcs(2 * n, 2 * n - 1 - subdivided.sources, 2 * n - 1 - subdivided.columns, directed=True)
    for graph in (plain_ring, subdivided, turned):
        (found, *_) = answer(rewritten(name).module, graph, target)
        assert len(set(found.tolist())) == 1


@pytest.mark.parametrize("name", ["arcs", "hooking"])
def test_where_threads_share_arcs_nobody_needs_their_sources(name: str) -> None:
    """They would take as much memory as the arcs themselves."""
    module = union_find(canonical(name), shares_arcs=True).module
    (join,) = (kernel for kernel in module.kernels if kernel.name.endswith("_join"))
    assert join.shares_arcs
    assert isinstance(join.domain, ir.AllNodes)
    assert ir.SOURCES not in join.arrays
    assert any(ir.SOURCES in kernel.arrays for kernel in plain(name).kernels)


@pytest.mark.thin(plain=4)
@every_spelling
def test_every_target_can_say_it(name: str) -> None:
    for backend in map(BACKENDS.__getitem__, FULL):
        assert backend.kernels_text(rewritten(name).module)


@pytest.mark.parametrize("name", ["push-flags", "hooking", "largest"])
def test_cuda_takes_the_kernels(name: str, tmp_path: Path) -> None:
    to_machine_code(BACKENDS["cuda"].kernels_text(rewritten(name).module), tmp_path)
