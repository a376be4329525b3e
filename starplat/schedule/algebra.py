"""Steps `union-find` and `triangles`: other algorithms in the place of a program's own, where they are proved to give
the same answer.

The proofs are those of the passes of these names; here stands when they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Combine, Element, Module
from starplat.passes.node_triangles import node_triangles
from starplat.passes.rewritten import Rewritten
from starplat.passes.triangles import triangles
from starplat.passes.union_find import union_find
from starplat.schedule.balance import shares_arcs_alone
from starplat.schedule.schedule import Algebra, Schedule
from starplat.schedule.step import Choice, Decided


def components_by_union_find(module: Module, schedule: Schedule, capabilities: Capabilities) -> Decided:
    """Union-find in place of labels that spread over components."""
    if schedule.algebra is Algebra.PLAIN or not capabilities.has_compare_and_swap(Element.NODE):
        return Decided(module)
    shares_arcs = shares_arcs_alone(schedule, capabilities)
    return _decided(_with_union_find(_Same(module), shares_arcs))


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """A module, equal to itself alone."""

    module: Module

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.module is self.module

    def __hash__(self) -> int:
        return id(self.module)


@lru_cache(maxsize=16)
def _with_union_find(same: _Same, shares_arcs: bool) -> Rewritten:
    """The proof takes a while, and all schedules of a module ask for it."""
    return union_find(same.module, shares_arcs=shares_arcs)


def triangles_by_intersection(module: Module, schedule: Schedule, capabilities: Capabilities) -> Decided:
    """Intersections of neighbors in place of tests of every pair of them."""
    if schedule.algebra is Algebra.PLAIN:
        return Decided(module)
    lockstep = capabilities.lockstep and not capabilities.structured_loops
    counted = triangles(module, lockstep=lockstep)
    of_nodes = node_triangles(counted.module, lockstep=lockstep, adds=lambda kind: _adds(capabilities, kind))
    return _decided(Rewritten(of_nodes.module, (*counted.found, *of_nodes.found)))


def _adds(capabilities: Capabilities, element: Element) -> bool:
    """Whether threads can add to one cell at the same time."""
    return capabilities.has_atomic(Combine.ADD, element) or capabilities.has_compare_and_swap(element)


def _decided(rewritten: Rewritten) -> Decided:
    return Decided(rewritten.module, tuple(Choice(found.what, found.why) for found in rewritten.found))
