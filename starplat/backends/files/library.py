"""The C interface of a program: one function that takes the graph and all else as plain arrays and numbers.

Takes a module and names; returns the declarations of a header and the lines that carry a caller's arguments over to
the C++ function and back.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from starplat.backends.c.cplusplus import TYPES
from starplat.backends.c.lines import INDENT
from starplat.backends.host.words import CELLS, buffer_type, size_of
from starplat.backends.text.comments import quoted
from starplat.backends.text.names import WORDS_OF_C, Names
from starplat.backends.uses import fixed_sets
from starplat.frontend.types import Scalar, SetType
from starplat.ir import lists, nodes as ir

_TYPES = {
    ir.Element.BOOL: "uint8_t",
    ir.Element.INT: "int32_t",
    ir.Element.LONG: "int64_t",
    ir.Element.FLOAT: "float",
    ir.Element.DOUBLE: "double",
    ir.Element.NODE: "int64_t",
    ir.Element.ARC: "int64_t",
}
"""The C type of a cell or number; nodes are the caller's ids."""

_OWN = ("given_graph", "given_device", "given_handle", "given_returned")
"""Parameters that every library has, whose names no program uses."""


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter of the C function: its declaration, and what the header says about it."""

    declaration: str
    meaning: str


def pairs(module: ir.Module) -> list[tuple[ir.Argument, ir.Parameter]]:
    """The arguments of the program but for the graph, lists and lists of updates, each with the parameter of the entry
    that takes it."""
    return [(one.argument, one.parameters[0]) for one in lists.taken(module) if len(one.parameters) == 1]


class Interface:
    """The C function of a program."""

    def __init__(self, module: ir.Module, names: Names) -> None:
        self.module = module
        self.names = names
        self.pairs = [
            (argument, parameter)
            for argument, parameter in pairs(module)
            if not (isinstance(parameter.what, ir.Array) and parameter.what.origin is ir.Origin.WEIGHT)
        ]

    def weight_type(self, weight: ir.Element | None) -> str | None:
        return None if weight is None else _TYPES[weight]

    def parameters(self) -> list[CParameter]:
        """All parameters after the graph and the device's number."""
        given = [part for argument, parameter in self.pairs for part in self.parameter(argument, parameter)]
        return [*given, *self.returned()]

    def parameter(self, argument: ir.Argument, parameter: ir.Parameter) -> list[CParameter]:
        name = self.given(parameter.what)
        match parameter.what:
            case ir.Variable(_, element):
                return [CParameter(f"{_TYPES[element]} {name}", "a node" if element is ir.Element.NODE else "")]
            case ir.Array() if isinstance(argument.type, SetType):
                members = "nodes" if argument.type.member is Scalar.NODE else "arcs, by their places in columns"
                return [
                    CParameter(f"const int64_t *{name}", f"{name}_count {members}"),
                    CParameter(f"int64_t {name}_count", ""),
                ]
            case ir.Array(_, element) as array:
                is_result, is_input = array in self.module.results, array in self.module.inputs
                way = {(True, True): "in and out", (True, False): "out", (False, True): "in", (False, False): "unused"}
                size = size_of(array).removeprefix("graph.")
                constant = "" if is_result else "const "
                return [CParameter(f"{constant}{_TYPES[element]} *{name}", f"{size}, {way[is_result, is_input]}")]

    def returned(self) -> list[CParameter]:
        return [
            CParameter(f"{_TYPES[kind]} *{name}", "what the program returns")
            for kind, (name, _) in zip(self.returned_elements(), self.returned_values(), strict=True)
        ]

    def returned_elements(self) -> tuple[ir.Element, ...]:
        function = self.module.function(self.module.entry)
        if function.result is None or isinstance(function.result, ir.ListOf):  # a list is no library's
            return ()
        return (function.result, *function.more_results)

    def returned_values(self) -> list[tuple[str, str]]:
        """The parameter of each returned value, and the value in C++."""
        if (count := len(self.returned_elements())) == 1:
            return [("given_returned", "returned")]
        return [(f"given_returned_{place + 1}", f"std::get<{place}>(returned)") for place in range(count)]

    def given(self, what: ir.Variable | ir.Array) -> str:
        """The C function's name of its parameter: C++ has the name for its own."""
        return self._given[what]

    @cached_property
    def _given(self) -> dict[ir.Variable | ir.Array, str]:
        """Names that collide with no other's, nor with another's count."""
        given, used = {}, {*_OWN, *(name for name, _ in self.returned_values())}
        for _, parameter in pairs(self.module):
            base, number = f"given_{self.names.local(parameter.what).rstrip('_')}", 2
            name = base
            while any(self.names.is_taken(word) or word in used for word in (name, f"{name}_count")):
                name, number = f"{base}_{number}", number + 1
            given[parameter.what] = name
            used |= {name, f"{name}_count"}
        return given

    # --- the way in and out ----------------------------------------------------------------------------------------

    def weights(self) -> list[tuple[str, str]]:
        """The arrays of weights, which are uploaded with the graph: their names, and the classes that hold them."""
        return [
            (self.names.local(parameter.what), self.kind(parameter.what))
            for _, parameter in pairs(self.module)
            if isinstance(parameter.what, ir.Array) and parameter.what.origin is ir.Origin.WEIGHT
        ]

    def buffers(self) -> list[tuple[str, str]]:
        """The other arrays in the same way, whose memory is made by the first run that needs it."""
        arrays = (parameter.what for _, parameter in self.pairs if isinstance(parameter.what, ir.Array))
        return [(self.names.local(array), self.kind(array)) for array in arrays]

    def kind(self, array: ir.Array) -> str:
        return buffer_type(array, self.fixed_sets, self.module)

    @cached_property
    def fixed_sets(self) -> frozenset[ir.Array]:
        return fixed_sets(self.module)

    def setup(self) -> list[str]:
        """The lines that make what the C++ function is called with."""
        weights = [f"{kind} &{name} = handle->{name};" for name, kind in self.weights()]
        return [*weights, *(self.made(argument, parameter) for argument, parameter in self.pairs)]

    def made(self, argument: ir.Argument, parameter: ir.Parameter) -> str:
        name, given = self.names.local(parameter.what), self.given(parameter.what)
        match parameter.what:
            case ir.Variable(_, ir.Element.NODE):
                return f"int {name} = host.node({given});"
            case ir.Variable(_, element):
                return f"{TYPES[element]} {name} = {given};"
            case ir.Array() as array if isinstance(argument.type, SetType):
                to_place = "true" if argument.type.member is Scalar.NODE else "false"
                cells = f"members_given({given}, {given}_count, {size_of(array)}, host, {to_place})"
                return f"{self.kind(array)} &{name} = handle->{name}.emplace(device, {cells});"
            case ir.Array(_, element) as array if array in self.module.inputs:
                cells = f"cells_given<{CELLS[element]}>({given}, {size_of(array)})"
                if element is ir.Element.NODE:
                    cells = f"nodes_given({given}, {size_of(array)}, host)"
                return f"{self.kind(array)} &{name} = handle->{name}.emplace(device, {cells});"
            case ir.Array(_, element) as array:
                return f"Buffer<{CELLS[element]}> &{name} = kept(handle->{name}, device, {size_of(array)});"

    def results(self) -> list[str]:
        """The lines that hand the results over, and note what is doubtful in them."""
        lines = [
            line
            for argument, parameter in self.pairs
            if isinstance(parameter.what, ir.Array) and parameter.what in self.module.results
            for line in self.handed_over(argument, parameter.what)
        ]
        for element, (name, returned) in zip(self.returned_elements(), self.returned_values(), strict=True):
            value = f"host.original_id({returned})" if element is ir.Element.NODE else returned
            lines.append(f"if ({name} != nullptr) *{name} = {value};")
            if element.is_real:
                entry, written = quoted(self.module.entry), ", true" * self.module.returns_infinity
                lines.append(f'message += doubts_of_returned("{entry}", {returned}{written});')
        return lines

    def handed_over(self, argument: ir.Argument, array: ir.Array) -> list[str]:
        """The lines for one array, which is looked at if it is wanted and was not given with such values."""
        given, cells = self.given(array), f"{self.names.local(array)}.download()"
        if not array.element.is_real:
            cells = f"host.original_ids({cells})" if array.element is ir.Element.NODE else cells
            return [f"hand_over({cells}, {given});"]
        written = ", true" * argument.shows_infinity
        of_what, where = ("nodes", ", host") if array.extent is ir.Extent.NODES else ("arcs", "")
        condition = f"if (are_finite({given}, results.size())) " * (array in self.module.inputs)
        return [
            f"if ({given} != nullptr) {{",
            f"{INDENT}const auto results = {cells};",
            f'{INDENT}{condition}message += doubts_of_{of_what}("{quoted(argument.name)}", results{where}{written});',
            f"{INDENT}hand_over(results, {given});",
            "}",
        ]

    def needs(self) -> dict[str, bool]:
        """Which of the functions that carry arguments over are called."""
        lines = [*self.setup(), *self.results()]
        words = ("members_given", "cells_given", "nodes_given", "hand_over", "kept", "are_finite")
        needs = {word: any(f"{word}(" in line or f"{word}<" in line for line in lines) for word in words}
        return {**needs, "doubts": any("doubts_of_" in line for line in lines)}


def parameter_lines(first: str, parameters: list[CParameter]) -> list[str]:
    """The lines of a parameter list, from the `first` on."""
    *others, last = [first, *(parameter.declaration for parameter in parameters)]
    return [*(f"{declaration}," for declaration in others), last]


def header_parameter_lines(first: str, parameters: list[CParameter]) -> list[str]:
    """The same as the header shows it: without a prefix where that makes a name, but with what each of them means."""
    shown = [CParameter(_shown(p.declaration), _shown(p.meaning)) for p in parameters]
    meanings = ["", *(f" /* {parameter.meaning} */" if parameter.meaning else "" for parameter in shown)]
    return [f"{line}{meaning}" for line, meaning in zip(parameter_lines(first, shown), meanings, strict=True)]


def _shown(text: str) -> str:
    return re.sub(r"\bgiven_(\w+)", lambda name: name[0] if name[1] in WORDS_OF_C else name[1], text)
