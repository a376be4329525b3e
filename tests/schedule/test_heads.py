"""Which walks read the first neighbors of rows apart from the others, where arcs lie in the host's memory."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import starplat
from starplat.backends.scheduled import capabilities_of, made_for_target
from starplat.ir import nodes as ir
from starplat.ir.printing.modules import print_kernel, print_module
from starplat.ir.verifying.modules import verify
from starplat.ir.visitor import walk_host
from starplat.schedule.facts import GraphFacts
from starplat.schedule.memory.heads import heads_of_rows
from starplat.schedule.parse import parse_schedule

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FACTS = GraphFacts(1 << 20, 1 << 24, 1 << 14, symmetric=True)
CSR_HEADS = {ir.HEAD_OFFSETS, ir.HEAD_COLUMNS}
REVERSE_HEADS = {ir.IN_HEAD_OFFSETS, ir.IN_HEAD_COLUMNS}


@cache
def made(name: str, target: str = "cuda", memory: str = "ondemand") -> ir.Module:
    schedule = parse_schedule(f"memory={memory},order=as-is")
    module = starplat.compile(EXAMPLES / f"{name}.sp").module(name)
    return made_for_target(module, target, schedule, FACTS, capabilities_of(target))


@pytest.mark.parametrize(
    ("name", "symmetric", "expected"),
    [
        ("bfs_levels", True, CSR_HEADS | REVERSE_HEADS),
        ("bfs_levels", False, REVERSE_HEADS),  # rows of arcs that leave are pushed in full, and other memory
        ("connected_components", True, CSR_HEADS),
        ("maximal_independent_set", True, CSR_HEADS),
        ("pagerank", True, set()),
        ("label_propagation", True, set()),
        ("triangle_count", True, set()),
    ],
)
@pytest.mark.parametrize("target", ["cuda", "opencl"])
def test_programs_that_read_rows_at_their_heads_get_heads(
    name: str, target: str, symmetric: bool, expected: set[ir.Array]
) -> None:
    module = made(name, target)
    found = heads_of_rows(module, symmetric=symmetric)
    verify(found)
    assert set(found.graph_arrays) & set(ir.HEAD_ARRAYS) == expected
    assert (found is module) == (not expected)
    assert found.heads is (ir.HeadKind.FIRST if expected else None)
    assert found.mapped == module.mapped


WEIGHT_HEADS = {ir.HEAD_WEIGHTS[ir.Element.INT]}


@pytest.mark.parametrize("target", ["cuda", "opencl"])
def test_walks_for_chosen_nodes_find_short_rows_with_their_weights(target: str) -> None:
    module = made("sssp", target)
    weights = frozenset(array for array in module.inputs if array.origin is ir.Origin.WEIGHT)
    found = heads_of_rows(module, symmetric=False, weights=weights)
    verify(found)
    assert found.heads is ir.HeadKind.SHORT
    assert set(found.graph_arrays) & set(ir.HEAD_ARRAYS) == CSR_HEADS | WEIGHT_HEADS
    text = print_kernel(found.kernel("sssp_min_dist"))
    assert "out_neighbors(v) at e, heads apart" in text
    assert "head_weights[head_offsets[v] + " in text


def test_weights_of_the_caller_keep_rows_as_they_are() -> None:
    module = made("sssp")  # of arrays that are no copies of the graph's, heads are not made
    assert heads_of_rows(module, symmetric=True) is module


def test_walks_and_samples_read_the_copies() -> None:
    found = heads_of_rows(made("bfs_levels", "opencl"), symmetric=True)
    pull, push = (print_kernel(found.kernel(f"bfs_levels_min_level{way}")) for way in ("_pull", ""))
    assert "for v in in_neighbors(w) at e_in, heads apart" in pull.replace("forall", "for")
    assert "out_neighbors(v) at e, heads apart" in push
    found = heads_of_rows(made("connected_components", "opencl"), symmetric=True)
    sample = print_kernel(found.kernel("connected_components_component_sample"))
    assert "head_columns[head_offsets[v] + " in sample


@pytest.mark.parametrize("memory", ["resident", "mapped"])
def test_only_arcs_that_are_placed_on_demand_have_heads(memory: str) -> None:
    module = made("bfs_levels", memory=memory)
    assert heads_of_rows(module, symmetric=True) is module


def test_persistent_kernels_are_given_the_arrays_of_heads() -> None:
    found = heads_of_rows(made("bfs_levels"), symmetric=True)
    launched = [op for f in found.functions for op in walk_host(f.body) if isinstance(op, ir.OnDevice)]
    assert launched
    assert all(set(op.arrays) >= (CSR_HEADS | REVERSE_HEADS) for op in launched)


def test_steps_are_narrower_where_arcs_lie_on_the_host() -> None:
    texts = {memory: print_module(made("sssp", "opencl", memory)) for memory in ("resident", "mapped", "ondemand")}
    assert [memory for memory, text in texts.items() if " / 32.0" in text] == ["mapped", "ondemand"]
