"""Step `team`: knob `balance` on targets that share out a kernel's loop themselves.

A team of threads takes a node, and its threads share the loops over the node's arcs that permit it; the rest is done
once per node. A node with many arcs is faster then, all nodes together slower.
"""

from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.shapes.shared_rows import shared_rows
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Balance, Schedule
from starplat.schedule.step import Choice, Decided

NODES_PER_ARC = 1000
"""Nodes whose overhead under teams equals the time of one arc in one thread: about 0.5 microseconds and 0.45
nanoseconds on an NVIDIA H200."""


def has_teams(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether the target has teams of threads."""
    return capabilities.inner_loops


def rows_for_teams(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> ir.Module | Decided:
    """The module whose kernels share the arcs of each node, where legal and asked for or worth it."""
    if schedule.balance is Balance.NODE or not has_teams(module, capabilities):
        return module
    shared = {kernel.name for kernel in module.kernels if _suits(kernel, module)}
    if not shared:
        return module
    if schedule.balance is Balance.AUTO and facts is not None and not _worth_it(facts):
        why = f"no node has more than {facts.max_degree:,} arcs, for which teams are not worth it"
        return Decided(module, tuple(Choice(f"{name}: a thread takes a node", why) for name in sorted(shared)))
    kernels = tuple(replace(k, shares_arcs=True) if k.name in shared else k for k in module.kernels)
    why = "the arcs of a node are independent, and nodes may have many"
    choices = tuple(Choice(f"{name}: a team of threads shares a node's arcs", why) for name in sorted(shared))
    return Decided(replace(module, kernels=kernels), choices)


def _worth_it(facts: GraphFacts) -> bool:
    """Whether the largest row takes one thread longer than teams cost for all nodes."""
    return facts.max_degree * NODES_PER_ARC > facts.num_nodes


def _suits(kernel: ir.Kernel, module: ir.Module) -> bool:
    return not kernel.shares_arcs and bool(shared_rows(kernel, module))
