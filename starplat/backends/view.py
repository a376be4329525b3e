"""The finished pieces of a kernel file for its template: signatures, lines, comments, used helper functions.

Takes a module, capabilities and a spelling; returns a `Unit`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from starplat.backends import launch, statements as st
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.backends.c.groups import GroupMemory, memory_of
from starplat.backends.c.lines import INDENT
from starplat.backends.c.parameters import Parameters, kernels_inside, signature_text, under_all_names, unnamed_if_idle
from starplat.backends.c.records import need_records
from starplat.backends.c.set_forms import CLUSTER, CLUSTER_MACROS, need_frontier
from starplat.backends.c.small_numbers import with_numbers
from starplat.backends.c.statements import StatementPrinter
from starplat.backends.legal_module import legal, legal_names
from starplat.backends.one_launch.rings import launched_in
from starplat.backends.spelling import ClusterWords, Spelling
from starplat.backends.text.comments import comment, file_name, line_mark, origin
from starplat.backends.text.folding import folded
from starplat.backends.text.helpers import Helper, Helpers
from starplat.backends.text.names import Names
from starplat.backends.uses import seen_by_callees
from starplat.ir import nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.gathering import Gathering, gathering
from starplat.ir.shared_cells import contested_in


@dataclass(frozen=True, slots=True)
class Routine:
    """A kernel or function as text: `mark` is its `#line` directive, `signature` ends before the opening bracket.

    `parameters` are a kernel's own, without those that its target gives every kernel, `memory` what its groups share
    if that is given too, after those of every kernel.
    """

    name: str
    comments: tuple[str, ...]
    mark: str | None
    signature: str
    body: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    memory: tuple[GroupMemory, ...] = ()


@dataclass(frozen=True)
class Unit:
    """All kernels of a module as text."""

    program: str
    helpers: tuple[Helper, ...]
    functions: tuple[Routine, ...]
    kernels: tuple[Routine, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The emitted code of all functions and kernels, but for their comments."""
        return tuple(line for one in (*self.functions, *self.kernels) for line in (one.signature, *one.body))

    def says(self, word: str) -> bool:
        """Whether the emitted code, comments aside, has the word."""
        return word in self._words

    @cached_property
    def _words(self) -> frozenset[str]:
        given = (value for helper in self.helpers for _, value in helper.arguments)
        return frozenset(word for piece in (*self.lines, *given) for word in re.findall(r"\w+", piece))


def view(module: ir.Module, capabilities: Capabilities, spelling: Spelling) -> Unit:
    """The kernels in the words of a target. Raises E06xx: the target cannot do what the program asks."""
    kernels, functions = legal(module, capabilities)
    sums = [part for part in visitor.walk(kernels) if isinstance(part, st.Gather)]
    viewer = _Viewer(module, spelling, legal_names(module, capabilities))
    viewer.helpers.tests = any(part.test for part in sums)
    viewer.helpers.keeps = any(part.kept is not None for part in sums)
    return viewer.unit(kernels, functions)


