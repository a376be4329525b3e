"""Lower bounds of the work of a traced run: its kernels' costs times their iterations; and the device's copy rate to
compare with.
"""

from typing import Any

import numpy as np

from starplat.ir import nodes as ir
from starplat.ir.shapes.members import membership
from starplat.ir.work import KernelCost, cost_of
from starplat.runtime.devices.device import Device
from starplat.runtime.tracing.trace import Held, Trace, Walk, Work

UNCOUNTED = "kernels whose active nodes are not known"
LEFT_OUT = "rounds that the trace has no room for"

COPIED = 2**28
"""Bytes of what is copied to measure a rate: more than any cache holds."""

SHARE = 8
"""No more than one part in so many of the free memory."""

COPIES = 7


def work_of(module: ir.Module, trace: Trace, *, num_nodes: int, num_arcs: int, wide_arcs: bool) -> Work:
    """The work of the kernels that were launched, and of filling and copying."""
    costs = {kernel.name: cost_of(kernel, wide_arcs=wide_arcs) for kernel in module.kernels}
    instead = {
        k.name for k in module.kernels if membership(k) is None and not isinstance(k.domain, ir.Listed | ir.InWords)
    }
    missing: set[str] = {LEFT_OUT} if trace.left_out else set()
    size = float(sum(one.bytes for one in trace.filled))
    operations = 0
    for walk in trace.walks:
        cost = costs[walk.kernel]
        missing |= cost.missing
        asked, kept, arcs = _counts(walk, cost, num_nodes, num_arcs, looks=walk.kernel in instead)
        if kept is None:
            missing.add(UNCOUNTED)
        size += asked * cost.tested.bytes + (kept or 0) * cost.kept.bytes + (arcs or 0) * cost.arc.bytes
        size += _held(walk, num_nodes)
        operations += asked * cost.tested.operations + (kept or 0) * cost.kept.operations
        operations += (arcs or 0) * cost.arc.operations
    return Work(round(size), operations, tuple(sorted(missing)))


def _counts(
    walk: Walk, cost: KernelCost, num_nodes: int, num_arcs: int, *, looks: bool
) -> tuple[int, int | None, int | None]:
    """Of how many iterations a kernel's filter is asked, how many it keeps, and how many arcs these have. A search for
    members of a set tests all nodes; those that go on to search are not counted."""
    match walk.held:
        case Held.TESTED | Held.FLAGS:
            return num_nodes, walk.active, walk.arcs
        case Held.LIST | Held.BITS | Held.LAYERS if looks:
            return num_nodes, None, None
        case Held.ARCS:
            return num_arcs, walk.active, None
    return walk.active or 0, walk.active, walk.arcs


def _held(walk: Walk, num_nodes: int) -> float:
    """Bytes of the representation of the active nodes."""
    match walk.held:
        case Held.LIST:
            return 4.0 * (walk.active or 0)
        case Held.BITS:
            return num_nodes / 8
        case Held.LAYERS:
            return num_nodes / 256 + min(num_nodes / 8, 4.0 * (walk.active or 0))
    return 0.0


def copy_rate(device: Device) -> float:
    """Bytes that a device reads and writes in a second while it copies a large buffer: the best of several times; it is
    measured once for each device."""
    if device.copied_per_second is None:
        free = device.free_memory()
        size = COPIED if free is None else max(min(COPIED, free // SHARE), 2**20)
        source, destination = (device.allocate_word(np.dtype(np.int32), size // 4) for _ in range(2))
        try:
            device.fill(source, 1)
            device.copy(destination, source)
            device.copied_per_second = max(_rate(device, source, destination) for _ in range(COPIES))
        finally:
            for buffer in (source, destination):
                device.release(buffer)
            device.trim()
    return device.copied_per_second


def _rate(device: Device, source: Any, destination: Any) -> float:
    stop = device.stopwatch()
    device.copy(destination, source)
    return float(2 * source.size / max(stop(), 1e-9))
