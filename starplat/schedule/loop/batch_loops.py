"""Finds the loops of a host program whose rounds can be launched ahead, and the reasons why others cannot.

A round qualifies if the host only launches kernels of known size, fills, copies and swaps arrays, and computes scalars
from the device's results: a kernel of one thread can compute these in its place.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames
from starplat.ir.launches import scalars_set
from starplat.ir.shapes.listed import known_length
from starplat.ir.uses import stream
from starplat.ir.visitor import all_expressions, declared_by, expressions_of, walk_expression, walk_host
from starplat.schedule.loop.group_rounds import copied
from starplat.schedule.loop.threads import is_safe, shortens

LOOPS = (ir.Loop, ir.HostForRange, ir.HostForNeighbors, ir.HostForMembers)

_FILLED = (ir.Extent.ONE, ir.Extent.NODES, ir.Extent.ARCS)


MOST_CHOSEN = 8
"""Values that may be computed under a condition: each may mention those before it several times."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """A loop as `ahead; do row while (condition)`; if `tested_first`, the host tests the condition before.

    `varying` are the variables from before the loop that rounds change.
    """

    ahead: tuple[ir.HostOp, ...]
    tested_first: bool
    row: tuple[ir.HostOp, ...]
    condition: ir.Expression
    varying: tuple[ir.Variable, ...]


def rounds_of(op: ir.HostOp, module: ir.Module, taken: FreshNames) -> Rounds | None:
    """The loop, if it is of a kind that has rounds and a condition."""
    match op:
        case ir.Loop(before, condition, body, True):
            return _rounds((), False, (*body, *op.step, *before), condition, module)
        case ir.Loop(before, condition, body, False):
            return _rounds(copied(before), True, (*body, *op.step, *_again(before)), condition, module)
        case ir.HostForRange(variable, first, end, body):
            last = ir.Variable(taken.fresh(f"{variable.name}_end"), variable.element)
            less = build.less(ir.Ref(variable), ir.Ref(last))
            one = ir.Const(1, variable.element)
            advance = ir.SetVariable(variable, build.plus(ir.Ref(variable), one))
            ahead = (ir.DeclareVariable(variable, first), ir.DeclareVariable(last, end))
            return _rounds(ahead, True, (*body, advance), less, module)
        case _:
            return None


def _rounds(
    ahead: tuple[ir.HostOp, ...],
    tested_first: bool,
    row: tuple[ir.HostOp, ...],
    condition: ir.Expression,
    module: ir.Module,
) -> Rounds:
    inside = tuple(walk_host(row))
    own = {variable for op in inside for variable in declared_by(op)}
    varying = dict.fromkeys(v for v in scalars_set(inside, module) if v not in own)
    return Rounds(ahead, tested_first, row, condition, tuple(varying))


def _again(before: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
    """The operations that the condition needs, again; their declarations stand ahead of the loop."""
    again: list[ir.HostOp] = []
    ops: tuple[ir.HostOp, ...] = copied(before)
    for op in ops:
        match op:
            case ir.DeclareVariable(variable, value):
                again.append(ir.SetVariable(variable, value))
            case ir.HostBlock(body):
                again.append(replace(op, body=_again(body)))
            case _:
                again.append(op)
    return tuple(again)


def waits(rounds: Rounds, module: ir.Module) -> bool:
    """Whether the host waits in a round for a result of the device."""
    return any(
        isinstance(op, ir.ReadCell) or (isinstance(op, ir.Launch) and bool(module.kernel(op.kernel).brought_back))
        for op in walk_host(rounds.row)
    )


def works_out_doubles(rounds: Rounds) -> bool:
    """Whether the host computes with doubles in a round."""
    parts = (*rounds.varying, *walk_expression(rounds.condition), *all_expressions(rounds.row))
    return any(part.element is ir.Element.DOUBLE for part in parts)


def obstacle(rounds: Rounds, module: ir.Module) -> str | None:
    """Why the host cannot launch rounds ahead; None if it can."""
    if not is_safe(rounds.condition):
        return "only the host can compute whether there is another round"
    swapped = [array for op in walk_host(rounds.row) if isinstance(op, ir.Swap) for array in (op.first, op.second)]
    if len(swapped) != len(set(swapped)):
        return "an array is swapped twice in a round"
    return next(_obstacles(stream(rounds.row), set(rounds.varying), module), None)


def _obstacles(row: Iterable[ir.HostOp], varying: set[ir.Variable], module: ir.Module) -> Iterator[str]:
    for op in row:
        if not all(is_safe(expression) for expression in expressions_of(op)) or shortens(op):
            yield "only the host can compute one of its values"
        varying.update(declared_by(op))
        match op:
            case ir.DeclareVariable() | ir.SetVariable():
                pass
            case ir.Swap(first, second):
                yield from _about_arrays(first, second)
            case ir.Fill(array):
                yield from _about_arrays(array)
            case ir.CopyArray(destination, source):
                yield from _about_arrays(destination, source)
            case ir.Launch(kernel):
                yield from _about_launch(kernel, varying, module)
            case ir.ReadCell(_, array, index) | ir.WriteCell(array, index):
                yield from _about_cell(array, index)
            case ir.HostIf():
                yield from _about_choice(op)
            case _:
                yield _unfit(op)


def _about_arrays(*arrays: ir.Array) -> Iterator[str]:
    for array in arrays:
        if array.packed is not None or array.extent not in _FILLED:
            yield f"'{array.name}' is a set that only the host can change as a whole"


def _about_launch(name: str, varying: set[ir.Variable], module: ir.Module) -> Iterator[str]:
    kernel = module.kernel(name)
    match kernel.domain:
        case ir.Listed() | ir.InWords() as listed if known_length(listed) is not None:
            yield f"the host must know how many nodes '{name}' walks"
        case ir.Numbers(count):
            if any(isinstance(part, ir.Ref) and part.variable in varying for part in walk_expression(count)):
                yield f"the host must know how many words '{name}' goes over"
        case ir.NodeNeighbors(_, node):
            if any(isinstance(part, ir.Ref) and part.variable in varying for part in walk_expression(node)):
                yield f"the host must know the node whose neighbors '{name}' walks"
        case _:
            pass


def _about_cell(array: ir.Array, index: ir.Expression) -> Iterator[str]:
    if array.origin is ir.Origin.HOST:
        yield f"'{array.name}' is the host's own"
    elif array.extent is not ir.Extent.ONE or index != build.ZERO:
        yield f"the host must check that '{array.name}' has the cell that it reads"


def _about_choice(op: ir.HostIf) -> Iterator[str]:
    """Scalars may depend on the device's results; and such a branch may end the loop, in the row of the loop itself."""
    then = tuple(stream(op.then))
    leaves = bool(then) and isinstance(then[-1], ir.HostBreak) and not op.otherwise
    if sum(1 for inner in walk_host((op,)) if isinstance(inner, ir.SetVariable | ir.DeclareVariable)) > MOST_CHOSEN:
        yield "too much is computed under a condition"
    for inner in (*(then[:-1] if leaves else then), *stream(op.otherwise)):
        if not all(is_safe(expression) for expression in expressions_of(inner)) or shortens(inner):
            yield "only the host can compute one of its values"
        match inner:
            case ir.SetVariable() | ir.DeclareVariable():
                pass
            case ir.ReadCell(_, array, index):
                yield from _about_cell(array, index)
            case ir.HostIf() if not any(isinstance(part, ir.HostBreak) for part in walk_host((inner,))):
                yield from _about_choice(inner)
            case _:
                yield "the host branches in a round on a result of the device"


def _unfit(op: ir.HostOp) -> str:
    match op:
        case ir.HostCall(function):
            return f"a round calls '{function}'"
        case ir.HostContinue() | ir.HostBreak() | ir.HostReturn():
            return "a round is left from its middle"
        case _ if isinstance(op, LOOPS):
            return "a round has a loop"
        case _:
            return "a round asks how many are in a set"
