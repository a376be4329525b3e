"""The pieces of a complete C++ program for its template: host functions, graph arrays, arguments, results.

The same for every target; a target's template adds its own Device, Buffer and Word.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from zlib import crc32

from starplat.backends import statements as st
from starplat.backends.c.cplusplus import TYPES
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.backends.c.lines import INDENT
from starplat.backends.files.headers import Header, bare
from starplat.backends.files.layout import raw_literal
from starplat.backends.files.library import Interface, header_parameter_lines, pairs, parameter_lines
from starplat.backends.files.placed import read_at_heads, room_options, size_of_others
from starplat.backends.files.read_graph import graph_pieces, own_rows, weight_element
from starplat.backends.files.render import helper_texts, render
from starplat.backends.host.changing import lists_of
from starplat.backends.host.functions import host_text, returned_type
from starplat.backends.host.launches import BY_NAME, Launching
from starplat.backends.host.lists import list_type
from starplat.backends.host.parts import Connection, holds_own_rows, is_divided
from starplat.backends.host.words import CELLS, CPP, size_of
from starplat.backends.launch import MOST_THREADS
from starplat.backends.legal_module import legal, legal_names
from starplat.backends.text.comments import file_name, origin, quoted
from starplat.backends.text.folding import WIDEST
from starplat.backends.text.helpers import Helper, Helpers
from starplat.backends.text.names import Names
from starplat.backends.uses import changed_arrays
from starplat.frontend.typed import ALL
from starplat.frontend.types import ListType, Scalar, SetType
from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.lists import Taken, taken
from starplat.ir.printing.modules import print_module
from starplat.ir.visitor import only_copied
from starplat.schedule.algebra import few_neighbors
from starplat.schedule.facts import EVEN
from starplat.version import __version__

EVERY_BATCH = "every-batch"
"""The option by which programs whose graph changes show results after every batch."""


def artifact_pieces(
    module: ir.Module,
    stem: str,
    capabilities: Capabilities,
    launching: Launching = BY_NAME,
    *,
    library: bool = False,
    kernel_helpers: Iterable[Helper] = (),
    headers: Sequence[Header] = (),
    connection: Connection = Connection.PROCESSES,
) -> dict[str, object]:
    """Everything that templates of C++ programs place, whatever the target.

    Of `kernel_helpers`, which the same file holds for its kernels, those that host code calls too are `shared_helpers`.
    What one of the `headers` holds, the program does not. If it is one in parts, they have this `connection`.
    """
    kernels, _ = legal(module, capabilities)
    names = legal_names(module, capabilities)
    threads = is_divided(module) and connection is Connection.THREADS
    loops = [kernel for kernel in kernels if isinstance(kernel, st.LegalLoop)]
    host = host_text(module, names, launching, loops)
    shared = {bare(helper): helper for helper in kernel_helpers if helper.macro != "find_arc"}
    own = [helper for helper in host.helpers.needed if bare(helper) not in shared]
    own = [helper for helper in own if helper.macro == "find_arc" or not any(one.holds(helper) for one in headers)]
    return {
        "stem": stem,
        "program": file_name(module),
        "entry": names.host_function(module.entry),
        **graph_pieces(module, names),
        "helpers": helper_texts(["common/host_helpers.jinja"], own),
        "shared_helpers": frozenset(shared[bare(h)] for h in host.helpers.needed if bare(h) in shared),
        "headers": [header.name for header in headers],
        "parts": is_divided(module),
        "threads": threads,
        "functions": host.functions,
        "most_threads": MOST_THREADS,
        **(
            _library_pieces(module, names, stem, capabilities)
            if library
            else _program_pieces(module, names, stem, capabilities, threads=threads)
        ),
    }


def host_lines(pieces: Mapping[str, object]) -> Iterator[str]:
    """The lines of host code among the pieces."""
    functions = pieces["functions"]
    assert isinstance(functions, tuple)
    for function in functions:
        yield from function


def _program_pieces(
    module: ir.Module, names: Names, stem: str, capabilities: Capabilities, *, threads: bool
) -> dict[str, object]:
    """The pieces of `main` only; with `threads` each GPU has one, and what they run stands a step deeper."""
    arguments, returned = _Arguments(module, names, capabilities, depth=3 if threads else 2), _returned(module)
    launcher = "mpiexec -n 4 " if is_divided(module) and not threads else ""
    devices = "devices-option" if any(one.name == "devices" for one in module.arguments) else "devices"
    room_option = room_options(module)
    of_devices = f'{{"[--{devices} NUMBER]", "so many GPUs, from --device on; all if not given"}}'
    lists = {lists_of(module, names)[adds]: name for name, adds in arguments.lists.items()}
    return {
        "library": False,
        "lists": {list: quoted(name) for list, name in lists.items()},
        "update_weight": CELLS[weight_element(module) or ir.Element.DOUBLE],
        "every_batch": EVERY_BATCH,
        "purpose": "as a program of its own",
        "build_as": f"-o {stem}",
        "mark": _mark(module) if is_divided(module) else None,
        "how_to_run": f"// run:   {launcher}./{stem} GRAPH{arguments.usage()}",
        "options": [*arguments.options(), *room_option, *([of_devices] if threads else [])],
        "devices_option": devices,
        "others": size_of_others(module) if room_option else None,
        "checked": arguments.checked(),
        "setup": arguments.setup(),
        "repeated": arguments.repeated("returned = " if returned else ""),
        "looked_at": arguments.looked_at(),
        "results": arguments.results(),
        "returns": returned,
        "returns_several": len(module.result_types) > 1,
        "returned_type": returned_type(module.function(module.entry)),
    }


def _mark(module: ir.Module) -> str:
    """The number by which processes know whether they are the same program."""
    return f"{crc32(f'{__version__} {print_module(module)}'.encode()):#010x}"


def _library_pieces(module: ir.Module, names: Names, stem: str, capabilities: Capabilities) -> dict[str, object]:
    """The pieces of the C function only."""
    interface, arguments = Interface(module, names), _Arguments(module, names, capabilities)
    entry = names.host_function(module.entry)
    return {
        "library": True,
        "lists": {},
        "others": None,
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
        "call": arguments.call("const auto returned = " if interface.returned_elements() else "", depth=3),
        "looked_at": arguments.looked_at(),
        "results": interface.results(),
    }


def kernel_pieces(name: str, text: str, *, single_file: bool) -> dict[str, object]:
    """What a program needs whose kernels are built when it runs: the name of their file, and the text itself where they
    are in no file of their own."""
    return {"kernel_file": quoted(name), "kernel_literal": raw_literal(text) if single_file else None}


def header_text(module: ir.Module, stem: str, capabilities: Capabilities) -> str:
    """The C header of a program as a library."""
    names = legal_names(module, capabilities)
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


def _returned(module: ir.Module) -> list[str]:
    """How what the entry returns is printed: one value by what keeps it too, several to the standard output."""
    several = len(module.result_types) > 1
    texts = []
    for place, kind in enumerate(module.result_types):
        value = f"std::get<{place}>(returned)" if several else "returned"
        element = kind.element if isinstance(kind, ListType) else kind
        if element in (Scalar.FLOAT, Scalar.DOUBLE):
            value = f'watched_returned("{quoted(module.entry)}", {value}{", true" * module.returns_infinity})'
        named = "host.original_ids" if isinstance(kind, ListType) else "host.original_id"
        texts.append(f"{named}({value})" if element is Scalar.NODE else value)
    return texts


class _Arguments:
    """The entry's parameters, and how `main` gets what it passes, in lines that deep."""

    def __init__(self, module: ir.Module, names: Names, capabilities: Capabilities, depth: int = 2) -> None:
        self.depth = depth
        self.module = module
        self.names = names
        self.capabilities = capabilities
        self.pairs = pairs(module)
        self.given = [pair for pair in self.pairs if not _is_property(*pair)]
        self.interface = Interface(module, names)
        adds = ((one.argument.name, one.parameters[0].what) for one in taken(module) if one.is_updates)
        self.lists = {name: array for name, array in adds if isinstance(array, ir.Array)}
        self.items = [(one.argument, one.items) for one in taken(module) if one.items is not None]

    def usage(self) -> str:
        """What stands after the graph on the command line."""
        lists = "".join(f" --{name} FILE" for name in self.lists)
        return "".join(f" {self.flag(argument)}" for argument, _ in (*self.given, *self.items)) + lists + " [OPTIONS]"

    def options(self) -> list[str]:
        """What the algorithm takes, as elements of a C++ list: the form of each and what it means."""
        own = [f'{{"{quoted(self.flag(one))}", "{self.meaning(one)}"}}' for one, _ in (*self.given, *self.items)]
        what = "updates: lines 'a SOURCE DESTINATION', perhaps with a weight, and 'd SOURCE DESTINATION'"
        lists = [f'{{"--{quoted(name)} FILE", "{what}"}}' for name in self.lists]
        every = f'{{"[--{EVERY_BATCH}]", "shows results after every batch too, in --out FILE with its number"}}'
        return [*own, *lists, *([every] if lists else [])]

    def meaning(self, argument: ir.Argument) -> str:
        match argument.type:
            case Scalar.NODE:
                return "a node, as the file calls it"
            case Scalar.BOOL:
                kind = "true or false"
            case SetType(Scalar.NODE):
                return "nodes, as the file calls them; @FILE names a file that lists them"
            case ListType(Scalar.NODE):
                return "nodes in their order, as the file calls them, -1 for none; @FILE names a file that lists them"
            case SetType() | ListType(Scalar.EDGE):
                return "arcs, by their places in the rows; @FILE names a file that lists them"
            case ListType():
                return f"{argument.type}; @FILE names a file that lists its elements"
            case _:
                kind = f"{'an' if str(argument.type)[0] in 'aeiou' else 'a'} {argument.type}"
        return kind if argument.default is None else f"{kind}; {quoted(self.literal(argument.default))} if not given"

    def flag(self, argument: ir.Argument) -> str:
        match argument.type:
            case Scalar():
                word = argument.type.value.upper()
            case ListType(Scalar() as element) if element is not Scalar.EDGE:
                word = f"{element.value.upper()},{element.value.upper()},..."
            case SetType(Scalar.NODE):
                word = "NODE,NODE,..."
            case _:
                word = "ARC,ARC,..."
        text = f"--{argument.name} {word}"
        return text if argument.default is None else f"[{text}]"

    def checked(self) -> list[str]:
        """The lines that look at what is given, before the graph is read."""
        lines = [line for argument, parameter in self.given for line in self.read(argument, parameter)]
        return [
            *lines,
            *(f"const auto {self.given_list(items)} = {self.words_of(one, items)};" for one, items in self.items),
        ]

    def given_list(self, items: ir.HostList) -> str:
        """What holds the elements that the command line gives."""
        name = f"given_{self.names.local(items)}"
        while self.names.is_taken(name):
            name += "_"
        return name

    def words_of(self, argument: ir.Argument, items: ir.HostList) -> str:
        """The elements as the command line has them."""
        cell = CELLS[items.element]
        indices = items.element in (ir.Element.NODE, ir.Element.ARC)
        kind = "long long" if indices else f"bool, {cell}" if items.element is ir.Element.BOOL else cell
        return f'program.arguments.numbers<{kind}>("{quoted(argument.name)}")'

    def elements_of(self, items: ir.HostList) -> str:
        """The elements with which every run begins."""
        given = self.given_list(items)
        match items.element:
            case ir.Element.NODE:
                return f"host.listed_nodes({given})"
            case ir.Element.ARC:
                return f"host.listed_arcs({given})"
            case _:
                return given

    def read(self, argument: ir.Argument, parameter: ir.Parameter) -> Iterator[str]:
        shown, given = quoted(argument.name), self.interface.given(parameter.what)
        match parameter.what:
            case ir.Variable(_, ir.Element.NODE):
                yield f'const auto {given} = program.arguments.number<long long>("{shown}");'
            case ir.Variable(_, element):
                default = "" if argument.default is None else f", {self.literal(argument.default)}"
                name = self.names.local(parameter.what)
                yield f'const auto {name} = program.arguments.number<{TYPES[element]}>("{shown}"{default});'
            case ir.Array():
                yield f'const auto {given} = program.arguments.numbers("{shown}");'

    def setup(self) -> list[str]:
        """The lines that make, of the graph and what is given, what the entry is called with."""
        lists = [line for one in taken(self.module) if one.is_updates for line in self.made_of_list(one)]
        lists += [f"{list_type(items.element)} {self.names.local(items)};" for _, items in self.items]
        return lists + [line for argument, parameter in self.pairs for line in self.made(argument, parameter)]

    def made_of_list(self, one: Taken) -> Iterator[str]:
        """The arrays that stand for a list of updates."""
        list = lists_of(self.module, self.names)[self.lists[one.argument.name]]
        for parameter, cells in zip(one.parameters, ("adds", "sources", "destinations", "weights"), strict=False):
            assert isinstance(parameter.what, ir.Array)
            kind = self.interface.kind(parameter.what)
            yield f"{kind} {self.names.local(parameter.what)}(device, {list}.{cells});"

    def passed(self, one: Taken) -> list[str]:
        """What the entry is called with for an argument; of a list of updates, all of them."""
        names = [self.names.local(p.what) for p in one.parameters]
        if not one.is_updates:
            return names
        return [*names[:4], "0", f"{lists_of(self.module, self.names)[self.lists[one.argument.name]]}.size()", str(ALL)]

    def made(self, argument: ir.Argument, parameter: ir.Parameter) -> Iterator[str]:
        name, given = self.names.local(parameter.what), self.interface.given(parameter.what)
        match parameter.what:
            case ir.Variable(_, ir.Element.NODE):
                yield f"const int {name} = host.node({given});"
            case ir.Array(_, _, _, ir.Origin.WEIGHT) as array if holds_own_rows(self.module):
                yield f"{self.interface.kind(array)} {name} = {own_rows(array, self.module)};"
            case ir.Array() as array if array in self.only_copied:
                zeros = f"std::vector<{CELLS[array.element]}>({size_of(array)})"
                cells = "host.weights" if array.origin is ir.Origin.WEIGHT else zeros
                yield f"{self.interface.kind(array)} {name}({cells});"
            case ir.Array(_, element, _, ir.Origin.WEIGHT) as array:
                yield f"{self.interface.kind(array)} {name}({self.where(array)}, host.weights{self.may(array)});"
                if array in self.changed and not self.lists:
                    yield f"const Buffer<{CELLS[element]}> {given}(device, host.weights);"
            case ir.Array() as array if isinstance(argument.type, SetType):
                yield f"{self.interface.kind(array)} {name}(device, {self.marked(argument, given)});"
            case ir.Array() as array:
                yield f"{self.interface.kind(array)} {name}({self.where(array)}, {size_of(array)});"

    def where(self, array: ir.Array) -> str:
        """On which device an array is made, and in which room."""
        return "device, room" if self.module.on_demand and array in self.module.mapped else "device"

    def may(self, array: ir.Array) -> str:
        """Whether it may be on the device, where heads of rows decide that."""
        return ", graph.heads.none()" if array in read_at_heads(self.module).values() else ""

    def marked(self, argument: ir.Argument, given: str) -> str:
        """The flags of a set."""
        assert isinstance(argument.type, SetType)
        return f"host.marked_{'nodes' if argument.type.member is Scalar.NODE else 'arcs'}({given})"

    def before_each_run(self) -> list[str]:
        """The lines that give properties and sets the values with which every run begins."""
        lines = ["batches = 0;", "graph.become(host);"] if self.lists else []
        lines += ["parts.count_anew();"] if is_divided(self.module) else []
        lines += [f"{self.names.local(items)} = {self.elements_of(items)};" for _, items in self.items]
        filled = [array for array in self.module.inputs if array not in self.only_copied]
        for argument, parameter in self.pairs:
            if self.lists and isinstance(parameter.what, ir.Array) and parameter.what.extent.grows_with_arcs:
                lines.append(self.made_again(parameter.what))
                continue
            if isinstance(argument.type, SetType) and parameter.what in self.changed:
                flags = self.marked(argument, self.interface.given(parameter.what))
                lines.append(f"{self.names.local(parameter.what)} = {{device, {flags}}};")
            if not _is_property(argument, parameter) or parameter.what not in filled:
                continue
            name, given = self.names.local(parameter.what), self.interface.given(parameter.what)
            if parameter.what.origin is not ir.Origin.WEIGHT:
                lines.append(f"{name}.fill(0);")
            elif parameter.what in self.changed:
                lines.append(f"{name}.copy_from({given});")
        return lines

    def made_again(self, array: ir.Array) -> str:
        """The cells of the first graph's arcs."""
        kind, name = self.interface.kind(array), self.names.local(array)
        if array.origin is ir.Origin.WEIGHT:
            return f"{name} = {kind}(device, host.weights);"
        again = f"{name} = {kind}(device, {size_of(array)});"
        return f"{again} {name}.fill(0);" if array in self.module.inputs else again

    @cached_property
    def only_copied(self) -> frozenset[ir.Array]:
        """The arrays that the host alone has."""
        return only_copied(self.module)

    @cached_property
    def changed(self) -> frozenset[ir.Array]:
        """The arrays that the program changes."""
        return changed_arrays(self.module)

    def literal(self, constant: ir.Const) -> str:
        printer = ExpressionPrinter(CPP, self.names.local, self.names.host_function, Helpers())
        return printer.expression(constant)

    def repeated(self, keep: str) -> list[str]:
        """The lines that run the entry as often as the command line says."""
        before, call = self.before_each_run(), f"{self.call(keep, depth=4)};"
        lines = [] if not before else ["const auto before = [&] {", *(INDENT + line for line in before), "};"]
        head = f"program.repeat(device, {'before, ' if before else ''}[&] {{"
        short = f"{head} {call} }});"
        if "\n" not in short and len(short) + self.depth * len(INDENT) <= WIDEST:
            return [*lines, short]
        return [*lines, head, INDENT + call, "});"]

    def call(self, keep: str, *, depth: int) -> str:
        """The call of the entry, behind what keeps its value; its lines but the first are that deep."""
        given = ["device", "graph", *(word for one in taken(self.module) for word in self.passed(one))]
        given += (self.names.local(items) for _, items in self.items)
        entries = (*(variant.function for variant in self.module.variants), self.module.entry)
        calls = [f"{self.names.host_function(name)}({', '.join(given)})" for name in entries]
        kinds = [
            f"{self.kind(variant)}\n{depth * INDENT}? {call}"
            for variant, call in zip(self.module.variants, calls, strict=False)
        ]
        separator = f"\n{depth * INDENT}: "
        return keep + separator.join((*kinds, calls[-1]))

    def kind(self, variant: ir.Variant) -> str:
        """The condition that a graph is of the variant's kind."""
        asked = (
            ("room.holds_all()", variant.near),
            ("is_symmetric", variant.symmetric),
            ("has_few_pairs", variant.few_pairs),
        )
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
                cells = self.cells_of(parameter.what)
                of_what = "arcs" if parameter.what.extent is ir.Extent.ARCS else "nodes"
                shown.append((of_what, quoted(argument.name), self.shown(argument, parameter.what, cells)))
        return shown

    def cells_of(self, what: ir.Array | ir.Variable) -> str:
        """The cells of a result; the host has those of which the device, or a part, has some only."""
        name = self.names.local(what)
        own_rows = isinstance(what, ir.Array) and what.origin is ir.Origin.WEIGHT and holds_own_rows(self.module)
        if not (own_rows or what in self.only_copied):
            return f"{name}.download()"
        cells = "host.weights" if own_rows else name
        return f"std::vector<{CELLS[what.element]}>({cells}.begin(), {cells}.end())"

    def shown(self, argument: ir.Argument, what: ir.Array | ir.Variable, cells: str) -> str:
        """The cells as they are shown: nodes by their original ids, reals watched for what is no number."""
        if not isinstance(what, ir.Array):
            return cells
        if what.element is ir.Element.NODE:
            return f"host.original_ids({cells})"
        if not what.element.is_real:
            return cells
        name, written = quoted(argument.name), ", true" * argument.shows_infinity
        if what.extent is ir.Extent.NODES:
            return f'watched("{name}", {cells}, host{written})'
        return f'watched_arcs("{name}", {cells}{written})'


def _is_property(argument: ir.Argument, parameter: ir.Parameter) -> bool:
    return isinstance(parameter.what, ir.Array) and not isinstance(argument.type, SetType)
