"""A loop of as many rounds as there are nodes asks whether a round has changed anything.

for (int i = 0; i < g.num_nodes(); i++) {        for (int i = 0; i < g.num_nodes(); i++) {
  ... <w.c> = <Min(w.c, v.c)>; ...                 bool again = False;
}                                                  ... <w.c, again> = <Min(w.c, v.c), True>; ...
                                                   if (!again) { break; }
                                                 }

A round that changes nothing is followed by rounds that do not either, as long as they do not count themselves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import mentions
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.rebuilding import rebuilt


def ending_when_quiet(loop: typed.CountedLoop) -> typed.CountedLoop:
    """The loop, left after a round in which no `Min` or `Max` of a cell has won, if rounds do nothing else."""
    rounds = loop.body.statements
    inside = [s for s in walk.statements(loop.body) if list(walk.written(s))]
    lowers = all(isinstance(s, typed.AssignExtreme) and isinstance(s.place, typed.Cell) for s in inside)
    counts = any(mentions(value, {loop.symbol}) for s in rounds for value in walk.all_values(s))
    leaves = any(isinstance(s, typed.Break | typed.Continue | typed.Return) for s in walk.statements(loop.body))
    if not inside or not lowers or counts or leaves:
        return loop
    again = typed.Symbol("again", Scalar.BOOL, typed.Role.LOCAL, loop.span)
    flag = typed.Variable(again, span=loop.span)

    def literal(value: bool) -> typed.Literal:
        return typed.Literal(value, Scalar.BOOL, span=loop.span)

    def telling(part: Any) -> Any:
        if not isinstance(part, typed.AssignExtreme):
            return None
        return replace(part, carried=(*part.carried, typed.Carried(flag, literal(True), span=part.span)))

    quiet = typed.Unary(typed.UnaryOperator.NOT, flag, span=loop.span)
    ends = typed.If(quiet, typed.Block((typed.Break(span=loop.span),), span=loop.span), span=loop.span)
    begins = typed.Declare(again, literal(False), span=loop.span)
    body = replace(loop.body, statements=(begins, *rebuilt(rounds, telling), ends))
    return replace(loop, body=body)
