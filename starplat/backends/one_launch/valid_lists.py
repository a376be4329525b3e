"""Finds the lists of set members that are still valid when a launch walks the set."""

from collections.abc import Iterable, Mapping

from starplat.backends import uses
from starplat.ir import launches, visitor
from starplat.ir import nodes as ir
from starplat.ir.shapes.gathering import gathering
from starplat.ir.shapes.members import membership
from starplat.same import Same

Known = Mapping[ir.Array, ir.ListMembers]
"""Sets, and the operation that has listed each."""


def noted_at(body: Iterable[ir.HostOp], module: ir.Module) -> dict[Same, ir.ListMembers]:
    """By the launch that gathers into a set's members: the operation that has listed them all, if neither
    the set nor the list nor its start has changed since."""
    found: dict[Same, ir.ListMembers] = {}
    _block(body, {}, module, found)
    return found


def _block(ops: Iterable[ir.HostOp], known: Known, module: ir.Module, found: dict[Same, ir.ListMembers]) -> Known:
    for op in ops:
        known = _operation(op, known, module, found)
    return known


def _operation(op: ir.HostOp, known: Known, module: ir.Module, found: dict[Same, ir.ListMembers]) -> Known:
    if isinstance(op, ir.HostBlock):
        return _block(op.body, known, module, found)
    if isinstance(op, ir.Launch):
        kernel = module.kernel(op.kernel)
        walked = membership(kernel) if kernel.shares_arcs and gathering(kernel) is not None else None
        if walked is not None and walked.members in known:
            found[Same(op)] = known[walked.members]
    left = _untouched(op, known, module)
    for block in visitor.blocks_of(op):
        _block(block, left, module, found)
    return {**left, op.flags: op} if isinstance(op, ir.ListMembers) else left


def _untouched(op: ir.HostOp, known: Known, module: ir.Module) -> Known:
    """Those that still hold after the operation, and whenever anything in it begins."""
    if not known:
        return known
    parts = tuple(visitor.walk_host((op,)))
    gone = {array for part in parts for array in launches.changed(part, module)}
    assigned = uses.variables_set(parts, module)
    return {
        flags: lists
        for flags, lists in known.items()
        if not gone & {flags, lists.array} and not assigned & set(uses.variables_in(lists.first))
    }
