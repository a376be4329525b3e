"""The points that a traced run records: rounds of loops, kernel launches, fills.

The emitter of recording code and the reader of records count the points of a host program the same way. Also here: the
active nodes of a kernel, and the arcs at them that it walks.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from starplat.ir import nodes as ir
from starplat.ir.visitor import blocks_of, walk_host, walk_kernel
from starplat.source import NOWHERE, Span


class Event(Enum):
    """The kinds of points."""

    ROUND = "a round begins"
    END = "a loop is over"
    WALK = "a kernel begins"
    FILL = "an array is filled or copied"


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """`span` is the loop's or the kernel's place in the program. For a kernel that looks for members in place of
    another that walks them, `instead_of` is the choice between them."""

    event: Event
    op: ir.HostOp
    span: Span
    kernel: str = ""
    instead_of: ir.Launch | None = None


def points_of(body: Iterable[ir.HostOp], module: ir.Module) -> tuple[Point, ...]:
    """All points of the operations, loops before what is in them."""
    return tuple(_points(body, module, NOWHERE, None))


def _points(body: Iterable[ir.HostOp], module: ir.Module, span: Span, either: ir.Launch | None) -> Iterator[Point]:
    ops = tuple(body)
    several = sum(isinstance(op, ir.HostLoop) for op in ops) > 1  # one piece of the program has become several loops
    for op in ops:
        match op:
            case ir.Launch(kernel, _, pull):
                yield Point(Event.WALK, op, module.kernel(kernel).span, kernel, either)
                yield from _points(pull, module, span, op)
            case ir.Fill() | ir.CopyArray():
                yield Point(Event.FILL, op, span)
            case ir.HostBlock():
                yield from _points(op.body, module, span if op.span == NOWHERE else op.span, either)
            case _:
                if isinstance(op, ir.HostLoop):
                    place = _first_launch(op, module) if several or span == NOWHERE else span
                    yield from (Point(Event.ROUND, op, place), Point(Event.END, op, place))
                for block in blocks_of(op):
                    yield from _points(block, module, span, either)


def _first_launch(loop: ir.HostOp, module: ir.Module) -> Span:
    """Where the first kernel of a loop stands in the program."""
    return next((module.kernel(op.kernel).span for op in walk_host((loop,)) if isinstance(op, ir.Launch)), NOWHERE)


class Way(Enum):
    """The direction in which a kernel moves values along arcs."""

    PUSH = "push"  # from a node to its neighbors
    PULL = "pull"  # from its neighbors to a node
    NONE = "-"


def arcs_walked(kernel: ir.Kernel) -> ir.ForNeighbors | ir.NodeNeighbors | None:
    """Where a kernel goes through the arcs at its own nodes, first."""
    if isinstance(kernel.domain, ir.NodeNeighbors):
        return kernel.domain
    if kernel.iterator is None:
        return None
    own = kernel.own
    return next((op for op in walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors) and op.node == own), None)


def rows_of(kernel: ir.Kernel) -> ir.Array | None:
    """The offsets of the arcs that a kernel walks at each of its nodes."""
    walked = arcs_walked(kernel)
    return None if walked is None else walked.direction.layout.offsets


def way_of(kernel: ir.Kernel) -> Way:
    """Push if a cell of another node is written on the way along arcs, else pull; the next place of a list belongs to
    no node."""
    if not isinstance(walked := arcs_walked(kernel), ir.ForNeighbors):
        return Way.NONE
    written = (op for op in walk_kernel(walked.body) if isinstance(op, ir.Store | ir.UpdateCell | ir.ExtremeCell))
    own = {kernel.iterator, *(op.variable for op in walk_kernel(walked.body) if isinstance(op, ir.FetchAdd))}
    pushes = any(not isinstance(op.index, ir.Ref) or op.index.variable not in own for op in written)
    return Way.PUSH if pushes else Way.PULL


def pushing_rows(either: ir.Launch, module: ir.Module) -> ir.Array | None:
    """The offsets of the arcs at the members that the kernel which pushes walks."""
    return rows_of(module.kernel(either.kernel))
