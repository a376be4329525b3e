"""What a loop over neighbors works out of the neighbor alone is worked out once per node, if every node may."""

from __future__ import annotations

import pytest

from starplat.ir import nodes as ir
from starplat.ir.verifying.modules import verify
from starplat.passes.hoist_factors import hoist_factors
from tests.passes.programs import every_node, launches, lines, module


def hoisted(before: ir.Module) -> list[str]:
    after = hoist_factors(before)
    verify(after)
    return lines(after)


def loop(body: str, over: str = "g.nodes_to(v)") -> ir.Module:
    return every_node(f"double s = 0.0; for (w in {over}) {{ {body} }} v.b = s;")


def factors(text: list[str]) -> list[str]:
    """What is stored for every node."""
    return [line.partition(" = ")[2] for line in text if line.startswith("contribution")]


DEGREE = "row_offsets[v + 1] - row_offsets[v]"


@pytest.mark.parametrize(
    "body",
    [
        "s += w.a / g.count_outNbrs(w);",
        "s = s + w.a / g.count_outNbrs(w);",
        "if (w != v) { s += w.a / g.count_outNbrs(w); }",
        "if (w == v) { continue; } s += w.a / g.count_outNbrs(w);",
        "double share = w.a / g.count_outNbrs(w); s += share;",
        "int degree = g.count_outNbrs(w); s += w.a / degree;",
        "double rank = w.a; int degree = g.count_outNbrs(w); s += rank / degree;",
    ],
)
@pytest.mark.parametrize("over", ["g.nodes_to(v)", "g.neighbors(v)"])
def test_a_share_of_each_neighbor_is_worked_out_once(body: str, over: str) -> None:
    text = hoisted(loop(body, over))
    assert factors(text) == [f"a[v] / double(int({DEGREE}))"]
    assert any("contribution[w]" in line for line in text)
    assert not any(line.startswith(("let degree", "let rank")) for line in text)


def test_the_kernel_is_launched_just_before_wherever_the_other_is() -> None:
    body = "forall (v in g.nodes()) { double s = 0.0; for (w in g.nodes_to(v)) { s += sqrt(w.a); } v.b = s; }"
    after = hoist_factors(module(f"for (int i = 0; i < k; i++) {{ {body} a = b; }}"))
    verify(after)
    assert launches(after) == ["launch run_set_contribution", "launch run_set_b", "copy b to a"]


def test_numbers_of_the_launch_may_take_part() -> None:
    assert factors(hoisted(loop("s += k * w.a / w.c;"))) == ["double(k) * a[v] / double(c[v])"]


def test_one_factor_has_one_cell_and_two_have_two() -> None:
    text = hoisted(loop("s += sqrt(w.a); s += 2.0 / w.a; s += sqrt(w.a);"))
    assert factors(text) == ["sqrt(a[v])", "2.0 / a[v]"]
    assert sum("contribution[w]" in line for line in text) == 2


def test_neighbors_of_neighbors_have_factors_too() -> None:
    text = hoisted(loop("for (u in g.neighbors(w)) { s += u.a / u.c + sqrt(w.a); }"))
    assert sorted(factors(text)) == ["a[v] / double(c[v])", "sqrt(a[v])"]
    assert any(line.endswith("(contribution[u] + contribution_2[w])") for line in text)


def test_conditions_of_the_loop_are_looked_at() -> None:
    assert factors(hoisted(loop("if (w.c < w.d) { s += 1.0; }"))) == ["c[v] < d[v]"]


def test_whole_numbers_are_divided_by_degrees_that_neighbors_have() -> None:
    """An in-neighbor has an out-arc; a node that has none is left out."""
    text = hoisted(loop("s += w.c / g.count_outNbrs(w);"))
    assert f"if int({DEGREE}) != 0" in text
    assert factors(text) == [f"double(c[v] / int({DEGREE}))"]
    assert factors(hoisted(loop("s += w.c / g.count_outNbrs(w);", "g.neighbors(v)"))) == []
    assert factors(hoisted(loop("s += w.c / g.count_inNbrs(w);", "g.neighbors(v)"))) != []


@pytest.mark.parametrize(
    "body",
    [
        "s += w.a;",  # one look
        "s += w.a * 2.0;",
        "s += w.a * w.b;",  # b is written; and a product may be added in one step
        "s += w.c / w.d;",  # whole numbers, and d may be 0
        "s += v.a / w.a;",  # v's, too
        "s += w.b / g.count_outNbrs(w);",  # b is written
        "if (w.f) { s += w.a / g.count_outNbrs(w); }",  # only some
        "if (w.f) { continue; } s += w.a / g.count_outNbrs(w);",
        "if (w.f) { break; } s += 1.0; s += w.a / w.c;",
        "s += v.f && w.a / w.c > 0.5 ? 1.0 : 0.0;",
        "s += v.f ? w.a / w.c : 0.0;",
        "node u = w.c; s += u.a / 3.0;",  # w.c may be no node
    ],
)
def test_near_misses_stay(body: str) -> None:
    before = loop(body)
    assert hoist_factors(before) == before


def test_products_within_other_operations_are_hoisted() -> None:
    assert factors(hoisted(loop("s += w.a * w.c > v.a ? 1.0 : 2.0;"))) == ["a[v] * double(c[v])"]
    assert factors(hoisted(loop("s += w.c * g.count_outNbrs(w);"))) == [f"double(c[v] * int({DEGREE}))"]


@pytest.mark.parametrize(
    "before",
    [
        every_node("double s = 0.0; for (w in g.nodes_to(v)) { s += sqrt(w.a); } v.b = s;", filter="f"),
        every_node("if (v.f) { for (w in g.nodes_to(v)) { v.b += sqrt(w.a); } }"),
        every_node("if (v.f) { continue; } for (w in g.nodes_to(v)) { v.b += sqrt(w.a); }"),
        module("forall (w in g.neighbors(0)) { w.b = sqrt(w.a); }"),
    ],
)
def test_what_only_some_nodes_ask_for_stays(before: ir.Module) -> None:
    assert hoist_factors(before) == before


def test_two_names_for_one_property_are_one() -> None:
    callee = """function share(Graph g, propNode<double> p, propNode<double> q) {
        forall (v in g.nodes()) { for (w in g.nodes_to(v)) { v.q += sqrt(w.p); } } }"""
    assert factors(hoisted(module("share(g, a, b);", others=callee))) == ["sqrt(p[v])"]
    before = module("share(g, a, a);", others=callee)
    assert hoist_factors(before) == before
