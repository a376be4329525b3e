"""Statements of kernels whose arcs a group shares, for targets without warps.

One loop goes over arcs and has whose they are from the group's memory, so that what is done to an arc stands in the
kernel once.
"""

from collections.abc import Iterable
from functools import partial

from starplat.backends import statements as st
from starplat.backends.legal import inside
from starplat.backends.legal.inside import without_unread
from starplat.backends.legal.operations import Operations
from starplat.ir import build, nodes as ir
from starplat.ir.python.arithmetic import identity
from starplat.ir.rewriter import Renamer
from starplat.ir.shapes.collecting import Collecting, collecting
from starplat.ir.shapes.gathering import Gathering, gathering, giving
from starplat.ir.shapes.searching import Asking, asking


def by_groups(operations: Operations, kernel: ir.Kernel) -> st.GroupLoop:
    """The kernel's loop over its nodes, all of them or listed ones, or over their words."""
    if (collects := collecting(kernel)) is not None:
        return _collect(operations, kernel, collects)
    if (asks := asking(kernel)) is not None:
        return _ask(operations, kernel, asks)
    gathers = gathering(kernel)
    return _advance(operations, kernel) if gathers is None else _gather(operations, kernel, gathers)


def triangles_by_groups(
    operations: Operations, kernel: ir.Kernel, triangles: ir.Triangles, body: st.Body
) -> st.GroupTriangles:
    """The loop over triangles that groups find by tables in their memory."""
    fresh = operations.locals.fresh
    return st.GroupTriangles(
        row_expansion(operations, kernel, ir.CSR.offsets),
        kernel.index,
        triangles,
        tables=fresh("tables", ir.Element.INT),
        start=fresh("from", ir.Element.ARC),
        stop=fresh("to", ir.Element.ARC),
        arc=fresh("arc", ir.Element.ARC),
        which=fresh("which", ir.Element.INT),
        body=body,
    )


def _advance(operations: Operations, kernel: ir.Kernel) -> st.GroupAdvance:
    *ahead, loop = kernel.body
    assert isinstance(loop, ir.ForNeighbors)
    body = operations.along(loop, operations.block(loop.body))
    body = (*operations.block(repeated(ahead)), *body)
    return st.GroupAdvance(
        row_expansion(operations, kernel, loop.layout.offsets),
        kernel.index,
        loop.position,
        visited(operations, tuple(ahead)),
        body,
    )


def _gather(operations: Operations, kernel: ir.Kernel, parts: Gathering) -> st.GroupGather:
    loop, total, nothing = parts.loop, parts.total, identity(parts.combine, parts.total.element)
    ahead, value = operations.block(parts.ahead), operations.locals.fresh("value", total.element)
    given = operations.block(giving(loop.body, total, partial(ir.SetLocal, value)))
    if isinstance(last := given[-1], st.Assign) and last.variable == value:
        given = (*given[:-1], st.Declare(value, last.value, constant=True))
    else:
        given = (st.Declare(value, nothing, constant=False), *given)
    given = (*ahead, *operations.along(loop, given))
    found, begin = begun(operations, parts)
    finish = (*ahead, *begin, *operations.block(parts.rest))
    return st.GroupGather(
        row_expansion(operations, kernel, loop.layout.offsets),
        kernel.index,
        loop.position,
        combine=parts.combine,
        start=nothing,
        value=value,
        body=given,
        values=operations.locals.fresh("values", total.element),
        first=operations.locals.fresh("from", ir.Element.ARC),
        end=operations.locals.fresh("to", ir.Element.ARC),
        joined=operations.locals.fresh("joined", total.element),
        total=found,
        finish=inside.without_unread(finish),
    )


