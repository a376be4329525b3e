"""Prints the loops of a host program that are compiled with the kernels, as functions that a run calls.

Each function has the text of the loop in an emitted program, and checks in every round whether it is to stop. The
runtime takes the functions' parameters from here, so they cannot disagree with the text.
"""

from dataclasses import dataclass

from starplat.backends import statements as st
from starplat.backends.c.parameters import signature_text
from starplat.backends.files.headers import bare
from starplat.backends.files.render import helper_texts, render
from starplat.backends.host.functions import HostPrinter
from starplat.backends.host.launches import Launching
from starplat.backends.host.words import CELLS
from starplat.backends.legal_module import legal, legal_names
from starplat.backends.text.comments import line_mark
from starplat.backends.text.folding import folded_host
from starplat.backends.text.helpers import Helper, Helpers
from starplat.backends.text.names import Names
from starplat.ir import launches, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.fresh_names import FreshNames
from starplat.ir.python.arithmetic import identity
from starplat.ir.visitor import walk_host
from starplat.same import remembered
from starplat.schedule.loop.among_threads import Shared, shared
from starplat.schedule.loop.compiled import CompiledLoop, loops_to_compile
from starplat.source import NOWHERE

BESIDE_KERNELS = Launching("::{kernel}", "::{kernel}", group="::{kernel}")
"""Kernels are functions of the same text."""

_INCLUDED = (
    ("omp.h", ("omp_get_thread_num",)),
    ("cstddef", ("size_t",)),
    ("cstdlib", ("std::malloc",)),
    ("type_traits", ("std::conditional_t",)),
    ("utility", ("std::swap",)),
    ("algorithm", ("std::min", "std::max")),
    ("cmath", ("std::f", "std::isnan", "std::sqrt", "std::pow", "std::exp", "std::log", "std::abs", "std::ceil")),
    ("limits", ("numeric_limits",)),
    ("vector", ("std::vector",)),
)
"""Headers of C++, each with the words that need it."""


@dataclass(frozen=True, slots=True)
class CompiledFunction:
    """A loop as a function. It takes the device, which tells it to stop, the graph with at least its `graph_arrays`,
    `arrays` and `scalars`, the `changed` ones by reference. Threads may have `shared` its iterations."""

    name: str
    loop: CompiledLoop
    graph_arrays: frozenset[ir.Array]
    arrays: tuple[ir.Array, ...]
    scalars: tuple[ir.Variable, ...]
    changed: tuple[ir.Variable, ...]
    shared: Shared | None = None

    @property
    def parameters(self) -> tuple[ir.Parameter, ...]:
        """What it takes besides the device and the graph."""
        scalars = (ir.Parameter(scalar, by_reference=scalar in self.changed) for scalar in self.scalars)
        return (*map(ir.Parameter, self.arrays), *scalars)

    def as_host_function(self, module: ir.Module) -> ir.HostFunction:
        """The function for the printer of host functions; where threads share iterations, that of one iteration."""
        launched = (op for op in walk_host((self.loop,)) if isinstance(op, ir.Launch))
        span = next((module.kernel(op.kernel).span for op in launched), NOWHERE)
        if self.shared is None or isinstance(self.loop, ir.Loop):
            return ir.HostFunction(self.name, self.parameters, (), None, (self.loop,), span)
        own = (*self.parameters, ir.Parameter(self.loop.variable))
        return ir.HostFunction(f"{self.name}_of_one", own, (), None, self.loop.body, span)


@dataclass(frozen=True, slots=True)
class CompiledFunctions:
    """The compiled loops of a module, and the arrays of the graph that they use."""

    functions: tuple[CompiledFunction, ...]
    graph_arrays: tuple[ir.Array, ...]


@remembered(64)
def compiled_functions(module: ir.Module) -> CompiledFunctions:
    """The loops of a module's host program that are compiled with its kernels."""
    names, taken, found, used = Names(module, (), ()), set[str](), list[CompiledFunction](), set[ir.Array]()
    for function in module.functions:
        for loop in loops_to_compile(function, module):
            whole = launches.in_one_launch(ir.OnDevice(_name(function, names, taken), (loop,)), module)
            taken.add(whole.name)
            of_graph = frozenset(array for array in whole.arrays if array.origin is ir.Origin.GRAPH)
            used |= of_graph
            own = tuple(array for array in whole.arrays if array.origin is not ir.Origin.GRAPH)
            by_threads = None if whole.outcomes else shared(loop, function, module)
            found.append(CompiledFunction(whole.name, loop, of_graph, own, whole.scalars, whole.outcomes, by_threads))
    return CompiledFunctions(tuple(found), tuple(array for array in ir.GRAPH_ARRAYS if array in used))


