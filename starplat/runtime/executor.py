"""Walks a host program over a device: the only reader of host operations that runs them.

In come a module's built kernels, a graph on the device and bound arguments; out come the arrays that the entry's
parameters stand for at the end, and what it returns. Scalars live here, with C's semantics; arrays live on the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import numpy as np

from starplat.backends.launch import packed_words
from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.ir.arithmetic import combined, settled
from starplat.ir.evaluate import evaluate
from starplat.ir.listed import MOST_GUESSED, known_length
from starplat.ir.nodes import (
    COLUMNS,
    IN_COLUMNS,
    IN_ROW_OFFSETS,
    ROW_OFFSETS,
    AllArcs,
    AllNodes,
    Array,
    CheckCell,
    Const,
    CopyArray,
    DeclareVariable,
    Direction,
    Domain,
    Element,
    Expression,
    Fill,
    HostBlock,
    HostBreak,
    HostCall,
    HostContinue,
    HostFor,
    HostForMembers,
    HostForNeighbors,
    HostForRange,
    HostFunction,
    HostIf,
    HostOp,
    HostReturn,
    HostWhile,
    Kernel,
    Launch,
    Listed,
    ListMembers,
    Module,
    NearestFirst,
    NodeNeighbors,
    Once,
    OnDevice,
    Origin,
    PushOrPull,
    ReadCell,
    ReadEmpty,
    ReadSize,
    Ref,
    SetVariable,
    Swap,
    Variable,
    WriteCell,
)
from starplat.ir.visitor import written_arrays
from starplat.runtime.device import Buffer, Device, Kernels, LaunchSize
from starplat.runtime.elements import Cells, Value, as_value, cells_in, clipped, dtype_of
from starplat.source import NOWHERE, Span

Op = tuple[HostOp, ...]


class Flow(Enum):
    """How a piece of program ended."""

    ON = auto()
    BREAK = auto()
    CONTINUE = auto()
    RETURN = auto()


@dataclass(slots=True, eq=False)
class Place:
    """What an array's name stands for. `known` is the host's copy of a set that the caller gave, while it is true."""

    buffer: Buffer
    known: Cells | None = None


@dataclass(slots=True, eq=False)
class Frame:
    """One call of a host function."""

    function: HostFunction
    places: dict[str, Place] = field(default_factory=dict)
    variables: dict[str, Value] = field(default_factory=dict)
    returned: Value | None = None


@dataclass(frozen=True, slots=True)
class World:
    """The graph that a run is about: sizes, the host's arrays, and the buffers of those that kernels use."""

    num_nodes: int
    num_arcs: int
    wide_arcs: bool
    host: Mapping[str, Cells]
    buffers: Mapping[str, Buffer]


