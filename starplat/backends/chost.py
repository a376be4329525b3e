"""Prints host functions as C++ over the small classes that every artifact brings: Device, Graph, Buffer, Word.

Only those classes differ between targets; a host function reads the same on each of them. Takes a module and names,
returns finished functions, and notes which helper functions they call.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from starplat.backends.cexpr import ExpressionPrinter, Helpers
from starplat.backends.comments import comment, origin
from starplat.backends.cplusplus import TYPES
from starplat.backends.cpp import CELLS, CPP, INDENT, size_of
from starplat.backends.cstmt import assignment_text, step_text
from starplat.backends.hostlaunch import BY_NAME, Launching, LaunchPrinter
from starplat.backends.legalise import ROWS, negated
from starplat.backends.names import Names
from starplat.backends.statements import LegalLoop
from starplat.backends.uses import assigned_in, reads, variables_in, walk
from starplat.backends.view import signature_text
from starplat.ir.nodes import (
    GRAPH_ARRAYS,
    Array,
    CheckCell,
    Const,
    CopyArray,
    DeclareVariable,
    Direction,
    Expression,
    Fill,
    HostBlock,
    HostBreak,
    HostCall,
    HostContinue,
    HostFor,
    HostForMembers,
    HostForNeighbors,
    HostForRange,
    HostFunction,
    HostIf,
    HostOp,
    HostReturn,
    HostWhile,
    Launch,
    ListMembers,
    Module,
    NearestFirst,
    NodeNeighbors,
    NumArcs,
    NumNodes,
    OnDevice,
    Origin,
    Parameter,
    PushOrPull,
    ReadCell,
    ReadEmpty,
    ReadSize,
    Ref,
    SetVariable,
    Swap,
    Variable,
    WriteCell,
)


@dataclass(frozen=True)
class HostText:
    """The host side of a module: finished functions, callees first, and the helpers that they call."""

    functions: tuple[tuple[str, ...], ...]
    helpers: Helpers


def host_text(
    module: Module, names: Names, launching: Launching = BY_NAME, loops: Iterable[LegalLoop] = ()
) -> HostText:
    """Every host function as C++."""
    helpers = Helpers()
    functions = _callees_first(module)
    known = {loop.op.name: loop for loop in loops}
    printed = (HostPrinter(module, names, function, helpers, launching, known) for function in functions)
    return HostText(tuple(printer.lines() for printer in printed), helpers)


def host_arrays(module: Module) -> frozenset[Array]:
    """The graph's arrays that host functions read from the host's copy."""
    found = set()
    for part in walk(module.functions):
        match part:
            case Array() if part in GRAPH_ARRAYS:
                found.add(part)
            case HostForNeighbors(direction):
                found.update(ROWS[direction])
    for kernel in module.kernels:
        if isinstance(kernel.domain, NodeNeighbors):
            found.update(ROWS[kernel.domain.direction])
    return frozenset(found)


@dataclass
class HostPrinter:
    """Prints one host function. `rounds` holds, for every loop around, what must run before its next round."""

    module: Module
    names: Names
    function: HostFunction
    helpers: Helpers
    launching: Launching
    loops: Mapping[str, LegalLoop]
    rounds: list[tuple[str, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.expressions = ExpressionPrinter(
            CPP,
            self.host_name,
            self.names.host_function,
            self.helpers,
            num_nodes="graph.num_nodes",
            num_arcs="graph.num_arcs",
        )
        self.launches = LaunchPrinter(self.module, self.names, self.launching, self.expressions, self.device_name)
        self.changing = assigned_in(self.function) | self.filled_by_device()
        self.wanted = self.changing | self.read_by_anybody()

    def lines(self) -> tuple[str, ...]:
        """The whole function."""
        result = "void" if self.function.result is None else TYPES[self.function.result]
        parameters = ["Device &device", "Graph &graph", *map(self.parameter, self.function.parameters)]
        head = f"static {result} {self.names.host_function(self.function.name)}"
        place = origin(self.module, self.function.span)
        body = self.block(self.function.body)
        return (
            *(() if place is None else (comment(place),)),
            *f"{signature_text(head, parameters)} {{".splitlines(),
            *(f"{INDENT}{self.buffer(array)}" for array in self.function.arrays),
            *(f"{INDENT}{word}" for word in self.launches.declarations()),
            *body,
            "}",
        )

    def parameter(self, parameter: Parameter) -> str:
        match parameter.what:
            case Array(_, element) as array:
                return f"Buffer<{CELLS[element]}> &{self.device_name(array)}"
            case Variable(_, element) as variable:
                return f"{TYPES[element]} {'&' * parameter.by_reference}{self.names.local(variable)}"

    def buffer(self, array: Array) -> str:
        if array.origin is Origin.HOST:
            return f"std::vector<{CELLS[array.element]}> {self.names.local(array)}({size_of(array)});"
        kind = "unsigned" if array.packed else CELLS[array.element]
        return f"Buffer<{kind}> {self.device_name(array)}(device, {size_of(array)});"

    def host_name(self, what: Variable | Array) -> str:
        """In expressions the graph's arrays are the host's copies."""
        return f"graph.host.{what.name}" if what in GRAPH_ARRAYS else self.names.local(what)

    def device_name(self, array: Array) -> str:
        return f"graph.{array.name}" if array in GRAPH_ARRAYS else self.names.local(array)

    def text(self, expression: Expression) -> str:
        return self.expressions.expression(expression)

    def read_by_anybody(self) -> frozenset[Variable]:
        """Variables whose value an operation, a launch or a call uses."""
        found: set[Variable] = set()
        for part in walk(self.function.body):
            match part:
                case Ref(variable):
                    found.add(variable)
                case Launch(kernel):
                    found.update(self.module.kernel(kernel).scalars)
                case OnDevice():
                    found.update(part.scalars)
                case HostCall():
                    found.update(argument for argument in part.arguments if isinstance(argument, Variable))
        return frozenset(found)

    def filled_by_device(self) -> frozenset[Variable]:
        """Variables that change because something came back from the device or from a call."""
        changed: set[Variable] = set()
        for part in walk(self.function.body):
            match part:
                case ReadCell(variable):
                    changed.add(variable)
                case Launch(kernel):
                    changed.update(reduction.variable for reduction in self.module.kernel(kernel).reductions)
                case HostCall(_, _, Variable() as result):
                    changed.add(result)
                case OnDevice():
                    changed.update(part.outcomes)
        return frozenset(changed)

    # --- operations ------------------------------------------------------------------------------------------------

    def block(self, body: tuple[HostOp, ...]) -> list[str]:
        return [f"{INDENT}{line}" for line in self.operations(body)]

    def operations(self, body: tuple[HostOp, ...]) -> Iterator[str]:
        """The operations, two of them in one line where a declaration only makes room for what comes next."""
        place = 0
        while place < len(body):
            match body[place : place + 2]:
                case (DeclareVariable(variable), ReadCell(read) as cell) if read == variable:
                    yield f"{TYPES[variable.element]} {''.join(self.operation(cell))}"
                    place += 1
                case (DeclareVariable(variable) as first, HostFor() as loop) if _counts(
                    variable, loop, body[place + 2 :]
                ):
                    yield from self.for_loop(loop, "".join(self.operation(first)).removesuffix(";"))
                    place += 1
                case (op, *_):
                    yield from self.operation(op)
            place += 1

    def loop_body(self, body: tuple[HostOp, ...], before_next: tuple[str, ...] = ()) -> list[str]:
        """The body of a loop; `before_next` is what a `continue` in it must do first."""
        self.rounds.append(before_next)
        lines = self.block(body)
        self.rounds.pop()
        return lines

    def operation(self, op: HostOp) -> Iterator[str]:
        match op:
            case DeclareVariable(variable) if variable not in self.wanted:
                return
            case DeclareVariable(variable, value):
                constant = "const " * (variable not in self.changing)
                yield f"{constant}{TYPES[variable.element]} {self.names.local(variable)} = {self.text(value)};"
            case SetVariable(variable, value):
                yield f"{assignment_text(self.expressions, variable, value)};"
            case Fill(array, value):
                yield f"{self.device_name(array)}.fill({self.text(value)});"
            case CopyArray(destination, source):
                yield f"{self.device_name(destination)}.copy_from({self.device_name(source)});"
            case Swap(first, second):
                yield f"std::swap({self.device_name(first)}, {self.device_name(second)});"
            case Launch(kernel):
                yield from self.launches.launch(self.module.kernel(kernel))
            case ReadCell() | WriteCell():
                yield self.cell(op)
            case HostIf():
                yield from self.branch(op)
            case HostWhile() | HostFor() | HostForRange() | HostForNeighbors() | HostForMembers():
                yield from self.loop(op)
            case HostBreak():
                yield "break;"
            case HostContinue():
                yield from self.rounds[-1]
                yield "continue;"
            case HostReturn(value):
                yield "return;" if value is None else f"return {self.text(value)};"
            case HostCall():
                yield self.call(op)
            case HostBlock(body, span):
                place = origin(self.module, span)
                if place is not None:
                    yield comment(place)
                for inner in body:
                    yield from self.operation(inner)
            case ReadEmpty() | ReadSize() | ListMembers():
                raise AssertionError("sets are asked on the device only")
            case CheckCell(array, index):
                self.helpers.need("check_place")
                yield f"check_place({self.text(index)}, {size_of(replace(array, packed=False))});"
            case NearestFirst(body) | PushOrPull(_, body):
                for inner in body:
                    yield from self.operation(inner)
            case OnDevice():
                yield from self.launches.together(self.loops[op.name])
            case _:
                assert_never(op)

    def cell(self, op: ReadCell | WriteCell) -> str:
        """Reads or writes a cell of the device, or of what the host keeps for itself."""
        index, hosts = self.text(op.index), op.array.origin is Origin.HOST
        array = self.device_name(op.array)
        match op:
            case ReadCell(variable):
                return f"{self.names.local(variable)} = {array}{f'[{index}]' if hosts else f'.read({index})'};"
            case WriteCell(_, _, value):
                return (
                    f"{array}[{index}] = {self.text(value)};"
                    if hosts
                    else f"{array}.write({index}, {self.text(value)});"
                )
            case _:
                assert_never(op)

    def branch(self, branch: HostIf) -> Iterator[str]:
        yield f"if ({self.text(branch.condition)}) {{"
        yield from self.block(branch.then)
        if branch.otherwise:
            yield "} else {"
            yield from self.block(branch.otherwise)
        yield "}"

    def call(self, call: HostCall) -> str:
        arguments = ["device", "graph"]
        for argument in call.arguments:
            match argument:
                case Array():
                    arguments.append(self.device_name(argument))
                case Variable():
                    arguments.append(self.names.local(argument))
                case _:
                    arguments.append(self.text(argument))
        text = f"{self.names.host_function(call.function)}({', '.join(arguments)});"
        return text if call.result is None else f"{self.names.local(call.result)} = {text}"

    # --- loops -----------------------------------------------------------------------------------------------------

    def loop(self, loop: HostWhile | HostFor | HostForRange | HostForNeighbors | HostForMembers) -> Iterator[str]:
        match loop:
            case HostWhile():
                yield from self.while_loop(loop)
            case HostFor():
                yield from self.for_loop(loop)
            case HostForRange(variable, first, end, body):
                name = self.names.local(variable)
                kind = TYPES[variable.element]
                head = f"{kind} {name} = {self.text(first)}"
                if self.is_settled(end):
                    yield f"for ({head}; {name} < {self.text(end)}; {name}++) {{"
                else:
                    last = self.launches.fresh(f"{name}_end")
                    yield f"for ({head}, {last} = {self.text(end)}; {name} < {last}; {name}++) {{"
                yield from self.loop_body(body)
                yield "}"
            case HostForNeighbors(direction, node, neighbor, position, body):
                yield from self.neighbors(direction, node, neighbor, position, body)
            case HostForMembers(variable, members, body):
                kind = TYPES[variable.element]
                yield f"for (const {kind} {self.names.local(variable)} : {self.device_name(members)}.members()) {{"
                yield from self.loop_body(body)
                yield "}"
            case _:
                assert_never(loop)

    def is_settled(self, value: Expression) -> bool:
        """Whether it is worth and safe to mention the value in every round of a loop."""
        if isinstance(value, Ref):
            return value.variable not in self.changing
        return isinstance(value, Const | NumNodes | NumArcs)

    def while_loop(self, loop: HostWhile) -> Iterator[str]:
        """A plain loop where nothing has to be asked of the device, else one that leaves from its middle."""
        leave = f"if ({self.text(negated(loop.condition))}) break;"
        before = [line for op in loop.before for line in self.operation(op)]
        if loop.test_last and not before and not _declares(loop.body):
            yield "do {"
            yield from self.loop_body(loop.body)
            yield f"}} while ({self.text(loop.condition)});"
        elif loop.test_last:
            ends = (*before, leave)
            yield "while (true) {"
            yield from self.loop_body(loop.body, ends)
            yield from (f"{INDENT}{line}" for line in ends)
            yield "}"
        elif before:
            yield "while (true) {"
            yield from (f"{INDENT}{line}" for line in (*before, leave))
            yield from self.loop_body(loop.body)
            yield "}"
        else:
            yield f"while ({self.text(loop.condition)}) {{"
            yield from self.loop_body(loop.body)
            yield "}"

    def for_loop(self, loop: HostFor, first: str = "") -> Iterator[str]:
        """A plain `for`, which may begin with a declaration, or a loop whose step is run wherever a round ends."""
        plain = _plain_steps(loop)
        if plain is not None:
            steps = ", ".join(step_text(self.expressions, op.variable, op.value) for op in plain)
            yield f"for ({first}; {self.text(loop.condition)}; {steps}) {{"
            yield from self.loop_body(loop.body)
            yield "}"
            return
        after = tuple(line for op in loop.step for line in self.operation(op))
        yield "while (true) {"
        yield from self.block(loop.before)
        yield f"{INDENT}if ({self.text(negated(loop.condition))}) break;"
        yield from self.loop_body(loop.body, after)
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
        rows, columns = (self.host_name(array) for array in ROWS[direction])
        at, of = self.names.local(position), self.text(node)
        first, end = f"{rows}[{of}]", f"{rows}[{of} + 1]"
        if self.is_settled(node):
            yield f"for (arc_t {at} = {first}; {at} < {end}; {at}++) {{"
        else:
            last = self.launches.fresh(f"{at}_end")
            yield f"for (arc_t {at} = {first}, {last} = {end}; {at} < {last}; {at}++) {{"
        if reads(neighbor, body):
            yield f"{INDENT}const int {self.names.local(neighbor)} = {columns}[{at}];"
        yield from self.loop_body(body)
        yield "}"


def _plain_steps(loop: HostFor) -> list[SetVariable] | None:
    """The steps, if the device has no part in them nor in the condition."""
    plain = [op for op in loop.step if isinstance(op, SetVariable)]
    return plain if not loop.before and len(plain) == len(loop.step) else None


def _counts(variable: Variable, loop: HostFor, later: tuple[HostOp, ...]) -> bool:
    """Whether `variable` is the loop's counter and nothing else."""
    steps = _plain_steps(loop) or []
    return any(op.variable == variable for op in steps) and variable not in variables_in(later)


def _declares(body: tuple[HostOp, ...]) -> bool:
    return any(isinstance(part, DeclareVariable) for part in walk(body))


def _callees_first(module: Module) -> list[HostFunction]:
    ordered: list[HostFunction] = []

    def place(function: HostFunction) -> None:
        for part in walk(function.body):
            if isinstance(part, HostCall):
                place(module.function(part.function))
        if function not in ordered:
            ordered.append(function)

    for function in module.functions:
        place(function)
    return ordered
