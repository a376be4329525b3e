"""Statements of kernels whose groups add up the arcs of nodes in maps that they share."""

from starplat.backends import statements as st
from starplat.backends.legal import inside
from starplat.backends.legal.operations import Operations
from starplat.ir import build, nodes as ir, rewriter
from starplat.ir.shapes.histograms import Histogram

_NOTHING = st.AddToMap(ir.Const(-1, ir.Element.INT), ir.Const(0, ir.Element.INT))


def count_rows(operations: Operations, kernel: ir.Kernel, parts: Histogram) -> st.CountRows:
    """The sums of all nodes' rows by key, and the work on each node's best key."""
    ahead, loop = operations.block(parts.ahead), parts.loop
    body = _adding(operations.block(loop.body))
    if not isinstance(body[-1], st.AddToMap):
        body = (*body, _NOTHING)
    if isinstance(loop, ir.ForNeighbors):
        place = operations.locals.fresh("place", ir.Element.ARC)
        position = build.plus(loop.layout.first(ir.Ref(kernel.index)), ir.Ref(place))
        body = operations.along(loop, body)
        body = (st.Declare(loop.position, position, constant=True), *body)
    else:
        place = loop.variable
    best, rest = _named(operations, parts)
    return st.CountRows(
        kernel.index,
        kernel.filter,
        parts.keys,
        parts.sums,
        first=parts.first,
        place=place,
        body=inside.without_unread((*ahead, *body)),
        best=best,
        finish=inside.replace_continue(inside.without_unread((*ahead, *operations.block(rest))), (st.Leave(),)),
    )


def _named(operations: Operations, parts: Histogram) -> tuple[ir.Variable, tuple[ir.KernelOp, ...]]:
    """The best key under a name, and the rest, which says that name; a local that only takes it gives its own."""
    match parts.rest[0]:
        case ir.Let(variable, value) if value == parts.best and variable not in operations.locals.changing:
            return variable, _Best(parts.best, variable).kernel_block(parts.rest[1:])
        case _:
            variable = operations.locals.fresh("best", ir.Element.INT)
            return variable, _Best(parts.best, variable).kernel_block(parts.rest)


class _Best(rewriter.Rewriter):
    """Says a name for the question for the best key."""

    def __init__(self, asked: ir.CallFunction, name: ir.Variable) -> None:
        self.asked, self.name = asked, name

    def expression(self, expression: ir.Expression) -> ir.Expression:
        return ir.Ref(self.name) if expression == self.asked else self.rebuild(expression)


def _adding(body: st.Body) -> st.Body:
    """The statements, of which the last returns what is added to the row's map."""
    *before, last = body
    match last:
        case st.Call(call):
            key, value = call.arguments[4:]
            assert not isinstance(key, ir.Array | ir.Variable)
            assert not isinstance(value, ir.Array | ir.Variable)
            return (*before, st.AddToMap(key, value))
        case st.If(condition, then):
            return (*before, st.If(condition, _adding(then)))
    raise AssertionError("the loop does not add to a map")
