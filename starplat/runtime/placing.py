"""Says what a run within a limit of memory would follow and what would lie where; nothing runs."""

from contextlib import ExitStack
from dataclasses import dataclass

from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.estimate import Estimate
from starplat.runtime.heads import Cut
from starplat.runtime.launch import Request, that_fits
from starplat.runtime.resident import on_device
from starplat.runtime.running import Run
from starplat.runtime.scheduling import alternatives
from starplat.runtime.session import default_session
from starplat.schedule import Schedule
from starplat.sizes import in_words


@dataclass(frozen=True, slots=True)
class Placed:
    """The schedule that a run within a limit follows, the bytes that it takes, and the heads of rows that lie on the
    device, if any."""

    schedule: Schedule
    estimate: Estimate
    cut: Cut | None

    def __str__(self) -> str:
        near, far = in_words(self.estimate.total), in_words(sum(self.estimate.mapped.values()))
        heads = "" if self.cut is None else f" ({self.cut})"
        return f"{near} on the device{heads}, {far} in the host's memory"


def placed(module: ir.Module, graph: Graph, asked: Request) -> Placed:
    """What a run on a graph would follow within the request's limits, and what would lie where. Raises E0908: it would
    not fit."""
    device, limits = default_session().device(asked.target, asked.device_index or 0), asked.limits

    def found() -> Placed:
        with device.as_here()(), device.limited(limits.device_memory, limits.host_memory), ExitStack() as held:
            resident = on_device(device, graph)
            modules, _ = alternatives(module, graph, resident, asked.schedule, device, {}, counted=False)
            run = that_fits((Run(m, graph, Bound(), device, resident, held) for m in modules), [])
            estimate, has_heads = run.room.foresee(), run.module.heads is not None
            return Placed(modules.schedule_of(run.module), estimate, resident.cut if has_heads else None)

    return default_session().in_turn(device, asked.device_index or 0, found)
