"""Nodes that have no level yet hold INF, whatever number below all levels the program has for them.

    g.attachNodeProperty(level = -1);                g.attachNodeProperty(level = INF);
    ...                                              ...
        if (w.level < 0) { ... }                         if (w.level == INF) { ... }
    ...                                              ...
                                                     forall (v in g.nodes().filter(level == INF)) {
                                                       v.level = -1;
                                                     }

That is tried for loops that are no fixed point otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.operators.build import Builder
from starplat.operators.canonical.hosts import HostLoop, Known, Surroundings, surroundings
from starplat.operators.canonical.rebuilding import rebuilt, with_block
from starplat.operators.canonical.searches.initial_values import initial_values, opened
from starplat.operators.canonical.searches.levels import number
from starplat.same import Same

_EQUALITY = (typed.Operator.EQUAL, typed.Operator.NOT_EQUAL)
_FROM_THERE = (typed.Operator.LESS, typed.Operator.GREATER_EQUAL)
_ABOVE = (typed.Operator.LESS_EQUAL, typed.Operator.GREATER)


@dataclass(frozen=True)
class Trial:
    """A loop that has been changed, and what stands around it now."""

    loop: HostLoop
    around: Surroundings


def with_infinity(loop: HostLoop, around: Surroundings) -> Trial | None:
    """The loop with INF for such a number, in a function's body that has it too; None if there is none."""
    block, place = around.block_of(loop)
    before, known = block.statements[:place], around.known_before(loop)
    for symbol in dict.fromkeys(s for inner in walk.statements(loop) for s in walk.written(inner)):
        kind = symbol.type
        if not isinstance(kind, PropertyType) or (kind.carrier, kind.element) != (Carrier.NODE, Scalar.INT):
            continue
        found = _filled(symbol, before, known)
        changed = None if found is None else _asked_for_infinity(loop, symbol, int(found[2].value), found[3])
        if found is None or changed is None:
            continue
        at, fill, none, _ = found
        infinity = typed.Infinity(Scalar.INT, span=fill.span)
        items = tuple((s, infinity if s is symbol else value) for s, value in fill.items)
        after = (changed, back_to(none, symbol, fill.graph), *block.statements[place + 1 :])
        statements = (*before[:at], replace(fill, items=items), *before[at + 1 :], *after)
        whole = replace(block, statements=statements)
        return Trial(changed, surroundings(with_block(around.body, block, whole)))
    return None


def _filled(
    symbol: typed.Symbol, before: Sequence[typed.Statement], known: Known
) -> tuple[int, typed.Attach, typed.Literal, int] | None:
    """The place where all cells are filled with a number, to some of which only larger ones are given since, the least
    of them last."""
    begun = initial_values(symbol, opened(before))
    places = [place for place, s in enumerate(before) if symbol in walk.written(s) and isinstance(s, typed.Attach)]
    if begun is None or not begun.set or not places:
        return None
    given = [number(value, known) for _, value in begun.set]
    match before[places[-1]], begun.fill:
        case typed.Attach() as fill, typed.Literal(int() as value) as none if any(of is none for _, of in fill.items):
            least = [one for one in given if one is not None and one > value]
            read = any(symbol in walk.read(i) for s in before[places[-1] :] for i in walk.statements(s))
            return (places[-1], fill, none, min(least)) if len(least) == len(given) and not read else None
    return None


def _asked_for_infinity(loop: HostLoop, symbol: typed.Symbol, none: int, least: int) -> HostLoop | None:
    """The loop that asks for INF instead; None if it does anything else with cells than to ask whether they have a
    number, the least of which is given, or are at one of its counters, to add to them, and to give them what has been
    added to."""
    writers = walk.writers(symbol, loop)
    if not all(isinstance(s, typed.Assign) for s in writers):
        return None
    asked: set[Same] = set()

    def change(part: object) -> object:
        match part:
            case typed.Binary(operator, typed.Cell(target) as cell, typed.Literal(value)) if target is symbol:
                pass
            case _:
                return None
        beyond = operator in _FROM_THERE and none < value <= least
        at_most = operator in _ABOVE and none <= value < least
        if not (beyond or at_most or (operator in _EQUALITY and value == none)):
            return None
        is_none = operator in (typed.Operator.LESS, typed.Operator.LESS_EQUAL, typed.Operator.EQUAL)
        asked.add(Same(cell))
        way = typed.Operator.EQUAL if is_none else typed.Operator.NOT_EQUAL
        return replace(part, operator=way, right=typed.Infinity(Scalar.INT, span=cell.span))

    changed = rebuilt(loop, change)
    for part in walk.all_parts(loop):
        match part:
            case typed.Binary(typed.Operator.EQUAL, typed.Cell(target) as cell, level) if target is symbol:
                asked |= {Same(cell)} if _is_counted(level) else set()
            case typed.Binary(typed.Operator.ADD, typed.Cell(target) as cell, typed.Literal()) if target is symbol:
                asked.add(Same(cell))
            case typed.Cell(target) if target is symbol and Same(part) not in asked:
                return None
    return changed if asked else None


def _is_counted(value: typed.Expression) -> bool:
    """Whether a value is a counter, or a number beside it."""
    match value:
        case typed.Variable(counter):
            return not isinstance(counter.type, PropertyType)
        case typed.Binary(typed.Operator.ADD | typed.Operator.SUBTRACT, left, typed.Literal(1)):
            return _is_counted(left)
    return False


def back_to(none: typed.Literal, symbol: typed.Symbol, graph: typed.Symbol) -> typed.ForEach:
    """The loop that gives nodes without a level the program's number."""
    build = Builder(none.span)
    node = build.iterator()
    cell = build.cell(symbol, node)
    unreached = build.equal(cell, build.infinity())
    return build.over(node, typed.AllNodes(graph), build.assign(cell, none), condition=unreached)
