"""A node that looks for the best that its neighbors offer becomes neighbors that offer it.

    int best = v.dist;                               forall (u in g.nodes()) {
    for (u in g.nodes_to(v)) {                         forall (v in g.neighbors(u)) {
      best = min(best, u.dist + weight);                 <v.dist, more> = <Min(v.dist, u.dist + weight), True>;
    }                                                  }
    if (best < v.dist) { v.dist = best; more = True; } }

This changes what a single round sees of itself: it is for loops that go on until nothing changes. What a node finds may
also be kept for the next round, `v.next = best;`: that begins as `next = dist`, and is offered the same. Other locals
may say which neighbor offered the best, `who = u;`, if they are only asked for what is stored with it.
"""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

from starplat.analysis.settling.monotone import conjuncts, leaves_out_end, mentions, rises_with, says_that_it_wins
from starplat.frontend import typed
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, rebuilding


def as_scatters(loop: typed.Statement) -> tuple[typed.Statement, ...] | None:
    """A loop over all nodes, each of which takes the best of its neighbors, as one loop for each way it looks; None for
    any other statement."""
    match loop:
        case typed.ForEach(parallel=True, domain=typed.AllNodes(), filter=None, body=body):
            return _from_local(loop, body.statements) or _for_later(loop, body.statements)
    return None


def _for_later(loop: typed.ForEach, statements: Sequence[typed.Statement]) -> tuple[typed.Statement, ...] | None:
    """The copy and the loops, where nodes begin with what they hold and keep the best in another property."""
    best: typed.Place
    match statements:
        case [
            typed.Declare(local, typed.Cell() as start),
            *rows,
            typed.Assign(typed.Cell() as later, typed.Variable(kept)),
        ] if kept is local:
            best = typed.Variable(local)
        case [typed.Assign(typed.Cell() as later, typed.Cell() as start), *rows]:
            best = later
        case _:
            return None
    own = typed.Variable(loop.iterator)
    symbols = start.symbol, later.symbol
    if start.index != own or later.index != own or symbols[0] is symbols[1] or symbols[0].type != symbols[1].type:
        return None
    for extreme in typed.Extreme:
        store = typed.AssignExtreme(extreme, later, best, span=loop.span)
        done = [_row(loop, row, best, store, {best.symbol, later.symbol}) for row in rows]
        if done and all(row is not None for row in done):
            copy = typed.CopyProperty(later.symbol, start.symbol, span=loop.span)
            return copy, *(row for row in done if row is not None)
    return None


def _from_local(loop: typed.ForEach, statements: Sequence[typed.Statement]) -> tuple[typed.ForEach, ...] | None:
    declared: dict[typed.Symbol, typed.Expression | None] = {}
    for s in statements:
        if not isinstance(s, typed.Declare):
            break
        declared[s.symbol] = s.value
    match statements[len(declared) :]:
        case [*rows, typed.AssignExtreme(place=typed.Cell() as cell) as store]:
            conditions: Sequence[typed.Expression] = ()
        case [*rows, typed.If(_, typed.Block((typed.AssignExtreme() as store,)), None) as branch] if isinstance(
            store.place, typed.Cell
        ):
            cell, conditions = store.place, list(conjuncts(branch.condition))
        case _:
            return None
    own = typed.Variable(loop.iterator)
    best = next((local for local in declared if mentions(store.candidate, {local})), None)
    if best is None or (start := declared.pop(best)) is None or mentions(store.candidate, {*declared}):
        return None
    if cell.index != own or not rows or not rises_with(store.candidate, {best}):
        return None
    if not _offers_nothing(start, cell, store) or mentions(store.candidate, {cell.symbol}):
        return None
    if not all(leaves_out_end(c, typed.Variable(best), store.extreme) for c in conditions):
        return None
    done = [_row(loop, row, typed.Variable(best), store, {best, *declared}, {*declared}) for row in rows]
    return None if any(row is None for row in done) else tuple(row for row in done if row is not None)


