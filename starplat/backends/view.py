"""What a template of a target needs, finished: signatures, lines, comments, and the helper functions that are used.

Takes a module, capabilities and a spelling; returns a `Unit`. Templates only loop over it and place its pieces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from starplat.backends.cexpr import ExpressionPrinter, Helper, Helpers
from starplat.backends.comments import comment, file_name, line_mark, origin
from starplat.backends.cstmt import INDENT, StatementPrinter
from starplat.backends.launch import GROUP_SIZE, ArgumentKind, kernel_parameters
from starplat.backends.legalise import legal_function, legal_kernel
from starplat.backends.names import Names
from starplat.backends.spelling import Spelling
from starplat.backends.statements import LegalFunction, LegalKernel
from starplat.backends.uses import called_in, code_of, uses_num_arcs, uses_num_nodes, volatile_arrays, written_in
from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Array, Element, Function, Module, Origin, Parameter, Variable

LINE_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Routine:
    """A kernel or function as text: `mark` is its `#line` directive, `signature` ends before the opening bracket."""

    name: str
    comments: tuple[str, ...]
    mark: str | None
    signature: str
    body: tuple[str, ...]


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


def legal(module: Module, capabilities: Capabilities) -> tuple[tuple[LegalKernel, ...], tuple[LegalFunction, ...]]:
    """The kernels of a module, and the functions that they call, callees first."""
    kernels = tuple(legal_kernel(kernel, module, capabilities) for kernel in module.kernels)
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
        self.hidden = {function.name: self.hidden_arguments(function) for function in module.helpers}

    def unit(self, kernels: tuple[LegalKernel, ...], functions: tuple[LegalFunction, ...]) -> Unit:
        printed = tuple(self.function(function) for function in functions)
        shown = tuple(self.kernel(kernel) for kernel in kernels)
        return Unit(file_name(self.module), tuple(self.helpers.needed), printed, shown)

    def kernel(self, legal: LegalKernel) -> Routine:
        kernel = legal.kernel
        name = self.names.kernel(kernel.name)
        prefix = self.spelling.kernel
        if legal.needs_whole_groups:
            prefix = self.spelling.whole_group_kernel.format(size=GROUP_SIZE)
        signature = signature_text(f"{prefix} {name}", self.kernel_parameters(legal))
        body = StatementPrinter(self.printer(frozenset())).lines(legal.body)
        place = origin(self.module, kernel.span)
        comments = tuple(comment(text) for text in (place, kernel.comment) if text)
        return Routine(name, comments, line_mark(self.module, kernel.span), signature, tuple(body))

    def function(self, legal: LegalFunction) -> Routine:
        function = legal.function
        name = self.names.helper(function.name)
        result = "void" if function.result is None else self.spelling.values[function.result]
        hidden = [self.size_parameter(argument) for argument in self.hidden[function.name]]
        parameters = [*hidden, *(self.function_parameter(function, parameter) for parameter in function.parameters)]
        signature = signature_text(f"{self.spelling.function}{result} {name}", parameters)
        body = StatementPrinter(self.printer(_references(function))).lines(legal.body)
        place = origin(self.module, function.span)
        comments = () if place is None else (comment(place),)
        return Routine(name, comments, line_mark(self.module, function.span), signature, tuple(body))

    def printer(self, references: frozenset[Variable]) -> ExpressionPrinter:
        return ExpressionPrinter(
            self.spelling,
            self.names.local,
            self.names.helper,
            self.helpers,
            references=references,
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

    def size_parameter(self, name: str) -> str:
        """The parameter for n or m, which have their own names everywhere."""
        return f"{self.spelling.values[Element.INT if name == 'num_nodes' else Element.ARC]} {name}"

    def function_parameter(self, function: Function, parameter: Parameter) -> str:
        match parameter.what:
            case Array() as array:
                written = array in written_in(function.body, self.module)
                return self.pointer(array, written=written, volatile=array in self.volatile[function.name])
            case Variable(_, element) as variable:
                star = "*" if parameter.by_reference else ""
                return f"{self.spelling.values[element]} {star}{self.names.local(variable)}"

    def pointer(self, array: Array, *, written: bool, volatile: bool) -> str:
        """Only the graph's arrays are promised to be reached in one way: a caller may give one property twice."""
        kind = self.spelling.cells[array.element]
        restrict = f"{self.spelling.restrict} " if array.origin is Origin.GRAPH and not written else ""
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