class _Viewer:
    def __init__(self, module: ir.Module, spelling: Spelling, names: Names) -> None:
        self.module = module
        self.spelling = spelling
        self.names = names
        loops = tuple(visitor.loops_of(module))
        wide = any(op.wide for op in loops)
        thin = any(op.cluster for op in loops) or not any(launch.walks_sets(op) for op in loops)
        self.helpers = Helpers(launch.most_sets(module), wide, thin, of_space=CLUSTER_MACROS)
        self.contested = seen_by_callees(module, contested_in)
        self.parameters = Parameters(module, spelling, names)
        printer = ExpressionPrinter(spelling, names.local, names.helper, self.helpers)
        self.any_printer = with_numbers(printer, module)

    def unit(self, kernels: tuple[st.LegalKernel | st.LegalLoop, ...], functions: tuple[st.LegalFunction, ...]) -> Unit:
        printed = tuple(self.function(function) for function in functions)
        shown = tuple(self.kernel(k) if isinstance(k, st.LegalKernel) else self.loop(k) for k in kernels)
        return Unit(file_name(self.module), tuple(self.helpers.needed), printed, shown)

    def kernel(self, legal: st.LegalKernel) -> Routine:
        kernel = legal.kernel
        name = self.names.kernel(kernel.name)
        parameters = self.parameters.of_kernel(legal)
        printer = self.printer(kernel.name, frozenset(), near=kernel.near)
        memory = self.given_memory(legal, printer)
        before = (*self.spelling.leading_parameters, *(one.parameter for one in memory))
        body = self.lines(printer, legal.body)
        shown = [*before, *self.shown(parameters, body)]
        signature = signature_text(f"{self.kernel_prefix(legal)} {name}", shown)
        place = origin(self.module, kernel.span)
        comments = tuple(comment(text) for text in (place, kernel.comment) if text)
        mark = line_mark(self.module, kernel.span)
        return Routine(name, folded(comments), mark, signature, folded(body), tuple(parameters), memory)

    def shown(self, parameters: list[str], body: list[str]) -> list[str]:
        """The parameters, without the names that nothing uses where the host's compiler reads them, which warns."""
        if self.spelling.directives is None:
            return parameters
        return [unnamed_if_idle(parameter, body) for parameter in parameters]

    def given_memory(self, legal: st.LegalKernel, printer: ExpressionPrinter) -> tuple[GroupMemory, ...]:
        """The memory that the kernel's groups share, on targets that give it to kernels."""
        words = self.spelling.groups
        if words is None or words.memory is not None:
            return ()
        loops = (statement for statement in legal.body if isinstance(statement, st.GroupLoop))
        return tuple(memory for loop in loops for memory in memory_of(loop, printer))

    def loop(self, legal: st.LegalLoop) -> Routine:
        name = self.names.kernel(legal.op.name)
        prefix = self.loop_prefix(legal.op)
        parameters = [*self.spelling.leading_parameters, *self.parameters.of_loop(legal)]
        around = self.around_sets(legal)
        if legal.op.cluster:
            self.need_others_sets(legal.op)
            self.helpers.space = CLUSTER
        lines = self.lines(self.loop_printer(legal), legal.body)
        body = [*self.sets(legal), *around, *self.records(legal), *lines, *around, *self.left_sets(legal)]
        self.helpers.space = ""
        place = origin(self.module, legal.op.span)
        comments = () if place is None else (comment(place),)
        mark = line_mark(self.module, legal.op.span)
        own = tuple(parameters[len(self.spelling.leading_parameters) :])
        return Routine(name, folded(comments), mark, signature_text(f"{prefix} {name}", parameters), folded(body), own)

    def kernel_prefix(self, legal: st.LegalKernel) -> str:
        """The text before a kernel's name."""
        plain, uneven = self.spelling.kernel, self.spelling.uneven_kernel
        if legal.needs_whole_groups:
            plain, uneven = self.spelling.whole_group_kernel, self.spelling.uneven_group_kernel
        return ((uneven if visitor.walks_rows(legal.kernel) else None) or plain).format(size=launch.GROUP_SIZE)

    def loop_prefix(self, op: ir.OnDevice) -> str:
        """The text before a persistent kernel's name."""
        if op.one_group:
            return self.spelling.one_group_kernel or self.spelling.kernel
        if op.cluster:
            return self.clusters.kernel.format(size=launch.threads_of(op), groups=launch.GROUPS_OF_A_CLUSTER)
        sums = self.sums_of_rows(op)
        parts = any(found.loop.ahead is not None for found in sums)
        matters = launch.walks_sets(op) or (op.in_parts and sums) or parts
        counted = self.spelling.few_groups_kernel if matters else None
        groups = launch.most_groups(op) if op.in_parts or not parts else launch.SUMMING_GROUPS
        if any(kernel.in_pieces_of_rows for kernel in launched_in(op, self.module)):
            groups = launch.FEW_GROUPS
        shape = {"size": launch.THREADS_TOGETHER, "groups": groups}
        return (counted or self.spelling.whole_group_kernel).format(**shape)

    def sums_of_rows(self, op: ir.OnDevice) -> list[Gathering]:
        """The sums that rounds of a persistent kernel gather: what these wait for is memory."""
        gathered = (gathering(kernel) for kernel in launched_in(op, self.module))
        return [found for found in gathered if found is not None and found.combine is ir.Combine.ADD]

    def sets(self, legal: st.LegalLoop) -> Iterator[str]:
        """The declarations of the packed arrays: each a set over the words that the kernel gets."""
        for array in legal.op.arrays:
            if array.packed:
                need_frontier(self.helpers, array)
                name = self.names.local(array)
                counts = " + 2 * (MOST_BLOCKS + 2)" * (array.packed is ir.Packing.SHARED)
                yield f"{INDENT}__shared__ int new_in_{name}[MOST_NEW + 1{counts}];"
                yield f"{INDENT}{self.first_set(legal, array, name)};"

    def first_set(self, legal: st.LegalLoop, array: ir.Array, name: str) -> str:
        """The declaration of a set: as an earlier launch left it, or with nothing in it."""
        crossing = legal.op.crossing
        if crossing is None or array not in crossing.resumed:
            return f"Frontier {name} = frontier_in({name}_words, num_nodes, new_in_{name})"
        found = f"frontier_left({self.cells_of(crossing, array)}, num_nodes, new_in_{name})"
        if not legal.op.cluster:
            self.helpers.need("set_left")
            return f"Frontier {name} = {found}"
        self.helpers.need("shared_out")
        marked = "" if legal.marked else ", false"
        if crossing.first is None:
            return f"{CLUSTER}::Frontier {name} = {CLUSTER}::shared_out({found}, true{marked})"
        first = self.names.local(crossing.first)
        begun = f"frontier_in({name}_words, num_nodes, new_in_{name})"
        return f"{CLUSTER}::Frontier {name} = {CLUSTER}::shared_out({first} ? {begun} : {found}, !{first}{marked})"

    def need_others_sets(self, op: ir.OnDevice) -> None:
        """Notes how other launches keep the sets of a cluster."""
        for array in op.arrays:
            if array.packed is ir.Packing.SHARED:
                need_frontier(self.helpers, replace(array, packed=ir.Packing.SWITCHED))
                self.helpers.need("set_left")

    def left_sets(self, legal: st.LegalLoop) -> Iterator[str]:
        """Leaves the sets to later launches."""
        crossing = legal.op.crossing
        for array in legal.op.arrays if crossing is not None else ():
            if crossing is not None and array in crossing.sets:
                self.helpers.need("leave_shared" if legal.op.cluster else "leave")
                yield f"{INDENT}leave({self.names.local(array)}, {self.cells_of(crossing, array)});"

    def cells_of(self, crossing: ir.Crossing, array: ir.Array) -> str:
        """Where launches tell each other of a set."""
        place = 2 * crossing.sets.index(array)
        return f"{self.names.local(crossing.cells)}{f' + {place}' if place else ''}"

    def around_sets(self, legal: st.LegalLoop) -> tuple[str, ...]:
        """Groups that reach into each other's memory begin after all have made their sets, and end together."""
        shared = any(array.packed is ir.Packing.SHARED for array in legal.op.arrays)
        return (f"{INDENT}{self.clusters.barrier}",) if shared else ()

    @property
    def clusters(self) -> ClusterWords:
        """The words of clusters, for a target that has them."""
        assert self.spelling.clusters is not None
        return self.spelling.clusters

    def records(self, legal: st.LegalLoop) -> Iterator[str]:
        """Where a traced launch puts its records."""
        if legal.op.traced:
            need_records(self.helpers)
            yield f"{INDENT}Records run_records = {{run_record_words, 0, 0}};"

    def loop_printer(self, legal: st.LegalLoop) -> ExpressionPrinter:
        kernels = kernels_inside(legal, self.module)
        contested = under_all_names({array for kernel in kernels for array in self.contested[kernel.name]}, legal)
        printer = self.printer(None, frozenset(), near=any(kernel.near for kernel in kernels))
        printer = replace(printer, contested=frozenset(contested))
        if not legal.op.cluster:
            return printer
        words = self.clusters
        spelling = replace(self.spelling, barrier=words.barrier, barrier_helper=words.barrier_helper)
        return replace(printer, spelling=spelling)

    def function(self, legal: st.LegalFunction) -> Routine:
        function = legal.function
        name = self.names.helper(function.name)
        result = "void" if function.result is None else self.spelling.values[function.result]
        printer = self.printer(function.name, frozenset(function.references))
        printer.any_numbers.update(function.given_scalars)
        body = self.lines(printer, legal.body)
        returned = (part.value for part in visitor.walk(legal.body) if isinstance(part, st.Leave))
        if any(value is not None and printer.is_any_number(value) for value in returned):
            printer.any_results.add(function.name)
        parameters = self.shown(self.parameters.of_function(function), body)
        signature = signature_text(f"{self.spelling.function}{result} {name}", parameters)
        place = origin(self.module, function.span)
        comments = tuple(comment(text) for text in (place, function.comment) if text)
        return Routine(name, folded(comments), line_mark(self.module, function.span), signature, folded(body))

    def lines(self, printer: ExpressionPrinter, body: st.Body) -> list[str]:
        printer.note(body)
        return StatementPrinter(printer).lines(body)

    def printer(
        self, routine: str | None, references: frozenset[ir.Variable], *, near: bool = False
    ) -> ExpressionPrinter:
        return replace(
            self.any_printer,
            any_numbers={*self.any_printer.any_numbers},
            references=references,
            contested=frozenset() if routine is None else self.contested[routine],
            far=frozenset(() if near or self.module.managed else self.module.mapped),
            hidden_arguments=self.parameters.hidden,
        )
