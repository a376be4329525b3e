"""Steps `union-find` and `triangles`: replace an algorithm by one that is proved to give the same answer.

The proofs are in the passes of these names; this module decides when to apply them.
"""

from functools import lru_cache, partial

from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.passes.labels.union_find import union_find
from starplat.passes.rewritten import Rewritten
from starplat.passes.triangles.intersections import triangles
from starplat.passes.triangles.search import Meeting
from starplat.same import Same
from starplat.schedule.balance.step import threads_share_arcs
from starplat.schedule.facts import MOST_OWN_CELLS, GraphFacts
from starplat.schedule.schedule import AUTO, Algebra, Schedule
from starplat.schedule.step import Choice, Decided


def components_by_union_find(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> Decided:
    """Replaces label propagation over components by union-find."""
    if schedule.algebra is Algebra.PLAIN or not capabilities.has_compare_and_swap(ir.Element.NODE):
        return Decided(module)
    symmetric = facts is not None and facts.symmetric and facts.num_arcs > 0
    shares = threads_share_arcs(schedule, capabilities)
    proved = _with_union_find(Same(module), capabilities, shares, symmetric, True)
    if schedule.algebra is Algebra.PROVED or not proved.found:
        return _decided(proved)
    worth = _with_union_find(Same(module), capabilities, shares, symmetric, False)
    left = (one for one in proved.found if one not in worth.found)
    why = "all nodes but a few begin with one value, so few may be active at a time; algebra=proved overrides this"
    refused = tuple(Choice(f"the program's own loop, not {one.what}", why) for one in left)
    return Decided(worth.module, (*_decided(worth).choices, *refused))


def has_components(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether labels spread in the module, so that the symmetry of the graph matters."""
    able = capabilities.has_compare_and_swap(ir.Element.NODE)
    return able and bool(_with_union_find(Same(module), capabilities, False, False, False).found)


def components_in_parts(
    module: ir.Module, capabilities: Capabilities, *, symmetric: bool, all_rows: bool = False
) -> ir.Module:
    """The module as its parts are to run it, before it is divided, with union-find where labels spread both ways; each
    part may have all rows."""
    if not capabilities.has_compare_and_swap(ir.Element.NODE):
        return module
    shares = threads_share_arcs(AUTO, capabilities)
    return _with_union_find(Same(module), capabilities, shares, symmetric, False, True, all_rows).module


@lru_cache(maxsize=32)
def _with_union_find(
    same: Same,
    capabilities: Capabilities,
    shares_arcs: bool,
    symmetric: bool,
    even_few: bool,
    in_parts: bool = False,
    all_rows: bool = False,
) -> Rewritten:
    """Memoised: the proof takes a while, and all schedules of a module ask for it."""
    return union_find(
        same.thing,
        shares_arcs=shares_arcs,
        stores_paths=not capabilities.lockstep,
        symmetric=symmetric,
        even_few=even_few,
        in_parts=in_parts,
        all_rows=all_rows,
        joins=partial(_joins, capabilities),
    )


_FEW, _FEW_IN_LOCKSTEP = 8, 48
"""Mean number of neighbors up to which testing every pair takes less time than orienting the rows; in lockstep, where
rows are searched."""

_MANY_ARCS = 2**22
"""Arcs from which looking for each triangle once pays, where the host waits long for an answer of the device."""


def triangles_by_intersection(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> Decided:
    """Replaces tests of every pair of neighbors by intersections. If the graph has few pairs, rows stay as they are:
    cores go through the ends of two; in lockstep the tests stay, but of nodes' triangles each is looked for once, if
    that pays for more launches and a readback."""
    if schedule.algebra is Algebra.PLAIN:
        return Decided(module)
    meeting, symmetric = _meeting(capabilities, facts), facts is not None and facts.symmetric
    known = symmetric and meeting in (Meeting.TABLES, Meeting.MARKS, Meeting.CELLS)
    found = _with_triangles(Same(module), capabilities, meeting, known)
    if schedule.algebra is Algebra.PROVED or facts is None or not has_few_pairs(facts, capabilities):
        return _decided(found)
    why = f"nodes have {facts.mean_degree:.3g} neighbors in the mean, none more than {facts.max_degree:,}: few pairs"
    few = Rewritten(module)
    if facts.num_arcs >= _MANY_ARCS or not capabilities.late_words:
        pairs = Meeting.TESTED_ENDS if capabilities.lockstep else Meeting.ENDS
        few = _with_triangles(Same(module), capabilities, pairs, symmetric)
    left = (one for one in found.found if one not in few.found)
    kept = tuple(Choice(f"every pair of neighbors is tested, not {one.what}", why) for one in left)
    return Decided(few.module, (*_decided(few).choices, *kept))


def has_triangles(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether the module tests pairs of neighbors, so that their number matters."""
    return bool(_with_triangles(Same(module), capabilities, _meeting(capabilities, None), False).found)


def few_neighbors(capabilities: Capabilities) -> int:
    """The mean degree up to which pairs of neighbors count as few."""
    return _FEW_IN_LOCKSTEP if capabilities.lockstep and not capabilities.group_tables else _FEW


def has_few_pairs(facts: GraphFacts, capabilities: Capabilities) -> bool:
    """Whether all nodes have few neighbors, and about equally many."""
    few = few_neighbors(capabilities)
    return facts.mean_degree <= few and facts.has_even_rows


@lru_cache(maxsize=16)
def _with_triangles(same: Same, capabilities: Capabilities, meeting: Meeting, symmetric: bool) -> Rewritten:
    adds = partial(_joins, capabilities, ir.Combine.ADD)
    return triangles(same.thing, meeting=meeting, symmetric=symmetric, adds=adds)


def _meeting(capabilities: Capabilities, facts: GraphFacts | None) -> Meeting:
    """How threads of the target should intersect rows: those of a structured loop may be cores or not."""
    if capabilities.group_tables:
        return Meeting.TABLES
    if not capabilities.lockstep:
        few_nodes = facts is None or facts.num_nodes <= MOST_OWN_CELLS
        return Meeting.CELLS if capabilities.own_cells and few_nodes else Meeting.MARKS
    return Meeting.MERGE if capabilities.structured_loops else Meeting.SEARCH


def _joins(capabilities: Capabilities, combine: ir.Combine, element: ir.Element) -> bool:
    """Whether the target combines values in one cell at once."""
    return capabilities.has_atomic(combine, element) or capabilities.has_compare_and_swap(element)


def _decided(rewritten: Rewritten) -> Decided:
    return Decided(rewritten.module, tuple(Choice(str(found), found.why) for found in rewritten.found))