class Executor:
    """Runs the functions of one module on one device."""

    def __init__(self, kernels: Kernels, world: World) -> None:
        self._kernels = kernels
        self._device: Device = kernels.device
        self._module: Module = kernels.module
        self._world = world
        self._span: Span = NOWHERE
        self._written = {kernel.name: written_arrays(kernel.body) for kernel in self._module.kernels}
        self._lengths = {k.name: known_length(k.domain) for k in self._module.kernels if isinstance(k.domain, Listed)}

    def run(self, places: dict[str, Place], scalars: Mapping[str, Value]) -> Value | None:
        """Calls the entry; afterwards `places` is what its arrays stand for."""
        frame = Frame(self._module.function(self._module.entry), places, dict(scalars))
        self._call(frame)
        return frame.returned

    def _call(self, frame: Frame) -> None:
        """Runs a function's body in a frame that holds its parameters; its own arrays live as long."""
        own = [array.name for array in frame.function.arrays]
        try:
            for array in frame.function.arrays:
                frame.places[array.name] = Place(self.allocate(array))
            self._block(frame.function.body, frame)
        finally:
            for name in own:
                if name in frame.places:
                    self._device.release(frame.places.pop(name).buffer)

    def allocate(self, array: Array) -> Buffer:
        """Cells for an array of the program."""
        if array.origin is Origin.HOST:
            return self._hosts_own(array)
        if array.packed and self._kernels.runs_together:
            return self._device.allocate(np.dtype(np.uint32), packed_words(self._world.num_nodes))
        count = cells_in(array.extent, self._world.num_nodes, self._world.num_arcs)
        return self._device.allocate(dtype_of(array.element, wide_arcs=self._world.wide_arcs), count)

    def _hosts_own(self, array: Array) -> Buffer:
        """Cells that the device never sees."""
        count = cells_in(array.extent, self._world.num_nodes, self._world.num_arcs)
        dtype = dtype_of(array.element, wide_arcs=self._world.wide_arcs)
        return Buffer(dtype, count, np.empty(count, dtype), lent=True)

    def _block(self, ops: Op, frame: Frame) -> Flow:
        for op in ops:
            flow = self._perform(op, frame)
            if flow is not Flow.ON:
                return flow
        return Flow.ON

    def _perform(self, op: HostOp, frame: Frame) -> Flow:
        return _ACTIONS[type(op)](self, op, frame)

    # --- scalars ---------------------------------------------------------------------------------------------------

    def _value(self, expression: Expression, frame: Frame) -> Value:
        """The value; constants and variables, which are most of what a round asks for, need no evaluation."""
        match expression:
            case Ref(variable):
                return frame.variables[variable.name]
            case Const(int() as value, element) if element.is_integer:
                return value
            case _:
                pass
        world = self._world
        return evaluate(
            expression,
            frame.variables,
            world.host,
            world.num_nodes,
            world.num_arcs,
            source=self._module.source,
            span=self._place(),
        )

    def _assign(self, op: DeclareVariable | SetVariable, frame: Frame) -> Flow:
        self._set(op.variable, self._value(op.value, frame), frame)
        return Flow.ON

    def _set(self, variable: Variable, value: Any, frame: Frame) -> None:
        frame.variables[variable.name] = settled(variable.element, value)

    # --- arrays ----------------------------------------------------------------------------------------------------

    def _buffer(self, array: Array, frame: Frame) -> Buffer:
        return self._world.buffers[array.name] if array.origin is Origin.GRAPH else frame.places[array.name].buffer

    def _changing(self, array: Array, frame: Frame) -> Buffer:
        """The buffer of an array that is about to be written."""
        place = frame.places[array.name]
        place.known = None
        return place.buffer

    def _fill(self, op: Fill, frame: Frame) -> Flow:
        value = self._fitting(self._value(op.value, frame), op.array.element)
        self._device.fill(self._changing(op.array, frame), value)
        return Flow.ON

    def _fitting(self, value: Value, element: Element) -> Value:
        """The value as a cell of `element` holds it."""
        dtype = dtype_of(element, wide_arcs=self._world.wide_arcs)
        return as_value(clipped(settled(element, value), dtype), element)

    def _copy(self, op: CopyArray, frame: Frame) -> Flow:
        self._device.copy(self._changing(op.destination, frame), self._buffer(op.source, frame))
        return Flow.ON

    def _swap(self, op: Swap, frame: Frame) -> Flow:
        places = frame.places
        places[op.first.name], places[op.second.name] = places[op.second.name], places[op.first.name]
        return Flow.ON

    def _read_cell(self, op: ReadCell, frame: Frame) -> Flow:
        index, buffer = self._index(op.array, op.index, frame), self._buffer(op.array, frame)
        hosts = op.array.origin is Origin.HOST
        cell = buffer.memory[index] if hosts else self._device.read_cell(buffer, index)
        self._set(op.variable, cell.item(), frame)
        return Flow.ON

    def _write_cell(self, op: WriteCell, frame: Frame) -> Flow:
        index = self._index(op.array, op.index, frame)
        value = self._fitting(self._value(op.value, frame), op.array.element)
        if op.array.origin is Origin.HOST:
            self._buffer(op.array, frame).memory[index] = value
        else:
            self._device.write_cell(self._changing(op.array, frame), index, value)
        return Flow.ON

    def _test_empty(self, op: ReadEmpty, frame: Frame) -> Flow:
        anybody = bool(self._device.download(self._buffer(op.flags, frame)).any())
        self._set(op.variable, anybody is not op.when_empty, frame)
        return Flow.ON

    def _read_size(self, op: ReadSize, frame: Frame) -> Flow:
        flags = self._device.download(self._buffer(op.flags, frame))
        self._set(op.variable, int(np.count_nonzero(flags)), frame)
        return Flow.ON

    def _list_members(self, op: ListMembers, frame: Frame) -> Flow:
        members = np.flatnonzero(self._device.download(self._buffer(op.flags, frame))).tolist()
        first, buffer = int(self._value(op.first, frame)), self._changing(op.array, frame)
        for place, member in enumerate(members, first):
            self._device.write_cell(buffer, place, member)
        return Flow.ON

    def _check_cell(self, op: CheckCell, frame: Frame) -> Flow:
        self._index(op.array, op.index, frame)
        return Flow.ON

    def _index(self, array: Array, index: Expression, frame: Frame) -> int:
        place = int(self._value(index, frame))
        count = cells_in(array.extent, self._world.num_nodes, self._world.num_arcs)
        if not 0 <= place < count:
            raise self._no_cell(array, place, count)
        return place

    def _no_cell(self, array: Array, index: int, count: int) -> DiagnosticError:
        what = "-1, which stands for none" if index == -1 else f"{index}"
        message = f"'{array.name}' has no cell {what}; it has {count:,}"
        help = "test the node or edge before its property is used"
        span = self._place()
        label = None if span is None else Label(span, "here")
        return DiagnosticError(Diagnostic("E0709", message, self._module.source, label, help=help))

    def _place(self) -> Span | None:
        return None if self._span == NOWHERE else self._span

    # --- kernels ---------------------------------------------------------------------------------------------------

    def _launch(self, op: Launch, frame: Frame) -> Flow:
        kernel = self._module.kernel(op.kernel)
        buffers = {array.name: self._buffer(array, frame) for array in kernel.arrays}
        for array in self._written[kernel.name]:
            frame.places[array.name].known = None
        size = LaunchSize(self._iterations(kernel, frame), self._world.num_nodes, self._world.num_arcs)
        contributed = self._kernels.launch(kernel, buffers, frame.variables, size)
        for reduction in kernel.reductions:
            if reduction.variable.name in contributed:
                name, element = reduction.variable.name, reduction.variable.element
                frame.variables[name] = combined(reduction.combine, element, frame.variables[name], contributed[name])
        return Flow.ON

    def _on_device(self, op: OnDevice, frame: Frame) -> Flow:
        """One launch where the target can; what its body says where it cannot."""
        if not self._kernels.runs_together:
            return self._block(op.body, frame)
        buffers = self._together(op, frame)
        for array in op.arrays:
            if array.origin is not Origin.GRAPH:
                frame.places[array.name].known = None
        size = LaunchSize(1, self._world.num_nodes, self._world.num_arcs)
        outcomes = self._kernels.launch_together(op, buffers, frame.variables, size)
        for variable in op.outcomes:
            self._set(variable, outcomes[variable.name], frame)
        return Flow.ON

    def _together(self, op: OnDevice, frame: Frame) -> dict[str, Buffer]:
        """The buffers that the launch of an operation gets."""
        return {array.name: self._buffer(array, frame) for array in op.arrays}

    def _iterations(self, kernel: Kernel, frame: Frame) -> int:
        domain: Domain = kernel.domain
        match domain:
            case AllNodes():
                return self._world.num_nodes
            case AllArcs():
                return self._world.num_arcs
            case Once():
                return 1
            case Listed():
                length = self._lengths[kernel.name]
                if length is None:
                    return min(self._world.num_nodes, MOST_GUESSED)
                return max(int(self._value(length, frame)), 0)
            case NodeNeighbors():
                return len(self._row(domain.direction, int(self._value(domain.node, frame))))

    def _row(self, direction: Direction, node: int) -> range:
        """The positions of a node's arcs, out or in."""
        if not 0 <= node < self._world.num_nodes:
            raise self._no_cell(
                ROW_OFFSETS if direction is Direction.OUT else IN_ROW_OFFSETS, node, self._world.num_nodes
            )
        offsets = self._world.host[(ROW_OFFSETS if direction is Direction.OUT else IN_ROW_OFFSETS).name]
        return range(int(offsets[node]), int(offsets[node + 1]))

    # --- control ---------------------------------------------------------------------------------------------------

    def _if(self, op: HostIf, frame: Frame) -> Flow:
        return self._block(op.then if self._value(op.condition, frame) else op.otherwise, frame)

    def _while(self, op: HostWhile, frame: Frame) -> Flow:
        first = op.test_last
        while True:
            if not first:
                flow = self._block(op.before, frame)
                if flow is not Flow.ON:
                    return flow
                if not self._value(op.condition, frame):
                    return Flow.ON
            first = False
            flow = self._block(op.body, frame)
            if flow is Flow.BREAK:
                return Flow.ON
            if flow is Flow.RETURN:
                return flow

    def _for(self, op: HostFor, frame: Frame) -> Flow:
        while True:
            flow = self._block(op.before, frame)
            if flow is not Flow.ON:
                return flow
            if not self._value(op.condition, frame):
                return Flow.ON
            flow = self._block(op.body, frame)
            if flow is Flow.BREAK:
                return Flow.ON
            if flow is Flow.RETURN:
                return flow
            self._block(op.step, frame)

    def _for_range(self, op: HostForRange, frame: Frame) -> Flow:
        end = self._value(op.end, frame)
        self._set(op.variable, self._value(op.first, frame), frame)
        while frame.variables[op.variable.name] < end:
            flow = self._block(op.body, frame)
            if flow is Flow.BREAK:
                break
            if flow is Flow.RETURN:
                return flow
            self._set(op.variable, frame.variables[op.variable.name] + 1, frame)
        return Flow.ON

    def _for_neighbors(self, op: HostForNeighbors, frame: Frame) -> Flow:
        columns = self._world.host[(COLUMNS if op.direction is Direction.OUT else IN_COLUMNS).name]
        node = int(self._value(op.node, frame))

        def steps() -> Iterator[None]:
            for position in self._row(op.direction, node):
                self._set(op.position, position, frame)
                self._set(op.neighbor, columns[position], frame)
                yield

        return self._each(steps(), op.body, frame)

    def _for_members(self, op: HostForMembers, frame: Frame) -> Flow:
        place = frame.places[op.members.name]
        flags = place.known if place.known is not None else self._device.download(place.buffer)

        def steps() -> Iterator[None]:
            for member in np.flatnonzero(flags).tolist():
                self._set(op.variable, member, frame)
                yield

        return self._each(steps(), op.body, frame)

    def _each(self, steps: Iterator[None], body: Op, frame: Frame) -> Flow:
        for _ in steps:
            flow = self._block(body, frame)
            if flow is Flow.BREAK:
                break
            if flow is Flow.RETURN:
                return flow
        return Flow.ON

    def _break(self, op: HostBreak, frame: Frame) -> Flow:
        return Flow.BREAK

    def _continue(self, op: HostContinue, frame: Frame) -> Flow:
        return Flow.CONTINUE

    def _return(self, op: HostReturn, frame: Frame) -> Flow:
        if op.value is not None:
            value = self._value(op.value, frame)
            result = frame.function.result
            frame.returned = value if result is None else settled(result, value)
        return Flow.RETURN

    def _in_any_order(self, op: NearestFirst, frame: Frame) -> Flow:
        return self._block(op.body, frame)

    def _push(self, op: PushOrPull, frame: Frame) -> Flow:
        return self._block(op.push, frame)

    def _inside(self, op: HostBlock, frame: Frame) -> Flow:
        with self._at(op.span):
            return self._block(op.body, frame)

    @contextmanager
    def _at(self, span: Span) -> Iterator[None]:
        outer = self._span
        self._span = outer if span == NOWHERE else span
        try:
            yield
        finally:
            self._span = outer

    # --- calls -----------------------------------------------------------------------------------------------------

    def _host_call(self, op: HostCall, frame: Frame) -> Flow:
        called = Frame(self._module.function(op.function))
        lent: list[tuple[Place, Array, str]] = []
        scalars: list[tuple[Variable, str]] = []
        for parameter, argument in zip(called.function.parameters, op.arguments, strict=True):
            name = parameter.what.name
            match argument:
                case Array():
                    called.places[name] = frame.places[argument.name]
                    lent.append((frame.places[argument.name], argument, name))
                case Variable():
                    called.variables[name] = frame.variables[argument.name]
                    if parameter.by_reference:
                        scalars.append((argument, name))
                case _:
                    called.variables[name] = settled(parameter.what.element, self._value(argument, frame))
        self._call(called)
        for before, array, name in lent:
            if called.places[name] is not before:
                frame.places[array.name] = called.places[name]
        for variable, name in scalars:
            self._set(variable, called.variables[name], frame)
        if op.result is not None:
            self._set(op.result, called.returned, frame)
        return Flow.ON


_ACTIONS: dict[type, Callable[[Executor, Any, Frame], Flow]] = {
    DeclareVariable: Executor._assign,
    SetVariable: Executor._assign,
    Fill: Executor._fill,
    CopyArray: Executor._copy,
    Swap: Executor._swap,
    Launch: Executor._launch,
    ReadCell: Executor._read_cell,
    WriteCell: Executor._write_cell,
    CheckCell: Executor._check_cell,
    ReadEmpty: Executor._test_empty,
    ReadSize: Executor._read_size,
    ListMembers: Executor._list_members,
    HostIf: Executor._if,
    HostWhile: Executor._while,
    HostFor: Executor._for,
    HostForRange: Executor._for_range,
    HostForNeighbors: Executor._for_neighbors,
    HostForMembers: Executor._for_members,
    HostBreak: Executor._break,
    HostContinue: Executor._continue,
    HostReturn: Executor._return,
    HostCall: Executor._host_call,
    HostBlock: Executor._inside,
    NearestFirst: Executor._in_any_order,
    PushOrPull: Executor._push,
    OnDevice: Executor._on_device,
}
"""Every host operation and what performs it; a test holds that none is missing."""
