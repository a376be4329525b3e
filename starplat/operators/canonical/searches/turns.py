"""Whether every node that joins a frontier has its turn: its flag is not taken back before it is asked for."""

from __future__ import annotations

from collections import defaultdict

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.operators.canonical.hosts import Loop

_TRUE = typed.Literal(True, Scalar.BOOL)


def all_have_turns(frontier: typed.Symbol, target: typed.Symbol, loop: Loop) -> bool:
    """Whether the nodes that a round finds flagged are so where it asks, and those that win the target in it, at its
    end. Nodes that are flagged besides do no harm."""
    holds: dict[typed.Symbol, set[int]] = defaultdict(set)
    holds[frontier] = waiting = {0}
    joined: set[int] = set()
    for place, s in enumerate(loop.body.statements, start=1):
        inside = list(walk.statements(s))
        if any(isinstance(i, typed.AssignExtreme) and i.place.symbol is target for i in inside):
            if not waiting <= holds[frontier]:
                return False
            joined.add(place)
            for told in {told for i in inside for told in _told(i)}:
                holds[told] = holds[told] | {place}
        else:
            _follow(s, holds)
    return joined <= holds[frontier]


def _told(s: typed.Statement) -> set[typed.Symbol]:
    """The flags that a statement sets."""
    match s:
        case typed.AssignExtreme(carried=carried):
            return {c.place.symbol for c in carried if c.value == _TRUE}
        case typed.Assign(place=place, value=value) if value == _TRUE:
            return {place.symbol}
        case _:
            return set()


def _follow(s: typed.Statement, holds: dict[typed.Symbol, set[int]]) -> None:
    """Takes in whose flags a statement leaves; none of those that it changes in a way that is not understood."""
    match s:
        case typed.CopyProperty(destination=to, source=of):
            holds[to] = holds[of]
        case typed.Attach(items=items):
            holds |= {to: holds[value] if isinstance(value, typed.Symbol) else set() for to, value in items}
        case typed.ForEach(domain=typed.AllNodes(), filter=None, body=body):
            for inner in body.statements:
                match inner:
                    case typed.Assign(
                        place=typed.Cell(symbol=to, index=typed.Variable(symbol=at)),
                        value=typed.Cell(symbol=of, index=typed.Variable(symbol=own)),
                    ) if at is own is s.iterator:
                        holds[to] = holds[of]
                    case _:
                        _forget(inner, holds)
        case _:
            _forget(s, holds)


def _forget(s: typed.Statement, holds: dict[typed.Symbol, set[int]]) -> None:
    for symbol in {symbol for i in walk.statements(s) for symbol in walk.written(i)}:
        holds[symbol] = set()
