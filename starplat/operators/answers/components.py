"""Is a loop union-find? One that lets labels spread unchanged, until no arc has a better label at its one end.

    loop until active is empty
      advance active  u -> w
        label[w] <- min label[u]
        activates active

Every node ends with the least label of those that reach it; of its component if labels go against arcs too, or only
along arcs that have their reverse. That is asked of programs in canonical form: what arcs do is read as `EdgeEffect`s,
and `analysis.settling` proves that the loop ends only when no arc offers a better label. All nodes must be in the first
frontier, and union-find must pay off: each node starts with a label of its own. Labels that are nodes may also hook and
jump (`analysis.settling.labels`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling import snapshots
from starplat.analysis.settling.labels import hooked_ways
from starplat.analysis.settling.loop_flags import Loop, Signals
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical import hosts, rounds
from starplat.operators.canonical.counted import never_better
from starplat.operators.canonical.labels.spreading import begin_as_themselves
from starplat.operators.canonical.rebuilding import rebuilt, substituted
from starplat.operators.canonical.searches.initial_values import given_to_all
from starplat.operators.records import EdgeEffect, Spreading, Start
from starplat.same import Same

_WHOLE = (Scalar.NODE, Scalar.INT, Scalar.LONG, Scalar.BOOL)


def settling(program: typed.Program) -> Mapping[Same, Spreading | None]:
    """The loops of a program that do nothing but let arcs offer what they have, until none has anything; with
    what comes of labels that spread, None for other values."""
    found: dict[Same, Spreading | None] = {}
    for function in program.functions:
        results = function.results
        around = hosts.surroundings(function.body)
        for loop in around.loops:
            effects = rounds.edge_effects(loop, around, program, results, frontier_is_kept=True)
            if rounds.is_counted(loop, around) and not all(map(never_better, effects)):
                continue  # where arcs take away, the count may end it before
            if effects:
                frontier = effects[0].frontier
                seen = frontier is not None and (frontier in results or around.is_seen(frontier, loop))
                found[Same(loop)] = None if seen else _by_offers(loop, around, effects)
            elif (hooked := _by_hooks(loop, around, program, results)) is not None:
                found[Same(loop)] = hooked
    return found


def _by_offers(loop: hosts.HostLoop, around: hosts.Surroundings, effects: Sequence[EdgeEffect]) -> Spreading | None:
    if not all(map(_is_unchanged, effects)):
        return None
    first, before = effects[0], around.before(loop)
    if not begin_or_offer_nothing(first, before):
        return None
    ways, mutual = {e.direction for e in effects}, {_is_mutual(e) for e in effects}
    if len(mutual) > 1:
        return None
    both_ways = typed.Direction.BOTH in ways or len(ways) > 1 or True in mutual
    return Spreading(first.symbol, first.extreme, both_ways, _start(first.symbol, before), True in mutual)


def _is_unchanged(effect: EdgeEffect) -> bool:
    """Whether a node offers what it holds to all its neighbors, or those that lead back, and nothing goes with it."""
    to_all = not effect.when or _is_mutual(effect)
    return to_all and not effect.carried and effect.symbol.property.element in _WHOLE and effect.value == effect.own


def _is_mutual(effect: EdgeEffect) -> bool:
    """Whether all that an arc is asked is that it has its reverse."""
    back = effect.destination, effect.source
    ends = {typed.Direction.OUT: back, typed.Direction.IN: back[::-1]}.get(effect.direction)
    match effect.when:
        case (typed.GraphQuery(query=typed.Query.IS_EDGE, arguments=arguments),) if ends is not None:
            return arguments == tuple(map(typed.Variable, ends))
    return False


def _by_hooks(
    loop: hosts.HostLoop, around: hosts.Surroundings, program: typed.Program, results: frozenset[typed.Symbol]
) -> Spreading | None:
    before, inside = around.before(loop), list(walk.statements(loop))
    if isinstance(loop, typed.CountedLoop) or not hosts.surely_begins(loop, around.known_before(loop), before):
        return None
    hooks = (s for s in inside if isinstance(s, typed.AssignExtreme) and isinstance(s.place, typed.Cell))
    for labels, extreme in dict.fromkeys((s.place.symbol, s.extreme) for s in hooks):
        left = {symbol for s in inside for symbol in walk.written(s)} - {labels}
        seen = any(symbol in results or around.is_seen(symbol, loop) for symbol in left)
        hooked = not seen and _begin_as_themselves(labels, before)
        told = _told_at_once(loop, labels, extreme, program)
        if hooked and hooked_ways(labels, extreme, told, program) == (True, True):
            return Spreading(labels, extreme, both_ways=True, start=Start.NODES)
    return None


def _told_at_once(loop: Loop, labels: typed.Symbol, extreme: typed.Extreme, program: typed.Program) -> Loop:
    """For the proof, a loop whose rounds compare the labels with what they were, and read what these were, as one that
    reads the labels themselves and goes on where a `Min` wins. In a round after which no label differs none has won,
    since nothing else changes labels; so all its reads were of the labels as they are."""
    compared = snapshots.snapshot(loop, labels, extreme, is_read=True)
    writers = walk.writers(labels, loop.body)
    only = all(isinstance(s, typed.AssignExtreme) and s.extreme is extreme for s in writers)
    if compared is None or not only or not Signals(loop, program).told_by_comparing(compared):
        return loop
    build = Builder(loop.span)
    more = build.variable(build.local("more", Scalar.BOOL))
    rest = [s for s in loop.body.statements if s is not compared.copy and s is not compared.comparison]

    def told(part: object) -> object:
        if isinstance(part, typed.AssignExtreme) and part.place.symbol is labels:
            return replace(part, carried=(*part.carried, build.carried(more, True)))
        return None

    rounds = substituted(rebuilt(tuple(rest), told), {compared.old: labels})
    return typed.DoWhile(build.block(build.assign(more, False), *rounds), more, span=loop.span)


# --- how labels begin


def begin_or_offer_nothing(effect: EdgeEffect, before: Sequence[typed.Statement]) -> bool:
    """Whether all nodes are in the first frontier, except those whose labels are no better than any other."""
    return effect.frontier is None or _all_begin(effect, before) or _others_offer_nothing(effect, before)


def _begin_as_themselves(labels: typed.Symbol, before: Sequence[typed.Statement]) -> bool:
    """Whether every node begins with its own number."""
    return labels.property.element in (Scalar.NODE, Scalar.INT) and begin_as_themselves(labels, before)


def _start(labels: typed.Symbol, before: Sequence[typed.Statement]) -> Start:
    """How labels begin; whether few or all nodes have values of their own is a guess, which no answer hangs on."""
    if _begin_as_themselves(labels, before):
        return Start.NODES
    for s in _writers(labels, before):
        match s:
            case typed.CopyProperty():
                return Start.EACH
            case typed.Attach(items=items):
                copied = any(symbol is labels and isinstance(value, typed.Symbol) for symbol, value in items)
                return Start.EACH if copied else Start.FEW
            case typed.ForEach():
                stores = (i for i in walk.statements(s) if isinstance(i, typed.Assign) and i.place.symbol is labels)
                if any(_varies(store.value) for store in stores):
                    return Start.EACH
                if given_to_all(s, labels) is not None:
                    return Start.FEW
    return Start.EACH if labels.role is typed.Role.PARAMETER else Start.FEW


def _all_begin(effect: EdgeEffect, before: Sequence[typed.Statement]) -> bool:
    """Whether all nodes are in the frontier at first, or all that hold a truth that spreads."""
    assert effect.frontier is not None
    if (last := next(_writers(effect.frontier, before), None)) is None:
        return False
    given = given_to_all(last, effect.frontier)
    if given == typed.TRUE or effect.symbol.property.element is not Scalar.BOOL or effect.extreme is typed.Extreme.MIN:
        return given == typed.TRUE
    labels_last = next(_writers(effect.symbol, before), None)
    if isinstance(last, typed.CopyProperty) and last.source is effect.symbol:
        return labels_last is None or before.index(labels_last) < before.index(last)
    return given is not None and labels_last is last and given == given_to_all(last, effect.symbol)


def _others_offer_nothing(effect: EdgeEffect, before: Sequence[typed.Statement]) -> bool:
    """Whether all labels were the worst there is and no node in the frontier, but for nodes that are given a label and
    join it, one by one."""
    frontier, labels = effect.frontier, effect.symbol
    spreads_false = effect.extreme is typed.Extreme.MIN
    is_truth = labels.property.element is Scalar.BOOL
    worst = typed.Literal(spreads_false, Scalar.BOOL) if is_truth else typed.Infinity(labels.property.element)
    unfilled = {frontier: typed.FALSE, labels: worst}
    cells: dict[typed.Symbol | None, set[typed.Expression]] = {frontier: set(), labels: set()}
    for s in reversed(before):
        for symbol in {
            symbol for inner in walk.statements(s) for symbol in (*walk.written(inner), *walk.declared(inner))
        }:
            if symbol not in unfilled:
                if any(mentions(index, {symbol}) for index in cells[frontier] | cells[labels]):
                    return False
            elif isinstance(s, typed.Assign) and isinstance(s.place, typed.Cell) and s.place.symbol is symbol:
                if symbol is frontier and s.value != typed.TRUE:
                    return False
                cells[symbol].add(s.place.index)
            elif given_to_all(s, symbol) != unfilled.pop(symbol):
                return False
        if not unfilled:
            return (is_truth or spreads_false) and cells[labels] <= cells[frontier]
    return False


def _writers(symbol: typed.Symbol, before: Sequence[typed.Statement]) -> Iterator[typed.Statement]:
    """The statements that write a property's cells, the last one first."""
    return (s for s in reversed(before) if symbol in walk.all_written(s))


def _varies(value: typed.Expression) -> bool:
    """Whether there may be as many values as nodes: not with a choice among constants, or comparisons of nodes."""
    match value:
        case typed.Conditional(then=then, otherwise=otherwise):
            return _varies(then) or _varies(otherwise)
        case _ if value.type is Scalar.BOOL:
            return any(isinstance(part, typed.Cell) for part in walk.within(value))
        case _:
            varying = (typed.Role.ITERATOR, typed.Role.LOCAL)
            return any(
                isinstance(part, typed.Cell | typed.GraphQuery)
                or (isinstance(part, typed.Variable) and part.symbol.role in varying)
                for part in walk.within(value)
            )
