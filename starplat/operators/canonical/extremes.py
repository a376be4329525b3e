"""Comparing before storing becomes the `Min` or `Max` that it is.

if (d + 1 < w.level) {                           <w.level, more> = <Min(w.level, d + 1), True>;
  w.level = d + 1;
  more = True;
}
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starplat.analysis.settling.monotone import conjuncts, says_that_it_wins
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.rebuilding import rebuilt

_STRICT = (typed.Operator.LESS, typed.Operator.GREATER)


def as_extremes(body: typed.Block) -> typed.Block:
    """A block with every such comparison of a cell in it as one `Min` or `Max`."""

    def change(part: Any) -> Any:
        return _as_extreme(part) if isinstance(part, typed.If) else None

    return rebuilt(body, change)


def _as_extreme(branch: typed.If) -> typed.Statement | None:
    if branch.otherwise is not None:
        return None
    asked = list(conjuncts(branch.condition))
    for store in branch.then.statements:
        match store:
            case typed.Assign(place=typed.Cell() as place, value=value):
                won = _won(asked, branch.then.statements, store, place, value)
            case typed.AssignExtreme(place=typed.Cell()):
                won = _won_already(asked, branch.then.statements, store)
            case _:
                continue
        if won is not None:
            return won
    return None


def _won(
    asked: list[typed.Expression],
    then: tuple[typed.Statement, ...],
    store: typed.Assign,
    place: typed.Cell,
    value: typed.Expression,
) -> typed.Statement | None:
    for extreme in typed.Extreme:
        bare = typed.AssignExtreme(extreme, place, value, span=store.span)
        wins = [c for c in asked if says_that_it_wins(c, bare)]
        carried = _carried(then, store, place)
        if wins and carried is not None and (not carried or any(_is_strict(c) for c in wins)):
            return under([c for c in asked if c not in wins], replace(bare, carried=carried))
    return None


def _won_already(
    asked: list[typed.Expression], then: tuple[typed.Statement, ...], store: typed.AssignExtreme
) -> typed.Statement | None:
    """A `Min` that was asked for before: what happens beside it happens if it wins, unless another came between."""
    wins = [c for c in asked if says_that_it_wins(c, store) and _is_strict(c)]
    carried = _carried(then, store, store.place)
    if not wins or carried is None:
        return None
    return under([c for c in asked if c not in wins], replace(store, carried=(*store.carried, *carried)))


def _carried(
    then: tuple[typed.Statement, ...], store: typed.Statement, place: typed.Place
) -> tuple[typed.Carried, ...] | None:
    """What is stored beside the store; None if anything else happens there, or it depends on the place."""
    carried = []
    for s in then:
        match s:
            case _ if s is store:
                pass
            case typed.Assign(place=other, value=typed.Literal() | typed.Variable() as value) if other != place:
                carried.append(typed.Carried(other, value, span=s.span))
            case _:
                return None
    return tuple(carried)


def _is_strict(condition: typed.Expression) -> bool:
    return isinstance(condition, typed.Binary) and condition.operator in _STRICT


def under(conditions: list[typed.Expression], s: typed.Statement) -> typed.Statement:
    """The statement where all conditions hold."""
    if not conditions:
        return s
    all_of = conditions[0]
    for condition in conditions[1:]:
        all_of = typed.Binary(typed.Operator.AND, all_of, condition, Scalar.BOOL, span=condition.span)
    then = s if isinstance(s, typed.Block) else typed.Block((s,), span=s.span)
    return typed.If(all_of, then, span=s.span)
