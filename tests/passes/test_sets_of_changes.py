"""Parts exchange only the cells of nodes that have joined a set, where wherever a cell changes its node joins it."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.visitor import walk_host
from starplat.passes.parts.placing import in_parts
from tests.runtime.test_parts import in_so_many, ring

OWN = """
function own(Graph g, propNode<int> a, propNode<int> b, propNode<bool> changed) {
    g.attachNodeProperty(a = 1, b = 0, changed = False);
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v).filter(changed == False)) {
            v.b += w.a;
        }
    }
    forall (v in g.nodes()) {
        if (g.count_outNbrs(v) > 1) {
            STORES
        }
    }
    BETWEEN
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v).filter(changed == True)) {
            v.b += w.a;
        }
    }
}
"""
BESIDE = "v.a = v + 5; v.changed = True;"

LOWERED = """
function lowered(Graph g, propNode<int> a, propNode<bool> changed) {
    g.attachNodeProperty(a = 100, changed = False);
    forall (v in g.nodes()) {
        forall (w in g.neighbors(v)) {
            STORES
        }
    }
}
"""
WITH_IT = "<w.a, w.changed> = <Min(w.a, v + 5), True>;"


def divided(text: str, stores: str, between: str = "") -> ir.Module:
    """The program in parts."""
    module = starplat.compile(text.replace("STORES", stores).replace("BETWEEN", between)).module()
    return in_parts(module, poison=len(stores) % 2 == 1)


def exchanges_of_a(module: ir.Module) -> list[ir.Array | None]:
    """The sets among whose nodes cells of `a` are exchanged; None where all are."""
    ops = walk_host(module.function(module.entry).body)
    found = [op for op in ops if isinstance(op, ir.ShareParts | ir.CombineParts) and op.array.name == "a"]
    return [op.among for op in found]


def right(module: ir.Module, text: str, stores: str, between: str = "") -> None:
    """Parts come to what one part comes to, on graphs in which some nodes change and others do not."""
    program = starplat.compile(text.replace("STORES", stores).replace("BETWEEN", between))
    fan = Graph.from_arcs(9, np.repeat([0, 3, 8], 3), [1, 2, 3, 0, 4, 5, 0, 1, 7], directed=True)
    for graph in (ring(), fan):
        alone = program.run(graph, target="reference")
        for size in (2, 3):
            for result in in_so_many(size, module, graph, {}):
                for array in module.results:
                    np.testing.assert_array_equal(result[array.name], alone[array.name])


def test_own_cells_are_shared_among_the_nodes_that_have_joined_a_set() -> None:
    module = divided(OWN, BESIDE)
    among = exchanges_of_a(module)[-1]
    assert among is not None
    assert among.name == "changed"
    right(module, OWN, BESIDE)


ALL_CELLS = {
    "set by a condition": ("v.a = v + 5; if (v > 3) { v.changed = True; }", ""),
    "not all join": ("v.a = v + 5; v.changed = v > 3;", ""),
    "the set is made anew": (BESIDE, "g.attachNodeProperty(changed = True);"),
    "one has left": (BESIDE, "forall (v in g.nodes()) { if (v == 3) { v.changed = False; } }"),
    "cells change again": (BESIDE, "forall (v in g.nodes()) { v.a += 1; }"),
}  # fmt: skip


@pytest.mark.parametrize(("stores", "between"), ALL_CELLS.values(), ids=ALL_CELLS)
def test_all_own_cells_are_shared_where_the_set_does_not_tell(stores: str, between: str) -> None:
    module = divided(OWN, stores, between)
    assert set(exchanges_of_a(module)) == {None}
    right(module, OWN, stores, between)


def test_lowered_cells_are_combined_among_the_nodes_that_have_joined_a_set() -> None:
    module = divided(LOWERED, WITH_IT)
    (among,) = exchanges_of_a(module)
    assert among is not None
    assert among.name == "changed"
    right(module, LOWERED, WITH_IT)


ALL_LOWERED = {
    "without a set": "w.a = Min(w.a, v + 5);",
    "one may be lowered without joining": WITH_IT + " w.a = Min(w.a, 7);",
}


@pytest.mark.parametrize("stores", ALL_LOWERED.values(), ids=ALL_LOWERED)
def test_all_lowered_cells_are_combined_where_no_set_tells(stores: str) -> None:
    module = divided(LOWERED, stores)
    assert exchanges_of_a(module) == [None]
    right(module, LOWERED, stores)
