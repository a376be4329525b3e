"""What every node counts of its neighbors that joined a set this round, these tell it.

forall (v in g.nodes()) {                             forall (u in g.nodes().filter(peeled)) {
  int lost = 0;                                         forall (v in g.neighbors(u)) { v.degree -= 1; }
  for (u in g.nodes_to(v).filter(peeled)) {           }
    lost += 1;
  }
  v.degree -= lost;
}

Whole numbers come to the same sum in any order. It pays where the set begins empty in every round: then it is a
frontier, and only its arcs are looked at.
"""

from collections.abc import Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.analysis.settling.monotone import all_asked, asked_flag, conjuncts, mentions
from starplat.frontend import typed
from starplat.operators.canonical.counts.members import empties
from starplat.operators.canonical.effects import REVERSED, seen_from
from starplat.operators.canonical.filters import all_of
from starplat.operators.canonical.rebuilding import rebuilt, substituted


def pushed(s: typed.Statement, before: Sequence[typed.Statement]) -> typed.ForEach | None:
    """A loop over nodes that does this, from the other end; None for other statements. `before` is what its round does
    before it."""
    match s:
        case typed.ForEach(parallel=True, domain=typed.AllNodes(), body=typed.Block(statements)):
            found = _counted(statements, s.iterator)
        case _:
            return None
    if found is None or any(walk.calls(s)):
        return None
    row, update, value = found
    node, there = s.iterator, row.iterator
    asked = [*([] if row.filter is None else conjuncts(row.filter))]
    of_set = [c for c in asked if _is_member(c, there, before)]
    of_node = list(all_asked(s.filter))
    unknown = {update.place.symbol, *walk.declared(s.body)} - {there}
    domain = row.domain
    assert isinstance(domain, typed.Neighbors)
    if not of_set or domain.direction is typed.Direction.BOTH:
        return None
    if any(mentions(part, unknown) for part in (value, *asked, *of_node)):
        return None

    def turned(value: typed.Expression) -> typed.Expression:
        return rebuilt(value, lambda part: seen_from(part, there, node))

    rest = [turned(c) for c in (*of_node, *asked) if c not in of_set]
    body = typed.Block((replace(update, value=turned(value)),), span=row.body.span)
    arcs = replace(domain, node=typed.Variable(there, span=row.span), direction=REVERSED[domain.direction])
    inner = typed.ForEach(True, node, arcs, all_of(rest), body, span=row.span)
    return typed.ForEach(True, there, s.domain, all_of(of_set), typed.Block((inner,), span=row.span), span=s.span)


def _counted(
    statements: Sequence[typed.Statement], node: typed.Symbol
) -> tuple[typed.ForEach, typed.Update, typed.Expression] | None:
    """The row, the addition to the node's own cell, and what an arc adds."""
    match statements:
        case [
            typed.Declare(local, typed.Literal(0)),
            typed.ForEach() as row,
            typed.Update(combine=typed.Combine.ADD, value=added) as update,
        ] if _is_multiple(added, local):
            if (inner := _addition(row, node)) is None or inner.place != typed.Variable(local):
                return None
            value = substituted(added, {local: inner.value})
        case [typed.ForEach() as row] if (inner := _addition(row, node)) is not None:
            update, value = inner, inner.value
        case _:
            return None
    mine = isinstance(update.place, typed.Cell) and update.place.index == typed.Variable(node)
    return (row, update, value) if mine and update.place.type.is_integer else None


def _addition(row: typed.ForEach, node: typed.Symbol) -> typed.Update | None:
    """The addition that is all that a row of the node does."""
    match row.domain, row.body.statements:
        case typed.Neighbors(node=typed.Variable(own)), (typed.Update(typed.Combine.ADD) as update,):
            return update if own is node else None
    return None


def _is_multiple(value: typed.Expression, local: typed.Symbol) -> bool:
    """Whether a value is a count or its negative, so that it may be added in parts."""
    match value:
        case typed.Variable(symbol):
            return symbol is local
        case typed.Unary(typed.UnaryOperator.NEGATE, operand):
            return _is_multiple(operand, local)
    return False


def _is_member(condition: typed.Expression, there: typed.Symbol, before: Sequence[typed.Statement]) -> bool:
    """Whether a condition asks for members of a set that was empty when the round began."""
    flag = asked_flag(condition, there)
    return flag is not None and any(empties(s, flag) for s in before)
