"""Loops over a node's arcs that a team of threads can share: what is found, and what looks like it and is not."""

from __future__ import annotations

from dataclasses import replace

import pytest

import starplat
from starplat.ir import nodes as ir
from starplat.ir.shapes.shared_rows import SharedRow, shared_rows

SHARED = {
    "a sum": ("long", "", "long sum = 3; for (w in g.neighbors(v)) { sum += w.a; } v.x = sum;", ir.Combine.ADD),
    "a least": ("long", "", "long s = 9; for (w in g.neighbors(v)) { s = min(s, w.a); } v.x = s;", ir.Combine.MIN),
    "a product of bits": (
        "int", "", "int s = 7; for (w in g.neighbors(v)) { s = s & w.a; } v.x = s;", ir.Combine.BIT_AND,
    ),
    "whether any": (
        "bool", "", "bool any = False; for (w in g.nodes_to(v)) { any = any || w.a > 3; } v.x = any;", ir.Combine.OR,
    ),
    "a sum where it is wanted": (
        "long", "", "long s = 0; for (w in g.neighbors(v)) { if (w.a > 2) { s += 1; } else { s += w; } } v.x = s;",
        ir.Combine.ADD,
    ),
    "inside an if": (
        "long", "", "long s = 0; if (v.a > 1) { for (w in g.neighbors(v)) { s += w.a; } } v.x = s;", ir.Combine.ADD,
    ),
}  # fmt: skip
ALONE = {
    "the order matters": "int h = 7; for (w in g.neighbors(v)) { h = h * 31 + w.a; } v.x = h;",
    "the last one stays": "int last = 0; for (w in g.neighbors(v)) { last = w.a; } v.x = last;",
    "combined in two ways": "int s = 1; for (w in g.neighbors(v)) { s += w.a; s = min(s, 50); } v.x = s;",
    "a sum that is looked at": "int s = 0; for (w in g.neighbors(v)) { if (s < 9) { s += w.a; } } v.x = s;",
    "two that depend": "int s = 0; int t = 0; for (w in g.neighbors(v)) { s += 1; t += s; } v.x = t;",
    "a break": "int s = 0; for (w in g.neighbors(v)) { if (w.a > 3) { break; } s += 1; } v.x = s;",
    "a cell of the node itself": "forall (w in g.neighbors(v)) { v.x = w.a; }",
    "a least that is something else": "int s = 9; for (w in g.neighbors(v)) { if (w.a < s) { s = w.a + 1; } } v.x = s;",
    "a least that is also counted": """int s = 9; int c = 0;
      for (w in g.neighbors(v)) { if (w.a < s) { s = w.a; c += 1; } } v.x = s + c;""",
    "cells in their order": "for (w in g.neighbors(v)) { v.x = v.x * 3 + w.a; }",
}


def rows_of(module: ir.Module) -> list[SharedRow]:
    return [row for kernel in module.kernels for row in shared_rows(kernel, module)]


def program(body: str, kind: str = "int") -> ir.Module:
    text = f"function f(Graph g, propNode<int> a, propNode<{kind}> x) {{ forall (v in g.nodes()) {{ {body} }} }}"
    return starplat.compile(text).module()


@pytest.mark.parametrize("name", SHARED)
def test_loops_that_combine_values_are_shared(name: str) -> None:
    kind, _, body, combine = SHARED[name]
    (row,) = rows_of(program(body, kind))
    assert [found for found, _ in row.combined] == [combine]
    assert row.contributed == ()


@pytest.mark.parametrize("name", ALONE)
def test_loops_whose_rounds_belong_together_are_not(name: str) -> None:
    assert rows_of(program(ALONE[name])) == []


def test_updates_of_others_are_shared_as_they_are_in_one_piece() -> None:
    (row,) = rows_of(program("forall (w in g.neighbors(v)) { w.x += v.a; }"))
    assert row.combined == ()


def test_the_outer_one_of_two_loops_is_shared() -> None:
    (row,) = rows_of(program("forall (w in g.neighbors(v)) { forall (u in g.neighbors(w)) { u.x += 1; } }"))
    assert row.loop.neighbor.name == "w"


def test_an_inner_loop_is_shared_where_the_outer_cannot_be() -> None:
    body = "for (w in g.neighbors(v)) { if (w.a == 5) { break; } forall (u in g.neighbors(w)) { u.x += 1; } }"
    (row,) = rows_of(program(body))
    assert row.loop.neighbor.name == "u"


def test_what_a_loop_contributes_to_the_kernels_sum_is_told() -> None:
    text = """function f(Graph g) {
      long total = 0;
      forall (v in g.nodes()) { forall (w in g.neighbors(v)) { if (w > v) { total += 1; } } }
      return total;
    }"""
    (row,) = rows_of(starplat.compile(text).module())
    assert [variable.name for variable in row.contributed] == ["total"]


def test_functions_that_are_called_are_looked_into() -> None:
    text = """function note(Graph g, propNode<int> x, node u) { u.x += 1; }
    function f(Graph g, propNode<int> x) {
      forall (v in g.nodes()) { forall (w in g.neighbors(v)) { note(g, x, w); } }
    }"""
    module = starplat.compile(text).module()
    assert len(rows_of(module)) == 1
    (helper,) = module.helpers
    (update,) = helper.body
    assert isinstance(update, ir.UpdateCell)
    alone = replace(module, helpers=(replace(helper, body=(replace(update, shared=False),)),))
    assert rows_of(alone) == []
