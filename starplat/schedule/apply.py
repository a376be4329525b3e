"""Applies a schedule to a module for one target: the steps in order, each with the reason for its place.

Takes a module as the passes leave it, returns one with the same answer. Asks targets what they can do, and does not
know what they are called.
"""

from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import changes_graph
from starplat.same import remembered
from starplat.schedule.algebra import components_by_union_find, has_components, has_triangles, triangles_by_intersection
from starplat.schedule.balance.step import asks_for_lengths, share_arcs
from starplat.schedule.balance.teams import has_teams, rows_for_teams
from starplat.schedule.both_ways import goes_both_ways, one_way
from starplat.schedule.by_slot import values_by_slot
from starplat.schedule.cores.remaining_arcs import only_remaining_arcs
from starplat.schedule.cores.sums_by_key import has_sums_by_key, sums_by_key
from starplat.schedule.cores.sums_without_branch import sums_without_branch
from starplat.schedule.direction.in_parts import choosing_in_parts
from starplat.schedule.direction.step import adds_up, adds_where, push_or_pull
from starplat.schedule.facts import GraphFacts
from starplat.schedule.following import following_nodes, may_follow, of_many_arcs as following_of_many_arcs
from starplat.schedule.frontier.own_sets import sets_of_their_own
from starplat.schedule.frontier.step import frontiers
from starplat.schedule.frontier.until_empty import ends_when_empty
from starplat.schedule.levels.step import levels_at_hand
from starplat.schedule.loop.ahead import begun_ahead, may_begin_ahead
from starplat.schedule.loop.batches import rounds_in_batches
from starplat.schedule.loop.compiled import compiled_rounds
from starplat.schedule.loop.copies import swapped_copies
from starplat.schedule.loop.groups import rounds_by_one_group
from starplat.schedule.loop.hand_over import has_few_arcs, has_rounds, rounds_by_one_cluster
from starplat.schedule.loop.pieces import kernels_in_pieces
from starplat.schedule.loop.step import has_launches_in_a_row, is_small, loops_on_device
from starplat.schedule.memoised_steps import Taking
from starplat.schedule.memory.chunks import rows_in_chunks
from starplat.schedule.memory.step import arcs_in_host_memory
from starplat.schedule.newly_passing import only_newly_passing
from starplat.schedule.order import in_order
from starplat.schedule.pairs import carried_in_pairs
from starplat.schedule.parts import has_sums, sums_in_parts
from starplat.schedule.priority.step import nearest_first
from starplat.schedule.queues.step import sets_as_queues
from starplat.schedule.rows.kept import has_kept_arcs, of_many_arcs, rows_of_kept_arcs
from starplat.schedule.schedule import AUTO, PLAIN, Memory, Schedule, gathered_by_host
from starplat.schedule.sources.step import depends_on_rows, of_many_nodes, searches_in_batches
from starplat.schedule.step import Choice, Decided, GraphStep, Step
from starplat.schedule.updates.room import past_room, room_in_rows

