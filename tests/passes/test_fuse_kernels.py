"""Operations in a row over all nodes become one kernel where no iteration waits for another, and only there."""

from __future__ import annotations

import pytest

from starplat.ir import nodes as ir
from starplat.ir.verifying.modules import verify
from starplat.passes.fuse_kernels import fuse_kernels
from tests.passes.programs import launches, lines, module


def fused(before: ir.Module) -> ir.Module:
    after = fuse_kernels(before)
    verify(after)
    return after


def after_kernel(module: ir.Module, words: str) -> list[str]:
    """The operations of the kernels whose head has the words."""
    text = lines(module)
    at = next(n for n, line in enumerate(text) if line.startswith("kernel") and words in line)
    return [line for line in text[at + 1 :] if line and not line.startswith(("array", "scalar", "#", "kernel"))]


ALL = "forall (v in g.nodes()) {{ {} }}"


def test_two_kernels_on_their_own_cells_become_one() -> None:
    after = fused(module(ALL.format("v.c = v.d + 1;") + "forall (u in g.nodes()) { u.d = u.c * 2; }"))
    assert launches(after) == ["launch run_set_c_and_set_d"]
    assert after_kernel(after, "run_set_c_and_set_d") == ["c[v] = d[v] + 1", "d[v] = c[v] * 2"]


def test_readers_see_both_places() -> None:
    after = fused(module("forall (v in g.nodes()) { v.c = 1; }\nforall (v in g.nodes()) { v.d = v.c; }"))
    assert "# then line 3: forall (v in g.nodes()) { v.d = v.c; }" in lines(after)


def test_locals_are_named_apart() -> None:
    loop = "int x = v.{0}; for (w in g.neighbors(v)) {{ x += w.k; }} v.{0} = x;"
    head = "Graph g, propNode<int> c, propNode<int> d, propNode<int> k"
    after = fused(module(ALL.format(loop.format("c")) + ALL.format(loop.format("d")), head))
    text = after_kernel(after, "run_set_c_and_set_d")
    assert [line for line in text if line.startswith("let")] == ["let x: int = c[v]", "let x_2: int = d[v]"]
    assert "x_2 = x_2 + k[w_2]" in text


def test_a_local_is_not_taken_for_a_number_of_the_launch() -> None:
    after = fused(module(ALL.format("int k_2 = v.c; v.d = k_2;") + "int k_3 = k;" + ALL.format("v.c = k_3;")))
    assert launches(after) == ["launch run_set_d_and_set_c"]


def test_filters_become_conditions_and_equal_ones_stay() -> None:
    two = "forall (v in g.nodes().filter({})) {{ v.{} = v.d; }} forall (v in g.nodes().filter({})) {{ v.b = v.a; }}"
    different, equal = module(two.format("c > 1", "a", "c > 2")), module(two.format("c > 1", "a", "c > 1"))
    stores = ["a[v] = double(d[v])", "b[v] = a[v]"]
    assert after_kernel(fused(different), "and") == ["if c[v] > 1", stores[0], "if c[v] > 2", stores[1]]
    assert after_kernel(fused(equal), "and") == ["where c[v] > 1", *stores]
    changing = module(two.format("c > 1", "c", "c > 1"))
    assert after_kernel(fused(changing), "and")[:3] == ["if c[v] > 1", "c[v] = d[v]", "if c[v] > 1"]


def test_reductions_unite() -> None:
    after = fused(
        module("int x = 0; int y = 0;" + ALL.format("x += v.c;") + ALL.format("x += v.d; y += v.c;") + "k = x + y;")
    )
    assert "reduction x: int by +" in lines(after)
    assert "reduction y: int by +" in lines(after)
    assert len(launches(after)) == 1


@pytest.mark.parametrize(
    ("between", "read", "count"),
    [
        ("int y = k * 2;", "y", 1),
        ("k = 3;", "x", 1),  # the second comes up
        ("k = 3;", "k", 2),
        ("if (k > 3) { x = 1; }", "x", 2),
    ],
)
def test_numbers_in_between_may_change_places(between: str, read: str, count: int) -> None:
    body = f"int x = 0; {ALL.format('v.c = k;')} {between} {ALL.format(f'v.d = v.c + {read};')}"
    assert len(launches(fused(module(body)))) == count


