"""Prints host functions as C++ over the classes of every artifact: Device, Graph, Buffer, Word.

Only those classes differ between targets; a host function reads the same on each of them. Takes a module and names,
returns finished functions, and notes which helper functions they call.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.c.cplusplus import TYPES
from starplat.backends.c.expressions import ExpressionPrinter, assignment_text
from starplat.backends.c.lines import INDENT, guarded
from starplat.backends.c.parameters import signature_text, unnamed_if_idle
from starplat.backends.host.changing import changing_lines, lists_of
from starplat.backends.host.launches import BY_NAME, Launching, LaunchPrinter
from starplat.backends.host.lists import items_of, list_operation, list_type
from starplat.backends.host.loops import HostLoopPrinter, is_counter
from starplat.backends.host.parts import exchange_lines
from starplat.backends.host.words import CELLS, CPP, buffer_type, size_of
from starplat.backends.text.comments import comment, origin
from starplat.backends.text.folding import folded_host
from starplat.backends.text.helpers import Helpers
from starplat.backends.text.names import Names
from starplat.backends.uses import called_by_host, callees_first, fixed_sets
from starplat.ir import launches, nodes as ir
from starplat.ir.visitor import walk_host


@dataclass(frozen=True)
class HostText:
    """The host side of a module: finished functions, callees first, and the helpers that they call."""

    functions: tuple[tuple[str, ...], ...]
    helpers: Helpers


def host_text(
    module: ir.Module, names: Names, launching: Launching = BY_NAME, loops: Iterable[st.LegalLoop] = ()
) -> HostText:
    """Every host function as C++."""
    helpers = Helpers()
    functions = callees_first(module.functions, lambda function: called_by_host(function, module))
    known = {loop.op.name: loop for loop in loops}
    fixed = fixed_sets(module)
    printed = (HostPrinter(module, names, function, helpers, launching, known, fixed) for function in functions)
    return HostText(tuple(printer.lines() for printer in printed), helpers)


@dataclass
class HostPrinter:
    """Prints one host function. `rounds` holds, for every loop around, what must run before its next round. A run calls
    the function where it is printed for use `within_run`, and may stop it between two rounds."""

    module: ir.Module
    names: Names
    function: ir.HostFunction
    helpers: Helpers
    launching: Launching
    loops: Mapping[str, st.LegalLoop]
    fixed_sets: frozenset[ir.Array]
    within_run: bool = False
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
        inside = tuple(walk_host(self.function.body))
        self.changing = frozenset(variable for op in inside for variable in launches.set_by(op, self.module))
        self.read = frozenset(variable for op in inside for variable in launches.read_by(op, self.module))
        self.wanted = self.changing | self.read

    def lines(self) -> tuple[str, ...]:
        """The whole function."""
        name, result = self.function.name, returned_type(self.function)
        head = f'extern "C" void {name}' if self.within_run else f"static {result} {self.names.host_function(name)}"
        place = origin(self.module, self.function.span)
        body = self.block(self.function.body)
        words = max((array.extent.cells_of_a_node for array in self.function.arrays), default=1)
        inside = (
            *(f"{INDENT}check_sizes({number}ULL * graph.num_nodes, 0);" for number in (words,) if number > 1),
            *(f"{INDENT}{self.buffer(array)}" for array in self.function.arrays),
            *(f"{INDENT}{word}" for word in self.launches.declarations()),
            *body,
        )
        declared = ["Device &device", "Graph &graph", *map(self.parameter, self.function.parameters)]
        declared += (f"{list_type(items.element)} &{self.names.local(items)}" for items in self.function.lists)
        parameters = [unnamed_if_idle(parameter, inside) for parameter in declared]
        return folded_host(
            (
                *(() if place is None else (comment(place),)),
                *f"{signature_text(head, parameters)} {{".splitlines(),
                *inside,
                "}",
            )
        )

    def parameter(self, parameter: ir.Parameter) -> str:
        match parameter.what:
            case ir.Array() as array:
                return f"{buffer_type(array, self.fixed_sets, self.module)} &{self.device_name(array)}"
            case ir.Variable(_, element) as variable:
                return f"{TYPES[element]} {'&' * parameter.by_reference}{self.names.local(variable)}"

    def buffer(self, array: ir.Array) -> str:
        if array.origin is ir.Origin.HOST:
            return f"std::vector<{CELLS[array.element]}> {self.names.local(array)}({size_of(array)});"
        kind = "unsigned" if array.packed else CELLS[array.element]
        return f"Buffer<{kind}> {self.device_name(array)}(device, {size_of(array)});"

    def host_name(self, what: ir.Variable | ir.Array) -> str:
        """In expressions the graph's arrays are the host's copies."""
        return f"graph.host.{what.name}" if what in ir.GRAPH_ARRAYS else self.names.local(what)

    def device_name(self, array: ir.Array) -> str:
        return f"graph.{array.name}" if array in ir.GRAPH_ARRAYS else self.names.local(array)

    def items_of(self, loop: ir.HostForItems) -> str:
        return items_of(self, loop)

    def text(self, expression: ir.Expression) -> str:
        return self.expressions.expression(expression)

    # --- operations ------------------------------------------------------------------------------------------------

    def block(self, body: tuple[ir.HostOp, ...]) -> list[str]:
        return [f"{INDENT}{line}" for line in self.operations(body)]

    def operations(self, body: tuple[ir.HostOp, ...]) -> Iterator[str]:
        """The operations, two of them in one line where a declaration only makes room for what comes next."""
        place = 0
        while place < len(body):
            match body[place : place + 2]:
                case (ir.DeclareVariable(variable), (ir.ReadCell() | ir.ReadItem() | ir.ReadLength()) as cell) if (
                    cell.variable == variable
                ):
                    yield f"{TYPES[variable.element]} {''.join(self.operation(cell))}"
                    place += 1
                case (ir.DeclareVariable(variable) as first, ir.Loop() as loop) if is_counter(
                    variable, loop, body[place + 2 :]
                ):
                    yield from HostLoopPrinter(self).conditional(loop, "".join(self.operation(first)).removesuffix(";"))
                    place += 1
                case (op, *_):
                    yield from self.operation(op)
            place += 1

    def loop_body(self, body: tuple[ir.HostOp, ...], before_next: tuple[str, ...] = ()) -> list[str]:
        """The body of a loop; `before_next` is what a `continue` in it must do first."""
        self.rounds.append(before_next)
        lines = self.block(body)
        self.rounds.pop()
        if not self.within_run:
            return lines
        ended = "device.stopped" if self.rounds else "!device.begin_round()"
        return [f"{INDENT}if ({ended}) return;", *lines]

    def operation(self, op: ir.HostOp) -> Iterator[str]:
        match op:
            case ir.DeclareVariable(variable) if variable not in self.wanted:
                return
            case ir.DeclareVariable(variable, value):
                constant = "const " * (variable not in self.changing)
                yield f"{constant}{TYPES[variable.element]} {self.names.local(variable)} = {self.text(value)};"
            case ir.SetVariable(variable, value):
                yield f"{assignment_text(self.expressions, variable, value)};"
            case ir.Fill(array, value):
                yield f"{self.device_name(array)}.fill({self.text(value)});"
            case ir.CopyArray(destination, source):
                yield f"{self.device_name(destination)}.copy_from({self.device_name(source)});"
            case ir.Swap(first, second):
                yield f"std::swap({self.device_name(first)}, {self.device_name(second)});"
            case ir.Launch(kernel):
                yield from self.launches.launch(self.module.kernel(kernel))
            case ir.ReadCell() | ir.WriteCell():
                yield self.cell(op)
            case ir.HostIf():
                yield from self.branch(op)
            case ir.Loop() | ir.HostForRange() | ir.HostForNeighbors() | ir.HostForMembers() | ir.HostForItems():
                yield from HostLoopPrinter(self).lines(op)
            case ir.HostBreak():
                yield "break;"
            case ir.HostContinue():
                yield from self.rounds[-1]
                yield "continue;"
            case ir.HostReturn():
                yield self.returned(op)
            case ir.HostCall():
                yield self.call(op)
            case ir.HostBlock():
                yield from self.grouped(op)
            case ir.ListMembers():
                raise AssertionError("sets are asked on the device only")
            case ir.Tell() | ir.TellRecorded():
                raise AssertionError("emitted programs are not checked")
            case ir.TakeBatch() | ir.EndBatch() | ir.ChangeGraph():
                yield from changing_lines(op, self.function, lists_of(self.module, self.names), self.names, self.text)
            case _ if isinstance(op, ir.ListOp):
                yield list_operation(self, op)
            case _ if isinstance(op, ir.Exchange | ir.ReadEmpty | ir.ReadSize):
                yield from exchange_lines(self, op)
            case ir.CheckCell() if self.within_run:
                return  # it is there for sure, else the loop would not be compiled
            case ir.CheckCell(array, index):
                self.helpers.need("check_place")
                yield f"check_place({self.text(index)}, {size_of(replace(array, packed=None))});"
            case ir.OnDevice():
                yield from self.launches.together(self.loops[op.name])
            case _:
                assert_never(op)

    def grouped(self, block: ir.HostBlock) -> Iterator[str]:
        """The code of one statement of the program, under its place in the text."""
        if (place := origin(self.module, block.span)) is not None:
            yield comment(place)
        yield from self.operations(block.body)

    def cell(self, op: ir.ReadCell | ir.WriteCell) -> str:
        """Reads or writes a cell of the device, or of what the host keeps for itself."""
        index, hosts = self.text(op.index), op.array.origin is ir.Origin.HOST
        array = self.device_name(op.array)
        match op:
            case ir.ReadCell(variable):
                return f"{self.names.local(variable)} = {array}{f'[{index}]' if hosts else f'.read({index})'};"
            case ir.WriteCell(_, _, value):
                return (
                    f"{array}[{index}] = {self.text(value)};"
                    if hosts
                    else f"{array}.write({index}, {self.text(value)});"
                )
            case _:
                assert_never(op)

    def branch(self, branch: ir.HostIf) -> Iterator[str]:
        if not branch.otherwise:
            yield from guarded(self.text(branch.condition), list(self.operations(branch.then)))
            return
        yield f"if ({self.text(branch.condition)}) {{"
        yield from self.block(branch.then)
        yield "} else {"
        yield from self.block(branch.otherwise)
        yield "}"

    def returned(self, op: ir.HostReturn) -> str:
        """Leaves the function with a value, with several, with a list or with nothing."""
        if op.value is None:
            return "return;"
        if isinstance(op.value, ir.HostList):
            return f"return {self.names.local(op.value)};"
        if op.more:
            return f"return {{{', '.join(map(self.text, (op.value, *op.more)))}}};"
        return f"return {self.text(op.value)};"

    def call(self, call: ir.HostCall) -> str:
        arguments = ["device", "graph"]
        for argument in call.arguments:
            match argument:
                case ir.Array():
                    arguments.append(self.device_name(argument))
                case ir.Variable():
                    arguments.append(self.names.local(argument))
                case _:
                    arguments.append(self.text(argument))
        arguments += map(self.names.local, call.lists)
        text = f"{self.names.host_function(call.function)}({', '.join(arguments)});"
        return text if call.result is None else f"{self.names.local(call.result)} = {text}"


def returned_type(function: ir.HostFunction) -> str:
    """The C++ type of what a function returns, a tuple of several values."""
    if function.result is None:
        return "void"
    if isinstance(function.result, ir.ListOf):
        return list_type(function.result.element)
    kinds = [TYPES[element] for element in (function.result, *function.more_results)]
    return kinds[0] if len(kinds) == 1 else f"std::tuple<{', '.join(kinds)}>"
