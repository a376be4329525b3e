"""Values that only pass through another name, or through a loop over nodes, are stored where they go.

bool moved = False; ... moved = True; ...        going = False; ... going = True; ...
going = moved;

forall (v in g.nodes()) {                        now = next;
  v.now = v.next; v.next = False;                g.attachNodeProperty(next = False);
  if (v.now) { more = True; }                    forall (v in g.nodes()) { more ||= v.now; }
}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.operators.canonical.rebuilding import rebuilt, substituted


def without_copies(body: typed.Block) -> typed.Block:
    """A function's body without such copies."""

    def change(part: Any) -> Any:
        if not isinstance(part, typed.Block):
            return None
        inner = tuple(new for s in part.statements for new in _distributed(rebuilt(s, change)))
        return _renamed(replace(part, statements=inner))

    return rebuilt(body, change)


# --- scalars


def _renamed(block: typed.Block) -> typed.Block:
    """The block with a local called what its value is copied to, where that is not used meanwhile."""
    for last, copy in enumerate(block.statements):
        match copy:
            case typed.Assign(place=typed.Variable(symbol=to), value=typed.Variable(symbol=local)):
                pass
            case _:
                continue
        first = next((i for i, s in enumerate(block.statements) if _declares(s, local)), None)
        if first is None or first > last or to.type != local.type:
            continue
        between = block.statements[first + 1 : last]
        leaves = (typed.Break, typed.Continue, typed.Return)
        if any(isinstance(inner, leaves) for s in between for inner in walk.statements(s)):
            continue
        if any(to in _used(s) for s in between) or any(local in _used(s) for s in block.statements[last + 1 :]):
            continue
        begun = block.statements[first]
        assert isinstance(begun, typed.Declare)
        if begun.value is None or not isinstance(begun.value, typed.Literal):
            continue
        assigned = typed.Assign(typed.Variable(to, span=begun.span), begun.value, span=begun.span)
        kept = (*block.statements[:first], assigned, *substituted(between, {local: to}), *block.statements[last + 1 :])
        return _renamed(replace(block, statements=kept))
    return block


def _declares(s: typed.Statement, symbol: typed.Symbol) -> bool:
    return isinstance(s, typed.Declare) and s.symbol is symbol


def _used(s: typed.Statement) -> set[typed.Symbol]:
    """All symbols that a statement and what is in it read or write."""
    found = walk.all_written(s)
    parts = (part for inner in walk.statements(s) for value in walk.expressions(inner) for part in walk.within(value))
    return found | {part.symbol for part in parts if isinstance(part, typed.Variable | typed.Cell)}


# --- properties


def _distributed(s: typed.Statement) -> Iterator[typed.Statement]:
    """A loop over all nodes whose first and last statements copy and fill own cells, as copies and fills of whole
    properties around what is left of the loop."""
    match s:
        case typed.ForEach(domain=typed.AllNodes(graph=graph), filter=None, body=body):
            pass
        case _:
            yield s
            return
    own, rest, wholes = typed.Variable(s.iterator), list(body.statements), []
    while rest and (whole := _whole(rest[0], own, graph)) is not None:
        wholes.append(whole)
        rest.pop(0)
    if not any(isinstance(whole, typed.CopyProperty) for whole in wholes) or not all(_is_own(r, own) for r in rest):
        yield s
        return
    yield from wholes
    if rest:
        yield replace(s, body=replace(body, statements=tuple(_told(r) for r in rest)))


def _whole(s: typed.Statement, own: typed.Variable, graph: typed.Symbol) -> typed.Statement | None:
    match s:
        case typed.Assign(place=typed.Cell(symbol=to, index=index), value=typed.Cell(symbol=of, index=other)):
            same = index == own and other == own and to.type == of.type
            return typed.CopyProperty(to, of, span=s.span) if same else None
        case typed.Assign(place=typed.Cell(symbol=to, index=index), value=typed.Literal() as value) if index == own:
            return typed.Attach(graph, ((to, value),), span=s.span)
        case _:
            return None


def _is_own(s: typed.Statement, own: typed.Variable) -> bool:
    """Whether a statement reads and writes no cells but the iteration's own."""
    inside = list(walk.statements(s))
    places = [place for inner in inside for place in walk.written_places(inner)]
    values = [part for inner in inside for value in walk.expressions(inner) for part in walk.within(value)]
    cells = [part for part in (*places, *values) if isinstance(part, typed.Cell)]
    plain = all(isinstance(i, typed.Block | typed.If | typed.Assign | typed.Update | typed.Declare) for i in inside)
    return plain and all(cell.index == own for cell in cells)


def _told(s: typed.Statement) -> typed.Statement:
    """`if (flag) more = True;` as `more ||= flag`."""
    match s:
        case typed.If(
            condition=typed.Cell() as flag,
            then=typed.Block(statements=(typed.Assign(place=typed.Variable() as place, value=value),)),
            otherwise=None,
        ) if value == typed.TRUE:
            return typed.Update(typed.Combine.OR, place, flag, span=s.span)
        case _:
            return s