STEPS: tuple[Step | GraphStep, ...] = (
    Step(
        "room",
        "rows of a graph that changes may have room",
        "first: it looks at what the program asks of edges, before other steps ask how many there are",
        room_in_rows,
    ),
    GraphStep(
        "union-find",
        "label propagation over components becomes union-find",
        "early: it looks at loops as the program has them, and leaves none",
        components_by_union_find,
        has_components,
    ),
    GraphStep(
        "triangles",
        "tests of every pair of a node's neighbors become intersections of sorted rows, if there are many pairs",
        "early as well: it looks at kernels as the program has them",
        triangles_by_intersection,
        has_triangles,
    ),
    GraphStep(
        "both-ways",
        "searches among a node's arcs both ways take one row where every arc has its reverse",
        "before all that looks at rows; after what replaces whole algorithms",
        one_way,
        goes_both_ways,
    ),
    GraphStep(
        "keys",
        "values of a row that are added up by node are added in an array of each thread, in place of a map",
        "after both-ways, which looks at maps; before all that schedules kernels",
        sums_by_key,
        has_sums_by_key,
    ),
    GraphStep(
        "sources",
        "a loop over sources that searches from each does so from many at once, a bit for each",
        "before all that schedules rounds: the rounds of many searches are scheduled as any others",
        searches_in_batches,
        depends_on_rows,
        of_many_nodes,
    ),
    GraphStep(
        "parts",
        "sums are gathered from one part of the nodes after the other",
        "before loop: the parts are rounds of a loop of their own",
        sums_in_parts,
        has_sums,
    ),
    Step(
        "slots",
        "values of arcs into nodes that every round reads are copied in the order of the reverse rows before",
        "after parts, whose rows lead to no arcs; before loop: what is read before a loop is read by launches then",
        values_by_slot,
    ),
    GraphStep(
        "kept",
        "rounds that ask for the neighbors that come first walk rows of these alone",
        "after both-ways, which makes rows of what goes both ways; before all that schedules rounds",
        rows_of_kept_arcs,
        has_kept_arcs,
        of_many_arcs,
    ),
    Step(
        "filters",
        "rounds that ask all nodes whether a filter holds ask those for which it has become true",
        "before loop, which takes the rounds as they are; before frontier, which makes those nodes a set",
        only_newly_passing,
    ),
    Step(
        "sets",
        "rounds over flags that are visible outside, or begin as a copy of others, walk a set of their own",
        "before loop, which leaves arrays that are swapped and visible outside to the host",
        sets_of_their_own,
    ),
    Step(
        "remaining",
        "rounds that take arcs out for good go over a list of those that are left",
        "before loop, which takes the rounds as they are",
        only_remaining_arcs,
    ),
    Step(
        "copies",
        "rounds that end with a copy of what the next round overwrites swap the two arrays in its place",
        "before loop, which takes the rounds as they are; after what knows rounds by their copy",
        swapped_copies,
    ),
    GraphStep(
        "ahead",
        "the last kernel of a round does what the next round begins with",
        "before loop as well; after parts and copies, which decide what the last kernel of a round is",
        begun_ahead,
        may_begin_ahead,
        is_small,
    ),
    GraphStep(
        "loop",
        "a loop of launches becomes a persistent kernel",
        "after what replaces whole algorithms: it takes kernels and host operations as they are by then",
        loops_on_device,
        has_launches_in_a_row,
        is_small,
    ),
    Step(
        "levels",
        "the nodes of a breadth-first level become a set or a list, in place of a number to test",
        "after loops: what drives the rounds decides which",
        levels_at_hand,
    ),
    Step(
        "frontier",
        "flags of active nodes become a set, of which only the members are walked",
        "after loops: inside a persistent kernel the storage of a set is its own",
        frontiers,
    ),
    Step(
        "ending",
        "a loop that goes on while nodes are added to a set tests whether the set is empty",
        "after frontier; before steps that look for loops with nothing else in them",
        ends_when_empty,
    ),
    Step(
        "priority",
        "nodes with low values come first, in loops that only lower values",
        "after frontier: the far nodes are a set",
        nearest_first,
    ),
    GraphStep(
        "direction",
        "kernels that push to many neighbors pull instead",
        "after frontier, whose sets say how many are active; before queue, which lets the host read that",
        push_or_pull,
        adds_up,
        adds_where,
    ),
    Step(
        "pairs",
        "what a Min or Max carries is kept beside the cell, in one word",
        "after direction: what pulls needs no lock; before queue, which takes sets out of what is carried",
        carried_in_pairs,
    ),
    Step(
        "queue",
        "a set becomes a list of nodes, or bits alone, where the host drives the rounds",
        "after all steps on sets; later ones look at persistent kernels",
        sets_as_queues,
    ),
    Step(
        "order",
        "searches among a node's arcs walk rows that are sorted by degree, or nodes are renumbered",
        "after all that makes searches; before balance, which shares the arcs of the kernels that sort",
        in_order,
    ),
    GraphStep(
        "balance",
        "threads share the arcs of all active nodes",
        "late: it changes how a kernel goes over its nodes, not what these are",
        share_arcs,
        asks_for_lengths,
    ),
    GraphStep(
        "following",
        "nodes for which a filter becomes true in a round are taken in that round",
        "after balance, which shares the arcs of the set that is then for long rows",
        following_nodes,
        may_follow,
        following_of_many_arcs,
    ),
    GraphStep(
        "team",
        "the threads of a team share the arcs of a node",
        "beside balance, for targets that share out a kernel's loop themselves",
        rows_for_teams,
        has_teams,
    ),
    GraphStep(
        "cluster",
        "one cluster of groups runs the rounds of few nodes",
        "late: it takes the rounds of persistent kernels as they are",
        rounds_by_one_cluster,
        has_rounds,
        has_few_arcs,
    ),
    Step(
        "group",
        "one group of threads runs the rounds of few nodes",
        "late: it takes the rounds as the host would drive them",
        rounds_by_one_group,
    ),
    Step(
        "batch",
        "the host launches several rounds ahead and reads late whether there are more",
        "late as well: it takes the rounds that are left to the host",
        rounds_in_batches,
    ),
    Step(
        "pieces",
        "a thread takes consecutive iterations",
        "after all that makes kernels; those inside a launch of one group are taken by few threads anyway",
        kernels_in_pieces,
    ),
    Step(
        "sums",
        "a filtered sum of whole numbers adds each of them times the filter",
        "after all that makes kernels",
        sums_without_branch,
    ),
    Step(
        "memory",
        "arrays with a cell for each arc are placed in host memory",
        "after all that makes kernels: it looks at which arrays all of them only read",
        arcs_in_host_memory,
    ),
    Step(
        "rows",
        "kernels pass over slots of rows that hold no arc",
        "after all that looks at what loops over neighbors do",
        past_room,
    ),
    Step(
        "chunks",
        "the host copies the rows of the nodes that a launch is for, as many at a time as there is room for",
        "after all that makes kernels as well: these are to read no other rows",
        rows_in_chunks,
    ),
    Step(
        "compiled",
        "loops of launches are compiled together with the kernels",
        "last: it changes nothing and says which loops these are",
        compiled_rounds,
    ),
)


