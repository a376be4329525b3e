"""The canonical form of a program: the rewrites, in their order."""

from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.arcs import by_rows
from starplat.operators.canonical.copies import stored_at_once, without_copies
from starplat.operators.canonical.counted import asked_at_their_ends, left_at_their_ends, without_counters
from starplat.operators.canonical.counters import as_flags
from starplat.operators.canonical.counts.peeling import with_counts
from starplat.operators.canonical.counts.turns import with_turns
from starplat.operators.canonical.extremes import without_choices
from starplat.operators.canonical.filters import with_filters, without_continues
from starplat.operators.canonical.floods import as_spreading
from starplat.operators.canonical.frontiers import over_frontiers
from starplat.operators.canonical.inlining import inlined
from starplat.operators.canonical.labels.asked_twice import asked_where_it_changes
from starplat.operators.canonical.labels.colors import with_flags_for_colors
from starplat.operators.canonical.labels.given import with_flags_beside
from starplat.operators.canonical.labels.growing import until_none_joins
from starplat.operators.canonical.labels.grown_sets import with_flags_for_grown_sets
from starplat.operators.canonical.labels.last_sent import with_flags_for_sent
from starplat.operators.canonical.labels.locals import as_nodes
from starplat.operators.canonical.labels.results import as_results
from starplat.operators.canonical.labels.reversed import turned
from starplat.operators.canonical.labels.truths import as_truths
from starplat.operators.canonical.labels.until_empty import until_none_is_left
from starplat.operators.canonical.order import in_order, one_by_one, with_fills
from starplat.operators.canonical.ranges import within_range
from starplat.operators.canonical.rebuilding import rebuilt
from starplat.operators.canonical.searches.from_zero import from_zero
from starplat.operators.canonical.searches.in_bfs import as_rounds
from starplat.operators.canonical.searches.reached import without_reached
from starplat.operators.canonical.searches.two_steps import discovered_in_one_step
from starplat.operators.canonical.searches.visited import as_marks_that_spread
from starplat.operators.canonical.searches.visited_on_discovery import visited_on_discovery
from starplat.operators.canonical.sums.chosen import added_in_branches
from starplat.operators.canonical.sums.cleared import cleared_first
from starplat.operators.canonical.sums.degrees import without_degrees
from starplat.operators.canonical.sums.dissolved import dissolved
from starplat.operators.canonical.sums.guarded import of_all_neighbors
from starplat.operators.canonical.sums.parallel import called_by_kernels, in_any_order
from starplat.operators.canonical.sums.pulled import pulled
from starplat.operators.canonical.sweeps.first_parents import with_first_parents
from starplat.operators.canonical.sweeps.in_order import searched_in_any_order
from starplat.operators.canonical.sweeps.loops import as_searches
from starplat.operators.canonical.sweeps.names import without_names
from starplat.operators.canonical.sweeps.reachable import as_reached
from starplat.operators.canonical.sweeps.split_levels import with_searches_apart
from starplat.operators.canonical.sweeps.taking_turns import in_single_rounds
from starplat.operators.canonical.unread import without_unread


def canonical(program: typed.Program, entry: str) -> typed.Program:
    """The program that runs `entry`, in canonical form, without the functions that it has no use for.

    The order of the rewrites: functions are inlined first, since what follows looks at one function at a time. Rounds
    over all arcs become rounds over a frontier before loops over arcs are taken by rows for good, as only then other
    conditions hold for these. Counters become flags only where that lets rounds be replaced, colors
    where no flag of them is left but frontiers.
    """
    functions = program.functions
    if len(functions) > 1:
        kept = {function.name: function for function in functions if _takes_batches(function)}
        functions = _reached(tuple(kept.get(f.name, f) for f in inlined(program)), entry)
    of_kernels = called_by_kernels(program)
    functions = tuple(
        _canonical_function(
            f,
            program,
            on_host=f.name not in of_kernels,
            sources=_sources(f, program) if f.name == entry else frozenset(),
        )
        for f in functions
    )
    same = len(functions) == len(program.functions) and all(
        a is b for a, b in zip(functions, program.functions, strict=True)
    )
    return program if same else replace(program, functions=functions)


