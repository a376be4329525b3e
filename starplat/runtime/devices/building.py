"""Cache of built kernels by device and module."""

from starplat.ir import nodes as ir
from starplat.runtime.devices.device import Device, Kernels
from starplat.runtime.text import dump_program, edited_text_may_be_wrong
from starplat.same import Same

_MOST_BUILT = 64


def is_built(device: Device, module: ir.Module, wide_arcs: bool) -> bool:
    """Whether the module's kernels are at hand."""
    return (Same(module), wide_arcs) in device.built


def kernels_on(device: Device, module: ir.Module, wide_arcs: bool) -> Kernels:
    """The module's kernels on the device; those of the modules last used are at hand."""
    known, key = device.built, (Same(module), wide_arcs)
    if key not in known:
        if len(known) >= _MOST_BUILT:
            known.pop(next(iter(known)))
        dump_program(module)
        with edited_text_may_be_wrong(device.target, module):
            known[key] = device.build(module, wide_arcs=wide_arcs)
    return known[key]