_OF_ONE_GRAPH = frozenset(
    ("union-find", "triangles", "both-ways", "keys", "parts", "slots", "kept", "memory", "chunks")
)
"""Steps that rely on the graph that a run begins with, or keep arrays of it."""


def scheduled(
    module: ir.Module,
    schedule: Schedule,
    capabilities: Capabilities,
    facts: GraphFacts | None = None,
    taking: Taking | None = None,
) -> ir.Module:
    """The module under the schedule; the same object if no step changes it.

    Args:
        facts: of the graph that it will run on; None where that is not known, as for an artifact.
        taking: how steps are taken, for these capabilities and facts.

    Raises:
        DiagnosticError: E06xx, the schedule asks for what is not legal for the program.
    """
    return decided(module, schedule, capabilities, facts, taking=taking).module


def decided(
    module: ir.Module,
    schedule: Schedule,
    capabilities: Capabilities,
    facts: GraphFacts | None = None,
    steps: tuple[Step | GraphStep, ...] | None = None,
    taking: Taking | None = None,
) -> Decided:
    """The scheduled module with all choices and their reasons.

    Args:
        steps: those to apply, by default `STEPS`, or none under `plain`, which changes nothing.
    """
    if schedule == PLAIN and steps is None:
        return Decided(module)
    taking = taking or Taking(capabilities, facts)
    given, choices = module, list[Choice]()
    if schedule.memory is Memory.CHUNKS:
        schedule = gathered_by_host(schedule)
    kept = changes_graph(module)
    for step in STEPS if steps is None else steps:
        if kept and step.name in _OF_ONE_GRAPH:
            continue
        found = taking.take(step, module, schedule)
        module = found.module
        choices += (replace(choice, step=choice.step or step.name) for choice in found.choices)
    if module is not given:
        taking.check(module)
    return Decided(module, tuple(choices))


_OF_KERNELS = tuple(step for step in STEPS if step.name in ("parts", "balance"))
"""Steps that change how kernels go over the arcs of nodes, and nothing that parts of a run would exchange."""


def scheduled_for_parts(module: ir.Module, capabilities: Capabilities, facts: GraphFacts | None) -> ir.Module:
    """The module as its parts are to run it, before it is divided: with what its kernels do as on one device."""
    return decided(module, AUTO, capabilities, facts, _OF_KERNELS).module if capabilities.shared_arcs else module


_ALIKE = tuple(step for step in STEPS if step.name not in ("ahead", "following"))
"""All steps but the one that gives the kernel that parts share more to do: what meets other parts takes registers; and
the one that takes nodes of others."""


def scheduled_alike(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> ir.Module:
    """The module as one device of several that reach each other's memory would run it, before it is divided."""
    return decided(module, schedule, capabilities, facts, _ALIKE).module


_OF_DIRECTION = tuple(step for step in STEPS if step.name in ("frontier", "ending", "direction"))


def either_way_in_parts(module: ir.Module, capabilities: Capabilities) -> ir.Module:
    """The module as its parts are to run it, before it is divided, with a choice between push and pull in each round
    where either is legal."""
    given = decided(module, AUTO, capabilities, None, _OF_DIRECTION).module
    found = choosing_in_parts(given)
    return module if found is given else found


_OF_LAUNCHES = tuple(step for step in STEPS if step.name == "loop")


def scheduled_part(module: ir.Module, capabilities: Capabilities) -> ir.Module:
    """A divided module with what happens between two exchanges in one launch, where that is a loop."""
    return decided(module, AUTO, capabilities, None, _OF_LAUNCHES).module


_OF_ROUNDS = tuple(
    step for step in STEPS if step.name in ("union-find", "triangles", "both-ways", "levels", "frontier")
)
"""Steps that replace what kernels do in all, or by which only some nodes have something to do in a round."""


def is_run_as_written(module: ir.Module, capabilities: Capabilities, facts: GraphFacts | None) -> bool:
    """Whether one device does all that the program's kernels do, for all nodes in every round."""
    return decided(module, AUTO, capabilities, facts, _OF_ROUNDS).module is module


def looks_at_the_graph(
    module: ir.Module, capabilities: Capabilities, num_nodes: int | None = None, num_arcs: int = 0
) -> bool:
    """Whether any step uses facts of the graph, or of one of this size, for this program on such targets; asked once of
    the same two."""
    steps = _looking(module, capabilities)
    return bool(steps) if num_nodes is None else any(step.of_size(num_nodes, num_arcs) for step in steps)


@remembered(256)
def _looking(module: ir.Module, capabilities: Capabilities) -> tuple[GraphStep, ...]:
    return tuple(step for step in STEPS if isinstance(step, GraphStep) and step.is_for(module, capabilities))
