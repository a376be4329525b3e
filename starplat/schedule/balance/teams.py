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
from starplat.schedule.step import Decided, for_kernels

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
    shared = {kernel.name for kernel in module.kernels if not kernel.shares_arcs and bool(shared_rows(kernel, module))}
    if schedule.balance is Balance.AUTO and facts is not None and not _worth_it(facts):
        why = f"no node has more than {facts.max_degree:,} arcs, for which teams are not worth it"
        return for_kernels(module, module, sorted(shared), "a thread takes a node", why)
    made = module.with_each_kernel(lambda k: replace(k, shares_arcs=k.shares_arcs or k.name in shared))
    why = "the arcs of a node are independent, and nodes may have many"
    return for_kernels(module, made, sorted(shared), "a team of threads shares a node's arcs", why)


def _worth_it(facts: GraphFacts) -> bool:
    """Whether the largest row takes one thread longer than teams cost for all nodes."""
    return facts.max_degree * NODES_PER_ARC > facts.num_nodes
