"""Sizes of arrays are expressions: they have one value, one text for every language, and equal ones are one object."""

from __future__ import annotations

from hypothesis import given, strategies as st

from starplat.backends.host.words import size_of
from starplat.ir import build, nodes as ir
from starplat.ir.lowering.checking.checks import FAULTS
from starplat.ir.printing.expressions import print_expression

WORDS = {ir.Count.NODES: "n", ir.Count.ARCS: "m", ir.Count.WORKERS: "k"}
extents = st.recursive(
    st.sampled_from([ir.Extent.ONE, ir.Extent.NODES, ir.Extent.ARCS]),
    lambda parts: st.one_of(
        st.builds(lambda part, more: part + more, parts, st.integers(1, 64)),
        st.builds(lambda part, share: part // share, parts, st.integers(1, 64)),
        st.builds(lambda part, times: part * times, parts, parts),
    ),
    max_leaves=5,
)


@given(extents, st.integers(0, 10**6), st.integers(0, 10**6))
def test_the_text_means_the_value(extent: ir.Extent, n: int, m: int) -> None:
    values = {"n": n, "m": m, "k": ir.WORKERS}
    assert eval(extent.text(WORDS, quotient="//"), values) == extent.cells(n, m)


@given(extents)
def test_the_expression_is_the_text(extent: ir.Extent) -> None:
    words = {ir.Count.NODES: "n", ir.Count.ARCS: "m", ir.Count.WORKERS: str(ir.WORKERS)}
    shown = print_expression(build.size(extent)).replace("num_nodes", "n").replace("num_arcs", "m")
    assert eval(shown.replace("/", "//"), {"n": 77, "m": 1000}) == eval(extent.text(words, "//"), {"n": 77, "m": 1000})


def test_equal_sizes_are_one_object() -> None:
    assert ir.Extent.NODES // 32 + 1 is ir.Extent.BITS
    assert ir.Extent.NODES + 1 is ir.Extent.NODES_AND_ONE
    assert ir.Extent.NODES + 2 is not ir.Extent.NODES_AND_ONE


def test_rounding_up_is_an_expression_too() -> None:
    words = (ir.Extent.NODES + 31) // 32
    assert str(words) == "(n + 31) / 32"
    assert [words.cells(n, 0) for n in (0, 1, 32, 33)] == [0, 1, 1, 2]


def test_products_are_wide_in_host_programs() -> None:
    def spelt(extent: ir.Extent) -> str:
        return size_of(ir.Array("cells", ir.Element.INT, extent, ir.Origin.TEMPORARY))

    assert spelt(ir.Extent.ARCS.times(4)) == "4LL * graph.num_arcs"
    assert spelt(FAULTS) == "4 * (1LL + graph.num_nodes + graph.num_arcs)"
    assert spelt(ir.Extent.LAYER) == "graph.num_nodes / 1024 + 1"
    assert spelt(ir.Extent.WORKERS_BITS) == "64 * (graph.num_nodes / 32 + 1LL)"
    assert spelt(ir.Extent.NODES * ir.Extent.WORKERS_BITS) == "graph.num_nodes * (64 * (graph.num_nodes / 32 + 1LL))"
