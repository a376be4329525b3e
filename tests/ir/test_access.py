"""Which cells a launch touches, and by which threads: own cells need no wait between launches, all others do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from starplat.ir import nodes as ir
from starplat.ir.access import TAKEN, WALKED, Access, accesses, kernel_accesses
from starplat.ir.shapes.members import taking
from tests.ir.building import NBR, E, V, array, binary, for_neighbors, kernel, module, number, relax

A, B = array("a", ir.Element.INT), array("b", ir.Element.INT)
ARCS = array("x", ir.Element.INT, ir.Extent.ARCS)
FLAGS = ir.Array("flags", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.LOCAL, packed=ir.Packing.SWITCHED)

own_store = kernel(ir.Store(A, ir.Ref(V), number(1)), name="own_store")
own_read = kernel(ir.Store(B, ir.Ref(V), ir.Load(A, ir.Ref(V))), name="own_read")
far_read = kernel(
    ir.Store(B, ir.Ref(V), number(0)), for_neighbors(ir.Store(B, ir.Ref(V), ir.Load(A, ir.Ref(NBR)))), name="far_read"
)
far_store = kernel(
    for_neighbors(ir.UpdateCell(ir.Combine.ADD, A, ir.Ref(NBR), number(1), shared=True)), name="far_store"
)
of_arcs = kernel(ir.Store(ARCS, ir.Ref(E), number(1)), domain=ir.AllArcs(), iterator=E, name="of_arcs")
arcs_at_nodes = kernel(for_neighbors(ir.Store(ARCS, ir.Ref(E), number(1))), name="arcs_at_nodes")
alone = kernel(ir.Store(A, number(0), number(1)), domain=ir.Once(), iterator=None, name="alone")
EVERYTHING = (own_store, own_read, far_read, far_store, of_arcs, arcs_at_nodes, alone)


def wait(one: ir.Kernel, other: ir.Kernel) -> bool:
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
    ids=lambda value: value.name if isinstance(value, ir.Kernel) else str(value),
)
def test_launches_wait_for_each_other_where_threads_touch_what_others_have(
    one: ir.Kernel, other: ir.Kernel, expected: bool
) -> None:
    assert wait(one, other) is wait(other, one) is expected


def test_fills_and_copies_go_by_the_same_threads() -> None:
    whole = module(*EVERYTHING)
    fill, copy = accesses(ir.Fill(A, number(0)), whole), accesses(ir.CopyArray(B, A), whole)
    launch = accesses(ir.Launch("own_read"), whole)
    assert not any(a.disturbs(b) for a in fill for b in (*copy, *launch))
    assert any(a.disturbs(b) for a in fill for b in accesses(ir.Launch("far_read"), whole))
    assert any(a.disturbs(b) for a in accesses(ir.Fill(ARCS, number(0)), whole)
               for b in accesses(ir.Launch("arcs_at_nodes"), whole))  # fmt: skip


@pytest.mark.parametrize(
    "op", [ir.WriteCell(A, number(0), number(1)), ir.ReadCell(ir.Variable("x", ir.Element.INT), A, number(0))]
)
def test_single_cells_are_anybodys(op: ir.WriteCell | ir.ReadCell) -> None:
    whole = module(*EVERYTHING)
    assert any(a.disturbs(b) for a in accesses(op, whole) for b in accesses(ir.Launch("own_store"), whole))


def test_neighbors_in_a_packed_array_share_a_word() -> None:
    adds = kernel(ir.Store(FLAGS, ir.Ref(V), binary("==", number(1), number(1))))
    assert all(access.range is None for access in kernel_accesses(adds))
    assert wait(adds, adds)


def test_members_of_a_set_are_whoever_comes_by() -> None:
    walk = kernel(ir.Store(A, ir.Ref(V), number(1)), filter=ir.Load(FLAGS, ir.Ref(V)))
    assert wait(walk, own_read)


def test_several_threads_have_a_node_that_gathers() -> None:
    total, first = ir.Variable("total", ir.Element.INT), ir.Let(ir.Variable("total", ir.Element.INT), number(0))
    more = for_neighbors(ir.SetLocal(total, binary("+", ir.Ref(total), ir.Load(B, ir.Ref(NBR)))))
    gathers = kernel(
        first, more, ir.Store(ARCS, number(0), ir.Ref(total)), filter=binary("==", ir.Load(A, ir.Ref(V)), number(1))
    )
    assert not wait(gathers, own_store)
    assert wait(replace(gathers, shares_arcs=True), own_store), "whoever asks for A is not who writes it"


def test_carried_cells_and_locks_are_written() -> None:
    touched = {(access.array.name, access.writes) for access in kernel_accesses(relax())}
    assert {("dist", True), ("modified_next", True), ("modified", False), ("dist", False)} <= touched


def test_a_thread_has_a_place_of_a_list_not_a_node() -> None:
    order, last = array("order", ir.Element.NODE), ir.Variable("last", ir.Element.INT)
    listed = kernel(ir.Store(A, ir.Ref(V), number(1)), domain=ir.Listed(order, number(0), ir.Ref(last)), name="listed")
    appends = kernel(ir.Store(order, ir.Ref(V), ir.Ref(V)), name="appends")
    assert wait(listed, own_read)
    assert wait(listed, appends), "the list itself is read"


def test_the_members_of_a_set_are_listed_before_they_are_taken() -> None:
    order, size = array("order", ir.Element.NODE), ir.Variable("size", ir.Element.INT)
    whole = module(*EVERYTHING)
    takes = kernel_accesses(
        kernel(taking(FLAGS, V), ir.Store(A, ir.Ref(V), number(1)), filter=ir.Load(FLAGS, ir.Ref(V)))
    )
    walks = kernel_accesses(kernel(ir.Store(A, ir.Ref(V), number(1)), filter=ir.Load(FLAGS, ir.Ref(V))))
    lists = accesses(ir.ListMembers(FLAGS, order, number(0)), whole)
    assert any(a.disturbs(b) for a in lists for b in takes)
    assert not any(a.disturbs(b) for a in lists for b in walks)
    assert not any(a.disturbs(b) for a in accesses(ir.ReadSize(size, FLAGS), whole) for b in takes)


def test_the_members_of_a_listed_set_are_taken_while_others_go_through_them() -> None:
    takes = kernel_accesses(
        kernel(taking(FLAGS, V), ir.Store(A, ir.Ref(V), number(1)), filter=ir.Load(FLAGS, ir.Ref(V)))
    )
    walks = kernel_accesses(kernel(ir.Store(B, ir.Ref(V), number(1)), filter=ir.Load(FLAGS, ir.Ref(V))))
    asks = kernel_accesses(kernel(for_neighbors(ir.Store(B, ir.Ref(V), ir.Load(FLAGS, ir.Ref(NBR))))))
    assert any(a.disturbs(b) for a in walks for b in takes)
    assert not any(a.disturbs(b, listed=FLAGS) for a in walks for b in takes)
    assert any(a.disturbs(b, listed=FLAGS) for a in asks for b in takes), "who asks for a node looks at its bit"
    whole = {kind: replace(FLAGS, packed=kind) for kind in (ir.Packing.LIST, ir.Packing.BITS, ir.Packing.LAYERS)}
    walked, taken = Access(FLAGS, False, WALKED), Access(FLAGS, True, TAKEN)
    for kind, waits in ((ir.Packing.LIST, False), (ir.Packing.BITS, True), (ir.Packing.LAYERS, True)):
        assert replace(walked, array=whole[kind]).disturbs(replace(taken, array=whole[kind])) is waits


def test_what_only_happens_while_a_list_lacks_members_disturbs_nobody_else() -> None:
    order = array("order", ir.Element.NODE)
    read, written = Access(order, False, None, lacking=FLAGS), Access(order, True, None)
    assert read.disturbs(written)
    assert written.disturbs(read)
    assert not read.disturbs(written, listed=FLAGS)
    assert read.disturbs(written, listed=replace(FLAGS, name="others"))
