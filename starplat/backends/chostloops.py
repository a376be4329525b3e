"""How a loop of a host function is written in C++: plain where it can be, else as one that is left from its middle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, assert_never

from starplat.backends.arc_rows import ROWS
from starplat.backends.cassign import step_text
from starplat.backends.cexpr import ExpressionPrinter
from starplat.backends.cplusplus import TYPES
from starplat.backends.hostlaunch import LaunchPrinter
from starplat.backends.lines import INDENT
from starplat.backends.names import Names
from starplat.backends.negation import negated
from starplat.backends.uses import reads, variables_in, walk
from starplat.ir.nodes import (
    Array,
    Const,
    DeclareVariable,
    Direction,
    Expression,
    HostFor,
    HostForMembers,
    HostForNeighbors,
    HostForRange,
    HostLoop,
    HostOp,
    HostWhile,
    InBatches,
    NumArcs,
    NumNodes,
    Ref,
    SetVariable,
    Variable,
)


class Printer(Protocol):
    """What is asked of the printer of all operations of a function."""

    names: Names
    expressions: ExpressionPrinter
    launches: LaunchPrinter
    changing: frozenset[Variable]

    def host_name(self, what: Variable | Array) -> str: ...

    def device_name(self, array: Array) -> str: ...

    def text(self, expression: Expression) -> str: ...

    def operation(self, op: HostOp) -> Iterator[str]: ...

    def block(self, body: tuple[HostOp, ...]) -> list[str]: ...

    def loop_body(self, body: tuple[HostOp, ...], before_next: tuple[str, ...] = ()) -> list[str]: ...


@dataclass(frozen=True)
class HostLoopPrinter:
    """Prints loops; what is inside is printed by whoever prints all operations."""

    host: Printer

    def lines(self, loop: HostLoop) -> Iterator[str]:
        """The loop, from the margin."""
        match loop:
            case HostWhile():
                yield from self.while_loop(loop)
            case HostFor():
                yield from self.for_loop(loop)
            case HostForRange(variable, first, end, body):
                name = self.host.names.local(variable)
                kind = TYPES[variable.element]
                head = f"{kind} {name} = {self.host.text(first)}"
                if self.is_settled(end):
                    yield f"for ({head}; {name} < {self.host.text(end)}; {name}++) {{"
                else:
                    last = self.host.launches.fresh(f"{name}_end")
                    yield f"for ({head}, {last} = {self.host.text(end)}; {name} < {last}; {name}++) {{"
                yield from self.host.loop_body(body)
                yield "}"
            case HostForNeighbors(direction, node, neighbor, position, body):
                yield from self.neighbors(direction, node, neighbor, position, body)
            case HostForMembers(variable, members, body):
                kind, name = TYPES[variable.element], self.host.names.local(variable)
                yield f"for (const {kind} {name} : {self.host.device_name(members)}.members()) {{"
                yield from self.host.loop_body(body)
                yield "}"
            case _:
                assert_never(loop)

    def in_batches(self, loop: InBatches) -> Iterator[str]:
        """Rounds are asked for without waiting; after each batch, which is twice as long as the one before up to the
        most, the host looks whether there are more."""
        fresh = self.host.launches.fresh
        ahead, asked = fresh("ahead"), fresh("asked")
        longer = f"{ahead} = {ahead} < {loop.most} ? 2 * {ahead} : {ahead}"
        yield f"for (int {ahead} = 1;; {longer}) {{"
        yield f"{INDENT}for (int {asked} = 0; {asked} < {ahead}; {asked}++) {{"
        yield from (f"{INDENT}{line}" for line in self.host.loop_body(loop.body))
        yield f"{INDENT}}}"
        if (wait := self.host.launches.launching.wait) is not None:
            yield f"{INDENT}{wait}"
        yield f"{INDENT}if (!{self.host.device_name(loop.goes_on)}.read(0)) break;"
        yield "}"

    def is_settled(self, value: Expression) -> bool:
        """Whether it is worth and safe to mention the value in every round of a loop."""
        if isinstance(value, Ref):
            return value.variable not in self.host.changing
        return isinstance(value, Const | NumNodes | NumArcs)

    def while_loop(self, loop: HostWhile) -> Iterator[str]:
        """A plain loop where nothing has to be asked of the device, else one that leaves from its middle."""
        leave = f"if ({self.host.text(negated(loop.condition))}) break;"
        before = [line for op in loop.before for line in self.host.operation(op)]
        if loop.test_last and not before and not _declares_asked(loop):
            yield "do {"
            yield from self.host.loop_body(loop.body)
            yield f"}} while ({self.host.text(loop.condition)});"
        elif loop.test_last:
            ends = (*before, leave)
            yield "while (true) {"
            yield from self.host.loop_body(loop.body, ends)
            yield from (f"{INDENT}{line}" for line in ends)
            yield "}"
        elif before:
            yield "while (true) {"
            yield from (f"{INDENT}{line}" for line in (*before, leave))
            yield from self.host.loop_body(loop.body)
            yield "}"
        else:
            yield f"while ({self.host.text(loop.condition)}) {{"
            yield from self.host.loop_body(loop.body)
            yield "}"

    def for_loop(self, loop: HostFor, first: str = "") -> Iterator[str]:
        """A plain `for`, which may begin with a declaration, or a loop whose step is run wherever a round ends."""
        plain = _plain_steps(loop)
        if plain is not None:
            steps = ", ".join(step_text(self.host.expressions, op.variable, op.value) for op in plain)
            yield f"for ({first}; {self.host.text(loop.condition)}; {steps}) {{"
            yield from self.host.loop_body(loop.body)
            yield "}"
            return
        after = tuple(line for op in loop.step for line in self.host.operation(op))
        yield "while (true) {"
        yield from self.host.block(loop.before)
        yield f"{INDENT}if ({self.host.text(negated(loop.condition))}) break;"
        yield from self.host.loop_body(loop.body, after)
        yield from (f"{INDENT}{line}" for line in after)
        yield "}"

    def neighbors(
        self,
        direction: Direction,
        node: Expression,
        neighbor: Variable,
        position: Variable,
        body: tuple[HostOp, ...],
    ) -> Iterator[str]:
        rows, columns = (self.host.host_name(array) for array in ROWS[direction])
        at, of = self.host.names.local(position), self.host.text(node)
        first, end = f"{rows}[{of}]", f"{rows}[{of} + 1]"
        if self.is_settled(node):
            yield f"for (arc_t {at} = {first}; {at} < {end}; {at}++) {{"
        else:
            last = self.host.launches.fresh(f"{at}_end")
            yield f"for (arc_t {at} = {first}, {last} = {end}; {at} < {last}; {at}++) {{"
        if reads(neighbor, body):
            yield f"{INDENT}const int {self.host.names.local(neighbor)} = {columns}[{at}];"
        yield from self.host.loop_body(body)
        yield "}"


def _plain_steps(loop: HostFor) -> list[SetVariable] | None:
    """The steps, if the device has no part in them nor in the condition."""
    plain = [op for op in loop.step if isinstance(op, SetVariable)]
    return plain if not loop.before and len(plain) == len(loop.step) else None


def is_counter(variable: Variable, loop: HostFor, later: tuple[HostOp, ...]) -> bool:
    """Whether `variable` is the loop's counter and nothing else."""
    steps = _plain_steps(loop) or []
    return any(op.variable == variable for op in steps) and variable not in variables_in(later)


def _declares_asked(loop: HostWhile) -> bool:
    """Whether the condition asks for what the body declares, which is not known behind its brace."""
    asked = variables_in(loop.condition)
    return any(isinstance(part, DeclareVariable) and part.variable in asked for part in walk(loop.body))
