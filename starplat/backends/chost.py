"""Prints host functions as C++ over the small classes that every artifact brings: Device, Graph, Buffer, Word.

Only those classes differ between targets; a host function reads the same on each of them. Takes a module and names,
returns finished functions, and notes which helper functions they call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import wrap
from typing import assert_never

from starplat.backends.cexpr import ExpressionPrinter, Helpers
from starplat.backends.comments import comment, origin, quoted
from starplat.backends.cstmt import INDENT, assignment_text
from starplat.backends.launch import ArgumentKind, identity, kernel_parameters
from starplat.backends.legalise import ROWS, negated
from starplat.backends.names import Names
from starplat.backends.spelling import Spelling
from starplat.backends.statements import result_element
from starplat.backends.uses import assigned_in, reads, walk
from starplat.ir.nodes import (
    GRAPH_ARRAYS,
    AllArcs,
    AllNodes,
    Array,
    Combine,
    Const,
    CopyArray,
    DeclareVariable,
    Direction,
    Element,
    Expression,
    Extent,
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
    Kernel,
    Launch,
    MathFunction,
    Module,
    NodeNeighbors,
    Once,
    Parameter,
    ReadCell,
    Reduction,
    Ref,
    SetVariable,
    Swap,
    Variable,
    WriteCell,
)

CALL_WIDTH = 92

VALUES = {
    Element.BOOL: "bool",
    Element.INT: "int",
    Element.LONG: "long long",
    Element.FLOAT: "float",
    Element.DOUBLE: "double",
    Element.NODE: "int",
    Element.ARC: "arc_t",
}
CELLS = {**VALUES, Element.BOOL: "unsigned char"}


def _math(element: Element) -> dict[tuple[MathFunction, Element], str]:
    names = {function: f"std::{function.value}" for function in MathFunction}
    if element.is_real:
        names |= {MathFunction.MIN: "std::fmin", MathFunction.MAX: "std::fmax", MathFunction.ABS: "std::fabs"}
    else:
        kind = VALUES[element]
        names |= {MathFunction.MIN: f"std::min<{kind}>", MathFunction.MAX: f"std::max<{kind}>"}
    return {(function, element): name for function, name in names.items()}


CPP = Spelling(
    values=VALUES,
    parameters=VALUES,
    cells=CELLS,
    long_suffix="LL",
    largest={Element.INT: "INT_MAX", Element.NODE: "INT_MAX", Element.LONG: "LLONG_MAX", Element.ARC: "ARC_MAX"},
    smallest={Element.INT: "INT_MIN", Element.NODE: "INT_MIN", Element.LONG: "LLONG_MIN"},
    kernel="",
    whole_group_kernel="",
    function="static ",
    space="",
    restrict="",
    local_memory="",
    thread="",
    threads="",
    lane="",
    fence="",
    try_lock="",
    unlock="",
    atomics={},
    math={key: name for element in Element for key, name in _math(element).items()},
    saturating={element: f"saturated<{VALUES[element]}>" for element in Element if element.is_integer},
    saturating_helpers=dict.fromkeys(Element, "saturated"),
)
"""C++ on the host; it has no kernels."""

_SIZES = {
    Extent.ONE: "1",
    Extent.NODES: "graph.num_nodes",
    Extent.NODES_AND_ONE: "graph.num_nodes + 1",
    Extent.ARCS: "graph.num_arcs",
}


@dataclass(frozen=True)
class HostText:
    """The host side of a module: finished functions, callees first, and the helpers that they call."""

    functions: tuple[tuple[str, ...], ...]
    helpers: Helpers


def host_text(module: Module, names: Names) -> HostText:
    """Every host function as C++."""
    helpers = Helpers()
    functions = _callees_first(module)
    return HostText(tuple(HostPrinter(module, names, f, helpers).lines() for f in functions), helpers)


def size_of(array: Array) -> str:
    """How many cells an array has, in C++."""
    return _SIZES[array.extent]


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
    rounds: list[tuple[str, ...]] = field(default_factory=list)
    words: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.expressions = ExpressionPrinter(
            CPP,
            self.host_name,
            self.names.host_function,
            self.helpers,
            num_nodes="graph.num_nodes",
            num_arcs="graph.num_arcs",
        )
        self.changing = assigned_in(self.function) | self.filled_by_device()

    def lines(self) -> tuple[str, ...]:
        """The whole function."""
        result = "void" if self.function.result is None else VALUES[self.function.result]
        parameters = ", ".join(["Device &device", "Graph &graph", *map(self.parameter, self.function.parameters)])
        place = origin(self.module, self.function.span)
        return (
            *(() if place is None else (comment(place),)),
            f"static {result} {self.names.host_function(self.function.name)}({parameters}) {{",
            *(f"{INDENT}{self.buffer(array)}" for array in self.function.arrays),
            *self.block(self.function.body),
            "}",
        )

    def parameter(self, parameter: Parameter) -> str:
        match parameter.what:
            case Array(_, element) as array:
                return f"Buffer<{CELLS[element]}> &{self.device_name(array)}"
            case Variable(_, element) as variable:
                return f"{VALUES[element]} {'&' * parameter.by_reference}{self.names.local(variable)}"

    def buffer(self, array: Array) -> str:
        return f"Buffer<{CELLS[array.element]}> {self.device_name(array)}(device, {size_of(array)});"

    def host_name(self, what: Variable | Array) -> str:
        """In expressions the graph's arrays are the host's copies."""
        return f"graph.host.{what.name}" if what in GRAPH_ARRAYS else self.names.local(what)

    def device_name(self, array: Array) -> str:
        return f"graph.{array.name}" if array in GRAPH_ARRAYS else self.names.local(array)

    def text(self, expression: Expression) -> str:
        return self.expressions.expression(expression)

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
        return frozenset(changed)

    # --- operations ------------------------------------------------------------------------------------------------

    def block(self, body: tuple[HostOp, ...]) -> list[str]:
        return [f"{INDENT}{line}" for op in body for line in self.operation(op)]

    def loop_body(self, body: tuple[HostOp, ...], before_next: tuple[str, ...] = ()) -> list[str]:
        """The body of a loop; `before_next` is what a `continue` in it must do first."""
        self.rounds.append(before_next)
        lines = self.block(body)
        self.rounds.pop()
        return lines

    def operation(self, op: HostOp) -> Iterator[str]:
        match op:
            case DeclareVariable(variable, value):
                constant = "const " * (variable not in self.changing)
                yield f"{constant}{VALUES[variable.element]} {self.names.local(variable)} = {self.text(value)};"
            case SetVariable(variable, value):
                yield f"{assignment_text(self.expressions, variable, value)};"
            case Fill(array, value):
                yield f"{self.device_name(array)}.fill({self.text(value)});"
            case CopyArray(destination, source):
                yield f"{self.device_name(destination)}.copy_from({self.device_name(source)});"
            case Swap(first, second):
                yield f"std::swap({self.device_name(first)}, {self.device_name(second)});"
            case Launch(kernel):
                yield from self.launch(self.module.kernel(kernel))
            case ReadCell(variable, array, index):
                yield f"{self.names.local(variable)} = {self.device_name(array)}.read({self.text(index)});"
            case WriteCell(array, index, value):
                yield f"{self.device_name(array)}.write({self.text(index)}, {self.text(value)});"
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

    def loop(
        self, loop: HostWhile | HostFor | HostForRange | HostForNeighbors | HostForMembers
    ) -> Iterator[str]:
        match loop:
            case HostWhile():
                yield from self.while_loop(loop)
            case HostFor(before, condition, step, body):
                yield from self.for_loop(before, condition, step, body)
            case HostForRange(variable, first, end, body):
                name = self.names.local(variable)
                kind = VALUES[variable.element]
                head = f"{kind} {name} = {self.text(first)}"
                if isinstance(end, Const) or (isinstance(end, Ref) and end.variable not in self.changing):
                    yield f"for ({head}; {name} < {self.text(end)}; {name}++) {{"
                else:
                    last = self.fresh(f"{name}_end")
                    yield f"for ({head}, {last} = {self.text(end)}; {name} < {last}; {name}++) {{"
                yield from self.loop_body(body)
                yield "}"
            case HostForNeighbors(direction, node, neighbor, position, body):
                yield from self.neighbors(direction, node, neighbor, position, body)
            case HostForMembers(variable, members, body):
                kind = VALUES[variable.element]
                yield f"for (const {kind} {self.names.local(variable)} : {self.device_name(members)}.members()) {{"
                yield from self.loop_body(body)
                yield "}"
            case _:
                assert_never(loop)

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

    def for_loop(
        self, before: tuple[HostOp, ...], condition: Expression, step: tuple[HostOp, ...], body: tuple[HostOp, ...]
    ) -> Iterator[str]:
        plain = [op for op in step if isinstance(op, SetVariable)]
        if not before and len(plain) == len(step):
            steps = ", ".join(assignment_text(self.expressions, op.variable, op.value) for op in plain)
            yield f"for (; {self.text(condition)}; {steps}) {{"
            yield from self.loop_body(body)
            yield "}"
            return
        after = tuple(line for op in step for line in self.operation(op))
        yield "while (true) {"
        yield from self.block(before)
        yield f"{INDENT}if ({self.text(negated(condition))}) break;"
        yield from self.loop_body(body, after)
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
        yield f"for (arc_t {at} = {rows}[{of}]; {at} < {rows}[{of} + 1]; {at}++) {{"
        if reads(neighbor, body):
            yield f"{INDENT}const int {self.names.local(neighbor)} = {columns}[{at}];"
        yield from self.loop_body(body)
        yield "}"

    # --- launches --------------------------------------------------------------------------------------------------

    def launch(self, kernel: Kernel) -> Iterator[str]:
        """The launch, and around it the words that its reductions come back in."""
        words = {reduction.variable: self.fresh(f"{reduction.variable.name}_result") for reduction in kernel.reductions}
        for reduction in kernel.reductions:
            yield self.word(reduction, words[reduction.variable])
        iterations = self.iterations(kernel)
        arguments = [f'"{quoted(self.names.kernel(kernel.name))}"', *(() if iterations is None else (iterations,))]
        for argument in kernel_parameters(self.module, kernel):
            match argument.kind:
                case ArgumentKind.NUM_NODES | ArgumentKind.NUM_ARCS:
                    arguments.append(f"graph.{argument.kind.value}")
                case ArgumentKind.ARRAY:
                    assert argument.array is not None
                    arguments.append(self.device_name(argument.array))
                case ArgumentKind.SCALAR:
                    assert argument.variable is not None
                    arguments.append(self.names.local(argument.variable))
                case ArgumentKind.REDUCTION:
                    assert argument.variable is not None
                    arguments.append(words[argument.variable])
        yield from _wrapped(f"device.{'launch_once' if iterations is None else 'launch'}", arguments)
        for reduction in kernel.reductions:
            yield self.collect(reduction, words[reduction.variable])

    def iterations(self, kernel: Kernel) -> str | None:
        match kernel.domain:
            case AllNodes():
                return "graph.num_nodes"
            case AllArcs():
                return "graph.num_arcs"
            case NodeNeighbors(direction, node):
                rows, of = self.host_name(ROWS[direction][0]), self.text(node)
                return f"{rows}[{of} + 1] - {rows}[{of}]"
            case Once():
                return None
        assert_never(kernel.domain)

    def word(self, reduction: Reduction, name: str) -> str:
        element = reduction.variable.element
        start = self.text(identity(reduction.combine, element))
        return f"Word<{CELLS[result_element(element)]}> {name}(device, {start});"

    def collect(self, reduction: Reduction, word: str) -> str:
        variable, combine = self.names.local(reduction.variable), reduction.combine
        came = f"{word}.read()"
        if combine in (Combine.AND, Combine.OR):
            return f"{variable} = {variable} {combine.value} {came};"
        if combine in (Combine.MIN, Combine.MAX):
            element = reduction.variable.element
            return f"{variable} = {self.expressions.combined(combine, variable, came, element)};"
        return f"{variable} {combine.value}= {came};"

    def fresh(self, name: str) -> str:
        """A name for a word that no variable of the module has."""
        number, candidate = 2, name
        while candidate in self.words or self.names.is_taken(candidate):
            candidate, number = f"{name}_{number}", number + 1
        self.words.add(candidate)
        return candidate


def _wrapped(function: str, arguments: list[str]) -> Iterator[str]:
    """A call, over several lines if it is long."""
    line = f"{function}({', '.join(arguments)});"
    if len(line) <= CALL_WIDTH:
        yield line
        return
    yield f"{function}("
    yield from (f"{INDENT}{part}" for part in wrap(", ".join(arguments), CALL_WIDTH, break_long_words=False))
    yield ");"


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
