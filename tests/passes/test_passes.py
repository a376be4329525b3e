"""Every pass does what its sentence says, and leaves near misses alone."""

from __future__ import annotations

import pytest

from starplat.frontend.check import check
from starplat.frontend.parser import parse
from starplat.ir import nodes as ir
from starplat.ir.lower import lower
from starplat.ir.printing.modules import print_module
from starplat.ir.verifying.modules import verify
from starplat.passes import PASSES, run
from starplat.passes.copies import copies_to_swaps
from starplat.passes.fills import drop_dead_fills
from starplat.source import SourceFile


def module(body: str) -> ir.Module:
    source = SourceFile("test.sp", f"function f(Graph g, propNode<int> out, int k) {{\n{body}\n}}")
    return lower(check(parse(source), source))


def host(module: ir.Module) -> list[str]:
    """The host function's fills, copies and swaps, in order."""
    lines = (line.strip() for line in print_module(module).splitlines())
    return [line for line in lines if line.startswith(("fill", "copy", "swap"))]


ROUND = "propNode<int> a; propNode<int> b; for (int i = 0; i < k; i++) {{ {} }} out = a;"
USE = "forall (v in g.nodes()) { v.b = v.a + 1; }"


def test_a_copy_before_an_overwrite_becomes_a_swap() -> None:
    rewritten = copies_to_swaps(module(ROUND.format(USE + "a = b; g.attachNodeProperty(b = 0);")))
    verify(rewritten)
    assert host(rewritten)[2:4] == ["swap a, b", "fill b with 0"]


@pytest.mark.parametrize(
    "tail",
    [
        "a = b;",  # nobody overwrites b in this round
        "a = b; out[0] = b[0]; g.attachNodeProperty(b = 0);",  # b is read in between
        "a = b; forall (v in g.nodes()) { v.out = v.b; } g.attachNodeProperty(b = 0);",
        "a = b; if (i == 3) { break; } g.attachNodeProperty(b = 0);",  # b may live on after the loop
        "out = b; g.attachNodeProperty(b = 0);",  # the caller's cells stay where they are
    ],
)
def test_a_copy_stays_where_somebody_may_look(tail: str) -> None:
    rewritten = copies_to_swaps(module(ROUND.format(USE + tail)))
    assert not any(line.startswith("swap") for line in host(rewritten))


def test_a_fill_before_an_overwrite_vanishes() -> None:
    before = module("propNode<int> a; g.attachNodeProperty(a = 7); out = a;")
    after = drop_dead_fills(before)
    verify(after)
    assert host(before)[:2] == ["fill a with 0", "fill a with 7"]
    assert host(after) == host(before)[1:]


@pytest.mark.parametrize(
    "body",
    [
        "propNode<int> a; out = a;",
        "propNode<int> a; out[0] = a[0]; g.attachNodeProperty(a = 7); out = a;",
        "propNode<int> a; forall (v in g.nodes()) { v.a += 1; } g.attachNodeProperty(a = 7); out = a;",
        "propNode<int> a; if (k > 3) { out = a; } g.attachNodeProperty(a = 7); out = a;",
        "propNode<int> a; propNode<int> c; g.attachNodeProperty(a = c, c = a); out = a; out = c;",
    ],
)
def test_a_fill_stays_where_somebody_may_look(body: str) -> None:
    before = module(body)
    assert [line for line in host(drop_dead_fills(before)) if line.startswith("fill a with 0")]


def test_every_pass_has_a_sentence_and_a_reason() -> None:
    assert all(step.name and step.sentence and step.reason for step in PASSES)


def test_passes_keep_what_they_need_not_change() -> None:
    plain = module("forall (v in g.nodes()) { v.out = k; }")
    assert run(plain) == plain


@pytest.mark.parametrize("head", ["while (k > 0)", "for (int i = 0; i < k; i++)"])
def test_a_fill_before_loops_that_begin_with_new_values_vanishes(head: str) -> None:
    again = f"{head} {{ k = k - 1; g.attachNodeProperty(a = 7); {USE.replace('v.b', 'v.out')} }}"
    for tail in ("", again, "return;"):
        before = module(f"propNode<int> a; {again} {tail}")
        verify(after := drop_dead_fills(before))
        assert "fill a with 0" in host(before)
        assert host(after) == [line for line in host(before) if line != "fill a with 0"]


@pytest.mark.parametrize(
    "body",
    [
        "while (k > 0) { k = k - 1; g.attachNodeProperty(a = 7); } out = a;",  # there may be no round
        "while (k > 0) { k = k - 1; out = a; g.attachNodeProperty(a = 7); }",
        "while (a[0] < k) { g.attachNodeProperty(a = 7); }",
        "while (k > 0) { if (k == 3) { g.attachNodeProperty(a = 7); } out = a; k = k - 1; }",
    ],
)
def test_a_fill_stays_where_a_loop_may_look(body: str) -> None:
    before = module(f"propNode<int> a; {body}")
    assert "fill a with 0" in host(drop_dead_fills(before))


def test_a_fill_in_a_loop_stays_where_an_equal_one_before_it_vanishes() -> None:
    loop = f"while (k > 0) {{ k = k - 1; g.attachNodeProperty(a = 0); {USE.replace('v.b', 'v.out')} }}"
    assert host(drop_dead_fills(module(f"propNode<int> a; {loop}"))) == ["fill a with 0"]
