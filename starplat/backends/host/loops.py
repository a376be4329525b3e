"""Prints loops of host functions in C++: plain where possible, else with an exit from the middle."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, assert_never

from starplat.backends.c import cplusplus, expressions
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.backends.c.lines import INDENT
from starplat.backends.host.launches import LaunchPrinter
from starplat.backends.text.helpers import Helpers
from starplat.backends.text.names import Names
from starplat.backends.uses import variables_in
from starplat.ir import conditions, nodes as ir, visitor
from starplat.ir.launches import read_by


class Printer(Protocol):
    """What this module needs from the printer of host operations."""

    module: ir.Module
    names: Names
    expressions: ExpressionPrinter
    launches: LaunchPrinter
    helpers: Helpers
    changing: frozenset[ir.Variable]

    def host_name(self, what: ir.Variable | ir.Array) -> str: ...

    def device_name(self, array: ir.Array) -> str: ...

    def text(self, expression: ir.Expression) -> str: ...

    def items_of(self, loop: ir.HostForItems) -> str: ...

    def operation(self, op: ir.HostOp) -> Iterator[str]: ...

    def block(self, body: tuple[ir.HostOp, ...]) -> list[str]: ...

    def loop_body(self, body: tuple[ir.HostOp, ...], before_next: tuple[str, ...] = ()) -> list[str]: ...


@dataclass(frozen=True)
class HostLoopPrinter:
    """Prints loops; the printer of operations prints their bodies."""

    host: Printer

    def lines(self, loop: ir.HostLoop) -> Iterator[str]:
        """The loop, from the margin."""
        match loop:
            case ir.Loop(driver=ir.Ahead(goes_on, most)):
                yield from self.in_batches(loop.body, goes_on, most)
            case ir.Loop():
                yield from self.conditional(loop)
            case ir.HostForRange(variable, first, end, body):
                name = self.host.names.local(variable)
                kind = cplusplus.TYPES[variable.element]
                head = f"{kind} {name} = {self.host.text(first)}"
                if self.is_settled(end):
                    counts = f"for ({head}; {name} < {self.host.text(end)}; {name}++) {{"
                else:
                    last = self.host.launches.fresh(f"{name}_end")
                    counts = f"for ({head}, {last} = {self.host.text(end)}; {name} < {last}; {name}++) {{"
                yield from self.braced(counts, body)
            case ir.HostForNeighbors(direction, node, neighbor, position, body):
                yield from self.neighbors(direction, node, neighbor, position, body)
            case ir.HostForMembers(variable, whose, body) | ir.HostForItems(variable, whose, body):
                kind, name = cplusplus.TYPES[variable.element], self.host.names.local(variable)
                idle = "" if self.is_read(variable, body) else "[[maybe_unused]] "
                members = f"{self.host.device_name(whose)}.members()" if isinstance(whose, ir.Array) else ""
                over = self.host.items_of(loop) if isinstance(loop, ir.HostForItems) else members
                yield from self.braced(f"for ({idle}const {kind} {name} : {over}) {{", body)
            case _:
                assert_never(loop)

    def in_batches(self, body: tuple[ir.HostOp, ...], goes_on: ir.Array, most: int) -> Iterator[str]:
        """Rounds are launched without waiting; after each batch, which is twice as long as the one before up to a
        limit, the host looks whether there are more."""
        fresh = self.host.launches.fresh
        ahead, asked = fresh("ahead"), fresh("asked")
        longer = f"{ahead} = {ahead} < {most} ? 2 * {ahead} : {ahead}"
        yield f"for (int {ahead} = 1;; {longer}) {{"
        yield f"{INDENT}for (int {asked} = 0; {asked} < {ahead}; {asked}++) {{"
        yield from (f"{INDENT}{line}" for line in self.host.loop_body(body))
        yield f"{INDENT}}}"
        if (wait := self.host.launches.launching.wait) is not None:
            yield f"{INDENT}{wait}"
        yield f"{INDENT}if (!{self.host.device_name(goes_on)}.read(0)) break;"
        yield "}"

    def is_read(self, variable: ir.Variable, body: tuple[ir.HostOp, ...]) -> bool:
        """Whether the body of a loop uses the loop's variable."""
        return any(variable in read_by(op, self.host.module) for op in visitor.walk_host(body))

    def is_settled(self, value: ir.Expression) -> bool:
        """Whether it is worth and safe to mention the value in every round of a loop."""
        if isinstance(value, ir.Ref):
            return value.variable not in self.host.changing
        return isinstance(value, ir.Const | ir.NumNodes | ir.NumArcs)

    def conditional(self, loop: ir.Loop, first: str = "") -> Iterator[str]:
        """A plain `do`, `for`, which may begin with a declaration, or `while` where the condition and the steps need no
        device, else a loop that exits from its middle or its end."""
        if steps := _plain_steps(loop):
            told = ", ".join(expressions.step_text(self.host.expressions, op.variable, op.value) for op in steps)
            yield from self.braced(f"for ({first}; {self.host.text(loop.condition)}; {told}) {{", loop.body)
            return
        leave = f"if ({self.host.text(conditions.negated(loop.condition))}) break;"
        step = [line for op in loop.step for line in self.host.operation(op)]
        before = [line for op in loop.before for line in self.host.operation(op)]
        if not (loop.test_last or before or step):
            yield from self.braced(f"while ({self.host.text(loop.condition)}) {{", loop.body)
        elif before or step or _declares_asked(loop):
            head, end = ([], [*step, *before, leave]) if loop.test_last else ([*before, leave], step)
            yield from ("while (true) {", *(f"{INDENT}{line}" for line in head))
            yield from self.host.loop_body(loop.body, tuple(end))
            yield from (*(f"{INDENT}{line}" for line in end), "}")
        else:
            yield from self.braced("do {", loop.body, f"}} while ({self.host.text(loop.condition)});")

    def braced(self, head: str, body: tuple[ir.HostOp, ...], end: str = "}") -> Iterator[str]:
        """A loop without anything before its next round."""
        yield head
        yield from self.host.loop_body(body)
        yield end

    def neighbors(
        self,
        direction: ir.Direction,
        node: ir.Expression,
        neighbor: ir.Variable,
        position: ir.Variable,
        body: tuple[ir.HostOp, ...],
    ) -> Iterator[str]:
        rows, columns = (self.host.host_name(array) for array in direction.layout.row_arrays)
        at, of = self.host.names.local(position), self.host.text(node)
        first, end = f"{rows}[{of}]", f"{rows}[{of} + 1]"
        if self.is_settled(node):
            yield f"for (arc_t {at} = {first}; {at} < {end}; {at}++) {{"
        else:
            last = self.host.launches.fresh(f"{at}_end")
            yield f"for (arc_t {at} = {first}, {last} = {end}; {at} < {last}; {at}++) {{"
        if self.is_read(neighbor, body):
            yield f"{INDENT}const int {self.host.names.local(neighbor)} = {columns}[{at}];"
        yield from self.host.loop_body(body)
        yield "}"


def _plain_steps(loop: ir.Loop) -> list[ir.SetVariable]:
    """The steps of a loop tested first, if the device has no part in them nor in the condition; else none."""
    plain = [op for op in loop.step if isinstance(op, ir.SetVariable)]
    return plain if not (loop.before or loop.test_last) and len(plain) == len(loop.step) else []


def is_counter(variable: ir.Variable, loop: ir.Loop, later: tuple[ir.HostOp, ...]) -> bool:
    """Whether `variable` is the loop's counter and nothing else."""
    return any(op.variable == variable for op in _plain_steps(loop)) and variable not in variables_in(later)


def _declares_asked(loop: ir.Loop) -> bool:
    """Whether the condition asks for what the body declares, which is not known behind its brace."""
    asked = variables_in(loop.condition)
    return any(isinstance(part, ir.DeclareVariable) and part.variable in asked for part in visitor.walk(loop.body))