def _offers_nothing(start: typed.Expression, cell: typed.Cell, store: typed.AssignExtreme) -> bool:
    """Whether a local begins with what never wins: the end of the order, or the node's own value if that is stored."""
    top = isinstance(start, typed.Infinity) and start.negative is (store.extreme is typed.Extreme.MAX)
    return top or (start == cell and isinstance(store.candidate, typed.Variable))


def _row(
    loop: typed.ForEach,
    row: typed.Statement,
    best: typed.Place,
    store: typed.AssignExtreme,
    kept: set[typed.Symbol],
    beside: Set[typed.Symbol] = frozenset(),
) -> typed.ForEach | None:
    """The loop in which every neighbor of a row offers its value to the node, which looks for the `best`; nothing else
    may read where that is `kept`, and the locals `beside` it, which are stored with it."""
    if not isinstance(row, typed.ForEach) or not isinstance(row.domain, typed.Neighbors):
        return None
    if row.domain.node != typed.Variable(loop.iterator) or (found := _offered(row.body, best, store.extreme)) is None:
        return None
    conditions, offer, others = found
    if others.keys() != beside:
        return None
    values = rebuilding.substituted((store.candidate, store.carried), others)
    candidate, carried = rebuilding.rebuilt(values, lambda part: offer if part == best else None)
    whole = replace(store, candidate=candidate, carried=carried)
    here, there = row.iterator, replace(loop.iterator)

    def change(part: Any) -> Any:
        match part:
            case typed.ArcInHand(iterator) if iterator is here:
                return replace(part, iterator=there)
            case typed.Symbol() if part is loop.iterator:
                return there
        return None

    inner: typed.Statement = rebuilding.rebuilt(whole, change)
    asked = [*(() if row.filter is None else (row.filter,)), *conditions]
    if any(mentions(value, kept) for value in (*asked, offer, *others.values())):
        return None
    build = Builder(row.span)
    for condition in reversed(asked):
        inner = build.when(rebuilding.rebuilt(condition, change), inner)
    graph = row.domain.graph
    arcs = build.over(there, build.row(graph, here, effects.REVERSED[row.domain.direction]), inner)
    return replace(build.over(here, typed.AllNodes(graph), arcs), span=loop.span)


def _offered(
    body: typed.Block, own: typed.Place, extreme: typed.Extreme
) -> tuple[list[typed.Expression], typed.Expression, dict[typed.Symbol, typed.Expression]] | None:
    """The conditions under which a neighbor offers a value, the value, and what other locals hold with it."""
    function = typed.Function.MIN if extreme is typed.Extreme.MIN else typed.Function.MAX
    values: dict[typed.Symbol, typed.Expression | typed.Symbol] = {}
    conditions: list[typed.Expression] = []
    statements = list(body.statements)
    while statements:
        s = statements.pop(0)
        match s:
            case typed.Declare(symbol, value) if value is not None:
                values[symbol] = rebuilding.substituted(value, values)
            case typed.Assign(place, typed.Apply(used, (left, right))) if (
                place == own and used is function and own in (left, right) and not statements
            ):
                return conditions, rebuilding.substituted(right if left == own else left, values), {}
            case typed.AssignExtreme(place=place, carried=(), extreme=way) if (
                place == own and way is extreme and not statements
            ):
                return conditions, rebuilding.substituted(s.candidate, values), {}
            case typed.If(_, typed.Block(then), None) if not statements:
                match sorted(then, key=lambda inner: not isinstance(inner, typed.Assign) or inner.place != own):
                    case [typed.Assign(place, value), *others] if place == own and says_that_it_wins(
                        s.condition, typed.AssignExtreme(extreme, place, value)
                    ):
                        beside = {o.place.symbol: o.value for o in others if isinstance(o, typed.Assign)}
                        if len(beside) < len(others):
                            return None
                        return conditions, *rebuilding.substituted((value, beside), values)
                    case _:
                        conditions += [rebuilding.substituted(c, values) for c in conjuncts(s.condition)]
                        statements = list(then)
            case _:
                return None
    return None
