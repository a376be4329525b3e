"""What the template of a complete C++ program needs: host functions, the graph's arrays, arguments and results.

The same for every target; a target's template adds its own Device, Buffer and Word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from starplat.backends.cexpr import ExpressionPrinter
from starplat.backends.chost import host_text
from starplat.backends.comments import file_name, origin, quoted
from starplat.backends.cplusplus import TYPES
from starplat.backends.cpp import CELLS, CPP, size_of
from starplat.backends.headers import Header, bare
from starplat.backends.helpers import Helper, Helpers
from starplat.backends.hostlaunch import BY_NAME, Launching
from starplat.backends.launch import (
    MOST_THREADS,
)
from starplat.backends.layout import raw_literal
from starplat.backends.legal_module import legal
from starplat.backends.library import Interface, header_parameter_lines, pairs, parameter_lines
from starplat.backends.lines import INDENT
from starplat.backends.names import Names
from starplat.backends.read_graph import graph_pieces, weight_element
from starplat.backends.render import helper_texts, render
from starplat.backends.statements import LegalLoop
from starplat.backends.uses import walk, written_in
from starplat.frontend.types import Scalar, SetType
from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import (
    Argument,
    Array,
    Const,
    Element,
    Extent,
    Module,
    Origin,
    Parameter,
    Variable,
    Variant,
)
from starplat.ir.visitor import changed_by
from starplat.schedule.algebra import few_neighbors
from starplat.schedule.facts import EVEN


def artifact_pieces(
    module: Module,
    stem: str,
    capabilities: Capabilities,
    launching: Launching = BY_NAME,
    *,
    library: bool = False,
    kernel_helpers: Iterable[Helper] = (),
    headers: Sequence[Header] = (),
) -> dict[str, object]:
    """Everything that templates of C++ programs place, whatever the target.

    Of `kernel_helpers`, which the same file holds for its kernels, those that host code calls too are `shared_helpers`.
    What one of the `headers` holds, the program does not.
    """
    kernels, functions = legal(module, capabilities)
    names = Names(module, kernels, functions)
    loops = [kernel for kernel in kernels if isinstance(kernel, LegalLoop)]
    host = host_text(module, names, launching, loops)
    shared = {bare(helper): helper for helper in kernel_helpers if helper.macro != "find_arc"}
    own = [helper for helper in host.helpers.needed if bare(helper) not in shared]
    own = [helper for helper in own if helper.macro == "find_arc" or not any(one.holds(helper) for one in headers)]
    return {
        "stem": stem,
        "program": file_name(module),
        "entry": names.host_function(module.entry),
        **graph_pieces(module),
        "helpers": helper_texts(["common/host_helpers.jinja"], own),
        "shared_helpers": frozenset(shared[bare(h)] for h in host.helpers.needed if bare(h) in shared),
        "headers": [header.name for header in headers],
        "functions": host.functions,
        "most_threads": MOST_THREADS,
        **(_library_pieces if library else _program_pieces)(module, names, stem, capabilities),
    }


def host_lines(pieces: Mapping[str, object]) -> Iterator[str]:
    """The lines of host code among the pieces."""
    functions = pieces["functions"]
    assert isinstance(functions, tuple)
    for function in functions:
        yield from function


def _program_pieces(module: Module, names: Names, stem: str, capabilities: Capabilities) -> dict[str, object]:
    """What only `main` needs."""
    arguments, returned = _Arguments(module, names, capabilities), _returned(module)
    return {
        "library": False,
        "purpose": "as a program of its own",
        "build_as": f"-o {stem}",
        "how_to_run": f"// run:   ./{stem} GRAPH{arguments.usage()}",
        "usage": [f"usage: {stem} GRAPH{arguments.usage()}", *arguments.help()],
        "known": arguments.known(),
        "options": arguments.options,
        "checked": arguments.checked(),
        "setup": arguments.setup(),
        "before_each_run": arguments.before_each_run(),
        "call": arguments.call("returned = " if returned else "", depth=4),
        "looked_at": arguments.looked_at(),
        "results": arguments.results(),
        "returns": returned,
        "returned_type": _returned_type(module),
    }


def _library_pieces(module: Module, names: Names, stem: str, capabilities: Capabilities) -> dict[str, object]:
    """What only the function for C needs."""
    interface, arguments = Interface(module, names), _Arguments(module, names, capabilities)
    entry = names.host_function(module.entry)
    return {
        "library": True,
        "purpose": "as a library",
        "build_as": f"-shared -fPIC -o lib{stem}.so",
        "how_to_run": f"// use:   {stem}.h declares its function.",
        "parameters": parameter_lines("std::int32_t given_device", interface.parameters()),
        "run_parameters": parameter_lines(f"{entry}_handle *handle", interface.parameters()),
        "passed_on": ", ".join(["handle", *(re.findall(r"\w+", p.declaration)[-1] for p in interface.parameters())]),
        "weights": interface.weights(),
        "buffers": interface.buffers(),
        "needs": interface.needs(),
        "setup": interface.setup(),
        "call": arguments.call("const auto returned = " if interface.returned_element() else "", depth=3),
        "looked_at": arguments.looked_at(),
        "results": interface.results(),
    }


def kernel_pieces(name: str, text: str, *, single_file: bool) -> dict[str, object]:
    """What a program needs whose kernels are built when it runs: the name of their file, and the text itself where they
    are in no file of their own."""
    return {"kernel_file": quoted(name), "kernel_literal": raw_literal(text) if single_file else None}


def header_text(module: Module, stem: str, capabilities: Capabilities) -> str:
    """The C header of a program as a library."""
    names = Names(module, *legal(module, capabilities))
    interface = Interface(module, names)
    return render(
        "common/library.h.jinja",
        program=file_name(module),
        guard=f"STARPLAT_{re.sub(r'[^A-Z0-9]', '_', stem.upper())}_H",
        entry=names.host_function(module.entry),
        signature=(origin(module, module.function(module.entry).span) or "").replace("*/", "* /"),
        weight_type=interface.weight_type(weight_element(module)),
        parameters=header_parameter_lines("int32_t device", interface.parameters()),
        run_parameters=header_parameter_lines(
            f"struct {names.host_function(module.entry)}_handle *handle", interface.parameters()
        ),
    )


def _returned(module: Module) -> str | None:
    """How the value that the entry returns is shown."""
    if not isinstance(module.result_type, Scalar):
        return None
    return "host.original_id(returned)" if module.result_type is Scalar.NODE else "returned"


_OPTIONS = {
    "out": ("FILE", "writes the results to a .npz or .csv file"),
    "repeat": ("TIMES", "runs so often, after once to warm up, and says how long that took"),
    "device": ("NUMBER", "which device, by number; 0 is the first"),
}
"""What every program takes, whatever its algorithm: the word that stands for a value, and what `--help` says."""


def _returned_type(module: Module) -> str | None:
    """The type of the value that the entry returns, in C++."""
    element = module.function(module.entry).result
    return None if element is None else TYPES[element]


class _Arguments:
    """The entry's parameters, and how `main` gets what it passes."""

    def __init__(self, module: Module, names: Names, capabilities: Capabilities) -> None:
        self.module = module
        self.names = names
        self.capabilities = capabilities
        self.pairs = pairs(module)
        self.given = [pair for pair in self.pairs if not _is_property(*pair)]
        self.interface = Interface(module, names)
        taken = {argument.name for argument, _ in self.given}
        self.options = {name: f"{name}-option" if name in taken else name for name in _OPTIONS}

    def usage(self) -> str:
        """What stands after the graph on the command line."""
        return "".join(f" {self.flag(argument)}" for argument, _ in self.given) + " [OPTIONS]"

    def help(self) -> list[str]:
        """What `--help` says under the line of usage."""
        said = [("GRAPH", "an edge list, a DIMACS .gr, a Matrix Market or an .spg file, not compressed")]
        said += [(f"--{quoted(argument.name)}", self.meaning(argument)) for argument, _ in self.given]
        said += [("--undirected", "adds the other direction of every arc that lacks it")]
        said += [(f"--{self.options[name]} {word}", meaning) for name, (word, meaning) in _OPTIONS.items()]
        said += [("--help", "says this")]
        width = max(len(name) for name, _ in said)
        return [f"  {name:<{width}}  {meaning}" for name, meaning in said]

    def meaning(self, argument: Argument) -> str:
        match argument.type:
            case Scalar.NODE:
                return "a node, as the file calls it"
            case Scalar.BOOL:
                kind = "true or false"
            case SetType(Scalar.NODE):
                return "nodes, as the file calls them; @FILE names a file that lists them"
            case SetType():
                return "arcs, by their places in the rows; @FILE names a file that lists them"
            case _:
                kind = f"{'an' if str(argument.type)[0] in 'aeiou' else 'a'} {argument.type}"
        return kind if argument.default is None else f"{kind}; {quoted(self.literal(argument.default))} if not given"

    def known(self) -> str:
        """The names that may stand behind `--`, as a C++ list."""
        names = [*(quoted(argument.name) for argument, _ in self.given), *self.options.values()]
        return "{" + ", ".join(f'"{name}"' for name in names) + "}"

    def flag(self, argument: Argument) -> str:
        match argument.type:
            case Scalar():
                word = argument.type.value.upper()
            case SetType(Scalar.NODE):
                word = "NODE,NODE,..."
            case _:
                word = "ARC,ARC,..."
        text = f"--{argument.name} {word}"
        return text if argument.default is None else f"[{text}]"

    def checked(self) -> list[str]:
        """The lines that look at what is given, before the graph is read."""
        return [line for argument, parameter in self.given for line in self.read(argument, parameter)]

    def read(self, argument: Argument, parameter: Parameter) -> Iterator[str]:
        shown, given = quoted(argument.name), self.interface.given(parameter.what)
        match parameter.what:
            case Variable(_, Element.NODE):
                yield f'const auto {given} = arguments.number<long long>("{shown}");'
            case Variable(_, element):
                default = "" if argument.default is None else f", {self.literal(argument.default)}"
                name = self.names.local(parameter.what)
                yield f'const auto {name} = arguments.number<{TYPES[element]}>("{shown}"{default});'
            case Array():
                yield f'const auto {given} = arguments.numbers("{shown}");'

    def setup(self) -> list[str]:
        """The lines that make, of the graph and what is given, what the entry is called with."""
        return [line for argument, parameter in self.pairs for line in self.made(argument, parameter)]

    def made(self, argument: Argument, parameter: Parameter) -> Iterator[str]:
        name, given = self.names.local(parameter.what), self.interface.given(parameter.what)
        match parameter.what:
            case Variable(_, Element.NODE):
                yield f"const int {name} = host.node({given});"
            case Array(_, element, _, Origin.WEIGHT):
                yield f"Buffer<{CELLS[element]}> {name}(device, host.weights);"
                if parameter.what in self.changed:
                    yield f"const Buffer<{CELLS[element]}> {given}(device, host.weights);"
            case Array() as array if isinstance(argument.type, SetType):
                members = "nodes" if argument.type.member is Scalar.NODE else "arcs"
                yield f"Buffer<{CELLS[array.element]}> {name}(device, host.marked_{members}({given}));"
            case Array(_, element) as array:
                yield f"Buffer<{CELLS[element]}> {name}(device, {size_of(array)});"

    def before_each_run(self) -> list[str]:
        """The lines that give properties the values with which every run begins."""
        lines = []
        for argument, parameter in self.pairs:
            if not _is_property(argument, parameter) or parameter.what not in self.module.inputs:
                continue
            name, given = self.names.local(parameter.what), self.interface.given(parameter.what)
            if parameter.what.origin is not Origin.WEIGHT:
                lines.append(f"{name}.fill(0);")
            elif parameter.what in self.changed:
                lines.append(f"{name}.copy_from({given});")
        return lines

    @cached_property
    def changed(self) -> frozenset[Array]:
        """The arrays that the program changes."""
        by_host = (array for part in walk(self.module.functions) for array in changed_by(part))
        return written_in((self.module.functions, self.module.kernels), self.module) | frozenset(by_host)

    def literal(self, constant: Const) -> str:
        printer = ExpressionPrinter(CPP, self.names.local, self.names.host_function, Helpers())
        return printer.expression(constant)

    def call(self, keep: str, *, depth: int) -> str:
        """The call of the entry, behind what keeps its value; its lines but the first are that deep."""
        given = ["device", "graph", *(self.names.local(parameter.what) for _, parameter in self.pairs)]
        entries = (*(variant.function for variant in self.module.variants), self.module.entry)
        calls = [f"{self.names.host_function(name)}({', '.join(given)})" for name in entries]
        kinds = [
            f"{self.kind(variant)}\n{depth * INDENT}? {call}"
            for variant, call in zip(self.module.variants, calls, strict=False)
        ]
        separator = f"\n{depth * INDENT}: "
        return keep + separator.join((*kinds, calls[-1]))

    def kind(self, variant: Variant) -> str:
        """The condition that a graph is of the variant's kind."""
        asked = (("is_symmetric", variant.symmetric), ("has_few_pairs", variant.few_pairs))
        return " && ".join(f"{'' if wanted else '!'}{name}" for name, wanted in asked if wanted is not None)

    def looked_at(self) -> list[str]:
        """The lines that look at the graph where the program has variants for graphs of some kind."""
        lines, few = [], few_neighbors(self.capabilities)
        if any(variant.symmetric is not None for variant in self.module.variants):
            lines.append("const bool is_symmetric = host.is_symmetric();")
        if any(variant.few_pairs is not None for variant in self.module.variants):
            lines.append(f"const bool has_few_pairs = host.has_even_rows({few}, {EVEN});")
        return lines

    def results(self) -> list[tuple[str, str, str]]:
        """For every result what it is a property of, its name, and its cells."""
        shown = []
        for argument, parameter in self.pairs:
            if parameter.what in self.module.results:
                cells = f"{self.names.local(parameter.what)}.download()"
                of_what = "arcs" if parameter.what.extent is Extent.ARCS else "nodes"
                shown.append((of_what, quoted(argument.name), self.shown(argument, parameter.what, cells)))
        return shown

    def shown(self, argument: Argument, what: Array | Variable, cells: str) -> str:
        """The cells as they are shown: nodes by their original ids, reals watched for what is no number."""
        if not isinstance(what, Array):
            return cells
        if what.element is Element.NODE:
            return f"host.original_ids({cells})"
        if not what.element.is_real:
            return cells
        name, written = quoted(argument.name), ", true" * argument.shows_infinity
        if what.extent is Extent.NODES:
            return f'watched("{name}", {cells}, host{written})'
        return f'watched_arcs("{name}", {cells}{written})'


def _is_property(argument: Argument, parameter: Parameter) -> bool:
    return isinstance(parameter.what, Array) and not isinstance(argument.type, SetType)
