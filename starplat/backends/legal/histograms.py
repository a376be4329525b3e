"""Statements of kernels whose groups add up the arcs of nodes in maps that they share."""

from collections.abc import Callable

from starplat.backends import statements as st
from starplat.backends.legal import grouped, inside
from starplat.backends.legal.operations import Operations
from starplat.ir import build, nodes as ir, rewriter
from starplat.ir.shapes.histograms import Histogram

_NOTHING = st.AddToMap(ir.Const(-1, ir.Element.INT), ir.Const(0, ir.Element.INT))


_Making = Callable[[ir.Expression, ir.Expression], st.Statement]


def count_rows(operations: Operations, kernel: ir.Kernel, parts: Histogram) -> st.CountRows:
    """The sums of all nodes' rows by key, and the work on each node's best key."""
    place, body = _of_places(operations, kernel, parts, st.AddToMap)
    if not isinstance(body[-1], st.AddToMap):
        body = (*body, _NOTHING)
    best, finish = _finishing(operations, parts)
    return st.CountRows(
        kernel.index,
        kernel.filter,
        parts.keys,
        parts.sums,
        first=parts.first,
        place=place,
        body=inside.without_unread(body),
        best=best,
        finish=inside.replace_continue(finish, (st.Leave(),)),
    )


def count_by_groups(operations: Operations, kernel: ir.Kernel, parts: Histogram) -> st.GroupCount:
    """The same for targets without warps."""
    fresh, brought = operations.locals.fresh, grouped.row_expansion(operations, kernel, ir.CSR.offsets)
    maps = st.GroupMaps(
        brought,
        parts.keys,
        parts.sums,
        maps=fresh("maps", ir.Element.INT),
        start=fresh("from", ir.Element.ARC),
        stop=fresh("to", ir.Element.ARC),
        longer=fresh("longer", ir.Element.NODE),
        window=fresh("window", ir.Element.LONG),
    )
    place, body = _of_places(operations, kernel, parts, lambda key, value: st.CountKey(maps, key, value))
    body = inside.without_unread(body)
    best, finish = _finishing(operations, parts)
    few_keys, few_sums = fresh("few_keys", ir.Element.INT), fresh("few_sums", ir.Element.INT)
    node = ir.Ref(brought.node)
    arcs = build.minus(_of(build.plus(node, build.ONE), kernel, parts.first), _of(node, kernel, parts.first))
    length = ir.Select(build.less(node, build.ZERO), ir.Const(0, arcs.element), arcs)
    return st.GroupCount(
        maps,
        kernel.index,
        place,
        first=_of(ir.Ref(maps.longer), kernel, parts.first),
        length=st.Declare(fresh("arcs", ir.Element.ARC), length, constant=True),
        body=body,
        few_keys=few_keys,
        few_sums=few_sums,
        of_few=_kept(body, lambda count: st.KeepKey(few_keys, few_sums, place, count.key, count.value)),
        best=best,
        finish=finish,
    )


def _kept(body: st.Body, made: Callable[[st.CountKey], st.KeepKey]) -> st.Body:
    """The statements, of which one keeps a key in place of counting it."""
    return tuple(
        made(one) if isinstance(one, st.CountKey) else inside.with_blocks(one, lambda block: _kept(block, made))
        for one in body
    )


def _of(node: ir.Expression, kernel: ir.Kernel, value: ir.Expression) -> ir.Expression:
    """A value of another node than the kernel's own."""
    return rewriter.map_expression(lambda e: node if e == ir.Ref(kernel.index) else e, value)


def _of_places(
    operations: Operations, kernel: ir.Kernel, parts: Histogram, made: _Making
) -> tuple[ir.Variable, st.Body]:
    """What is done for a place of a row: it ends with what is made of a key and a value."""
    loop, body = parts.loop, _adding(operations.block(parts.loop.body), made)
    if isinstance(loop, ir.ForNeighbors):
        place = operations.locals.fresh("place", ir.Element.ARC)
        position = build.plus(loop.layout.first(ir.Ref(kernel.index)), ir.Ref(place))
        body = operations.along(loop, body)
        body = (st.Declare(loop.position, position, constant=True), *body)
    else:
        place = loop.variable
    return place, (*operations.block(parts.ahead), *body)


def _finishing(operations: Operations, parts: Histogram) -> tuple[ir.Variable, st.Body]:
    """The best key under a name, and the work on it."""
    best, rest = _named(operations, parts)
    return best, inside.without_unread((*operations.block(parts.ahead), *operations.block(rest)))


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


def _adding(body: st.Body, made: _Making) -> st.Body:
    """The statements, of which the last is what is made of what is added to the row's map."""
    *before, last = body
    match last:
        case st.Call(call):
            key, value = call.arguments[4:]
            assert not isinstance(key, ir.Array | ir.Variable)
            assert not isinstance(value, ir.Array | ir.Variable)
            return (*before, made(key, value))
        case st.If(condition, then):
            return (*before, st.If(condition, _adding(then, made)))
    raise AssertionError("the loop does not add to a map")
