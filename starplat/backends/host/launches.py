"""Prints kernel launches of host functions, and the readback of their reductions.

Takes a kernel and how the target launches one; returns lines. A reduction comes back in a `Word`, which the function
declares at its top, so that a loop of launches allocates nothing.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import assert_never

from starplat.backends import statements as st
from starplat.backends.c.expressions import ExpressionPrinter
from starplat.backends.c.lines import INDENT
from starplat.backends.host.words import CELLS
from starplat.backends.launch import (
    GROUP_SIZE,
    ArgumentKind,
    KernelArgument,
    kernel_parameters,
    loop_parameters,
    threads_of,
)
from starplat.backends.one_launch.rings import RING
from starplat.backends.text.names import Names
from starplat.ir import nodes as ir
from starplat.ir.launches import reached_in
from starplat.ir.python.arithmetic import identity
from starplat.ir.shapes.listed import MOST_GUESSED, known_length
from starplat.ir.shapes.rows_of_arcs import row_of_arc


@dataclass(frozen=True, slots=True)
class Launching:
    """How a target starts kernels: patterns over `{kernel}`, its name, `{iterations}` and `{group}`, a group's size.

    Attributes:
        many, once: what is called, for kernels of many threads and of a single one.
        many_first, once_first: what is passed ahead of the kernel's own arguments.
        after: the statement that follows, if any.
        busy: what is passed for `{iterations}` if threads share arcs, which few nodes may have many of.
        apart, pieces: as `many` and `busy`, for kernels whose threads work apart, and for those of them that take
            pieces of a range.
        group, group_first: as `once`, for kernels of a single group.
        wait: the statement that waits for all launches that were asked for ahead, if reading a cell does not.
        blocks_together: how many blocks of a multiprocessor wait for each other in the launch of an operation.
    """

    many: str
    once: str
    many_first: tuple[str, ...] = ()
    once_first: tuple[str, ...] = ()
    after: str | None = None
    busy: str = "{iterations}"
    apart: str = ""
    pieces: str = ""
    group: str = ""
    group_first: tuple[str, ...] = ()
    wait: str | None = None
    blocks_together: Callable[[ir.OnDevice], str] = lambda op: "1"


BY_NAME = Launching(
    "device.launch",
    "device.launch_once",
    ('"{kernel}"', "{iterations}"),
    ('"{kernel}"',),
    busy="device.busy({iterations})",
    apart="device.launch_apart",
    pieces="device.pieces({iterations})",
    group="device.launch_group",
    group_first=('"{kernel}"',),
)
"""The device finds the kernel among those that it has built."""

AS_FUNCTIONS = Launching("kernels::{kernel}", "kernels::{kernel}", group="kernels::{kernel}")
"""Kernels are functions of a namespace, called as others are."""


@dataclass
class LaunchPrinter:
    """Prints the launches of one host function; `words` are those that it has declared."""

    module: ir.Module
    names: Names
    launching: Launching
    expressions: ExpressionPrinter
    device_name: Callable[[ir.Array], str]
    words: dict[tuple[ir.Variable, ir.Element], str] = field(default_factory=dict)
    have_barriers: bool = False

    def declarations(self) -> Iterator[str]:
        """The words of the launches that were printed, and what barriers count in, which each launch leaves ready."""
        if self.have_barriers:
            yield "Buffer<unsigned> arrived(device, 1, 0);"
        for (_, element), name in self.words.items():
            yield f"Word<{CELLS[element]}> {name}(device);"

    def launch(self, kernel: ir.Kernel) -> Iterator[str]:
        """The launch, with the initialisation of its reductions before it and their readback after it."""
        if kernel.chunks is not None:
            yield from self.in_chunks(kernel, kernel.chunks)
            return
        for reduction in kernel.brought_back:
            start = self.expressions.expression(identity(reduction.combine, reduction.variable.element))
            yield f"{self.word(reduction.variable)}.set({start});"
        yield from self.call(kernel)
        for reduction in kernel.brought_back:
            yield self.collect(reduction)

    def in_chunks(self, kernel: ir.Kernel, chunks: ir.Chunks | ir.ChunksOfArcs) -> Iterator[str]:
        """One launch after another, each for the nodes or arcs of which there are copies."""
        copies, host_name = list[str](), self.expressions.local
        if isinstance(chunks, ir.ChunksOfArcs):
            chunk = "ChunkOfArcs chunk(graph.arcs_of_chunk, graph.num_arcs)"
            copies += (f"chunk.copy({host_name(a)}, {self.device_name(copy)});" for a, copy, _ in chunks.cells)
        else:
            wanted = "{}"
            if chunks.asking is not None:
                yield f"{self.device_name(chunks.wanted)}.fill(false);"
                yield from self.call(self.module.kernel(chunks.asking))
                wanted = f"{self.device_name(chunks.wanted)}.download()"
            offsets = ", ".join(f"&{host_name(rows.offsets)}" for rows in chunks.rows)
            chunk = f"ChunkOfRows chunk(graph.arcs_of_chunk, {wanted}, {{{offsets}}})"
            for place, rows in enumerate(chunks.rows):
                copies.append(f"chunk.copy_begins({place}, {self.device_name(rows.copies.offsets)});")
                for array, copy, by in rows.cells:
                    arrays = ", ".join(map(host_name, (array, *(() if by is None else (by,)))))
                    copies.append(f"chunk.copy({place}, {arrays}, {self.device_name(copy)});")
        bounds = ((chunks.first, "first"), (chunks.end, "end"))
        copies += (f"{self.names.local(variable)} = chunk.{name};" for variable, name in bounds)
        yield f"for ({chunk}; chunk.next();) {{"
        yield from (f"{INDENT}{line}" for line in (*copies, *self.launch(replace(kernel, chunks=None))))
        yield "}"

    def call(self, kernel: ir.Kernel) -> Iterator[str]:
        iterations, launching = self.iterations(kernel), self.launching
        function, first = launching.many, launching.many_first
        if iterations is None:
            function, first = launching.once, launching.once_first
        elif kernel.shares_arcs:
            few = row_of_arc(kernel) is not None  # blocks that run at once note the most of few arcs
            iterations = launching.busy.format(iterations="0" if few else iterations)
        elif kernel.works_apart and launching.apart:
            function = launching.apart
            iterations = launching.pieces.format(iterations=iterations) if kernel.in_pieces else iterations
        given = {"kernel": self.names.kernel(kernel.name), "iterations": iterations, "group": GROUP_SIZE}
        arguments = [self.argument(argument) for argument in kernel_parameters(self.module, kernel)]
        passed = [*(part.format(**given) for part in first), *arguments]
        yield f"{function.format(**given)}({', '.join(passed)});"
        if launching.after is not None:
            yield launching.after.format(**given)

    def argument(self, argument: KernelArgument) -> str:
        match argument.kind:
            case ArgumentKind.NUM_NODES | ArgumentKind.NUM_ARCS:
                return f"graph.{argument.kind.value}"
            case ArgumentKind.ARRAY:
                assert argument.array is not None
                return self.device_name(argument.array)
            case ArgumentKind.SCALAR:
                assert argument.variable is not None
                return self.names.local(argument.variable)
            case ArgumentKind.REDUCTION:
                assert argument.variable is not None
                return self.word(argument.variable) if argument.array is None else self.device_name(argument.array)
            case ArgumentKind.FOUND | ArgumentKind.OUTCOME:
                assert argument.array is not None
                return self.names.local(argument.array)
            case ArgumentKind.BARRIER:
                return "arrived"
            case ArgumentKind.RECORDS | ArgumentKind.PEERS:
                raise AssertionError("only a run from Python is traced, or on several devices")
        assert_never(argument.kind)

    def by_group(self, loop: st.LegalLoop) -> Iterator[str]:
        """The launch of one group that runs rounds, and the readback of what it changed."""
        launching, kernel = self.launching, self.names.kernel(loop.op.name)
        arguments = [part.format(kernel=kernel) for part in launching.group_first]
        for argument in loop_parameters(self.module, loop):
            outcome = argument.variable if argument.kind is ArgumentKind.OUTCOME else None
            arguments.append(self.argument(argument) if outcome is None else self.word(outcome))
        yield f"{launching.group.format(kernel=kernel)}({', '.join(arguments)});"
        for variable in loop.op.outcomes:
            yield f"{self.names.local(variable)} = {self.word(variable)}.read();"

    def together(self, loop: st.LegalLoop) -> Iterator[str]:
        """The launch of a persistent kernel: its words, the launch, its outcomes."""
        if loop.op.one_group:
            yield from self.by_group(loop)
            return
        self.have_barriers |= not loop.op.cluster
        lines = tuple(self.launched_together(loop))
        if loop.found or loop.outcomes:
            lines = ("{", *(f"{INDENT}{line}" for line in lines), "}")
        yield from lines

    def launched_together(self, loop: st.LegalLoop) -> Iterator[str]:
        for cells, start in loop.found:
            first = self.expressions.expression(start)
            kind, name = CELLS[cells.element], self.names.local(cells)
            yield f"Buffer<{kind}> {name}(device, {RING}, {first});"
        for word in loop.outcomes:
            yield f"Word<{CELLS[word.element]}> {self.names.local(word)}(device);"
        arguments = [self.argument(argument) for argument in loop_parameters(self.module, loop)]
        kernel = self.names.kernel(loop.op.name)
        if loop.op.cluster:
            nodes = "graph.num_nodes" if reached_in(loop.op) else "0"
            shape = (str(threads_of(loop.op)), nodes)
            yield f'device.launch_cluster("{kernel}", {kernel}, {", ".join((*shape, *arguments))});'
        else:
            blocks = self.launching.blocks_together(loop.op)
            yield f'device.launch_together("{kernel}", {kernel}, {", ".join((blocks, *arguments))});'
        for word, variable in zip(loop.outcomes, loop.op.outcomes, strict=True):
            yield f"{self.names.local(variable)} = {self.names.local(word)}.read();"

    def iterations(self, kernel: ir.Kernel) -> str | None:
        """The number of threads with work, None for a kernel of one thread."""
        match kernel.domain:
            case ir.AllNodes() | ir.Triangles():
                return "graph.num_nodes"
            case ir.AllArcs():
                return "graph.num_arcs"
            case ir.NodeNeighbors(direction, node):
                rows, of = f"graph.host.{direction.layout.offsets.name}", self.expressions.expression(node)
                return f"{rows}[{of} + 1] - {rows}[{of}]"
            case ir.Listed() | ir.InWords() | ir.Numbers():
                length = known_length(kernel.domain)
                few = f"std::min<long long>(graph.num_nodes, {MOST_GUESSED})"
                return few if length is None else self.expressions.expression(length)
            case ir.Workers():
                return str(ir.WORKERS)
            case ir.Once():
                return None
        assert_never(kernel.domain)

    def word(self, variable: ir.Variable) -> str:
        key = (variable, st.result_element(variable.element))
        if key not in self.words:
            self.words[key] = self.fresh(f"{self.names.local(variable)}_result")
        return self.words[key]

    def collect(self, reduction: ir.Reduction) -> str:
        variable, combine = self.names.local(reduction.variable), reduction.combine
        came = f"{self.word(reduction.variable)}.read()"
        if combine in (ir.Combine.AND, ir.Combine.OR):
            return f"{variable} = {variable} {combine.value} {came};"
        if combine in (ir.Combine.MIN, ir.Combine.MAX):
            element = reduction.variable.element
            return f"{variable} = {self.expressions.combined(combine, variable, came, element)};"
        return f"{variable} {combine.value}= {came};"

    def fresh(self, name: str) -> str:
        """A fresh name for a word, without two `_` in a row, which C++ reserves."""
        name = re.sub(r"_+", "_", name)
        number, candidate = 2, name
        while candidate in self.words.values() or self.names.is_taken(candidate):
            candidate, number = f"{name}_{number}", number + 1
        return candidate
