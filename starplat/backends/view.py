"""What a template of a target needs, finished: signatures, lines, comments, and the helper functions that are used.

Takes a module, capabilities and a spelling; returns a `Unit`. Templates only loop over it and place its pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import assert_never

from starplat.backends.cexpr import ExpressionPrinter, Helper, Helpers
from starplat.backends.comments import comment, file_name, line_mark, origin
from starplat.backends.crecords import need_records
from starplat.backends.crows import need_frontier
from starplat.backends.cstmt import INDENT, StatementPrinter
from starplat.backends.launch import (
    GROUP_SIZE,
    THREADS_TOGETHER,
    ArgumentKind,
    KernelArgument,
    kernel_parameters,
    loop_parameters,
)
from starplat.backends.legalise import legal_function, legal_kernel
from starplat.backends.names import Names
from starplat.backends.spelling import Spelling
from starplat.backends.statements import LegalFunction, LegalKernel, LegalLoop
from starplat.backends.together import legal_loop
from starplat.backends.uses import (
    called_in,
    code_of,
    contested_arrays,
    uses_num_arcs,
    uses_num_nodes,
    volatile_arrays,
    written_in,
)
from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Array, Element, Function, Kernel, Launch, Module, Origin, Parameter, Swap, Variable
from starplat.ir.visitor import changed_by, launched_alone, loops_of, walk_host
from starplat.passes.memory import has_two_names

LINE_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Routine:
    """A kernel or function as text: `mark` is its `#line` directive, `signature` ends before the opening bracket.

    `parameters` are a kernel's own, without those that its target gives every kernel.
    """

    name: str
    comments: tuple[str, ...]
    mark: str | None
    signature: str
    body: tuple[str, ...]
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """All kernels of a module as text."""

    program: str
    helpers: tuple[Helper, ...]
    functions: tuple[Routine, ...]
    kernels: tuple[Routine, ...]

    def says(self, word: str) -> bool:
        """Whether the emitted code, comments aside, has the word."""
        routines = (*self.functions, *self.kernels)
        pieces = [line for routine in routines for line in (routine.signature, *routine.body)]
        pieces += [value for helper in self.helpers for _, value in helper.arguments]
        return any(re.search(rf"\b{word}\b", piece) for piece in pieces)


def legal(
    module: Module, capabilities: Capabilities
) -> tuple[tuple[LegalKernel | LegalLoop, ...], tuple[LegalFunction, ...]]:
    """The kernels that the host of a module launches, and the functions that they call, callees first."""
    kernels: tuple[LegalKernel | LegalLoop, ...] = (
        *(legal_kernel(kernel, module, capabilities) for kernel in launched_alone(module)),
        *(legal_loop(loop, module, capabilities) for loop in loops_of(module)),
    )
    used = called_in(tuple(code_of(kernel) for kernel in module.kernels), module)
    functions = tuple(legal_function(function, module, capabilities) for function in _callees_first(used, module))
    return kernels, functions


def view(module: Module, capabilities: Capabilities, spelling: Spelling) -> Unit:
    """The kernels in the words of a target.

    Raises:
        DiagnosticError: E06xx, the target cannot do what the program asks.
    """
    kernels, functions = legal(module, capabilities)
    return _Viewer(module, spelling, Names(module, kernels, functions)).unit(kernels, functions)


class _Viewer:
    def __init__(self, module: Module, spelling: Spelling, names: Names) -> None:
        self.module = module
        self.spelling = spelling
        self.names = names
        self.helpers = Helpers()
        self.volatile = volatile_arrays(module)
        self.contested = contested_arrays(module)
        self.has_two_names = has_two_names(module)
        self.hidden = {function.name: self.hidden_arguments(function) for function in module.helpers}

    def unit(self, kernels: tuple[LegalKernel | LegalLoop, ...], functions: tuple[LegalFunction, ...]) -> Unit:
        printed = tuple(self.function(function) for function in functions)
        shown = tuple(self.kernel(k) if isinstance(k, LegalKernel) else self.loop(k) for k in kernels)
        return Unit(file_name(self.module), tuple(self.helpers.needed), printed, shown)

    def kernel(self, legal: LegalKernel) -> Routine:
        kernel = legal.kernel
        name = self.names.kernel(kernel.name)
        prefix = self.spelling.kernel
        if legal.needs_whole_groups:
            prefix = self.spelling.whole_group_kernel.format(size=GROUP_SIZE)
        parameters = self.kernel_parameters(legal)
        signature = signature_text(f"{prefix} {name}", [*self.spelling.leading_parameters, *parameters])
        body = StatementPrinter(self.printer(kernel.name, frozenset())).lines(legal.body)
        place = origin(self.module, kernel.span)
        comments = tuple(comment(text) for text in (place, kernel.comment) if text)
        mark = line_mark(self.module, kernel.span)
        return Routine(name, comments, mark, signature, tuple(body), tuple(parameters))

    def loop(self, legal: LegalLoop) -> Routine:
        name = self.names.kernel(legal.op.name)
        prefix = self.spelling.whole_group_kernel.format(size=THREADS_TOGETHER)
        parameters = self.loop_parameters(legal)
        body = [*self.sets(legal), *self.records(legal), *StatementPrinter(self.loop_printer(legal)).lines(legal.body)]
        place = origin(self.module, legal.op.span)
        comments = () if place is None else (comment(place),)
        mark = line_mark(self.module, legal.op.span)
        return Routine(name, comments, mark, signature_text(f"{prefix} {name}", parameters), tuple(body), ())

    def sets(self, legal: LegalLoop) -> Iterator[str]:
        """The declarations of the packed arrays: each a set over the words that the kernel gets."""
        for array in legal.op.arrays:
            if array.packed:
                need_frontier(self.helpers)
                name = self.names.local(array)
                yield f"{INDENT}__shared__ int new_in_{name}[MOST_NEW + 1];"
                yield f"{INDENT}Frontier {name} = frontier_in({name}_words, num_nodes, new_in_{name});"

    def records(self, legal: LegalLoop) -> Iterator[str]:
        """Where a traced launch notes what it tells of itself."""
        if legal.op.traced:
            need_records(self.helpers)
            yield f"{INDENT}Records run_records = {{run_record_words, 0, 0}};"

    def loop_printer(self, legal: LegalLoop) -> ExpressionPrinter:
        contested = {array for kernel in self.inside(legal) for array in self.contested[kernel.name]}
        contested = _under_all_names(contested, legal)
        return replace(self.printer(None, frozenset()), contested=frozenset(contested))

    def inside(self, legal: LegalLoop) -> tuple[Kernel, ...]:
        """The kernels that are parts of an operation."""
        return tuple(self.module.kernel(op.kernel) for op in walk_host(legal.op.body) if isinstance(op, Launch))

    def function(self, legal: LegalFunction) -> Routine:
        function = legal.function
        name = self.names.helper(function.name)
        result = "void" if function.result is None else self.spelling.values[function.result]
        hidden = [self.size_parameter(argument) for argument in self.hidden[function.name]]
        parameters = [*hidden, *(self.function_parameter(function, parameter) for parameter in function.parameters)]
        signature = signature_text(f"{self.spelling.function}{result} {name}", parameters)
        body = StatementPrinter(self.printer(function.name, _references(function))).lines(legal.body)
        place = origin(self.module, function.span)
        comments = tuple(comment(text) for text in (place, function.comment) if text)
        return Routine(name, comments, line_mark(self.module, function.span), signature, tuple(body))

    def printer(self, routine: str | None, references: frozenset[Variable]) -> ExpressionPrinter:
        return ExpressionPrinter(
            self.spelling,
            self.names.local,
            self.names.helper,
            self.helpers,
            references=references,
            contested=frozenset() if routine is None else self.contested[routine],
            hidden_arguments=self.hidden,
        )

    # --- parameters ------------------------------------------------------------------------------------------------

    def kernel_parameters(self, legal: LegalKernel) -> list[str]:
        kernel = legal.kernel
        written = written_in(kernel.body, self.module)
        volatile = self.volatile[kernel.name]
        results = iter(legal.results)
        parameters = []
        for argument in kernel_parameters(self.module, kernel):
            match argument.kind:
                case ArgumentKind.NUM_NODES | ArgumentKind.NUM_ARCS:
                    parameters.append(self.size_parameter(argument.kind.value))
                case ArgumentKind.ARRAY:
                    assert argument.array is not None
                    array = argument.array
                    parameters.append(self.pointer(array, written=array in written, volatile=array in volatile))
                case ArgumentKind.SCALAR:
                    assert argument.variable is not None
                    kind = self.spelling.parameters[argument.variable.element]
                    parameters.append(f"{kind} {self.names.local(argument.variable)}")
                case ArgumentKind.REDUCTION:
                    parameters.append(self.pointer(next(results), written=True, volatile=False))
        return parameters

    def loop_parameters(self, legal: LegalLoop) -> list[str]:
        inside = self.inside(legal)
        written = {array for kernel in inside for array in written_in(kernel.body, self.module)}
        written |= {array for op in walk_host(legal.op.body) for array in changed_by(op)}
        volatile = _under_all_names({a for kernel in inside for a in self.volatile[kernel.name]}, legal)
        parameters = (self.loop_parameter(a, written, volatile) for a in loop_parameters(self.module, legal))
        return list(parameters)

    def loop_parameter(self, argument: KernelArgument, written: set[Array], volatile: set[Array]) -> str:
        array, variable = argument.array, argument.variable
        match argument.kind:
            case ArgumentKind.NUM_NODES | ArgumentKind.NUM_ARCS:
                return self.size_parameter(argument.kind.value)
            case ArgumentKind.ARRAY:
                assert array is not None
                return self.pointer(array, written=array in written, volatile=array in volatile)
            case ArgumentKind.SCALAR:
                assert variable is not None
                return f"{self.spelling.parameters[variable.element]} {self.names.local(variable)}"
            case ArgumentKind.FOUND | ArgumentKind.OUTCOME:
                assert array is not None
                return self.pointer(array, written=True, volatile=False)
            case ArgumentKind.BARRIER:
                return f"{self.spelling.space}unsigned *arrived"
            case ArgumentKind.RECORDS:
                return f"{self.spelling.space}{self.spelling.values[Element.LONG]} *run_record_words"
            case ArgumentKind.REDUCTION:
                raise AssertionError("reductions of such a launch have rings")
        assert_never(argument.kind)

    def size_parameter(self, name: str) -> str:
        """The parameter for n or m, which have their own names everywhere."""
        return f"{self.spelling.values[Element.INT if name == 'num_nodes' else Element.ARC]} {name}"

    def function_parameter(self, function: Function, parameter: Parameter) -> str:
        match parameter.what:
            case Array() as array:
                written = array in written_in(function.body, self.module)
                volatile = array in self.volatile[function.name]
                return self.pointer(array, written=written, volatile=volatile, of_function=True)
            case Variable(_, element) as variable:
                star = "*" if parameter.by_reference else ""
                return f"{self.spelling.values[element]} {star}{self.names.local(variable)}"

    def pointer(self, array: Array, *, written: bool, volatile: bool, of_function: bool = False) -> str:
        """What a launch only reads is promised to change in no other way: a caller who gives one property twice is
        refused if the program changes it (E0713). A function of the program may be called with one array twice."""
        if array.packed:
            return f"{self.spelling.space}unsigned *{self.names.local(array)}_words"
        kind = self.spelling.cells[array.element]
        promised = array.origin is Origin.GRAPH or not (of_function or volatile or self.has_two_names)
        restrict = f"{self.spelling.restrict} " if promised and not written else ""
        changes = "volatile " * volatile + "const " * (not written)
        return f"{self.spelling.space}{changes}{kind} *{restrict}{self.names.local(array)}"

    def hidden_arguments(self, function: Function) -> tuple[str, ...]:
        """What a function is passed though its calls do not say it: n and m, where it uses them."""
        uses_n, uses_m = uses_num_nodes(function.body, self.module), uses_num_arcs(function.body, self.module)
        return ("num_nodes",) * uses_n + ("num_arcs",) * uses_m


def signature_text(head: str, parameters: list[str]) -> str:
    """`head(parameters)`, with a line for each parameter where one would be too long."""
    line = f"{head}({', '.join(parameters)})"
    if len(line) <= LINE_WIDTH:
        return line
    return f"{head}(\n{INDENT}" + f",\n{INDENT}".join(parameters) + "\n)"


def _under_all_names(arrays: set[Array], legal: LegalLoop) -> set[Array]:
    """The arrays, and those that they change names with."""
    found, swaps = set(arrays), [op for op in walk_host(legal.op.body) if isinstance(op, Swap)]
    while more := {a for s in swaps for a in (s.first, s.second) if {s.first, s.second} & found} - found:
        found |= more
    return found


def _references(function: Function) -> frozenset[Variable]:
    return frozenset(p.what for p in function.parameters if p.by_reference and isinstance(p.what, Variable))


def _callees_first(functions: tuple[Function, ...], module: Module) -> list[Function]:
    ordered: list[Function] = []

    def place(function: Function) -> None:
        for callee in called_in(function.body, module):
            place(callee)
        if function not in ordered:
            ordered.append(function)

    for function in functions:
        place(function)
    return ordered
