"""Rewrites the operations of a kernel or function as statements."""

from collections.abc import Iterable
from dataclasses import replace
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.legal import contributions, inside, locals, methods, updates
from starplat.backends.uses import assigned_in, reads, variables_in
from starplat.ir import conditions, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.shared_rows import SharedRow, shared_rows


class Operations:
    """Rewrites one kernel or function; `taken` are names to avoid besides those of the routine."""

    def __init__(
        self, routine: ir.Kernel | ir.Function, module: ir.Module, capabilities: Capabilities, taken: Iterable[str] = ()
    ) -> None:
        self.routine, self.module, self.capabilities = routine, module, capabilities
        self.locals = locals.Locals(routine, taken)
        self.methods = methods.Methods(capabilities, module.source, routine.span)
        self.updates = updates.Updates(self.locals, self.methods)
        reductions = routine.reductions if isinstance(routine, ir.Kernel) else ()
        self.contributions = contributions.Contributions(reductions, self.locals, self.methods)
        self.rows: dict[ir.Variable, SharedRow] = {}
        if isinstance(routine, ir.Kernel) and routine.shares_arcs and capabilities.inner_loops:
            self.rows = {row.loop.position: row for row in shared_rows(routine, module)}

    def block(self, body: tuple[ir.KernelOp, ...]) -> st.Body:
        """The operations, one after the other."""
        statements = tuple(statement for op in body for statement in self.operation(op))
        return _with_counters(_with_receivers(statements, self.locals.once_set))

    def operation(self, op: ir.KernelOp) -> st.Body:
        match op:
            case ir.Let(variable, value):
                return (st.Declare(variable, value, variable not in self.locals.changing),)
            case ir.SetLocal(variable, value):
                return (st.Assign(variable, value),)
            case ir.Store(array, index, value):
                follows = isinstance(self.routine, ir.Kernel) and self.routine.threads_follow(index)
                return (updates.stored(array, index, value, own=op.in_runs and follows),)
            case ir.UpdateCell():
                return self.updates.update(op)
            case ir.ExtremeCell():
                return self.updates.extreme(op, self.block)
            case ir.FetchAdd() | ir.FetchOr():
                return self.updates.fetch(op)
            case ir.CompareSwap():
                return self.updates.swap(op)
            case ir.Contribute(reduction, value):
                return self.contributions.statements(reduction, value)
            case ir.KernelIf(condition, then, otherwise):
                return (self.branch(condition, self.block(then), self.block(otherwise)),)
            case ir.KernelWhile(condition, body, test_last):
                return (st.While(condition, self.block(body), test_last),)
            case ir.KernelFor(condition, step, body):
                return (self.stepped(condition, self.block(step), self.block(body)),)
            case ir.ForRange(variable, first, end, body):
                inner = self.block(body)
                before, end = self.locals.settled(end, "end", inner)
                return (*before, st.Count(variable, first, end, st.Stride.ONE, inner))
            case ir.ForNeighbors(_, node, neighbor, position, body):
                loop = self.over_neighbors(op.layout, node, neighbor, position, st.Stride.ONE, self.block(body))
                return self.in_team(self.rows[position], loop) if position in self.rows else loop
            case ir.KernelBreak():
                return (st.Break(),)
            case ir.KernelContinue():
                return (st.Continue(),)
            case ir.KernelReturn(value):
                return (st.Leave(value),)
            case ir.KernelCall(call):
                return (st.Call(call),)
        assert_never(op)

    def branch(self, condition: ir.Expression, then: st.Body, otherwise: st.Body) -> st.If:
        return st.If(condition, then, otherwise) if then else st.If(conditions.negated(condition), otherwise)

    def stepped(self, condition: ir.Expression, step: st.Body, body: st.Body) -> st.Statement:
        """A `for` where the step is plain assignments, else a `while` with the step wherever a round ends."""
        assignments = tuple(statement for statement in step if isinstance(statement, st.Assign))
        if assignments == step:
            return st.For(condition, assignments, body)
        return st.While(condition, (*inside.replace_continue(body, (*step, st.Continue())), *step))

    def in_team(self, row: SharedRow, statements: st.Body) -> st.Body:
        """The loop, last of the statements, as one that threads share."""
        *before, loop = statements
        assert isinstance(loop, st.Count)
        combined = tuple((contributions.as_logical(combine, variable), variable) for combine, variable in row.combined)
        return (*before, st.TeamLoop(loop, (*combined, *map(self.contributions.contributed, row.contributed))))

    def over_neighbors(
        self,
        layout: ir.Layout,
        node: ir.Expression,
        neighbor: ir.Variable,
        position: ir.Variable,
        stride: st.Stride,
        body: st.Body,
    ) -> st.Body:
        """A loop over the arcs of a node."""
        before: st.Body = ()
        if stride is st.Stride.ONE or not self.capabilities.structured_loops:  # those find the ends of their range once
            before, node = self.locals.settled(node, "node", body)
        body = self.with_neighbor(neighbor, layout, node, position, body)
        return (*before, st.Count(position, layout.first(node), layout.end(node), stride, body))

    def along(self, loop: ir.ForNeighbors, body: st.Body) -> st.Body:
        """As `with_neighbor` of a loop."""
        return self.with_neighbor(loop.neighbor, loop.layout, loop.node, loop.position, body)

    def with_neighbor(
        self, neighbor: ir.Variable, layout: ir.Layout, node: ir.Expression, position: ir.Variable, body: st.Body
    ) -> st.Body:
        """The body of a loop over a node's arcs, which begins with the neighbor if it is used."""
        if not reads(neighbor, body) and neighbor not in assigned_in(body):
            return body
        found = layout.neighbor_of(node, ir.Ref(position))
        return (st.Declare(neighbor, found, neighbor not in self.locals.changing), *body)


def _with_receivers(body: st.Body, once_set: frozenset[ir.Variable]) -> st.Body:
    """Declares a local at the next statement, if that assigns it a cell's old value."""
    joined: list[st.Statement] = []
    for statement in body:
        last = joined[-1] if joined else None
        match last, statement:
            case st.Declare(declared, ir.Const()), st.FetchCell(variable) if declared == variable:
                joined[-1] = replace(statement, declares=True, constant=variable in once_set)
            case _:
                joined.append(statement)
    return tuple(joined)


def _with_counters(body: st.Body) -> st.Body:
    """A counter that only the `for` after its declaration uses is declared there."""
    joined = list(body)
    for place in range(len(body) - 2, -1, -1):
        declared, loop = body[place : place + 2]
        if isinstance(declared, st.Declare) and isinstance(loop, st.For):
            stepped = any(step.variable == declared.variable for step in loop.step)
            if stepped and declared.variable not in variables_in(body[place + 2 :]):
                joined[place : place + 2] = [replace(loop, first=declared)]
    return tuple(joined)
