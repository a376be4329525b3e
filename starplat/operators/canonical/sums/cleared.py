"""Cells that a round leaves cleared for the next are cleared when a round begins.

g.attachNodeProperty(sum = 0.0);                      while (more) {
while (more) {                                          g.attachNodeProperty(sum = 0.0);
  ... v.sum += u.share; ...                             ... v.sum += u.share; ...
  forall (v in g.nodes()) {                             forall (v in g.nodes()) {
    v.rank = v.sum;                                       v.rank = v.sum;
    v.sum = 0.0;                                        }
  }                                                   }
}

The cells hold that constant when the loop begins, and nothing reads them after it.
"""

from collections.abc import Sequence
from dataclasses import replace

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.canonical import hosts
from starplat.operators.canonical.searches.initial_values import initial_values


def cleared_first(body: typed.Block) -> typed.Block:
    """A function's body in which numbers of its own are cleared so."""
    return hosts.with_loops(body, _cleared_first)


def _cleared_first(loop: hosts.HostLoop, around: hosts.Surroundings) -> tuple[typed.Statement] | None:
    for s in loop.body.statements[::-1]:
        found = _last_fill(s)
        if found is None or around.is_seen(found[0], loop):
            continue
        if (made := _moved(loop, s, found, around.before(loop))) is not None:
            return (made,)
    return None


_Fill = tuple[typed.Symbol, typed.Expression, typed.Symbol, typed.Statement | None]
"""A property, the constant that all its cells get, the graph, and what is left of the statement."""


def _last_fill(s: typed.Statement) -> _Fill | None:
    """The fill of a number that a statement of a round ends with."""
    match s:
        case typed.Attach(graph=graph, items=((symbol, typed.Literal() as value),)) if _is_own_number(symbol):
            return symbol, value, graph, None
        case typed.ForEach(
            parallel=True,
            domain=typed.AllNodes(graph=graph),
            filter=None,
            body=typed.Block((_, *_, typed.Assign(typed.Cell(symbol) as place, value))),
        ) if _is_own_number(symbol) and isinstance(value, typed.Literal) and not walk.leaves(s):
            own = typed.Variable(s.iterator)
            values = walk.all_parts(s)
            written = walk.places(s)
            cells = [c for c in (*values, *written) if isinstance(c, typed.Cell) and c.symbol is symbol]
            lent = any(symbol in call.arguments for call in walk.calls(s))
            if place.index != own or not all(c.index == own for c in cells) or lent:
                return None
            return symbol, value, graph, replace(s, body=replace(s.body, statements=s.body.statements[:-1]))
    return None


def _is_own_number(symbol: typed.Symbol) -> bool:
    kind = symbol.type
    return symbol.role is typed.Role.LOCAL and isinstance(kind, types.PropertyType) and kind.element.is_numeric


def _moved(
    loop: hosts.HostLoop, s: typed.Statement, found: _Fill, before: Sequence[typed.Statement]
) -> typed.Statement | None:
    """The loop with the fill at the beginning; None if a round may find or leave anything else."""
    symbol, value, graph, rest = found
    every = loop.body.statements
    place = next(i for i, other in enumerate(every) if other is s)
    begins = initial_values(symbol, before)
    if begins is None or begins.set or begins.fill != value or symbol in walk.declared(loop):
        return None
    if walk.touches(replace(loop, body=replace(loop.body, statements=())), symbol) or place == 0:
        return None
    if any(walk.touches(after, symbol) for after in every[place + 1 :]) or any(map(walk.leaves, every[:place])):
        return None
    match every[place - 1]:
        case typed.CopyProperty(source=copied) if rest is None and copied is symbol:
            return None  # the two change places, and what was copied is cleared
    fill = typed.Attach(graph, ((symbol, value),), span=s.span)
    kept = (fill, *every[:place], *(() if rest is None else (rest,)), *every[place + 1 :])
    return replace(loop, body=replace(loop.body, statements=kept))
