"""Steps `union-find` and `triangles`: other algorithms in the place of a program's own, where they are proved to give
the same answer.

The proofs are those of the passes of these names; here stands when they are asked for.
"""

from __future__ import annotations

from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Element, Module
from starplat.passes.rewritten import Rewritten
from starplat.passes.triangles import triangles
from starplat.passes.union_find import union_find
from starplat.schedule.schedule import Algebra, Balance, Schedule
from starplat.schedule.step import Choice, Decided


def components_by_union_find(module: Module, schedule: Schedule, capabilities: Capabilities) -> Decided:
    """Union-find in place of labels that spread over components."""
    if schedule.algebra is Algebra.PLAIN or not capabilities.has_compare_and_swap(Element.NODE):
        return Decided(module)
    shares_arcs = capabilities.shared_arcs and schedule.balance is not Balance.NODE
    return _decided(union_find(module, shares_arcs=shares_arcs))


def triangles_by_intersection(module: Module, schedule: Schedule, capabilities: Capabilities) -> Decided:
    """Intersections of neighbors in place of tests of every pair of them."""
    if schedule.algebra is Algebra.PLAIN:
        return Decided(module)
    return _decided(triangles(module, lockstep=not capabilities.structured_loops))


def _decided(rewritten: Rewritten) -> Decided:
    return Decided(rewritten.module, tuple(Choice(found.what, found.why) for found in rewritten.found))
