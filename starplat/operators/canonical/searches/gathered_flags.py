"""Flags that nodes gather from their rows become flags that neighbors set: a product over `||` and `&&`, masked.

forall (v in g.nodes()) {                             g.attachNodeProperty(y = False);
  bool any = False;                                   forall (u in g.nodes()) {
  for (u in g.nodes_to(v)) { any ||= u.x; }             forall (v in g.neighbors(u)) {
  v.y = any && v.level == INF;                            if (u.x && v.level == INF) { v.y = True; }
}                                                       }
                                                      }

A flag that is set under a condition, `if (any) { v.y = True; }`, is not cleared before. No condition reads the flag, so
that it does not matter which neighbor sets it first.
"""

from collections.abc import Sequence

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, mentions
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical import effects, rebuilding

_Conditions = tuple[typed.Expression, ...]


def set_by_neighbors(s: typed.Statement) -> tuple[typed.Statement, ...]:
    """A loop in which every node gathers a flag, as a loop in which neighbors set it, behind a fill where all nodes
    store what they gather; any other statement as it is."""
    match s:
        case typed.ForEach(parallel=True, domain=typed.AllNodes(graph=graph), iterator=node):
            branches, statements = effects.asked_by_loop(s)
        case _:
            return (s,)
    match statements:
        case (typed.Declare(gathered, typed.FALSE), typed.ForEach(domain=typed.Neighbors() as domain) as row, last):
            found, stored = _gathers(row, typed.Variable(gathered)), _stored(last, typed.Variable(gathered))
        case (typed.ForEach(domain=typed.Neighbors() as domain) as row,):
            gathered, found, stored = node, *_sets(row)
        case _:
            return (s,)
    if found is None or stored is None or (stored[2] and branches):
        return (s,)
    flag, conditions, is_filled = stored
    when = (*branches, *found, *conditions)
    own = flag.index == domain.node == typed.Variable(node) and flag.type is types.Scalar.BOOL
    plain = not any(mentions(c, {flag.symbol}) for c in when) and not any(walk.calls(s))
    if not own or not plain or (gathered is not node and any(mentions(c, {gathered}) for c in when)):
        return (s,)
    build, there = Builder(s.span), row.iterator
    store: typed.Statement = build.assign(flag, True)
    if when:
        store = build.when(
            rebuilding.rebuilt(build.both(*when), lambda part: effects.seen_from(part, there, node)), store
        )
    arcs = build.over(node, build.row(graph, there, effects.REVERSED[domain.direction]), store)
    fill = typed.Attach(graph, ((flag.symbol, build.truth(False)),), span=s.span)
    return (*((fill,) if is_filled else ()), build.over(there, typed.AllNodes(graph), arcs))


def _gathers(row: typed.ForEach, gathered: typed.Variable) -> _Conditions | None:
    """The conditions under which a neighbor sets a local, if a loop does nothing else."""
    conditions, statements = effects.asked_by_loop(row)
    match statements:
        case (typed.Update(typed.Combine.OR, place, value),) if place == gathered:
            return (*conditions, *all_asked(value))
        case (typed.Assign(place, typed.TRUE), *rest) if place == gathered and _only_leaves(rest):
            return conditions
    return None


def _sets(row: typed.ForEach) -> tuple[_Conditions | None, tuple[typed.Cell, _Conditions, bool] | None]:
    """The conditions under which a neighbor sets a flag, and the flag, as `_stored` gives it."""
    conditions, statements = effects.asked_by_loop(row)
    match statements:
        case (typed.Assign(typed.Cell() as flag, typed.TRUE), *rest) if _only_leaves(rest):
            return conditions, (flag, (), False)
    return None, None


def _only_leaves(rest: Sequence[typed.Statement]) -> bool:
    return not rest or (len(rest) == 1 and isinstance(rest[0], typed.Break))


def _stored(s: typed.Statement, gathered: typed.Variable) -> tuple[typed.Cell, _Conditions, bool] | None:
    """The flag that a statement sets if a local is, the conditions besides, and whether it clears it otherwise."""
    match s:
        case typed.Assign(typed.Cell() as flag, value):
            conditions, is_filled = all_asked(value), True
        case typed.If(_, typed.Block((typed.Assign(typed.Cell() as flag, one),)), None):
            conditions, is_filled = all_asked(s.condition), False
            if one != typed.TRUE:
                return None
        case _:
            return None
    return (flag, tuple(c for c in conditions if c != gathered), is_filled) if gathered in conditions else None
