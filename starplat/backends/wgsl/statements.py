"""Prints legal statements as indented lines of WGSL."""

from collections.abc import Iterator
from dataclasses import dataclass

from starplat.backends import statements as st
from starplat.backends.c.expressions import step_text
from starplat.backends.c.lines import INDENT
from starplat.backends.c.statements import StatementPrinter
from starplat.backends.wgsl import cells
from starplat.backends.wgsl.expressions import WgslExpressions
from starplat.ir import nodes as ir
from starplat.ir.conditions import negated


@dataclass(frozen=True)
class WgslStatements(StatementPrinter):
    """As the C-like printer; nothing converts by itself, cells may be atomic, and a `for` has one step at most."""

    expressions: WgslExpressions

    def statement(self, statement: st.Statement) -> Iterator[str]:
        """The lines of one statement, from the margin."""
        expressions = self.expressions
        match statement:
            case st.Assign(variable, ir.Binary(ir.BinaryOperator.BIT_XOR) as value) if is_flag(variable):
                yield f"{expressions.place(variable)[0]} = {expressions.expression(value)};"
            case st.Accumulate(variable, ir.Combine.BIT_XOR, value) if is_flag(variable):
                name = expressions.place(variable)[0]
                yield f"{name} = {expressions.combined(ir.Combine.BIT_XOR, name, self.text(value), variable.element)};"
            case st.StoreCell(array, index, value):
                yield cells.store(expressions, array, index, expressions.stored(array, value))
            case st.CombineCell():
                yield cells.combine(expressions, statement)
            case st.AtomicCell():
                yield cells.atomic(expressions, statement)
            case st.FetchCell():
                yield cells.fetch(expressions, statement)
            case st.SwapCell():
                yield cells.swap(expressions, statement)
            case st.IfBeyond():
                yield from cells.if_beyond(self, statement)
            case st.CombineGroup():
                yield from cells.combined_by_group(expressions, statement, expressions.spelling.lane)
            case st.WhileBeyondLocked(_, array):
                expressions.instances.refuse(f"this target cannot change a cell of '{array.name}' under a lock")
            case _:
                yield from super().statement(statement)

    def declaration(self, declare: st.Declare) -> str:
        name = self.expressions.local(declare.variable)
        self.expressions.require_narrow(declare.variable.element)
        value = self.expressions.expression(declare.value)
        known = isinstance(declare.value, ir.Const) and declare.value.value < 0  # WGSL refuses it as an index
        return f"{'let' if declare.constant and not known else 'var'} {name} = {value}"

    def piece(self, piece: st.Piece) -> Iterator[str]:
        """The ends of a thread's piece of a range, the second where the next one's begins."""
        self.expressions.helpers.need("piece")
        spelling, ends = self.expressions.spelling, f"{self.text(piece.first)}, {self.text(piece.last)}"
        for variable, thread in ((piece.begin, spelling.thread), (piece.end, f"{spelling.thread} + 1")):
            yield f"let {self.expressions.local(variable)} = piece({ends}, {thread}, {spelling.threads});"

    # --- structure -------------------------------------------------------------------------------------------------

    def branch(self, branch: st.If, *, chained: bool = False) -> Iterator[str]:
        match branch:
            case st.If(then=(st.Break() | st.Continue() | st.Leave(),), otherwise=()):
                yield f"if ({self.text(branch.condition)}) {{ {self.lines(branch.then, 0)[0]} }}"
            case _:
                yield from super().branch(branch, chained=True)

    def loop(self, statement: st.While | st.For | st.Count) -> Iterator[str]:
        match statement:
            case st.While(condition, body, test_last=True):
                yield from self.closed_loop(None, body, (f"break if {self.text(negated(condition))};",))
            case st.For(condition, step, body, first) if len(step) > 1:
                ends = tuple(f"{step_text(self.expressions, one.variable, one.value)};" for one in step)
                lines = self.closed_loop(condition, body, ends)
                if first is None:
                    yield from lines
                else:
                    yield from ("{", f"{INDENT}{self.declaration(first)};", *(f"{INDENT}{line}" for line in lines), "}")
            case _:
                yield from super().loop(statement)

    def closed_loop(self, condition: ir.Expression | None, body: st.Body, ends: tuple[str, ...]) -> Iterator[str]:
        """A loop with what ends each of its rounds, also those that `continue` cuts short."""
        yield "loop {"
        if condition is not None:
            yield f"{INDENT}if ({self.text(negated(condition))}) {{ break; }}"
        yield from self.lines(body)
        yield f"{INDENT}continuing {{"
        yield from (f"{INDENT * 2}{end}" for end in ends)
        yield f"{INDENT}}}"
        yield "}"

    def kind_of_counter(self, variable: ir.Variable) -> str:
        return "var"


def is_flag(variable: ir.Variable) -> bool:
    """Whether WGSL has no `^` for it."""
    return variable.element is ir.Element.BOOL
