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
from starplat.operators.canonical import hosts, rebuilding
from starplat.operators.canonical.searches.initial_values import initial_values


def cleared_first(body: typed.Block) -> typed.Block:
    """A function's body in which numbers of its own are cleared so."""
    around = hosts.surroundings(body)
    for loop in around.loops:
        block, place = around.block_of(loop)
        for s in loop.body.statements[::-1]:
            if (found := _last_fill(s)) is None or around.is_seen(found[0], loop):
                continue
            if (made := _moved(loop, s, found, block.statements[:place])) is not None:
                changed = (*block.statements[:place], made, *block.statements[place + 1 :])
                return cleared_first(rebuilding.with_block(body, block, replace(block, statements=changed)))
    return body


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
            body=typed.Block(statements=(_, *_, typed.Assign(place=typed.Cell(symbol=symbol) as place, value=value))),
        ) if _is_own_number(symbol) and isinstance(value, typed.Literal) and not walk.leaves(s):
            own = typed.Variable(s.iterator)
            values = (part for v in walk.all_values(s) for part in walk.within(v))
            written = (p for inner in walk.statements(s) for p in walk.written_places(inner))
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