def test_a_fill_before_and_copies_around_become_stores() -> None:
    after = fused(module("g.attachNodeProperty(c = 7);" + ALL.format("v.d = v.c + v.d;")))
    assert launches(after) == ["launch run_add_d"]
    assert after_kernel(after, "run_add_d") == ["c[v] = 7", "d[v] += 7"]
    after = fused(module("c = d;" + ALL.format("v.d = v.c + 1;") + "c = d;"))
    assert launches(after) == ["launch run_set_d"]
    assert after_kernel(after, "run_set_d") == ["c[v] = d[v]", "d[v] = c[v] + 1", "c[v] = d[v]"]
    assert "# first c = d; then c = d" in lines(after)


def test_a_fill_that_is_summed_up_at_once_leaves_no_trace() -> None:
    loop = "int x = v.c; for (w in g.neighbors(v)) { x += w.d; } v.c = x;"
    after = fused(module("g.attachNodeProperty(c = 0);" + ALL.format(loop)))
    assert "let x: int = 0" in lines(after)
    assert "c[v] = 0" not in lines(after)


def test_more_than_two_become_one() -> None:
    after = fused(
        module("g.attachNodeProperty(c = 1);" + "".join(ALL.format(f"v.d = v.c * {n};") for n in range(3)) + "c = d;")
    )
    assert launches(after) == ["launch run_set_d_and_set_d_2_and_set_d_3"]


@pytest.mark.parametrize(
    "body",
    [
        ALL.format("v.c = 1;") + ALL.format("for (w in g.neighbors(v)) { v.d += w.c; }"),  # reads a neighbor's
        ALL.format("for (w in g.neighbors(v)) { v.d += w.c; }") + ALL.format("v.c = 1;"),  # a neighbor still reads
        ALL.format("forall (w in g.neighbors(v)) { w.c += 1; }") + ALL.format("v.d = v.c;"),
        "int x = 0;" + ALL.format("x += v.c;") + ALL.format("v.d = x;"),  # the sum is needed
        "double x = 0.0;" + ALL.format("x += v.a;") + ALL.format("x += v.b;") + "k = x;",  # the order of a real sum
        "int x = 0;" + ALL.format("x += v.c;") + ALL.format("<x> = <Min(x, v.d)>;"),  # two ways to combine
        ALL.format("v.c = 1;") + "c[3] = 4;" + ALL.format("v.d = v.c;"),  # the host looks
        ALL.format("v.c = 1;") + "forall (e in g.edges()) { node s = e.source; s.f = True; }",  # arcs
        ALL.format("if (v.f) { continue; } v.c = 1;") + ALL.format("v.d = v.c;"),
        "forall (v in g.nodes().filter(f)) { forall (w in g.neighbors(v)) { w.d += 1; } }" + ALL.format("v.c = 1;"),
        "g.attachNodeProperty(c = 1);" + ALL.format("for (w in g.neighbors(v)) { v.d += w.c; }"),
        "g.attachNodeProperty(c = 1);" + ALL.format("v.d = 2;"),  # nothing is saved
    ],
)  # fmt: skip
def test_near_misses_stay_apart(body: str) -> None:
    before = module(body)
    assert fuse_kernels(before) == before


def test_rows_of_arcs_go_together_too() -> None:
    arcs = "forall (e in g.edges()) {{ e.x = {}; }}"
    after = fused(module(arcs.format("1") + arcs.format("e.x + 1"), "Graph g, propEdge<int> x"))
    assert launches(after) == ["launch run_set_x_and_add_x"]


def test_two_names_for_one_property_are_one() -> None:
    callee = """function both(Graph g, propNode<int> p, propNode<int> q) {
        forall (v in g.nodes()) { v.p = 1; } forall (v in g.nodes()) { for (w in g.neighbors(v)) { v.c += w.q; } } }"""
    callee = callee.replace("v.c", "v.r").replace("propNode<int> q)", "propNode<int> q, propNode<double> r)")
    assert "launch both_set_p_and_add_r" in launches(fused(module("both(g, c, d, a);", others=callee)))
    before = module("both(g, c, c, a);", others=callee)
    assert fuse_kernels(before) == before
