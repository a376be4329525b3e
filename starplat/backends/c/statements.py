"""Prints legal statements as indented lines of a C-like language.

Takes statements and an expression printer; returns lines. What a target lacks has been rewritten before; what a target
spells in its own way is in its `Spelling`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.c.atomics import AtomicPrinter, if_beyond, while_beyond_locked
from starplat.backends.c.directives import structured
from starplat.backends.c.expressions import ExpressionPrinter, assignment_text, combination_text, step_text
from starplat.backends.c.groups import combined_by_group
from starplat.backends.c.lines import INDENT, guarded
from starplat.backends.c.peers import of_peers
from starplat.backends.c.precedence import ORDER, SUM
from starplat.backends.c.records import recorded
from starplat.backends.c.set_forms import need_listed
from starplat.backends.c.sets import WithSets, with_sets
from starplat.ir import nodes as ir


@dataclass(frozen=True)
class StatementPrinter:
    """Prints statements with the expressions' printer, which knows names, spelling and helpers."""

    expressions: ExpressionPrinter

    def lines(self, body: st.Body, depth: int = 1) -> list[str]:
        """The statements, `depth` steps from the margin."""
        return [f"{INDENT * depth}{line}" for statement in body for line in self.statement(statement)]

    def inside(self, body: st.Body) -> Iterator[str]:
        yield from self.lines(body, 1)

    def statement(self, statement: st.Statement) -> Iterator[str]:
        """The lines of one statement, from the margin."""
        if isinstance(statement, WithSets):
            yield from with_sets(self, statement)
            return
        match statement:
            case st.Declare():
                yield f"{self.declaration(statement)};"
            case st.Piece():
                yield from self.piece(statement)
            case st.Assign():
                yield f"{self.assignment(statement)};"
            case st.Accumulate(variable, combine, value):
                local = ir.Ref(variable)
                yield f"{combination_text(self.expressions, combine, local, self.text(local), value)};"
            case st.StoreCell(array, index, value):
                yield f"{self.cell(array, index)} = {self.text(value)};"
            case st.CombineCell(combine, array, index, value):
                yield f"{combination_text(self.expressions, combine, array, self.cell(array, index), value)};"
            case st.AtomicCell() | st.FetchCell() | st.SwapCell() | st.Append():
                yield from AtomicPrinter(self.expressions).lines(statement)
            case st.IfBeyond():
                yield from if_beyond(self, statement)
            case st.WhileBeyondLocked():
                yield from while_beyond_locked(self, statement)
            case st.If():
                yield from self.branch(statement)
            case st.While() | st.For() | st.Count():
                yield from self.loop(statement)
            case st.Break():
                yield "break;"
            case st.Continue():
                yield "continue;"
            case st.Leave(value):
                yield "return;" if value is None else f"return {self.text(value)};"
            case st.AddToMap(key, value):
                yield f"return {{{self.text(key)}, {self.text(value)}}};"
            case st.Call(call):
                yield f"{self.expressions.call(call)};"
            case st.CombineGroup():
                yield from combined_by_group(self.expressions, statement)
            case st.Scope() | st.GridBarrier() | st.SwapPointers() | st.OnFirst() | st.DeclareForGroup():
                yield from self.together(statement)
            case st.SharedLoop() | st.TeamLoop() | st.VectorLoop() | st.Alone():
                yield from structured(self, statement)
            case _ if isinstance(statement, st.OfPeers):
                yield from of_peers(self, statement)
            case st.Record():
                yield from recorded(self, statement)
            case _:
                assert_never(statement)

    # --- expressions and places ------------------------------------------------------------------------------------

    def text(self, expression: ir.Expression) -> str:
        return self.expressions.expression(expression)

    def cell(self, array: ir.Array, index: ir.Expression) -> str:
        return self.expressions.cell(array, index)

    def declaration(self, declare: st.Declare) -> str:
        kind = self.expressions.spelling.values[declare.variable.element]
        name = self.expressions.local(declare.variable)
        return f"{'const ' * declare.constant}{kind} {name} = {self.text(declare.value)}"

    def piece(self, piece: st.Piece) -> Iterator[str]:
        """The ends of a thread's piece of a range, the second where the next one's begins."""
        spelling = self.expressions.spelling
        kind = spelling.values[piece.begin.element]
        name = "arc_piece" if piece.begin.element is ir.Element.ARC else "piece"
        self.expressions.helpers.need("piece", name=name, type=kind)
        for variable, thread in ((piece.begin, spelling.thread), (piece.end, f"{spelling.thread} + 1")):
            given = f"{self.text(piece.first)}, {self.text(piece.last)}, {thread}, {spelling.threads}"
            yield f"const {kind} {self.expressions.local(variable)} = {name}({given});"

    def assignment(self, assignment: st.Assign) -> str:
        return assignment_text(self.expressions, assignment.variable, assignment.value)

    def together(
        self, statement: st.Scope | st.GridBarrier | st.SwapPointers | st.OnFirst | st.DeclareForGroup
    ) -> Iterator[str]:
        """Statements that only persistent kernels have."""
        match statement:
            case st.Scope(comments, body):
                yield "{"
                yield from (f"{INDENT}{line}" for line in comments)
                yield from self.inside(body)
                yield "}"
            case st.GridBarrier(lacking, together, _):
                spelling = self.expressions.spelling
                if spelling.barrier_helper is not None:
                    self.expressions.helpers.need(spelling.barrier_helper)
                if together:
                    assert spelling.clusters is not None
                    yield spelling.clusters.short_barrier
                elif lacking is None:
                    yield spelling.barrier
                else:
                    need_listed(self.expressions.helpers, lacking)
                    yield f"if (listed({self.expressions.local(lacking)}) < 0) {spelling.barrier}"
            case st.SwapPointers(first, second):
                yield from self.swap_pointers(first, second)
            case st.OnFirst(body):
                yield from guarded(f"{self.expressions.spelling.thread} == 0", self.lines(body, 0))
            case st.DeclareForGroup(variable, value):
                spelling, name = self.expressions.spelling, self.expressions.local(variable)
                assert spelling.groups is not None
                assert spelling.groups.scratch is not None
                yield spelling.groups.scratch.format(kind=spelling.values[variable.element], name=name, cells="")
                yield f"if ({spelling.lane} == 0) {name} = {self.text(value)};"
            case _:
                assert_never(statement)

    def swap_pointers(self, first: ir.Array, second: ir.Array) -> Iterator[str]:
        names = [self.expressions.local(array) for array in (first, second)]
        spelling = self.expressions.spelling
        kind = "auto" if first.packed else spelling.any_pointer or f"{spelling.space}{spelling.cells[first.element]} *"
        yield f"{{ {kind} other = {names[0]}; {names[0]} = {names[1]}; {names[1]} = other; }}".replace("* ", "*")

    # --- structure -------------------------------------------------------------------------------------------------

    def branch(self, branch: st.If, *, chained: bool = False) -> Iterator[str]:
        """Its lines; in a chain of several conditions each has braces."""
        condition = self.text(branch.condition)
        if not branch.otherwise and not chained:
            yield from guarded(condition, self.lines(branch.then, 0))
            return
        yield f"if ({condition}) {{"
        yield from self.inside(branch.then)
        yield from self.otherwise(branch.otherwise)

    def loop(self, statement: st.While | st.For | st.Count) -> Iterator[str]:
        match statement:
            case st.While(condition, body, test_last):
                yield "do {" if test_last else f"while ({self.text(condition)}) {{"
                yield from self.inside(body)
                yield f"}} while ({self.text(condition)});" if test_last else "}"
            case st.For(condition, step, body, first):
                begin = "" if first is None else self.declaration(first)
                steps = ", ".join(step_text(self.expressions, one.variable, one.value) for one in step)
                yield f"for ({begin}; {self.text(condition)}; {steps}) {{"
                yield from self.inside(body)
                yield "}"
            case st.Count():
                yield from self.count(statement)
            case _:
                assert_never(statement)

    def otherwise(self, body: st.Body) -> Iterator[str]:
        match body:
            case ():
                yield "}"
            case (st.If() as nested,):
                first, *rest = self.branch(nested, chained=True)
                yield f"}} else {first}"
                yield from rest
            case _:
                yield "} else {"
                yield from self.inside(body)
                yield "}"

    def count(self, count: st.Count) -> Iterator[str]:
        variable, kind = self.expressions.local(count.variable), self.kind_of_counter(count.variable)
        end = f"{variable} < {self.expressions.at(ORDER + 1, count.end)}"
        yield f"for ({kind} {variable} = {self.first(count)}; {end}; {self.step(count)}) {{"
        yield from self.inside(count.body)
        yield "}"

    def kind_of_counter(self, variable: ir.Variable) -> str:
        return self.expressions.spelling.values[variable.element]

    def first(self, count: st.Count) -> str:
        thread = self.expressions.spelling.thread
        match count.stride, count.first:
            case st.Stride.ONE, first:
                return self.text(first)
            case st.Stride.GRID, ir.Const(0):
                return thread
            case st.Stride.GRID, first:
                return f"{self.expressions.at(SUM, first)} + {thread}"
        assert_never(count.stride)

    def step(self, count: st.Count) -> str:
        variable = self.expressions.local(count.variable)
        return (
            f"{variable}++" if count.stride is st.Stride.ONE else f"{variable} += {self.expressions.spelling.threads}"
        )
