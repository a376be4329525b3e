"""Step `balance`: lets threads share the arcs of a kernel's nodes, where what is done to an arc needs nothing else.

A kernel suits if it goes over nodes and its last operation is a `forall` over the node's arcs; what stands before it
must be the same whenever it is worked out.
"""

from __future__ import annotations

from dataclasses import replace

from starplat.ir.capabilities import Capabilities
from starplat.ir.gathering import gathering
from starplat.ir.members import membership
from starplat.ir.nodes import (
    AllNodes,
    ForNeighbors,
    Kernel,
    KernelBreak,
    KernelOp,
    KernelReturn,
    Launch,
    Let,
    Listed,
    Load,
    Module,
    Ref,
)
from starplat.ir.visitor import (
    all_expressions,
    assigned_variables,
    blocks_of,
    declared_by,
    loops_of,
    walk_expression,
    walk_host,
    walk_kernel,
    written_arrays,
)
from starplat.schedule.schedule import Balance, Schedule
from starplat.schedule.step import Choice, Decided


def share_arcs(module: Module, schedule: Schedule, capabilities: Capabilities) -> Module | Decided:
    """The module whose kernels share their arcs out evenly, where the schedule, the target and the kernel let them."""
    if schedule.balance is Balance.NODE or not capabilities.shared_arcs:
        return module
    inside = {op.kernel for loop in loops_of(module) for op in walk_host(loop.body) if isinstance(op, Launch)}
    shared = {kernel.name for kernel in module.kernels if kernel.name in inside and _suits(kernel)}
    if not shared:
        return module
    kernels = tuple(replace(k, shares_arcs=True) if k.name in shared else k for k in module.kernels)
    why = "each arc is a step of its own, and nodes have few or many"
    choices = tuple(Choice(f"{name}: threads share arcs, not nodes", why) for name in sorted(shared))
    return Decided(replace(module, kernels=kernels), choices)


def _suits(kernel: Kernel) -> bool:
    if not isinstance(kernel.domain, AllNodes | Listed) or kernel.iterator is None or kernel.shares_arcs:
        return False
    if gathering(kernel) is not None:
        return True
    members = membership(kernel)
    body = kernel.body if members is None else members.body
    if not body or not isinstance(body[-1], ForNeighbors):
        return False
    loop = body[-1]
    return (
        loop.parallel
        and loop.node == Ref(kernel.iterator)
        and not _leaves(loop.body)
        and _repeatable(body[:-1], kernel)
        and not _assigns_outside(loop)
    )


def _leaves(body: tuple[KernelOp, ...]) -> bool:
    """Whether a loop's body may end the loop itself; a Break of a loop inside it is that loop's."""
    for op in body:
        if isinstance(op, KernelBreak | KernelReturn):
            return True
        loops = bool(declared_by(op)) and blocks_of(op)
        if not loops and any(_leaves(block) for block in blocks_of(op)):
            return True
    return False


def _repeatable(ahead: tuple[KernelOp, ...], kernel: Kernel) -> bool:
    """Whether only values are worked out that nothing in the kernel changes."""
    written = written_arrays(kernel.body)
    return all(isinstance(op, Let) for op in ahead) and not any(
        isinstance(part, Load) and part.array in written
        for expression in all_expressions(ahead)
        for part in walk_expression(expression)
    )


def _assigns_outside(loop: ForNeighbors) -> bool:
    """Whether the body changes a local that it does not declare."""
    declared = {variable for op in walk_kernel(loop.body) for variable in declared_by(op)}
    return bool(assigned_variables(loop.body) - declared)