def _ask(operations: Operations, kernel: ir.Kernel, parts: Asking) -> st.GroupAsk:
    fresh, ahead, answer = operations.locals.fresh, operations.block(parts.ahead), parts.answer
    body = operations.along(parts.loop, (*operations.block(parts.of_arc), st.Leave(parts.condition)))
    asked = inside.without_unread((*ahead, *body))
    begin: st.Body = ()
    if parts.otherwise:
        answer = fresh(f"not_{answer.name}", ir.Element.BOOL)
        begin = (st.Declare(parts.answer, build.denied(ir.Ref(answer)), constant=False),)
    return st.GroupAsk(
        row_expansion(operations, kernel, parts.loop.layout.offsets),
        kernel.index,
        parts.loop.position,
        body=asked[:-1],
        condition=parts.condition,
        stretch=_stretch(operations),
        passing=fresh("passing", ir.Element.INT),
        answer=answer,
        finish=inside.without_unread((*ahead, *begin, *operations.block(parts.rest))),
    )


def _collect(operations: Operations, kernel: ir.Kernel, parts: Collecting) -> st.GroupCollect:
    assert isinstance(kernel.domain, ir.Numbers)
    fresh, loop, ahead = operations.locals.fresh, parts.loop, operations.block(parts.ahead)
    offers = ir.KernelIf(parts.condition, tuple(ir.SetLocal(word.found, word.value) for word in parts.words), ())
    *body, offering = (*ahead, *operations.along(loop, operations.block((offers,))))
    assert isinstance(offering, st.If)
    return st.GroupCollect(
        row_expansion(operations, kernel, loop.layout.offsets),
        kernel.index,
        loop.position,
        size=kernel.domain.count,
        ahead=ahead,
        row=loop.node,
        wanted=tuple(word.wanted for word in parts.words),
        body=without_unread((*body, offering))[:-1],
        condition=parts.condition,
        offered=tuple((fresh("offered", ir.Element.LONG), word.value) for word in parts.words),
        stretch=_stretch(operations),
        lacking=fresh("lacking", ir.Element.INT),
        complete=fresh("complete", ir.Element.BOOL),
        found=tuple(word.found for word in parts.words),
        finish=operations.block(parts.taken),
    )


def _stretch(operations: Operations) -> st.Stretch:
    return st.Stretch(*(operations.locals.fresh(name, ir.Element.ARC) for name in ("arc", "end", "most", "stop")))


def begun(operations: Operations, parts: Gathering) -> tuple[ir.Variable, st.Body]:
    """The local that holds what comes of the arcs, and the statements that add it to the first value, unless that is
    nothing."""
    total = parts.total
    if parts.first == identity(parts.combine, total.element):
        return total, ()
    found = operations.locals.fresh(f"{total.name}_of_arcs", total.element)
    taken = st.Declare(total, parts.first, constant=False)
    return found, (taken, st.Accumulate(total, parts.combine, ir.Ref(found)))


def row_expansion(operations: Operations, kernel: ir.Kernel, rows: ir.Array) -> st.RowExpansion:
    """The names of the rows that a group brings."""
    node = operations.locals.fresh("brought", ir.Element.NODE)
    keep = None if kernel.filter is None else Renamer({kernel.index: node}).expression(kernel.filter)
    return st.RowExpansion(
        rows,
        kernel.domain if isinstance(kernel.domain, ir.Listed | ir.InWords) else None,
        keep,
        node,
        memory=operations.locals.fresh("rows", ir.Element.INT),
        size=operations.locals.fresh("listed_count", ir.Element.INT),
        begin=operations.locals.fresh("begin", ir.Element.INT),
        groups=operations.locals.fresh("groups", ir.Element.INT),
        count=operations.locals.fresh("count", ir.Element.ARC),
        place=operations.locals.fresh("place", ir.Element.ARC),
        owner=operations.locals.fresh("owner", ir.Element.INT),
    )


def repeated(ahead: Iterable[ir.KernelOp]) -> tuple[ir.KernelOp, ...]:
    """The operations ahead of a loop over arcs that are evaluated again for every arc."""
    return tuple(op for op in ahead if isinstance(op, ir.Let))


def visited(operations: Operations, ahead: tuple[ir.KernelOp, ...]) -> st.Body:
    """The operations on a node that are not evaluated per arc."""
    return () if repeated(ahead) == ahead else without_unread(operations.block(ahead))
