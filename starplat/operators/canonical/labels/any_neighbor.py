"""A local that says whether any neighbor is as wanted gives way to the neighbor that is.

bool beside = False;                             for (u in g.nodes_to(v)) {
for (u in g.nodes_to(v)) {                         if (u.on) { v.on = True; break; }
  if (u.on) { beside = True; }                   }
}                                                // or `beside ||= u.on;`
if (beside) { v.on = True; }

A local that says that none is, `alone &&= !u.on;`, does so, too, and one that keeps the first neighbor that is:

node first = -1;                                 for (u in g.nodes_to(v)) {
for (u in g.nodes_to(v)) {                         if (u.on) { v.up = u; break; }
  if (u.on && first == -1) { first = u; }        }
}                                                // or `if (u.on) { first = u; break; }`
if (first != -1) { v.up = first; }
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, conjuncts, mentions
from starplat.frontend import typed
from starplat.operators.canonical import extremes, rebuilding
from starplat.operators.canonical.labels.numbers import GIVEN, constant, plain, question

_GATHERS = {False: typed.Combine.OR, True: typed.Combine.AND}
"""How a local gathers what it begins without."""


def without_findings(body: typed.Block) -> typed.Block:
    """A block without such locals, where what follows from them may happen more than once in a parallel row."""

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        inner = [rebuilding.rebuilt(s, change) for s in part.statements]
        for place in range(len(inner) - 2):
            declared, row, branch = inner[place : place + 3]
            if not isinstance(declared, typed.Declare) or _is_used(declared.symbol, inner[place + 3 :]):
                continue
            if (found := _asking(declared, row, branch) or _keeping(declared, row, branch)) is not None:
                inner[place : place + 3] = [found]
                break
        return replace(part, statements=tuple(inner)) if inner != list(part.statements) else part

    asks = any(isinstance(s, typed.Declare) and isinstance(s.value, typed.Literal) for s in walk.statements(body))
    return rebuilding.rebuilt(body, change) if asks else body


def _asking(declared: typed.Declare, row: typed.Statement, branch: typed.Statement) -> typed.ForEach | None:
    """The loop over neighbors that does what is to be done if one of them is as wanted."""
    match declared, row, branch:
        case (
            typed.Declare(local, typed.Literal(bool() as none)),
            typed.ForEach(domain=typed.Neighbors()),
            typed.If(condition, typed.Block(stores), None),
        ) if (asked := next(conjuncts(typed.Variable(local), holds=not none))) in (
            besides := list(all_asked(condition))
        ):
            besides.remove(asked)
            conditions, found = (*all_asked(row.filter), *besides), row.body.statements
        case _:
            return None
    match found:
        case (typed.If(otherwise=None) as inner,):
            conditions, found = (*conditions, *all_asked(inner.condition)), inner.then.statements
    match found:
        case (typed.Update(how, typed.Variable(flag), value),) if flag is local and how is _GATHERS[none]:
            conditions = (*conditions, *conjuncts(value, holds=not none))
        case (typed.Assign(typed.Variable(flag), typed.Literal(bool() as one)), *rest) if flag is local and one != none:
            if rest and (row.parallel or not isinstance(rest[0], typed.Break) or len(rest) > 1):
                return None
        case _:
            return None
    if not all(isinstance(s, typed.Assign) and _stays(s.value, stores) for s in stores):
        return None
    if not conditions or any(mentions(condition, {local}) for condition in conditions):
        return None
    left = () if row.parallel else (typed.Break(span=row.span),)
    done = extremes.under(list(conditions), typed.Block((*stores, *left), span=branch.span))
    return replace(row, filter=None, body=replace(row.body, statements=(done,)))


def _keeping(declared: typed.Declare, row: typed.Statement, branch: typed.Statement) -> typed.ForEach | None:
    """The loop over neighbors that does what is to be done with the first that is as wanted."""
    match declared, row, branch:
        case (
            typed.Declare(local, none),
            typed.ForEach(parallel=False, domain=typed.Neighbors(), iterator=there),
            typed.If(condition, typed.Block(stores), None),
        ) if none is not None and constant(none) == -1:
            conditions, found = [*all_asked(row.filter)], row.body.statements
        case _:
            return None
    match found:
        case (typed.If(otherwise=None) as inner,):
            conditions, found = [*conditions, *all_asked(inner.condition)], inner.then.statements
    if not found or not isinstance(kept := found[0], typed.Assign) or kept.place != typed.Variable(local):
        return None
    asked = [*all_asked(condition)]
    first = [c for c in conditions if _says(c, local) == (True, False)]
    some = [c for c in asked if _says(c, local) == (False, True)]
    is_left = len(found) == 2 and isinstance(found[1], typed.Break)
    if plain(kept.value) != typed.Variable(there) or not some or not (is_left or (first and len(found) == 1)):
        return None
    conditions = [*(c for c in conditions if c not in first), *(c for c in asked if c not in some)]
    if not conditions or any(mentions(c, {local}) for c in conditions):
        return None
    if not all(isinstance(s, typed.Assign) and _stays(s.value, stores) for s in stores):
        return None
    if any(local in walk.written(s) for s in stores):
        return None
    then = typed.Block(
        (*rebuilding.substituted(stores, {local: kept.value}), typed.Break(span=row.span)), span=branch.span
    )
    return replace(row, filter=None, body=replace(row.body, statements=(extremes.under(conditions, then),)))


def _says(condition: typed.Expression, local: typed.Symbol) -> tuple[bool, bool] | None:
    """What a condition says of -1, and of nodes, if all it asks is which of them a local holds."""
    match question(condition):
        case (place, operator, other) if place == typed.Variable(local):
            return GIVEN.says(operator, other)
    return None


def _stays(value: typed.Expression, stores: Sequence[typed.Statement]) -> bool:
    """Whether a value of constants and scalars is the same after the stores."""
    parts = list(walk.within(value))
    changed = {symbol for s in stores for symbol in walk.written(s)}
    plain = all(isinstance(part, typed.Literal | typed.Variable | typed.Binary | typed.Convert) for part in parts)
    return plain and not mentions(value, changed)


def _is_used(symbol: typed.Symbol, statements: list[typed.Statement]) -> bool:
    inside = [i for s in statements for i in walk.statements(s)]
    return any(symbol in walk.written(i) or any(mentions(v, {symbol}) for v in walk.values(i)) for i in inside)
