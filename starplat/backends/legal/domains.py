"""The loop of threads over the domain of a kernel."""

from dataclasses import replace
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.legal.blocks import is_brief
from starplat.backends.legal.grouped import triangles_by_groups
from starplat.backends.legal.inside import replace_continue
from starplat.backends.legal.operations import Operations
from starplat.backends.legal.shared_arcs import over_arcs
from starplat.ir import build, conditions, nodes as ir
from starplat.ir.shapes.listed import is_there, listed_length, node_in_words
from starplat.ir.shapes.members import Membership, membership
from starplat.ir.shapes.rows_of_arcs import flags_asked


def over_domain(kernel: ir.Kernel, operations: Operations, *, many_rounds: bool = False) -> st.Body:
    """The loop, with what the threads contribute to reductions in locals of their own; with `many_rounds` a thread may
    take many numbers of nodes or arcs."""
    members = membership(kernel)
    if isinstance(kernel.domain, ir.Triangles):
        body = operations.block(kernel.body)
        if not operations.capabilities.shared_arcs:
            return (triangles_by_groups(operations, kernel, kernel.domain, body),)
        body = replace_continue(body, (st.Leave(),))
        return (st.EachTriangle(kernel.domain, kernel.index, body),)
    if kernel.shares_arcs and not operations.capabilities.structured_loops:
        return over_arcs(operations, kernel, members)
    if members is not None:
        return _over_members(operations, kernel, members)
    body = operations.block(kernel.body)
    if many_rounds and (several := _tested_ahead(kernel, operations, body)) is not None:
        return (several,)
    if kernel.filter is not None:
        body = (st.If(conditions.negated(kernel.filter), (st.Continue(),)), *body)
    if isinstance(kernel.domain, ir.Once):
        return _once(body, leaves=not (kernel.reductions or operations.capabilities.structured_loops))
    iterator = kernel.index
    match kernel.domain:
        case ir.AllNodes(first, end) | ir.AllArcs(first, end):
            all_of_them = ir.NumNodes() if isinstance(kernel.domain, ir.AllNodes) else ir.NumArcs()
            return (st.Count(iterator, first or build.ZERO, end or all_of_them, st.Stride.GRID, body),)
        case ir.Workers():
            return (st.Count(iterator, build.ZERO, build.number(ir.WORKERS), st.Stride.GRID, body),)
        case ir.NodeNeighbors(direction, node, position):
            return operations.over_neighbors(direction.layout, node, iterator, position, st.Stride.GRID, body)
        case ir.Listed():
            return _over_list(operations, kernel.domain, iterator, body)
        case ir.InWords():
            return _over_words(operations, kernel.domain, iterator, body)
        case ir.Numbers(count):
            return (st.Count(iterator, build.ZERO, count, st.Stride.GRID, body),)
    assert_never(kernel.domain)


def _tested_ahead(kernel: ir.Kernel, operations: Operations, body: st.Body) -> st.EachKept | None:
    """The loop in which a thread tests several numbers before it works on the first, where the work on one is brief."""
    if not operations.capabilities.shared_arcs or not is_brief(kernel):
        return None
    assert kernel.filter is not None
    end = ir.NumNodes() if isinstance(kernel.domain, ir.AllNodes) else ir.NumArcs()
    return st.EachKept(kernel.index, end, kernel.filter, replace_continue(body, (st.Leave(),)), flags_asked(kernel))


def in_pieces(operations: Operations, body: st.Body) -> st.Body:
    """The loop, last of the statements, of which each thread takes a piece."""
    *before, loop = body
    assert isinstance(loop, st.Count)
    begin, end = (operations.locals.fresh(name, loop.variable.element) for name in ("begin", "end"))
    piece = st.Piece(begin, end, loop.first, loop.end)
    return (*before, piece, replace(loop, first=ir.Ref(begin), end=ir.Ref(end), stride=st.Stride.ONE))


def _over_list(operations: Operations, listed: ir.Listed, iterator: ir.Variable, body: st.Body) -> st.Body:
    """A thread for every place of a list."""
    place = operations.locals.fresh("place", ir.Element.INT)
    node = st.Declare(iterator, ir.Load(listed.array, ir.Ref(place)), iterator not in operations.locals.changing)
    return (st.Count(place, listed.first, listed.last, st.Stride.GRID, (node, *body)),)


def _over_words(operations: Operations, words: ir.InWords, iterator: ir.Variable, body: st.Body) -> st.Body:
    """A thread for every bit of listed words."""
    place = operations.locals.fresh("place", ir.Element.INT)
    node = st.Declare(iterator, node_in_words(words, place), iterator not in operations.locals.changing)
    beyond = st.If(conditions.negated(is_there(iterator)), (st.Continue(),))
    return (st.Count(place, build.ZERO, listed_length(words), st.Stride.GRID, (node, beyond, *body)),)


def _over_members(operations: Operations, kernel: ir.Kernel, members: Membership) -> st.Body:
    """A thread for every member of a set."""
    body = operations.block(members.body)
    if members.keep is not None:
        body = (st.If(conditions.negated(members.keep), (st.Continue(),)), *body)
    body = replace_continue(body, (st.Leave(),))
    return (st.EachMember(members.members, members.takes, kernel.index, body),)


def _once(body: st.Body, leaves: bool) -> st.Body:
    """The body of a kernel that one thread runs; to go on with the next iteration is to be done."""
    if leaves:
        return replace_continue(body, (st.Leave(),))
    if replace_continue(body, ()) != body:
        return (st.While(build.FALSE, body, test_last=True),)
    return body
