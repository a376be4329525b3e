"""The executor of traced runs, which reports every round to a watch, and the modules of such runs.

The host waits for the device before it reads a clock or cells; its reads are not part of the rounds' times. A
persistent kernel records its rounds itself. Rounds that one group would run by itself are launched one by one, so that
the host sees the beginning of each; of rounds launched ahead it waits for each, so that only rounds that took place are
recorded."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from time import perf_counter

from starplat.backends.compiled_loops import CompiledFunction
from starplat.backends.launch import RECORDS
from starplat.ir import nodes as ir
from starplat.ir.launches import is_ahead
from starplat.ir.points import Event, Point, points_of
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import walk_host, with_signature
from starplat.runtime.actions.executor import Executor
from starplat.runtime.actions.machine import Flow, Frame, Op, World
from starplat.runtime.attending.progress import Progress
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Kernels
from starplat.runtime.elements import Cells, Value, as_value
from starplat.runtime.tracing.active import filled_by, walk_of
from starplat.runtime.tracing.records import fresh_records, line_of, told
from starplat.runtime.tracing.trace import Crossing, Exchange, crossing_of
from starplat.runtime.tracing.watch import Watch
from starplat.same import Same, remembered
from starplat.schedule.loop.compiled import CompiledLoop


class WatchedExecutor(Executor):
    """Runs the functions of one module on one device and reports to a watch."""

    def __init__(self, kernels: Kernels, world: World, watch: Watch, progress: Progress) -> None:
        super().__init__(kernels, world, progress)
        self._watch = watch
        self._looked = 0.0
        points = [point for function in self.module.functions for point in points_of(function.body, self.module)]
        self._points: dict[tuple[Event, Same], Point] = {(point.event, Same(point.op)): point for point in points}
        self._records: Buffer | None = None
        self._loops: list[ir.HostOp] = []

    def perform(self, op: ir.HostOp, frame: Frame) -> Flow | None:
        match op:
            case ir.Launch():
                self._tell_of_launch(op, frame)
                before = self.device.traffic.chunks
                flow = super().perform(op, frame)
                if crossed := self.device.traffic.chunks - before:
                    self._watch.exchange(Exchange(Crossing.CHUNKS, op.kernel, crossed))
                return flow
            case ir.Fill() | ir.CopyArray():
                self._tell_of_cells(op)
            case ir.OnDevice() if self.kernels.runs_together:
                return self._watched_launch(op, frame)
            case _ if isinstance(op, ir.HostLoop):
                return self._watched_loop(op, frame)
            case _ if (found := crossing_of(op)) is not None:
                return self._watched_exchange(op, frame, *found)
            case _:
                pass
        return super().perform(op, frame)

    def _watched_exchange(self, op: ir.HostOp, frame: Frame, crossing: Crossing, name: str) -> Flow | None:
        """An exchange of parts, with the bytes that this one gives."""
        assert self.world.parts is not None, "only a run in parts has exchanges"
        communicator = self.world.parts.communicator
        before = communicator.bytes
        flow = super().perform(op, frame)
        self._watch.exchange(Exchange(crossing, name, communicator.bytes - before))
        return flow

    # --- loops -----------------------------------------------------------------------------------------------------

    def _watched_loop(self, op: ir.HostOp, frame: Frame) -> Flow | None:
        self._loops.append(op)
        flow = super().perform(op, frame)
        self._loops.pop()
        self._watch.end(op, self._now())
        return flow

    def block(self, ops: Op, frame: Frame) -> Flow | None:
        loop = self._loops[-1] if self._loops else None
        if isinstance(loop, ir.HostLoop) and ops is loop.body:
            line = line_of(self.module, self._points[Event.ROUND, Same(loop)].span)
            self._watch.round(loop, line, self._now())
        return super().block(ops, frame)

    def _now(self) -> float:
        """Seconds that have passed besides those for looking, with all done that was asked of the device."""
        self.device.synchronise()
        return perf_counter() - self._looked

    def compiled(self, loop: CompiledLoop) -> CompiledFunction | None:
        """None, since rounds are watched one by one."""
        return None

    # --- kernels ---------------------------------------------------------------------------------------------------

    def _tell_of_launch(self, op: ir.Launch, frame: Frame) -> None:
        self.device.synchronise()
        began = perf_counter()
        kernel, world = self.module.kernel(op.kernel), self.world
        match kernel.chunks:
            case ir.Chunks(asking=str(name)):  # whose filter holds before the launch
                asking = self.module.kernel(name)
                kernel = with_signature(replace(kernel, domain=asking.domain, filter=asking.filter))
            case ir.Chunks() | ir.ChunksOfArcs() as chunks:
                everywhere = ir.AllNodes() if isinstance(chunks, ir.Chunks) else ir.AllArcs()
                kernel = with_signature(replace(kernel, domain=everywhere))
        line = line_of(self.module, kernel.span)
        self._watch.walk(walk_of(kernel, line, _Before(self, frame), world.num_nodes, world.num_arcs))
        self._looked += perf_counter() - began

    def cells(self, array: ir.Array, frame: Frame) -> Cells:
        """An array's cells as they are; these bytes are not counted."""
        if array.origin is ir.Origin.GRAPH and array not in ir.HEAD_ARRAYS:
            return self.world.host[array.name]
        return self.device.download_words(self.buffer(array, frame))

    def seen(self, expression: ir.Expression, frame: Frame) -> Value:
        """The value of an expression, or of the cell of an array that has one."""
        if isinstance(expression, ir.Load) and expression.array.extent is ir.Extent.ONE:
            return as_value(self.cells(expression.array, frame)[0], expression.array.element)
        return self.value(expression, frame)

    def _tell_of_cells(self, op: ir.Fill | ir.CopyArray) -> None:
        world = self.world
        self._watch.fill(filled_by(op, world.num_nodes, world.num_arcs, wide_arcs=world.wide_arcs))

    def _watched_launch(self, op: ir.OnDevice, frame: Frame) -> Flow | None:
        """One launch that records its rounds; they are put where they took place."""
        records = self._records = fresh_records(self.device)
        flow = super().perform(op, frame)
        self.device.synchronise()
        began = perf_counter()
        world = self.world
        told(
            op,
            self.module,
            self.device.download_words(records),
            self._watch,
            num_nodes=world.num_nodes,
            num_arcs=world.num_arcs,
            wide_arcs=world.wide_arcs,
            lying=_Before(self, frame),
        )
        self.device.release(records)
        self._looked += perf_counter() - began
        return flow

    def together(self, op: ir.OnDevice, frame: Frame) -> dict[str, Buffer]:
        assert self._records is not None
        return {**super().together(op, frame), RECORDS: self._records}


