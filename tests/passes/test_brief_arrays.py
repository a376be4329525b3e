"""A property that only one iteration at a time knows is a local; what others, or a later loop, may see stays."""

from __future__ import annotations

import pytest

from starplat.ir import nodes as ir
from starplat.ir.lower import lower
from starplat.ir.verifying.modules import verify
from starplat.passes import run
from starplat.passes.brief_arrays import brief_arrays
from starplat.pipeline import check
from starplat.source import SourceFile
from tests.passes.programs import lines, module

ROUND = """
propNode<double> next;
for (int i = 0; i < k; i++) {{
    forall (v in g.nodes()) {{ {body} }}
}}
{after}
"""


def rewritten(body: str, after: str = "") -> list[str]:
    made = brief_arrays(module(ROUND.format(body=body, after=after)))
    verify(made)
    return lines(made)


def has_array(text: list[str], name: str) -> bool:
    return any(line.startswith((f"array {name}:", f"fill {name} ")) for line in text)


def test_a_value_in_passing_is_a_local() -> None:
    text = rewritten("v.next = v.b * 0.5; v.a = v.next + v.next;")
    assert "let next_of_v: double = b[v] * 0.5" in text
    assert "a[v] = next_of_v + next_of_v" in text
    assert not has_array(text, "next")


def test_names_and_order_do_not_matter() -> None:
    head = "Graph h, propNode<long> p, propNode<long> q"
    text = lines(
        brief_arrays(module("propNode<long> x; forall (u in h.nodes()) { x[u] = u.q; u.p = 2 * x[u]; }", head))
    )
    assert "let x_of_u: long = q[u]" in text
    assert not has_array(text, "x")


def test_a_value_may_change_meanwhile() -> None:
    text = rewritten("v.next = 1; if (v.f) { v.next = v.b; } v.a = v.next;")
    assert "let next_of_v: double = 1.0" in text
    assert "next_of_v = b[v]" in text


def test_what_nobody_reads_is_not_stored() -> None:
    text = rewritten("v.next = v.b; v.a = v.b;")
    assert not has_array(text, "next")
    assert not any("next_of_v" in line or "next[" in line for line in text)


def test_a_copy_that_became_part_of_the_loop_frees_what_it_copies() -> None:
    program = """
        function f(Graph g, propNode<double> a, propNode<double> b) {
            propNode<double> next;
            forall (v in g.nodes()) {
                double sum = 0.0;
                for (w in g.nodes_to(v)) { sum += w.b; }
                v.next = sum;
            }
            a = next;
        }
    """
    text = lines(run(lower(check(SourceFile("f.sp", program)).facts.program, None)))
    assert not has_array(text, "next")


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("v.a = v.next; v.next = v.b;", ""),  # the round before is read
        ("v.next += v.b; v.a = v.next;", ""),  # what was there is part of it
        ("if (v.f) { v.next = v.b; } v.a = v.next;", ""),  # only some iterations store
        ("v.next = v.b; for (w in g.neighbors(v)) { v.a += w.next; }", ""),  # others look
        ("v.next = v.b; v.a = v.next;", "forall (v in g.nodes()) { v.b = v.next; }"),  # a later loop looks
        ("v.next = v.b; v.a = v.next;", "b = next;"),
        ("v.next = v.b; v.a = v.next;", "double x = 0.0; for (v in g.nodes()) { x += v.next; } a[0] = x;"),
        ("for (w in g.neighbors(v)) { w.next = 1.0; } v.a = v.next;", ""),
        ("v.next = v.b; <v.next> = <Min(v.next, v.a)>; v.a = v.next;", ""),
    ],
)
def test_near_misses_stay(body: str, after: str) -> None:
    before = module(ROUND.format(body=body, after=after))
    assert has_array(lines(brief_arrays(before)), "next")


def test_a_graph_whose_degrees_nobody_asks_for_any_more_needs_no_rows() -> None:
    made = brief_arrays(module(ROUND.format(body="v.next = g.count_outNbrs(v); v.a = v.b;", after="")))
    verify(made)
    assert made.graph_arrays == ()


def test_a_property_of_the_caller_stays() -> None:
    before: ir.Module = module("forall (v in g.nodes()) { v.a = v.b; v.b = v.a + 1.0; }")
    assert brief_arrays(before) == before
