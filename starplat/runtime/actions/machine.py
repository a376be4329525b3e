"""The state of a run that host operations act on: the graph, arrays and scalars of the running function, the device.

Scalars live here, with C's semantics; arrays live on the device, except those of the host's own. How operations follow
each other is for the `Executor`, which is a machine that can also `perform` one.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import numpy as np

from starplat.backends.compiled_loops import CompiledFunction
from starplat.backends.launch import SET_WORDS
from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.graph.graph import Graph
from starplat.graph.updates import Updates
from starplat.graph.updates.history import Change
from starplat.ir import nodes as ir
from starplat.ir.interpreting.evaluate import evaluate
from starplat.ir.points import points_of
from starplat.ir.python.arithmetic import settled
from starplat.ir.shapes.listed import told_lengths
from starplat.runtime.attending.progress import LoopProgress, Progress, too_many_rounds
from starplat.runtime.changing.merge import Moving
from starplat.runtime.changing.slices import Slice
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device, Kernels
from starplat.runtime.elements import Cells, Returned, Value, as_value, clipped, dtype_of
from starplat.runtime.parts.communicator import Parts
from starplat.same import Same
from starplat.schedule.loop.compiled import CompiledLoop
from starplat.source import NOWHERE, Span

Op = tuple[ir.HostOp, ...]


class Flow(Enum):
    """How a piece of program left what stands around it."""

    BREAK = auto()
    CONTINUE = auto()
    RETURN = auto()


@dataclass(slots=True, eq=False)
class Place:
    """What an array's name stands for. `known` is the host's copy of a set that the caller gave, while it is true, or
    always if it `stays`; `members` are its members, where the host goes through them, `size` is how many it has, where
    the program asks."""

    buffer: Buffer
    known: Cells | None = None
    members: Cells | None = None
    size: int | None = None
    stays: bool = False

    def may_change(self) -> None:
        """The host does not know the set any more, unless nothing changes it."""
        if not self.stays:
            self.known = self.members = self.size = None


@dataclass(slots=True, eq=False)
class Frame:
    """One call of a host function."""

    function: ir.HostFunction
    places: dict[str, Place] = field(default_factory=dict)
    variables: dict[str, Value] = field(default_factory=dict)
    lists: dict[str, list[Value]] = field(default_factory=dict)
    returned: Returned = None


class Graphs(ABC):
    """The graph of a run where it changes, and the lists of updates that it takes."""

    @property
    @abstractmethod
    def graph(self) -> Graph:
        """The one that the run is at, on the host."""

    @property
    @abstractmethod
    def merges_on_device(self) -> bool:
        """Whether the device changes its graph, so that no arc crosses."""

    @abstractmethod
    def follow(self, graph: Graph) -> "World":
        """The run goes on with another graph."""

    @abstractmethod
    def slice(self, change: Change) -> Slice:
        """The updates of a change as the device takes them."""

    @abstractmethod
    def merge(self, change: Change, slice: Slice, properties: Sequence[Moving]) -> "tuple[World, list[Buffer]]":
        """The run goes on with the graph that the device makes of a slice; the cells that moved with arcs."""

    @abstractmethod
    def updates_in(self, buffer: Buffer) -> Updates:
        """The list of which a buffer holds a part."""

    @abstractmethod
    def is_given(self, buffer: Buffer) -> bool:
        """Whether a buffer is to stay as it is when the run is over."""

    @abstractmethod
    def batch_begins(self) -> None:
        """A batch of updates is taken, and its time runs."""

    @abstractmethod
    def batch_done(self) -> None:
        """Results may be looked at."""


@dataclass(frozen=True, slots=True)
class World:
    """The graph of a run: sizes, the host's arrays, the buffers of those that kernels use, the input's names of nodes;
    the most updates that a list has; of a run in parts, which part has what; and for how many arcs copies have room."""

    num_nodes: int
    num_arcs: int
    wide_arcs: bool
    host: Mapping[str, Cells]
    buffers: Mapping[str, Buffer]
    graphs: Graphs
    names: Callable[[int], object] = int
    num_updates: int = 0
    parts: Parts | None = None
    num_heads: int = 0


class Machine(ABC):
    """One module's kernels on one device, and one graph.

    Attributes:
        lengths: how many iterations a kernel over a list has, as the host says it; None where only the device knows.
        span: the place in the program that is being run.
        progress: is told how far the run has come.
    """

    def __init__(self, kernels: Kernels, world: World, progress: Progress | None = None) -> None:
        self.kernels = kernels
        self.device: Device = kernels.device
        self.module: ir.Module = kernels.module
        self.world = world
        self.lengths = told_lengths(self.module)
        self.span: Span = NOWHERE
        self.progress = progress or Progress()

    def begin_round(self, loop: LoopProgress, op: ir.HostOp) -> None:
        """A round begins of `op`, a loop that may go on for ever. Raises E0730: it has taken all its rounds."""
        if loop.has_taken_all:
            points = (point for f in self.module.functions for point in points_of(f.body, self.module))
            span = next((point.span for point in points if point.op is op), NOWHERE)
            raise too_many_rounds(self.progress.most_rounds or 0, self.module.source, span)
        loop.begin_round()

    @abstractmethod
    def block(self, ops: Op, frame: Frame) -> Flow | None:
        """Performs operations one after the other, until one leaves; None where none did."""

    @abstractmethod
    def call(self, frame: Frame) -> None:
        """Runs a function's body in a frame that holds its parameters; its own arrays live as long."""

    def together(self, op: ir.OnDevice, frame: Frame) -> dict[str, Buffer]:
        """The buffers that the launch of a whole operation gets."""
        return {array.name: self.buffer(array, frame) for array in op.arrays}

    def compiled(self, loop: CompiledLoop) -> CompiledFunction | None:
        """What was compiled of a loop; None where its rounds are to be gone through one by one."""
        counted = self.progress.most_rounds is not None
        return None if counted else self.kernels.compiled.get(Same(loop))

    # --- scalars ---------------------------------------------------------------------------------------------------

    def value(self, expression: ir.Expression, frame: Frame) -> Value:
        """The value; constants and variables, which are most of what a round asks for, need no evaluation."""
        if type(expression) is ir.Ref:
            return frame.variables[expression.variable.name]
        if type(expression) is ir.Const and type(expression.value) is int and expression.element.is_integer:
            return expression.value
        world = self.world
        return evaluate(
            expression,
            frame.variables,
            world.host,
            world.num_nodes,
            world.num_arcs,
            source=self.module.source,
            span=self._known_span(),
        )

    def set(self, variable: ir.Variable, value: Any, frame: Frame) -> None:
        """Gives a variable a value, as one of its type."""
        frame.variables[variable.name] = settled(variable.element, value)

    # --- arrays ----------------------------------------------------------------------------------------------------

    def allocate(self, array: ir.Array) -> Buffer:
        """Cells for an array of the program; those of the host's own arrays the device never sees. Raises E0811:
        kernels cannot count so many."""
        world = self.world
        if (cells := array.extent.cells_of_a_node) > 1:
            self.device.require_countable(world.num_nodes, cells)
        count = array.extent.cells(world.num_nodes, world.num_arcs, world.num_updates, world.num_heads)
        dtype = dtype_of(array.element, wide_arcs=world.wide_arcs)
        if array.origin is ir.Origin.HOST:
            return Buffer(dtype, count, np.empty(count, dtype), lent=True)
        if array.packed and self.kernels.runs_together:
            return self.device.allocate(np.dtype(np.uint32), SET_WORDS[array.packed].for_nodes(world.num_nodes))
        return self.device.allocate(dtype, count)

    def buffer(self, array: ir.Array, frame: Frame) -> Buffer:
        return self.world.buffers[array.name] if array.origin is ir.Origin.GRAPH else frame.places[array.name].buffer

    def changing(self, array: ir.Array, frame: Frame) -> Buffer:
        """The buffer of an array that is about to be written."""
        place = frame.places[array.name]
        place.known = None
        return place.buffer

    def fitting(self, value: Value, element: ir.Element) -> Value:
        """The value as a cell of `element` holds it."""
        cell = settled(element, value)
        if element is not ir.Element.ARC:
            return cell
        return as_value(clipped(cell, dtype_of(element, wide_arcs=self.world.wide_arcs)), element)

    def index(self, array: ir.Array, index: ir.Expression, frame: Frame) -> int:
        """A place inside an array. Raises E0709: the array has no such cell."""
        place = int(self.value(index, frame))
        world = self.world
        count = array.extent.cells(world.num_nodes, world.num_arcs, world.num_updates)
        if not 0 <= place < count:
            raise self._no_cell(array, place, count)
        return place

    def row(self, direction: ir.Direction, node: int) -> range:
        """The positions of a node's arcs, out or in. Raises E0709: there is no such node."""
        offsets = direction.layout.offsets
        if not 0 <= node < self.world.num_nodes:
            raise self._no_cell(offsets, node, self.world.num_nodes)
        positions = self.world.host[offsets.name]
        return range(int(positions[node]), int(positions[node + 1]))

    def _no_cell(self, array: ir.Array, index: int, count: int) -> DiagnosticError:
        what = "-1, which stands for none" if index == -1 else f"{index}"
        message = f"'{array.name}' has no cell {what}; it has {count:,}"
        help = "test the node or edge before its property is used"
        span = self._known_span()
        label = None if span is None else Label(span, "here")
        return DiagnosticError(Diagnostic("E0709", message, self.module.source, label, help=help))

    def _known_span(self) -> Span | None:
        return None if self.span is NOWHERE else self.span


Actions = Mapping[type, Callable[[Machine, Any, Frame], Flow | None]]
"""What performs each kind of host operation, on a machine and in a frame; None: the next operation follows."""
