"""Which cells a launch touches, and by which threads: own cells need no wait between launches, all others do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from starplat.ir.access import TAKEN, WALKED, Access, accesses, kernel_accesses
from starplat.ir.members import taking
from starplat.ir.nodes import (
    AllArcs,
    Array,
    Combine,
    CopyArray,
    Element,
    Extent,
    Fill,
    Kernel,
    Launch,
    Let,
    Listed,
    ListMembers,
    Load,
    Once,
    Origin,
    Packing,
    ReadCell,
    ReadSize,
    Ref,
    SetLocal,
    Store,
    UpdateCell,
    Variable,
    WriteCell,
)
from tests.ir.building import NBR, E, V, array, binary, for_neighbors, kernel, module, number, relax

A, B = array("a", Element.INT), array("b", Element.INT)
ARCS = array("x", Element.INT, Extent.ARCS)
FLAGS = Array("flags", Element.BOOL, Extent.NODES, Origin.LOCAL, packed=Packing.SWITCHED)

own_store = kernel(Store(A, Ref(V), number(1)), name="own_store")
own_read = kernel(Store(B, Ref(V), Load(A, Ref(V))), name="own_read")
far_read = kernel(Store(B, Ref(V), number(0)), for_neighbors(Store(B, Ref(V), Load(A, Ref(NBR)))), name="far_read")
far_store = kernel(for_neighbors(UpdateCell(Combine.ADD, A, Ref(NBR), number(1), shared=True)), name="far_store")
of_arcs = kernel(Store(ARCS, Ref(E), number(1)), domain=AllArcs(), iterator=E, name="of_arcs")
arcs_at_nodes = kernel(for_neighbors(Store(ARCS, Ref(E), number(1))), name="arcs_at_nodes")
alone = kernel(Store(A, number(0), number(1)), domain=Once(), iterator=None, name="alone")
EVERYTHING = (own_store, own_read, far_read, far_store, of_arcs, arcs_at_nodes, alone)


def wait(one: Kernel, other: Kernel) -> bool:
    """Whether a launch must wait for one before it."""
    return any(a.disturbs(b) for a in kernel_accesses(one) for b in kernel_accesses(other))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (own_store, own_store, False),
        (own_store, own_read, False),
        (own_store, far_read, True),
        (own_read, far_read, False),
        (far_store, own_read, True),
        (far_store, far_store, True),  # atomic here, but nobody promises that of two launches
        (of_arcs, of_arcs, False),
        (of_arcs, arcs_at_nodes, True),
        (own_store, of_arcs, False),
        (alone, own_read, True),
        (alone, of_arcs, False),
    ],
    ids=lambda value: value.name if isinstance(value, Kernel) else str(value),
)
def test_launches_wait_for_each_other_where_threads_touch_what_others_have(
    one: Kernel, other: Kernel, expected: bool
) -> None:
    assert wait(one, other) is wait(other, one) is expected


def test_fills_and_copies_go_by_the_same_threads() -> None:
    whole = module(*EVERYTHING)
    fill, copy = accesses(Fill(A, number(0)), whole), accesses(CopyArray(B, A), whole)
    launch = accesses(Launch("own_read"), whole)
    assert not any(a.disturbs(b) for a in fill for b in (*copy, *launch))
    assert any(a.disturbs(b) for a in fill for b in accesses(Launch("far_read"), whole))
    assert any(a.disturbs(b) for a in accesses(Fill(ARCS, number(0)), whole)
               for b in accesses(Launch("arcs_at_nodes"), whole))  # fmt: skip


@pytest.mark.parametrize("op", [WriteCell(A, number(0), number(1)), ReadCell(Variable("x", Element.INT), A, number(0))])
def test_single_cells_are_anybodys(op: WriteCell | ReadCell) -> None:
    whole = module(*EVERYTHING)
    assert any(a.disturbs(b) for a in accesses(op, whole) for b in accesses(Launch("own_store"), whole))


def test_neighbors_in_a_packed_array_share_a_word() -> None:
    adds = kernel(Store(FLAGS, Ref(V), binary("==", number(1), number(1))))
    assert all(access.range is None for access in kernel_accesses(adds))
    assert wait(adds, adds)


def test_members_of_a_set_are_whoever_comes_by() -> None:
    walk = kernel(Store(A, Ref(V), number(1)), filter=Load(FLAGS, Ref(V)))
    assert wait(walk, own_read)


def test_several_threads_have_a_node_that_gathers() -> None:
    total, first = Variable("total", Element.INT), Let(Variable("total", Element.INT), number(0))
    more = for_neighbors(SetLocal(total, binary("+", Ref(total), Load(B, Ref(NBR)))))
    gathers = kernel(first, more, Store(ARCS, number(0), Ref(total)), filter=binary("==", Load(A, Ref(V)), number(1)))
    assert not wait(gathers, own_store)
    assert wait(replace(gathers, shares_arcs=True), own_store), "whoever asks for A is not who writes it"


def test_carried_cells_and_locks_are_written() -> None:
    touched = {(access.array.name, access.writes) for access in kernel_accesses(relax())}
    assert {("dist", True), ("modified_next", True), ("modified", False), ("dist", False)} <= touched


def test_a_thread_has_a_place_of_a_list_not_a_node() -> None:
    order, last = array("order", Element.NODE), Variable("last", Element.INT)
    listed = kernel(Store(A, Ref(V), number(1)), domain=Listed(order, number(0), Ref(last)), name="listed")
    appends = kernel(Store(order, Ref(V), Ref(V)), name="appends")
    assert wait(listed, own_read)
    assert wait(listed, appends), "the list itself is read"


def test_the_members_of_a_set_are_listed_before_they_are_taken() -> None:
    order, size = array("order", Element.NODE), Variable("size", Element.INT)
    whole = module(*EVERYTHING)
    takes = kernel_accesses(kernel(taking(FLAGS, V), Store(A, Ref(V), number(1)), filter=Load(FLAGS, Ref(V))))
    walks = kernel_accesses(kernel(Store(A, Ref(V), number(1)), filter=Load(FLAGS, Ref(V))))
    lists = accesses(ListMembers(FLAGS, order, number(0)), whole)
    assert any(a.disturbs(b) for a in lists for b in takes)
    assert not any(a.disturbs(b) for a in lists for b in walks)
    assert not any(a.disturbs(b) for a in accesses(ReadSize(size, FLAGS), whole) for b in takes)


def test_the_members_of_a_listed_set_are_taken_while_others_go_through_them() -> None:
    takes = kernel_accesses(kernel(taking(FLAGS, V), Store(A, Ref(V), number(1)), filter=Load(FLAGS, Ref(V))))
    walks = kernel_accesses(kernel(Store(B, Ref(V), number(1)), filter=Load(FLAGS, Ref(V))))
    asks = kernel_accesses(kernel(for_neighbors(Store(B, Ref(V), Load(FLAGS, Ref(NBR))))))
    assert any(a.disturbs(b) for a in walks for b in takes)
    assert not any(a.disturbs(b, listed=FLAGS) for a in walks for b in takes)
    assert any(a.disturbs(b, listed=FLAGS) for a in asks for b in takes), "who asks for a node looks at its bit"
    whole = {kind: replace(FLAGS, packed=kind) for kind in (Packing.LIST, Packing.BITS, Packing.LAYERS)}
    walked, taken = Access(FLAGS, False, WALKED), Access(FLAGS, True, TAKEN)
    for kind, waits in ((Packing.LIST, False), (Packing.BITS, True), (Packing.LAYERS, True)):
        assert replace(walked, array=whole[kind]).disturbs(replace(taken, array=whole[kind])) is waits


def test_what_only_happens_while_a_list_lacks_members_disturbs_nobody_else() -> None:
    order = array("order", Element.NODE)
    read, written = Access(order, False, None, lacking=FLAGS), Access(order, True, None)
    assert read.disturbs(written)
    assert written.disturbs(read)
    assert not read.disturbs(written, listed=FLAGS)
    assert read.disturbs(written, listed=replace(FLAGS, name="others"))
