"""The records of a traced persistent kernel: rounds, loop ends, kernels, fills.

Nodes are counted where their number is unknown before. They are counted as the kernel that follows walks them, so that
no barrier is needed between; where that kernel changes what its filter reads, one is.
"""

from dataclasses import replace
from typing import assert_never

from starplat.backends import statements as st
from starplat.ir import nodes as ir, points, visitor
from starplat.ir.shapes.members import membership
from starplat.same import Same


class Points:
    """The points of one operation; without effect if it is not traced."""

    def __init__(self, op: ir.OnDevice, module: ir.Module) -> None:
        self.module = module
        self.points = points.points_of(op.body, module) if op.traced else ()
        self.numbers = {(point.event, Same(point.op)): number for number, point in enumerate(self.points)}

    def in_loop(self, op: ir.HostOp, body: st.Body) -> st.Body:
        """The statements of a loop, whose rounds are noted, and its end."""
        if (points.Event.ROUND, Same(op)) not in self.numbers:
            return body
        return (*(self._in_statement(op, statement) for statement in body), *self.over(op))

    def _in_statement(self, op: ir.HostOp, statement: st.Statement) -> st.Statement:
        match statement:
            case st.While(_, body):
                head = _head(op, body)
                return replace(statement, body=(*body[:head], *self.new_round(op), *body[head:]))
            case st.Count(body=body):
                return replace(statement, body=(*self.new_round(op), *body))
            case st.Scope(_, body):
                return replace(statement, body=tuple(self._in_statement(op, inner) for inner in body))
        return statement

    def new_round(self, op: ir.HostOp) -> st.Body:
        number = self.numbers.get((points.Event.ROUND, Same(op)))
        return () if number is None else (st.Record(number, new_round=True),)

    def over(self, op: ir.HostOp) -> st.Body:
        number = self.numbers.get((points.Event.END, Same(op)))
        return () if number is None else (st.Record(number),)

    def before(self, op: ir.HostOp) -> st.Body:
        """What stands before the statements of an operation."""
        if (filled := self.numbers.get((points.Event.FILL, Same(op)))) is not None:
            return (st.Record(filled),)
        number = self.numbers.get((points.Event.WALK, Same(op)))
        return () if number is None else self._walk(number, self.points[number])

    def _walk(self, number: int, point: points.Point) -> st.Body:
        kernel = self.module.kernel(point.kernel)
        if point.instead_of is not None:
            members = point.instead_of.members
            return (st.Record(number, members=members, rows=points.pushing_rows(point.instead_of, self.module)),)
        rows, keep = points.rows_of(kernel), kernel.filter
        match kernel.domain:
            case ir.AllNodes() if (found := membership(kernel)) is not None:
                record = st.Record(number, members=found.members, node=kernel.iterator, keep=found.keep, rows=rows)
                return (record, *self._apart(kernel, found.members))
            case ir.AllNodes() if keep is not None:
                return (st.Record(number, node=kernel.iterator, keep=keep, rows=rows), *self._apart(kernel, None))
            case ir.Listed() as listed:
                nodes = (listed.array, listed.first, listed.last)
                record = st.Record(number, listed=nodes, node=kernel.iterator, keep=keep, rows=rows)
                return (record, *self._apart(kernel, None))
            case ir.InWords():
                return (st.Record(number, node=kernel.iterator, keep=keep, rows=rows), *self._apart(kernel, None))
            case ir.AllNodes() | ir.AllArcs() | ir.NodeNeighbors() | ir.Numbers() | ir.Once():
                return (st.Record(number),)
            case ir.Triangles() | ir.Workers():
                return (st.Record(number),)
            case _:
                assert_never(kernel.domain)

    def _apart(self, kernel: ir.Kernel, members: ir.Array | None) -> st.Body:
        """A barrier, where walking would change what is counted; each member is walked by the thread that counted
        it."""
        if kernel.filter is None:
            return ()
        asked = {part.array for part in visitor.walk_expression(kernel.filter) if isinstance(part, ir.Load)}
        return (st.GridBarrier(),) if visitor.written_arrays(kernel.body) & asked - {members} else ()


def _head(op: ir.HostOp, body: st.Body) -> int:
    """How many statements of a loop's body decide whether there is another round."""
    match op:
        case ir.Loop(test_last=False) if op.before:
            pass
        case _:
            return 0
    return next(n for n, part in enumerate(body, 1) if isinstance(part, st.If) and part.then == (st.Break(),))
