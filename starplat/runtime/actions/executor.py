"""The executor: walks a host program over a device.

In come a module's built kernels, a graph on the device and bound arguments; out come the arrays that the entry's
parameters stand for at the end, and what it returns. What an operation does is in the modules beside this one; what it
acts on, in `machine`.
"""

from collections.abc import Iterable, Mapping

from starplat.ir import nodes as ir
from starplat.runtime.actions import batches, cells, control, launches, lists, messages, parts
from starplat.runtime.actions.machine import Actions, Flow, Frame, Machine, Op, Place
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.elements import Returned, Value

ACTIONS: Actions = {
    **cells.ACTIONS,
    **launches.ACTIONS,
    **control.ACTIONS,
    **lists.ACTIONS,
    **messages.ACTIONS,
    **batches.ACTIONS,
    **parts.ACTIONS,
}
"""Every host operation and what performs it; a test holds that none is missing."""


class Executor(Machine):
    """Runs the functions of one module on one device."""

    def run(
        self, places: dict[str, Place], scalars: Mapping[str, Value], lists: Mapping[str, tuple[Value, ...]]
    ) -> Returned:
        """Calls the entry; afterwards `places` is what its arrays stand for. Its lists are copies of those given."""
        own = {name: list(elements) for name, elements in lists.items()}
        frame = Frame(self.module.function(self.module.entry), places, dict(scalars), own)
        self.call(frame)
        return frame.returned

    def prepare(self, function: str, buffers: Iterable[Buffer]) -> None:
        """Calls a function that fills arrays, which stand for its parameters."""
        called = self.module.function(function)
        places = {p.what.name: Place(buffer) for p, buffer in zip(called.parameters, buffers, strict=True)}
        self.call(Frame(called, places))

    def call(self, frame: Frame) -> None:
        own = [array.name for array in frame.function.arrays]
        try:
            for array in frame.function.arrays:
                frame.places[array.name] = Place(self.allocate(array))
            self.block(frame.function.body, frame)
        finally:
            for name in own:
                if name in frame.places:
                    self.device.release(frame.places.pop(name).buffer)

    def block(self, ops: Op, frame: Frame) -> Flow | None:
        for op in ops:
            if (flow := self.perform(op, frame)) is not None:
                return flow
        return None

    def perform(self, op: ir.HostOp, frame: Frame) -> Flow | None:
        """Performs one operation, and what stands inside it."""
        return ACTIONS[type(op)](self, op, frame)
