"""What a checked run tells: lines, and the fault that ends it, with its place in the program and the nodes there.

What kernels tell is recorded as `ir.lowering.checking` has it; of several iterations with faults the first one counts,
and lines come in the order of iterations.
"""

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError, Label
from starplat.frontend.types import Scalar
from starplat.ir import nodes as ir
from starplat.ir.lowering.checking import FAULT_CELLS, SLOTS
from starplat.runtime.actions.machine import Actions, Frame, Machine
from starplat.runtime.elements import Value, written


def tell(machine: Machine, op: ir.Tell, frame: Frame) -> None:
    site = machine.module.sites[op.site - 1]
    values = [machine.value(value, frame) for value in op.values]
    if site.code:
        raise _stopped(machine, site, values, _around(op, frame))
    _say(machine, site, values)


def tell_recorded(machine: Machine, op: ir.TellRecorded, frame: Frame) -> None:
    if not bool(machine.device.read_cell(machine.buffer(op.faulted, frame), 0)):
        _say_recorded(machine, op, frame, None)
        return
    cells = machine.device.download(machine.buffer(op.faults, frame)).reshape(-1, FAULT_CELLS)
    first = int(np.flatnonzero(cells[:, 0])[0])
    _say_recorded(machine, op, frame, first)
    number, node, *values = cells[first].tolist()
    nodes, site = _around(op, frame), machine.module.sites[number - 1]
    if first < machine.world.num_nodes and op.iterator:
        nodes.append((op.iterator, first))
    if node >= 0:
        nodes.append((site.inner, node))
    raise _stopped(machine, site, values, nodes)


def _around(op: ir.Tell | ir.TellRecorded, frame: Frame) -> list[tuple[str, int]]:
    return [(variable.name, int(frame.variables[variable.name])) for variable in op.nodes]


def _stopped(machine: Machine, site: ir.Site, values: Sequence[Value], nodes: list[tuple[str, int]]) -> DiagnosticError:
    """The fault of a place, as an interpreted run says it."""
    names = machine.world.names
    at = ", ".join(f"{name} = {names(node)}" if name else str(names(node)) for name, node in nodes)
    message = site.says.format(*values) + (f", at node {at}" if at else "")
    place = Label(site.span, "here")
    return DiagnosticError(Diagnostic(site.code, message, machine.module.source, place, help=site.help))


# --- lines ---------------------------------------------------------------------------------------------------------


def _say_recorded(machine: Machine, op: ir.TellRecorded, frame: Frame, last: int | None) -> None:
    """Prints the lines of the last launch, up to those of iteration `last`, and makes room for those of the next."""
    if not op.lines:
        return
    device, (taken, words, reals) = machine.device, (machine.buffer(array, frame) for array in op.lines)
    if (count := int(device.read_cell(taken, 0))) == 0:
        return
    device.write_cell(taken, 0, 0)
    pairs = device.download(words).reshape(-1, 2)[:count]
    lines = sorted(_lines(machine, pairs.tolist(), device.download(reals).tolist()), key=lambda line: line[0])
    for iteration, site, values in lines:
        if last is None or iteration <= last:
            _say(machine, site, values)
    if not 0 <= count <= SLOTS:
        print(f"(more was printed in one launch than the {SLOTS:,} values that there is room for)", file=sys.stderr)


def _lines(
    machine: Machine, pairs: list[list[int]], reals: list[float]
) -> Iterator[tuple[int, ir.Site, tuple[Value, ...]]]:
    """The lines in the order of their slots: iteration, place, values."""
    slot = 0
    while slot < len(pairs):
        iteration, number = pairs[slot]
        if number == 0:
            return
        site = machine.module.sites[number - 1]
        kinds = [part for part in site.parts if isinstance(part, Scalar)]
        slot += 1
        yield iteration, site, tuple(reals[at] if kind.is_real else pairs[at][0] for at, kind in enumerate(kinds, slot))
        slot += len(kinds)


def _say(machine: Machine, site: ir.Site, values: Sequence[Value]) -> None:
    given = iter(values)
    parts = [part if isinstance(part, str) else _shown(machine, next(given), part) for part in site.parts]
    print(*parts, file=sys.stderr, flush=True)


def _shown(machine: Machine, value: Value, kind: Scalar) -> str:
    """A value as people write it: a node by its id in the input."""
    if kind is Scalar.NODE and 0 <= value < machine.world.num_nodes:
        return str(machine.world.names(int(value)))
    return written(value, kind)


ACTIONS: Actions = {ir.Tell: tell, ir.TellRecorded: tell_recorded}
