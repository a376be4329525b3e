"""Lists that threads add to: with OpenMP each thread gathers many members before it takes places for them."""

from __future__ import annotations

import numpy as np
import pytest

import starplat
from starplat.backends import BACKENDS, statements as st
from starplat.backends.legal import additions
from starplat.backends.scheduled import for_target
from starplat.graph import Graph
from starplat.ir import build, nodes as ir
from starplat.schedule import AUTO
from tests.backends.modules import SSSP_TEXT, V, module_of, node_array, over_nodes, variable

MEMBERS, OTHERS = node_array("members", ir.Element.NODE), node_array("others", ir.Element.NODE)
SIZE = ir.Array("size", ir.Element.INT, ir.Extent.ONE, ir.Origin.TEMPORARY)
PLACE = variable("place")
TAKEN: st.Body = (
    st.FetchCell(PLACE, ir.Combine.ADD, SIZE, build.ZERO, build.ONE, declares=True, constant=True),
    st.StoreCell(MEMBERS, ir.Ref(PLACE), ir.Ref(V)),
)


def gathered(body: st.Body) -> tuple[st.Gathered, ...]:
    """What threads gather in a loop over all nodes with this body."""
    loop = st.Count(V, build.ZERO, ir.NumNodes(), st.Stride.ONE, body)
    module = module_of(over_nodes((), ()))
    (shared,) = additions.in_loops((st.SharedLoop(loop, (), (), uneven=False),), module, lambda _: None)
    assert isinstance(shared, st.SharedLoop)
    assert bool(shared.lists) == any(isinstance(one, st.Append) for one in shared.loop.body)
    return shared.lists


def test_a_thread_gathers_what_is_put_at_the_end_of_a_list() -> None:
    (found,) = gathered(TAKEN)
    assert (found.array.name, found.members, found.size) == ("to_members", MEMBERS, SIZE)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param(st.StoreCell(OTHERS, ir.Ref(V), ir.Load(SIZE, build.ZERO)), id="its length is asked for"),
        pytest.param(st.StoreCell(OTHERS, ir.Ref(V), ir.Ref(PLACE)), id="the place is told"),
    ],
)
def test_members_have_their_place_at_once_where_something_looks_at_it(more: st.Statement) -> None:
    assert not gathered((*TAKEN, more))
    assert not gathered((TAKEN[0], more, TAKEN[1]))


def test_places_are_taken_for_many_and_by_one_thread_at_once() -> None:
    text = BACKENDS["openmp"].kernels_text(for_target(starplat.compile(SSSP_TEXT).module(), "openmp", AUTO, None))
    enlist, alone = text.split("static void enlist")[1:3]
    assert "list.add(node);" in enlist
    assert "list[*size] = node;" in alone
    assert "Additions to_modified_next_list(modified_next_list, modified_next_size);" in text
    assert "enlist(nbr, modified_next_bits, to_modified_next_list);" in text
    assert "enlist_alone(src, " in text


def rays(count: int) -> Graph:
    """Node 0 has so many neighbors, and each of these one more."""
    inner = 1 + np.arange(count)
    arcs = np.concatenate([np.zeros(count, int), inner]), np.concatenate([inner, inner + count])
    return Graph.from_arcs(2 * count + 1, *arcs).undirected()


@pytest.mark.parametrize("count", [1001, 1152, 3000])
@pytest.mark.parametrize("program", ["bfs_levels", "betweenness", "sssp", "k_core"])
def test_no_member_is_lost_or_twice_in_a_list(program: str, count: int) -> None:
    graph = rays(count)
    level = np.repeat([0, 1, 2], [1, count, count])
    if program == "sssp":
        graph = graph.with_weights(np.ones(graph.num_arcs, np.int32))
    if program == "k_core":
        assert (starplat.compile(program).run(graph, target="openmp")["core"] == 1).all()
    elif program == "betweenness":
        bc = starplat.compile(program).run(graph, target="openmp", sources=[0])["bc"]
        assert bc.tolist() == (level == 1).tolist()
    else:
        found = starplat.compile(program).run(graph, target="openmp", src=0)
        assert np.array_equal(found["dist" if program == "sssp" else "level"], level)
