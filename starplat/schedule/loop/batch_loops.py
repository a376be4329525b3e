"""Finds the loops of a host program whose rounds can be launched ahead, and the reasons why others cannot.

A round qualifies if the host only launches kernels of known size, fills, copies and swaps arrays, and computes scalars
from the device's results: a kernel of one thread can compute these in its place.
"""

from dataclasses import dataclass

from starplat.ir import build, fresh_names, launches, visitor
from starplat.ir import nodes as ir
from starplat.schedule.loop import drivers, group_rounds
from starplat.schedule.loop.late_declarations import as_assignments


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


def rounds_of(op: ir.HostOp, module: ir.Module, taken: fresh_names.FreshNames) -> Rounds | None:
    """The loop, if it is of a kind that has rounds and a condition."""
    match op:
        case ir.Loop(before, condition, body, True):
            return _rounds((), False, (*body, *op.step, *before), condition, module)
        case ir.Loop(before, condition, body, False):
            again = as_assignments(group_rounds.copied(before))
            return _rounds(group_rounds.copied(before), True, (*body, *op.step, *again), condition, module)
        case ir.HostForRange(variable, first, end, body):
            last = taken.variable(f"{variable.name}_end", variable.element)
            less = build.less(ir.Ref(variable), ir.Ref(last))
            one = ir.Const(1, variable.element)
            advance = ir.SetVariable(variable, build.plus(ir.Ref(variable), one))
            ahead = (ir.DeclareVariable(variable, first), ir.DeclareVariable(last, end))
            return _rounds(ahead, True, (*body, advance), less, module)
    return None


def _rounds(
    ahead: tuple[ir.HostOp, ...],
    tested_first: bool,
    row: tuple[ir.HostOp, ...],
    condition: ir.Expression,
    module: ir.Module,
) -> Rounds:
    inside = tuple(visitor.walk_host(row))
    own = {variable for op in inside for variable in visitor.declared_by(op)}
    varying = dict.fromkeys(v for v in launches.scalars_set(inside, module) if v not in own)
    return Rounds(ahead, tested_first, row, condition, tuple(varying))


def waits(rounds: Rounds, module: ir.Module) -> bool:
    """Whether the host waits in a round for a result of the device."""
    return any(
        isinstance(op, ir.ReadCell) or (isinstance(op, ir.Launch) and bool(module.kernel(op.kernel).brought_back))
        for op in visitor.walk_host(rounds.row)
    )


def works_out_doubles(rounds: Rounds) -> bool:
    """Whether the host computes with doubles in a round."""
    parts = (*rounds.varying, *visitor.walk_expression(rounds.condition), *visitor.all_expressions(rounds.row))
    return any(part.element is ir.Element.DOUBLE for part in parts)


def obstacle(rounds: Rounds, module: ir.Module) -> str | None:
    """Why the host cannot launch rounds ahead; None if it can."""
    if not drivers.is_safe(rounds.condition):
        return "only the host can compute whether there is another round"
    inside = tuple(visitor.walk_host(rounds.row))
    swapped = [array for op in inside if isinstance(op, ir.Swap) for array in (op.first, op.second)]
    if len(swapped) != len(set(swapped)):
        return "an array is swapped twice in a round"
    declared = {variable for op in inside for variable in visitor.declared_by(op)}
    return drivers.Ahead(module, declared.union(rounds.varying)).first(rounds.row)