@dataclass(frozen=True, slots=True)
class _Before:
    """The state before a launch in a frame."""

    executor: WatchedExecutor
    frame: Frame

    def cells(self, array: ir.Array) -> Cells:
        return self.executor.cells(array, self.frame)

    def near(self, array: ir.Array) -> int:
        return self.executor.buffer(array, self.frame).cells_on_device

    def cell_size(self, array: ir.Array) -> int:
        return self.executor.buffer(array, self.frame).dtype.itemsize

    def value(self, expression: ir.Expression) -> Value:
        return self.executor.seen(expression, self.frame)

    def scalar(self, variable: ir.Variable) -> Value:
        return self.frame.variables[variable.name]


@remembered(64)
def traced(module: ir.Module) -> ir.Module:
    """The module with all its `OnDevice` operations traced: itself if it has none, nor rounds launched ahead; the same
    object every time."""
    if not any(isinstance(op, ir.OnDevice) or is_ahead(op) for f in module.functions for op in walk_host(f.body)):
        return module
    return replace(module, functions=tuple(replace(f, body=_Traced().host_block(f.body)) for f in module.functions))


def taken_apart(module: ir.Module) -> bool:
    """Whether rounds that otherwise share a launch, or are launched ahead, are launched one by one in `traced`."""
    ops = (op for function in module.functions for op in walk_host(function.body))
    return any(is_ahead(op) or (isinstance(op, ir.OnDevice) and op.one_group) for op in ops)


class _Traced(Rewriter):
    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.OnDevice():
                return (replace(op, traced=True),)
            case ir.Loop(driver=ir.Ahead(goes_on)):
                return (replace(op, driver=ir.Ahead(goes_on, 1)),)
            case ir.HostIf(_, then, otherwise) if any(
                isinstance(inner, ir.OnDevice) and inner.one_group for inner in then
            ):
                return self.host_block(otherwise)
            case _:
                return (self.rebuild(op),)