def _name(function: ir.HostFunction, names: Names, taken: set[str]) -> str:
    name = f"{names.host_function(function.name).rstrip('_')}_rounds"
    number, candidate = 2, name
    while candidate in taken or names.is_taken(candidate):
        candidate, number = f"{name}_{number}", number + 1
    return candidate


@dataclass(frozen=True, slots=True)
class CompiledText:
    """The functions in C++, to be placed after the kernels that they call, and the `headers` that they need."""

    headers: tuple[str, ...] = ()
    text: str = ""


def compiled_text(module: ir.Module, capabilities: Capabilities, known: tuple[Helper, ...]) -> CompiledText:
    """The compiled loops of a module; the helper functions `known` are in the text already."""
    found = compiled_functions(module)
    if not (capabilities.compiled_loops and found.functions):
        return CompiledText()
    loops = {one.op.name: one for one in legal(module, capabilities)[0] if isinstance(one, st.LegalLoop)}
    helpers, functions, there = Helpers(), [], set(map(bare, known))
    for one in found.functions:
        function, names = one.as_host_function(module), legal_names(module, capabilities)
        printer = HostPrinter(module, names, function, helpers, BESIDE_KERNELS, loops, frozenset(), within_run=True)
        if one.shared is not None:
            printer.rounds.append(())  # those of an iteration are inside the loop that threads share
        functions.append("\n".join(_with_mark(printer.lines(), line_mark(module, function.span))))
        if one.shared is not None:
            functions.append(_sharing(one, one.shared, printer))
    text = render(
        "directives/loops.cpp.jinja",
        with_members=any(".members()" in function for function in functions),
        with_copies=any(one.shared is not None for one in found.functions),
        arrays=[(CELLS[array.element], array.name) for array in found.graph_arrays],
        helpers=helper_texts(["common/host_helpers.jinja"], [one for one in helpers.needed if bare(one) not in there]),
        functions=functions,
    )
    return CompiledText(tuple(name for name, words in _INCLUDED if any(word in text for word in words)), text)


_JOINS = {
    ir.Combine.ADD: "to += found;",
    ir.Combine.MIN: "if (found < to) to = found;",
    ir.Combine.MAX: "if (found > to) to = found;",
    ir.Combine.OR: "to |= found;",
    ir.Combine.AND: "to &= found;",
}
"""How a cell takes what a thread has found."""


def _sharing(function: CompiledFunction, shared: Shared, printer: HostPrinter) -> str:
    """The function in which threads share the iterations of a loop, whose body is a function before it."""
    loop = function.loop
    assert not isinstance(loop, ir.Loop)
    joined, scalars = dict(shared.joined), [printer.names.local(scalar) for scalar in function.scalars]
    names = FreshNames(("device", "graph", *map(printer.device_name, function.arrays), *scalars))
    own = {
        array: names.fresh(f"own_{array.name}")
        for array in function.arrays
        if array in joined or array in shared.copied
    }
    copies = [
        (
            CELLS[array.element],
            name,
            printer.device_name(array),
            printer.text(identity(joined[array], array.element)) if array in joined else None,
            _JOINS[joined[array]] if array in joined else None,
        )
        for array, name in own.items()
    ]
    arguments = ["device", "graph"]
    arguments += (f"{own[array]}.used" if array in own else printer.device_name(array) for array in function.arrays)
    arguments += scalars
    parameters = ["Device &device", "Graph &graph", *map(printer.parameter, function.parameters)]
    members = printer.device_name(loop.members) if isinstance(loop, ir.HostForMembers) else None
    turn, sources = names.fresh("turn"), names.fresh("sources")
    text = render(
        "directives/shared_loop.cpp.jinja",
        head=signature_text(f'extern "C" void {function.name}', parameters),
        one=f"{function.name}_of_one",
        copies=copies,
        arguments=", ".join(arguments),
        members=members,
        sources=sources,
        num_sources="graph.num_nodes" if members is None else f"(long long){sources}.size()",
        source=f"(int){turn}" if members is None else f"{sources}[{turn}]",
        turn=turn,
        next=names.fresh("next"),
        has_room=names.fresh("has_room"),
    )
    return "\n".join(folded_host(tuple(text.strip().splitlines())))


def _with_mark(lines: tuple[str, ...], mark: str | None) -> tuple[str, ...]:
    """The lines of a function, with the `mark` of its place in the program as first comment, if there is one."""
    return lines if mark is None else (lines[0], mark, *lines[1:])
