"""What a loop adds up in a cell of its own iteration is a local meanwhile; what may be seen otherwise stays a cell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from starplat.ir import nodes as ir
from starplat.ir.rewriter import Rewriter
from starplat.ir.verifying.modules import verify
from starplat.passes.local_sums import local_sums
from tests.passes.programs import every_node, lines, module


class _Unshared(Rewriter):
    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        return (replace(self.rebuild(op), shared=False) if isinstance(op, ir.UpdateCell) else self.rebuild(op),)


def unshared(before: ir.Module) -> ir.Module:
    """The module as lowering would make it if it knew what it knows of the passes of a BFS: that no iteration meets
    another."""
    return replace(before, kernels=tuple(map(_Unshared().kernel, before.kernels)))


def gathered(before: ir.Module) -> list[str]:
    after = local_sums(before)
    verify(after)
    return lines(after)


def loop(body: str, over: str = "g.neighbors(v)", kind: str = "for") -> ir.Module:
    return every_node(f"{kind} (w in {over}) {{ {body} }}")


@pytest.mark.parametrize("update", ["v.a += w.b;", "v.a = v.a + w.b;", "a[v] += b[w];"])
@pytest.mark.parametrize("over", ["g.neighbors(v)", "g.nodes_to(v)", "g.nodes()"])
@pytest.mark.parametrize("kind", ["for", "forall"])
def test_a_sum_in_an_own_cell_becomes_a_local(update: str, over: str, kind: str) -> None:
    text = gathered(loop(update, over, kind))
    at = text.index("let a_of_v: double = a[v]")
    assert text[at + 2 : at + 4] == ["a_of_v = a_of_v + b[w]", "a[v] = a_of_v"]


def test_names_do_not_matter() -> None:
    text = gathered(module("forall (x in h.nodes()) { for (y in h.nodes_to(x)) { x.p *= y.q; } }",
                           "Graph h, propNode<long> p, propNode<long> q"))  # fmt: skip
    assert "p_of_x = p_of_x * q[y]" in text


def test_the_outermost_loop_is_taken() -> None:
    text = gathered(loop("for (u in g.neighbors(w)) { v.c += u.d; }"))
    at = text.index("let c_of_v: int = c[v]")
    assert text[at + 1].startswith("for w in")
    assert text[at + 3 : at + 5] == ["c_of_v = c_of_v + d[u]", "c[v] = c_of_v"]


def test_an_inner_loop_is_taken_where_the_outer_one_cannot_be() -> None:
    text = gathered(unshared(loop("v.d = w.c; for (u in g.neighbors(w)) { v.c += 1; }")))
    at = text.index("d[v] = c[w]")
    assert text[at + 1] == "let c_of_v: int = c[v]"


def test_flags_and_extremes_are_gathered_too() -> None:
    assert "f_of_v = true" in gathered(loop("v.f ||= w.c > 3;"))
    text = gathered(loop("<v.c, v.d> = <Min(v.c, w.a > 0.5 ? 3 : 4), w>;"))
    at = text.index("let candidate: int = a[w] > 0.5 ? 3 : 4")
    assert text[at + 1 : at + 4] == ["if candidate < c_of_v", "c_of_v = candidate", "d[v] = w"]


def test_what_follows_goes_on_with_the_local() -> None:
    text = gathered(every_node("for (w in g.neighbors(v)) { v.c += 1; } v.d = v.c;"))
    assert text[text.index("c[v] = c_of_v") + 1] == "d[v] = c_of_v"
    text = gathered(every_node("for (w in g.neighbors(v)) { v.c += 1; } v.c = 3; v.d = v.c;"))
    assert text[-2:] == ["c[v] = 3", "d[v] = 3"]


@pytest.mark.parametrize("condition", ["w != v", "w < v", "v > w", "v != w && w.c == 3"])
def test_a_test_for_self_loops_keeps_cells_apart(condition: str) -> None:
    assert "let a_of_v: double = a[v]" in gathered(unshared(loop(f"if ({condition}) {{ v.a += w.a; }}")))


@pytest.mark.parametrize(
    ("filter", "condition", "apart"),
    [
        ("v.c == k", "w.c == k + 1", True),
        ("v.c == k", "w.c == k - 1", True),
        ("v.c == 3", "4 == w.c", True),
        ("f == True", "!w.f", True),
        ("v.c == k", "w.c != k", True),
        ("v.c == k", "w.c == k", False),
        ("v.c == k", "w.d == k + 1", False),
        ("v.c != k", "w.c != k + 1", False),
        ("v.c == k", "w.c == k + 1 || w.f", False),
        ("v.c >= k", "w.c == k + 1", False),
    ],
)
def test_levels_keep_cells_apart(filter: str, condition: str, apart: bool) -> None:
    before = every_node(f"for (w in g.neighbors(v)) {{ if ({condition}) {{ v.a += w.a; }} }}", filter)
    text = gathered(unshared(before))
    assert ("let a_of_v: double = a[v]" in text) == apart


def test_levels_that_the_kernel_changes_keep_nothing_apart() -> None:
    body = "for (w in g.neighbors(v)) { if (w.c == k + 1) { v.a += w.a; } } v.c = 0;"
    assert "let a_of_v: double = a[v]" not in gathered(unshared(every_node(body, "v.c == k")))


@pytest.mark.parametrize(
    "body",
    [
        "v.a += w.a;",  # w may be v
        "w.a += v.b;",  # not its own
        "v.a += w.b; w.a = 3.0;",
        "v.a = w.b;",  # nothing is gathered
        "if (w.a > 0.0) { v.a += 1.0; }",
        "v.c += steps(g, c, w);",
    ],
)
def test_near_misses_stay_cells(body: str) -> None:
    others = "function steps(Graph g, propNode<int> p, node x) { return p[x] + 1; }"
    before = module(f"forall (v in g.nodes()) {{ for (w in g.neighbors(v)) {{ {body} }} }}", others=others)
    assert local_sums(before) == before
    assert local_sums(unshared(before)) == unshared(before)


def test_two_names_for_one_property_are_one() -> None:
    """Where the program hands one array to two parameters, no other array of the kind is surely apart."""
    callee = "function add(Graph g, propNode<double> p, propNode<double> q, propNode<int> r) { %s }"
    loop = "forall (v in g.nodes()) { for (w in g.neighbors(v)) { v.p += w.q; v.r += 1; } }"
    once = gathered(module("add(g, a, b, c);", others=callee % loop))
    twice = gathered(module("add(g, a, a, c);", others=callee % loop))
    assert "let p_of_v: double = p[v]" in once
    assert "let p_of_v: double = p[v]" not in twice
    assert "let r_of_v: int = r[v]" in twice


def test_arcs_ids_stay_where_they_may_be_narrow() -> None:
    body = "forall (v in g.nodes()) { for (w in g.neighbors(v)) { edge e = g.get_edge(v, w); <v.p> = <Max(v.p, e)>; } }"
    before = module(body, "Graph g, propNode<edge> p")
    assert local_sums(before) == before


def test_words_of_sequential_code_are_gathered() -> None:
    text = gathered(module("for (v in g.nodes()) { k += v.c; v.d = k; }"))
    at = text.index("let k_word_so_far: int = k_word[0]")
    assert text[at + 2 : at + 5] == [
        "k_word_so_far = k_word_so_far + c[v]",
        "d[v] = k_word_so_far",
        "k_word[0] = k_word_so_far",
    ]
