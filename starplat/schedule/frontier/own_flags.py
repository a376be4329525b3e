"""Splits kernels by what they do with flags of their own nodes: the analysis behind `operators`.

Takes a kernel and the flags that are to be sets, gives its parts in order, or None where it is better left whole or
cannot be split.
"""

from collections.abc import Set as AbstractSet

from starplat.ir import nodes as ir
from starplat.ir import visitor
from starplat.ir.conditions import conjuncts, disjuncts, negated
from starplat.ir.shapes.members import flag_of
from starplat.schedule.frontier import obstacles, splitting
from starplat.schedule.frontier.kernel_parts import Cleared, Conditions, Done, Lost, Part


def parts_of(kernel: ir.Kernel, flags: AbstractSet[ir.Array]) -> tuple[Part, ...] | None:
    """The kernel's parts."""
    touched = flags & set(kernel.arrays)
    whole = not isinstance(kernel.domain, ir.AllNodes) or kernel.iterator is None or kernel.guard is not None
    if whole or not touched or visitor.continues(kernel.body):
        return None
    if (either := _of_two_sets(kernel, flags)) is not None:
        return either
    if not any(obstacles.obstacle_in(kernel, array) for array in touched) and not _only_for_members(kernel, flags):
        return None
    splitter = splitting.Splitter(kernel, flags)
    try:
        splitter.block(kernel.body, tuple((c, 0) for c in _conditions(kernel)))
        parts = tuple(splitter.parts)
        return parts if all(_is_complete(part, kernel) for part in parts) else None
    except splitting.WholeError:
        return None


def _conditions(kernel: ir.Kernel) -> Conditions:
    return () if kernel.filter is None else tuple(conjuncts(kernel.filter))


def _of_two_sets(kernel: ir.Kernel, flags: AbstractSet[ir.Array]) -> tuple[Part, ...] | None:
    """A walk over the union of two sets, as two: over the first, then over those of the second that are not in the
    first."""
    conditions = _conditions(kernel)
    if {array for c in conditions for array in visitor.arrays_in(c)} & visitor.written_arrays(kernel.body):
        return None
    for number, condition in enumerate(conditions):
        match tuple(disjuncts(condition)):
            case (one, other) if {flag_of(one, kernel.index), flag_of(other, kernel.index)} <= flags:
                rest = (*conditions[:number], *conditions[number + 1 :])
                return Done((one, *rest), kernel.body), Done((other, negated(one), *rest), kernel.body)
    return None


def _only_for_members(kernel: ir.Kernel, flags: AbstractSet[ir.Array]) -> bool:
    """Whether a kernel over all nodes does several things, each for members of some set only."""
    if kernel.filter is not None or len(kernel.body) < 2 or kernel.iterator is None:
        return False
    asked = [op.condition for op in kernel.body if isinstance(op, ir.KernelIf) and not op.otherwise]
    return len(asked) == len(kernel.body) and all(
        any(flag_of(part, kernel.iterator) in flags for part in conjuncts(condition)) for condition in asked
    )


def _is_complete(part: Part, kernel: ir.Kernel) -> bool:
    """Whether a part uses no local that another part declares."""
    match part:
        case Cleared():
            return True
        case Lost(_, conditions, body) | Done(conditions, body):
            pass
    locals_ = {variable for op in visitor.walk_kernel(kernel.body) for variable in visitor.declared_by(op)}
    own = {variable for op in visitor.walk_kernel(body) for variable in visitor.declared_by(op)}
    tops = (*conditions, *visitor.all_expressions(body))
    used = {e.variable for top in tops for e in visitor.walk_expression(top) if isinstance(e, ir.Ref)}
    return not (used | visitor.assigned_variables(body)) & (locals_ - own)
