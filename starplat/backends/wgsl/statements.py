"""Prints legal statements as indented lines of WGSL."""

from collections.abc import Iterator
from dataclasses import dataclass

from starplat.backends import statements as st
from starplat.backends.c import assign, precedence
from starplat.backends.c.lines import INDENT
from starplat.backends.wgsl import cells
from starplat.backends.wgsl.expressions import WgslExpressions
from starplat.ir import nodes as ir
from starplat.ir.conditions import negated


@dataclass(frozen=True)
class WgslStatements:
    """Prints statements with the expressions' printer, and the target's words for this thread, how many there are, and
    its number within the group."""

    expressions: WgslExpressions
    thread: str
    threads: str
    lane: str

    def lines(self, body: st.Body, depth: int = 1) -> list[str]:
        """The statements, `depth` steps from the margin."""
        return [f"{INDENT * depth}{line}" for statement in body for line in self.statement(statement)]

    def statement(self, statement: st.Statement) -> Iterator[str]:
        """The lines of one statement, from the margin."""
        expressions = self.expressions
        match statement:
            case st.Declare():
                yield f"{self.declaration(statement)};"
            case st.Piece():
                yield from self.piece(statement)
            case st.Assign(variable, ir.Binary(ir.BinaryOperator.BIT_XOR) as value) if is_flag(variable):
                yield f"{expressions.place(variable)[0]} = {expressions.expression(value)};"
            case st.Assign(variable, value):
                yield f"{assign.assignment_text(expressions, variable, value)};"
            case st.Accumulate(variable, ir.Combine.BIT_XOR, value) if is_flag(variable):
                name = expressions.place(variable)[0]
                yield f"{name} = {expressions.combined(ir.Combine.BIT_XOR, name, self.text(value), variable.element)};"
            case st.Accumulate(variable, combine, value):
                local = ir.Ref(variable)
                yield f"{assign.combination_text(expressions, combine, local, expressions.expression(local), value)};"
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
                yield from cells.combined_by_group(expressions, statement, self.lane)
            case st.If() | st.While() | st.For() | st.Count():
                yield from self.structure(statement)
            case st.Break() | st.Continue():
                yield "break;" if isinstance(statement, st.Break) else "continue;"
            case st.Leave(value):
                yield "return;" if value is None else f"return {expressions.expression(value)};"
            case st.Call(call):
                yield f"{expressions.call(call)};"
            case st.WhileBeyondLocked(_, array):
                expressions.instances.refuse(f"this target cannot change a cell of '{array.name}' under a lock")
            case _:
                raise AssertionError(f"{type(statement).__name__} is for what this target has not")

    def declaration(self, declare: st.Declare) -> str:
        name = self.expressions.local(declare.variable)
        self.expressions.require_narrow(declare.variable.element)
        value = self.expressions.expression(declare.value)
        known = isinstance(declare.value, ir.Const) and declare.value.value < 0  # WGSL refuses it as an index
        return f"{'let' if declare.constant and not known else 'var'} {name} = {value}"

    def piece(self, piece: st.Piece) -> Iterator[str]:
        """The ends of a thread's piece of a range, the second where the next one's begins."""
        self.expressions.helpers.need("piece")
        for variable, thread in ((piece.begin, self.thread), (piece.end, f"{self.thread} + 1")):
            ends = f"{self.expressions.expression(piece.first)}, {self.expressions.expression(piece.last)}"
            yield f"let {self.expressions.local(variable)} = piece({ends}, {thread}, {self.threads});"

    # --- structure -------------------------------------------------------------------------------------------------

    def structure(self, statement: st.If | st.While | st.For | st.Count) -> Iterator[str]:
        match statement:
            case st.If():
                yield from self.branch(statement)
            case st.While(condition, body, test_last):
                if test_last:
                    yield from self.closed_loop(None, body, (f"break if {self.text(negated(condition))};",))
                else:
                    yield f"while ({self.text(condition)}) {{"
                    yield from self.lines(body)
                    yield "}"
            case st.For():
                yield from self.stepped(statement)
            case st.Count():
                yield from self.count(statement)

    def text(self, expression: ir.Expression) -> str:
        return self.expressions.expression(expression)

    def branch(self, branch: st.If) -> Iterator[str]:
        match branch:
            case st.If(then=(st.Break() | st.Continue() | st.Leave(),), otherwise=()):
                yield f"if ({self.text(branch.condition)}) {{ {self.lines(branch.then, 0)[0]} }}"
                return
        yield f"if ({self.text(branch.condition)}) {{"
        yield from self.lines(branch.then)
        match branch.otherwise:
            case ():
                yield "}"
            case (st.If() as nested,):
                first, *rest = self.branch(nested)
                yield f"}} else {first}"
                yield from rest
            case others:
                yield "} else {"
                yield from self.lines(others)
                yield "}"

    def stepped(self, loop: st.For) -> Iterator[str]:
        """A `for`, which in WGSL has one step at most."""
        steps = [assign.step_text(self.expressions, step.variable, step.value) for step in loop.step]
        begin = "" if loop.first is None else self.declaration(loop.first)
        if len(steps) <= 1:
            yield f"for ({begin}; {self.text(loop.condition)}; {''.join(steps)}) {{"
            yield from self.lines(loop.body)
            yield "}"
            return
        ends = tuple(f"{step};" for step in steps)
        lines = self.closed_loop(loop.condition, loop.body, ends)
        if not begin:
            yield from lines
            return
        yield "{"
        yield f"{INDENT}{begin};"
        yield from (f"{INDENT}{line}" for line in lines)
        yield "}"

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

    def count(self, count: st.Count) -> Iterator[str]:
        variable = self.expressions.local(count.variable)
        first, step = self.text(count.first), f"{variable}++"
        if count.stride is st.Stride.GRID:
            plain = count.first == ir.Const(0, count.first.element)
            first = self.thread if plain else f"{self.expressions.at(precedence.SUM, count.first)} + {self.thread}"
            step = f"{variable} += {self.threads}"
        end = f"{variable} < {self.expressions.at(precedence.ORDER + 1, count.end)}"
        yield f"for (var {variable} = {first}; {end}; {step}) {{"
        yield from self.lines(count.body)
        yield "}"


def is_flag(variable: ir.Variable) -> bool:
    """Whether WGSL has no `^` for it."""
    return variable.element is ir.Element.BOOL
