"""Tests that a loop loses no update: the flag of a node in a frontier is not cleared before the frontier is visited.

Sets of pending nodes are followed through the statements of a round: 0 stands for the nodes flagged when the round
begins, the number of a statement for the nodes that it improves.
"""

from collections import defaultdict

from starplat.analysis import walk
from starplat.analysis.settling.loop_flags import Loop
from starplat.frontend import typed


def loses_no_update(frontier: typed.Symbol, target: typed.Symbol, loop: Loop, program: typed.Program) -> bool:
    """Whether all nodes of the `frontier` are still flagged where a round visits them, and all nodes whose `target` the
    round improves are flagged at its end. Other flagged nodes do no harm."""
    holds: dict[typed.Symbol, set[int]] = defaultdict(set)
    holds[frontier] = pending = {0}
    improved: set[int] = set()
    for place, s in enumerate(loop.body.statements, start=1):
        inside = list(walk.statements(s))
        if any(isinstance(i, typed.AssignExtreme) and i.place.symbol is target for i in inside):
            if not pending <= holds[frontier]:
                return False
            improved.add(place)
            for flag in {i.place.symbol for i in inside if isinstance(i, typed.Assign) and i.value == typed.FALSE}:
                holds[flag] = set()  # a visited node has left the frontier for the rest of the round
            for flag in {flag for i in inside for flag in _flags_set_by(i)}:
                holds[flag] = holds[flag] | {place}
        else:
            _follow(s, holds, program)
    return improved <= holds[frontier]


def _flags_set_by(s: typed.Statement) -> set[typed.Symbol]:
    match s:
        case typed.AssignExtreme(carried=carried):
            return {c.place.symbol for c in carried if c.value == typed.TRUE}
        case typed.Assign(place, value) if value == typed.TRUE:
            return {place.symbol}
    return set()


def _follow(s: typed.Statement, holds: dict[typed.Symbol, set[int]], program: typed.Program) -> None:
    """Updates the sets that flags are known to cover; an unknown change leaves an empty set."""
    match s:
        case typed.CopyProperty(to, of):
            holds[to] = holds[of]
        case typed.Attach(items=items):
            holds |= {to: holds[value] if isinstance(value, typed.Symbol) else set() for to, value in items}
        case typed.ForEach(domain=typed.AllNodes(), filter=None, body=body):
            for inner in body.statements:
                match inner:
                    case typed.Assign(typed.Cell(to, typed.Variable(at)), typed.Cell(of, typed.Variable(own))) if (
                        at is own is s.iterator
                    ):
                        holds[to] = holds[of]
                    case _:
                        _forget(inner, holds, program)
        case _:
            _forget(s, holds, program)


def _forget(s: typed.Statement, holds: dict[typed.Symbol, set[int]], program: typed.Program) -> None:
    for symbol in {symbol for i in walk.statements(s) for symbol in walk.changed(i, program)}:
        holds[symbol] = set()