def _canonical_function(
    function: typed.FunctionDefinition, program: typed.Program, *, on_host: bool, sources: frozenset[typed.Symbol]
) -> typed.FunctionDefinition:
    if _takes_batches(function):
        return function
    results = function.results
    given = with_flags_for_grown_sets(added_in_branches(without_continues(function.body)))
    given = without_degrees(with_fills(one_by_one(given, program)), results) if on_host else given
    filled = from_zero(as_truths(with_fills(as_nodes(without_choices(given)), stored_at_once, sources)))
    ranged = as_rounds(as_marks_that_spread(within_range(as_results(filled))))
    ranged = asked_where_it_changes(ranged) if on_host else ranged
    ranged = with_flags_for_sent(until_none_is_left(with_turns(left_at_their_ends(without_counters(ranged))), program))
    body = _with_flags(ranged, function, program)
    body = rebuilt(body, lambda part: by_rows(part) if isinstance(part, typed.ForEach) else None)
    free = in_any_order(body, program) if on_host else body
    body = body if free is body else without_unread(free, results)
    body = _with_searches(with_filters(dissolved(body)), program, results)
    body = searched_in_any_order(body, program, results) if on_host else body
    body = of_all_neighbors(cleared_first(with_counts(body))) if on_host else body
    body = asked_at_their_ends(in_order(pulled(body)))
    return function if body is function.body else replace(function, body=body)


def _with_flags(ranged: typed.Block, function: typed.FunctionDefinition, program: typed.Program) -> typed.Block:
    """A function's body with rounds replaced, with flags in the place of numbers, or beside them, where that leaves no
    flag but frontiers."""
    for flagged in (with_flags_for_colors(ranged), with_flags_beside(ranged)):
        if flagged is not ranged:
            body = _with_rounds_replaced(flagged, function, program)
            made = {*walk.declared(flagged)} - {*walk.declared(ranged)}
            if not made & {*walk.declared(body)} - _frontiers(body):
                return body
    return _with_rounds_replaced(ranged, function, program)


def _with_rounds_replaced(
    ranged: typed.Block, function: typed.FunctionDefinition, program: typed.Program
) -> typed.Block:
    """A function's body with rounds over frontiers, and searches, in the place of others."""
    results = function.results
    flags = in_single_rounds(as_flags(without_reached(until_none_joins(ranged))))
    flagged = without_copies(turned(flags, frozenset(function.parameters)))
    flagged = as_spreading(flagged, program)
    body = over_frontiers(visited_on_discovery(discovered_in_one_step(flagged, results), results), program, results)
    body = with_first_parents(body, program, results)
    return as_results(as_reached(ranged if body is flagged else body, program, results))


def _with_searches(body: typed.Block, program: typed.Program, results: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body with searches, there and back, in the place of loops over levels."""
    plain = without_names(without_copies(body))
    found = with_searches_apart(as_searches(plain, program, results), program, results)
    return body if found is plain else found


def _frontiers(body: typed.Block) -> set[typed.Symbol]:
    """The flags that fixed points go on for."""
    loops = (s for s in walk.statements(body) if isinstance(s, typed.FixedPoint))
    return {part.symbol for loop in loops for part in walk.within(loop.condition) if isinstance(part, typed.Cell)}


def _sources(function: typed.FunctionDefinition, program: typed.Program) -> frozenset[typed.Symbol]:
    """The scalars of an entry that hold a node, or as parameters -1, and keep it."""
    inside = list(walk.statements(function.body))
    loops = [s for s in inside if isinstance(s, typed.ForEach) and not s.parallel]
    members = [s.iterator for s in loops if isinstance(s.domain, typed.AllNodes | typed.Members)]
    nodes = frozenset(s for s in (*function.parameters, *members) if s.type is Scalar.NODE)
    return nodes - {symbol for s in inside for symbol in walk.changed(s, program)} if nodes else nodes


def _takes_batches(function: typed.FunctionDefinition) -> bool:
    """Whether the graph may change in a function: then nothing moves in it, and what it calls stays apart."""
    batches = typed.TakeBatch | typed.ChangeGraph
    return any(isinstance(s, batches) for s in walk.statements(function.body))


def _reached(functions: tuple[typed.FunctionDefinition, ...], entry: str) -> tuple[typed.FunctionDefinition, ...]:
    """The functions that the entry calls, directly or through others, in their order."""
    body = next(function.body for function in functions if function.name == entry)
    reached = {entry, *walk.called_from(functions, body)}
    return tuple(function for function in functions if function.name in reached)
