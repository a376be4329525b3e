"""What a program is to callers from C: one function, with the graph and everything else as plain arrays and numbers.

Takes a module and names; returns the declarations of a header and the lines that carry a caller's arguments over to
the C++ function and back.
"""

from __future__ import annotations

from dataclasses import dataclass

from starplat.backends.cplusplus import TYPES
from starplat.backends.cpp import CELLS, size_of
from starplat.backends.names import Names
from starplat.frontend.types import GraphType, Scalar, SetType
from starplat.ir.nodes import Argument, Array, Element, Module, Origin, Parameter, Variable

_TYPES = {
    Element.BOOL: "uint8_t",
    Element.INT: "int32_t",
    Element.LONG: "int64_t",
    Element.FLOAT: "float",
    Element.DOUBLE: "double",
    Element.NODE: "int64_t",
    Element.ARC: "int64_t",
}
"""What a cell or number is in C; nodes go by what the caller's graph calls them."""


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter of the C function: its declaration, and what the header says about it."""

    declaration: str
    meaning: str


def pairs(module: Module) -> list[tuple[Argument, Parameter]]:
    """The arguments of the program but for the graph, each with the parameter of the entry that takes it."""
    parameters = module.function(module.entry).parameters
    wanted = (argument for argument in module.arguments if not isinstance(argument.type, GraphType))
    return list(zip(wanted, parameters, strict=True))


class Interface:
    """The C function of a program."""

    def __init__(self, module: Module, names: Names) -> None:
        self.module = module
        self.names = names
        self.pairs = [
            (argument, parameter)
            for argument, parameter in pairs(module)
            if not (isinstance(parameter.what, Array) and parameter.what.origin is Origin.WEIGHT)
        ]

    def weight_type(self, weight: Element | None) -> str | None:
        """What a weight is in C."""
        return None if weight is None else _TYPES[weight]

    def parameters(self) -> list[CParameter]:
        """All parameters after the graph and the device's number."""
        given = [part for argument, parameter in self.pairs for part in self.parameter(argument, parameter)]
        return [*given, *self.returned()]

    def parameter(self, argument: Argument, parameter: Parameter) -> list[CParameter]:
        name = self.given(parameter.what)
        match parameter.what:
            case Variable(_, element):
                return [CParameter(f"{_TYPES[element]} {name}", "a node" if element is Element.NODE else "")]
            case Array() if isinstance(argument.type, SetType):
                members = "nodes" if argument.type.member is Scalar.NODE else "arcs, by their places in columns"
                return [
                    CParameter(f"const int64_t *{name}", f"{name}_count {members}"),
                    CParameter(f"int64_t {name}_count", ""),
                ]
            case Array(_, element) as array:
                is_result, is_input = array in self.module.results, array in self.module.inputs
                way = {(True, True): "in and out", (True, False): "out", (False, True): "in", (False, False): "unused"}
                size = size_of(array).removeprefix("graph.")
                constant = "" if is_result else "const "
                return [CParameter(f"{constant}{_TYPES[element]} *{name}", f"{size}, {way[is_result, is_input]}")]

    def returned(self) -> list[CParameter]:
        kind = self.returned_element()
        return [] if kind is None else [CParameter(f"{_TYPES[kind]} *given_returned", "what the program returns")]

    def returned_element(self) -> Element | None:
        return self.module.function(self.module.entry).result

    def given(self, what: Variable | Array) -> str:
        """What the C function calls its parameter: C++ has the name for its own."""
        base, number = f"given_{self.names.local(what).rstrip('_')}", 2
        name = base
        while self.names.is_taken(name) or self.names.is_taken(f"{name}_count"):
            name, number = f"{base}_{number}", number + 1
        return name

    # --- the way in and out ----------------------------------------------------------------------------------------

    def weights(self) -> list[tuple[str, str]]:
        """The arrays of weights, which are uploaded with the graph: their names, and what their cells are."""
        return [
            (self.names.local(parameter.what), CELLS[parameter.what.element])
            for _, parameter in pairs(self.module)
            if isinstance(parameter.what, Array) and parameter.what.origin is Origin.WEIGHT
        ]

    def buffers(self) -> list[tuple[str, str]]:
        """The other arrays in the same way, whose memory is made by the first run that needs it."""
        arrays = (parameter.what for _, parameter in self.pairs if isinstance(parameter.what, Array))
        return [(self.names.local(array), CELLS[array.element]) for array in arrays]

    def setup(self) -> list[str]:
        """The lines that make what the C++ function is called with."""
        weights = [f"Buffer<{kind}> &{name} = handle->{name};" for name, kind in self.weights()]
        return [*weights, *(self.made(argument, parameter) for argument, parameter in self.pairs)]

    def made(self, argument: Argument, parameter: Parameter) -> str:
        name, given = self.names.local(parameter.what), self.given(parameter.what)
        match parameter.what:
            case Variable(_, Element.NODE):
                return f"int {name} = host.node({given});"
            case Variable(_, element):
                return f"{TYPES[element]} {name} = {given};"
            case Array(_, element) as array if isinstance(argument.type, SetType):
                to_place = "true" if argument.type.member is Scalar.NODE else "false"
                cells = f"members_given({given}, {given}_count, {size_of(array)}, host, {to_place})"
                return f"Buffer<{CELLS[element]}> &{name} = handle->{name}.emplace(device, {cells});"
            case Array(_, element) as array if array in self.module.inputs:
                cells = f"cells_given<{CELLS[element]}>({given}, {size_of(array)})"
                if element is Element.NODE:
                    cells = f"nodes_given({given}, {size_of(array)}, host)"
                return f"Buffer<{CELLS[element]}> &{name} = handle->{name}.emplace(device, {cells});"
            case Array(_, element) as array:
                return f"Buffer<{CELLS[element]}> &{name} = kept(handle->{name}, device, {size_of(array)});"

    def results(self) -> list[str]:
        """The lines that hand the results over."""
        lines = []
        for _, parameter in self.pairs:
            if isinstance(parameter.what, Array) and parameter.what in self.module.results:
                cells = f"{self.names.local(parameter.what)}.download()"
                cells = f"host.original_ids({cells})" if parameter.what.element is Element.NODE else cells
                lines.append(f"hand_over({cells}, {self.given(parameter.what)});")
        element = self.returned_element()
        if element is not None:
            value = "host.original_id(returned)" if element is Element.NODE else "returned"
            lines.append(f"if (given_returned != nullptr) *given_returned = {value};")
        return lines

    def needs(self) -> dict[str, bool]:
        """Which of the functions that carry arguments over are called."""
        lines = [*self.setup(), *self.results()]
        words = ("members_given", "cells_given", "nodes_given", "hand_over", "kept")
        return {word: any(f"{word}(" in line or f"{word}<" in line for line in lines) for word in words}


def parameter_lines(first: str, parameters: list[CParameter]) -> list[str]:
    """The lines of a parameter list, from the `first` on."""
    *others, last = [first, *(parameter.declaration for parameter in parameters)]
    return [*(f"{declaration}," for declaration in others), last]


def header_parameter_lines(first: str, parameters: list[CParameter]) -> list[str]:
    """The same as the header shows it: without a prefix, but with what each of them means."""
    shown = [CParameter(p.declaration.replace("given_", "", 1), p.meaning.replace("given_", "", 1)) for p in parameters]
    meanings = ["", *(f" /* {parameter.meaning} */" if parameter.meaning else "" for parameter in shown)]
    return [f"{line}{meaning}" for line, meaning in zip(parameter_lines(first, shown), meanings, strict=True)]
