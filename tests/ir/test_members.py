"""Kernels over the members of a set are known by their filter."""

from __future__ import annotations

import pytest

from starplat.ir import nodes as ir
from starplat.ir.shapes.members import membership, taking
from tests.ir.building import FALSE, NBR, E, V, array, binary, kernel, number

FLAGS = ir.Array("flags", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.LOCAL, packed=ir.Packing.SWITCHED)
OTHER = ir.Array("other", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.LOCAL)
A = array("a", ir.Element.INT)
ASKED = ir.Load(FLAGS, ir.Ref(V))
SMALL = binary("<", ir.Load(A, ir.Ref(V)), number(3))


@pytest.mark.parametrize(
    ("filter", "keep"),
    [
        (ASKED, None),
        (binary("&&", ASKED, SMALL), SMALL),
        (binary("&&", SMALL, ASKED), SMALL),
        (
            binary("&&", binary("&&", SMALL, ASKED), ir.Load(OTHER, ir.Ref(V))),
            binary("&&", SMALL, ir.Load(OTHER, ir.Ref(V))),
        ),
    ],
)
def test_a_filter_that_asks_for_the_flag_is_a_membership(filter: ir.Expression, keep: ir.Expression | None) -> None:
    found = membership(kernel(ir.Store(A, ir.Ref(V), number(1)), filter=filter))
    assert found is not None
    assert (found.members, found.keep, found.takes) == (FLAGS, keep, False)


@pytest.mark.parametrize(
    "filter",
    [
        None,
        ir.Unary(ir.UnaryOperator.NOT, ASKED),
        binary("||", ASKED, SMALL),
        ir.Load(OTHER, ir.Ref(V)),
        ir.Load(FLAGS, number(0)),
        ir.Load(FLAGS, ir.Load(A, ir.Ref(V))),
    ],
)
def test_other_filters_are_none(filter: ir.Expression | None) -> None:
    assert membership(kernel(ir.Store(A, ir.Ref(V), number(1)), filter=filter)) is None


def test_which_arrays_are_sets_may_be_asked() -> None:
    walk = kernel(ir.Store(A, ir.Ref(V), number(1)), filter=binary("&&", ir.Load(OTHER, ir.Ref(V)), ASKED))
    found = membership(walk, OTHER.__eq__)
    assert found is not None
    assert found.members == OTHER
    assert found.keep == ASKED


def test_arcs_are_no_members() -> None:
    assert membership(kernel(ir.Store(A, number(0), number(1)), domain=ir.AllArcs(), iterator=E, filter=ASKED)) is None


def test_a_walk_takes_its_nodes_out_if_it_says_so_first() -> None:
    store = ir.Store(A, ir.Ref(V), number(1))
    found = membership(kernel(taking(FLAGS, V), store, filter=ASKED))
    assert found is not None
    assert (found.takes, found.body) == (True, (store,))
    late = membership(kernel(store, taking(FLAGS, V), filter=ASKED))
    assert late is not None
    assert not late.takes
    others = membership(kernel(ir.Store(FLAGS, ir.Ref(NBR), FALSE), filter=ASKED))
    assert others is not None
    assert not others.takes


def test_a_walk_over_some_members_takes_out_none() -> None:
    """What it does not keep would go too."""
    found = membership(kernel(taking(FLAGS, V), filter=binary("&&", ASKED, SMALL)))
    assert found is not None
    assert not found.takes
