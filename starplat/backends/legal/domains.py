"""Which loop of threads goes over the domain of a kernel."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from starplat.backends.c.negation import negated
from starplat.backends.legal.continues import has_continue, replace_continue
from starplat.backends.legal.operations import Operations
from starplat.backends.legal.shared_arcs import over_arcs
from starplat.backends.statements import Body, Continue, Count, Declare, EachMember, If, Leave, Piece, Stride, While
from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.shapes.listed import is_there, listed_length, node_in_words
from starplat.ir.shapes.members import Membership, membership


def over_domain(kernel: ir.Kernel, operations: Operations) -> Body:
    """The loop, with what the threads contribute to reductions in locals of their own."""
    members = membership(kernel)
    if kernel.shares_arcs and not operations.capabilities.structured_loops:
        return over_arcs(operations, kernel, members)
    if members is not None:
        return _over_members(operations, kernel, members)
    body = operations.block(kernel.body)
    if kernel.filter is not None:
        body = (If(negated(kernel.filter), (Continue(),)), *body)
    iterator = kernel.iterator
    match kernel.domain:
        case ir.AllNodes() | ir.AllArcs():
            assert iterator is not None
            end = ir.NumNodes() if isinstance(kernel.domain, ir.AllNodes) else ir.NumArcs()
            return (Count(iterator, build.ZERO, end, Stride.GRID, body),)
        case ir.Workers():
            assert iterator is not None
            return (Count(iterator, build.ZERO, build.number(ir.WORKERS), Stride.GRID, body),)
        case ir.NodeNeighbors(direction, node, position):
            assert iterator is not None
            return operations.over_neighbors(direction, node, iterator, position, Stride.GRID, body)
        case ir.Listed():
            assert iterator is not None
            return _over_list(operations, kernel.domain, iterator, body)
        case ir.InWords():
            assert iterator is not None
            return _over_words(operations, kernel.domain, iterator, body)
        case ir.Numbers(count):
            assert iterator is not None
            return (Count(iterator, build.ZERO, count, Stride.GRID, body),)
        case ir.Once():
            return _once(body, leaves=not (kernel.reductions or operations.capabilities.structured_loops))
    assert_never(kernel.domain)


def in_pieces(operations: Operations, body: Body) -> Body:
    """The loop, last of the statements, of which each thread takes a piece."""
    *before, loop = body
    assert isinstance(loop, Count)
    begin, end = (operations.locals.fresh(name, loop.variable.element) for name in ("begin", "end"))
    piece = Piece(begin, end, loop.first, loop.end)
    return (*before, piece, replace(loop, first=ir.Ref(begin), end=ir.Ref(end), stride=Stride.ONE))


def _over_list(operations: Operations, listed: ir.Listed, iterator: ir.Variable, body: Body) -> Body:
    """A thread for every place of a list."""
    place = operations.locals.fresh("place", ir.Element.INT)
    node = Declare(iterator, ir.Load(listed.array, ir.Ref(place)), iterator not in operations.locals.changing)
    return (Count(place, listed.first, listed.last, Stride.GRID, (node, *body)),)


def _over_words(operations: Operations, words: ir.InWords, iterator: ir.Variable, body: Body) -> Body:
    """A thread for every bit of listed words."""
    place = operations.locals.fresh("place", ir.Element.INT)
    node = Declare(iterator, node_in_words(words, place), iterator not in operations.locals.changing)
    beyond = If(negated(is_there(iterator)), (Continue(),))
    return (Count(place, build.ZERO, listed_length(words), Stride.GRID, (node, beyond, *body)),)


def _over_members(operations: Operations, kernel: ir.Kernel, members: Membership) -> Body:
    """A thread for every member of a set."""
    assert kernel.iterator is not None
    body = operations.block(members.body)
    if members.keep is not None:
        body = (If(negated(members.keep), (Continue(),)), *body)
    body = replace_continue(body, (Leave(),))
    return (EachMember(members.members, members.takes, kernel.iterator, body),)


def _once(body: Body, leaves: bool) -> Body:
    """The body of a kernel that one thread runs; to go on with the next iteration is to be done."""
    if leaves:
        return replace_continue(body, (Leave(),))
    if has_continue(body):
        return (While(build.FALSE, body, test_last=True),)
    return body
