"""OpenCL devices of this machine, and running one hand-made kernel on them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from starplat.backends.launch import GROUP_SIZE, ArgumentKind, kernel_parameters
from starplat.backends.opencl import OPENCL, language_flag
from starplat.backends.text.names import Names
from starplat.ir import nodes as ir
from starplat.ir.python.arithmetic import identity

DTYPES = {
    ir.Element.BOOL: np.uint8,
    ir.Element.INT: np.int32,
    ir.Element.NODE: np.int32,
    ir.Element.ARC: np.int32,
    ir.Element.LONG: np.int64,
    ir.Element.FLOAT: np.float32,
    ir.Element.DOUBLE: np.float64,
}


@cache
def contexts() -> tuple[Any, ...]:
    """A context for every device that can build the smallest kernel."""
    try:
        from starplat.toolchain.opencl import opencl

        cl = opencl()
        devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    except Exception:  # no loader, no platform: whatever the reason, there are no devices
        return ()
    found = []
    for device in devices:
        context = cl.Context([device])
        try:
            cl.Program(context, "__kernel void nothing() {}").build()
        except cl.RuntimeError:
            continue
        found.append(context)
    return tuple(found)


def require_devices() -> tuple[Any, ...]:
    if not contexts():
        pytest.skip("no OpenCL device of this machine builds a kernel")
    return contexts()


def build(context: Any, text: str, *flags: str) -> Any:
    import pyopencl as cl

    return cl.Program(context, text).build([language_flag(text, context.devices[0].version), *flags])


def run(context: Any, module: ir.Module, n: int, arrays: dict[str, np.ndarray], **scalars: Any) -> dict[str, Any]:
    """Runs the module's only kernel once, changes `arrays` and returns what its reductions came to."""
    import pyopencl as cl

    kernel = module.kernels[0]
    queue = cl.CommandQueue(context)
    entry = cl.Kernel(build(context, OPENCL.kernels_text(module)), Names(module, (), ()).kernel(kernel.name))
    combines = {reduction.variable: reduction.combine for reduction in kernel.reductions}
    buffers: dict[str, tuple[Any, np.ndarray]] = {}
    given: list[Any] = []
    for argument in kernel_parameters(module, kernel):
        match argument.kind:
            case ArgumentKind.NUM_NODES | ArgumentKind.NUM_ARCS:
                given.append(np.int32(n))
                continue
            case ArgumentKind.SCALAR:
                given.append(DTYPES[argument.variable.element](scalars[argument.variable.name]))
                continue
            case ArgumentKind.ARRAY:
                name, cells = argument.array.name, arrays[argument.array.name]
            case ArgumentKind.REDUCTION:
                name, element = argument.variable.name, argument.variable.element
                dtype = np.int32 if element is ir.Element.BOOL else DTYPES[element]
                cells = np.array([identity(combines[argument.variable], element).value], dtype)
        buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, max(4, -(-cells.nbytes // 4) * 4))
        cl.enqueue_copy(queue, buffer, cells)
        buffers[name] = buffer, cells
        given.append(buffer)
    alone = isinstance(kernel.domain, ir.Once)
    size, group = (1, 1) if alone else (GROUP_SIZE * min(64, -(-n // GROUP_SIZE)), GROUP_SIZE)
    entry(queue, (size,), (group,), *given)
    for buffer, cells in buffers.values():
        cl.enqueue_copy(queue, cells, buffer)
    return {reduction.variable.name: buffers[reduction.variable.name][1][0] for reduction in kernel.reductions}
