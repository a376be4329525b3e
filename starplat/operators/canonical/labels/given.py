"""A number that is asked whether it has been given to a node has a flag beside it that says so.

g.attachNodeProperty(parent = -1);            g.attachNodeProperty(parent = -1, given = False);
src.parent = src;                             src.parent = src; src.given = True;
... if (w.parent == -1) { w.parent = v; }     ... if (!w.given) { w.parent = v; w.given = True; }

All cells begin with -1, and only nodes that are in hand are stored: these are never below 0. It is for rewrites that
replace the flag: what still asks for it in the end is better left as it was.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.operators.build import Builder
from starplat.operators.canonical.labels.numbers import GIVEN, Question, constant, plain, question
from starplat.operators.canonical.rebuilding import rebuilt, with_block, with_each_statement
from starplat.operators.canonical.rising import element

_NODES = (types.Scalar.INT, types.Scalar.NODE)


def with_flags_beside(body: typed.Block) -> typed.Block:
    """A function's body with such flags."""
    asked = (q[0].symbol for part in walk.all_parts(body) if (q := question(part)) is not None)
    for number in dict.fromkeys(symbol for symbol in asked if _is_of_nodes(symbol)):
        for block in (s for s in walk.statements(body) if isinstance(s, typed.Block)):
            place = next((i for i, s in enumerate(block.statements) if _handles(s, number)), None)
            if place is None or not isinstance(block.statements[place], typed.Attach):
                continue
            behind = block.statements[place:]
            asking = [i for i, s in enumerate(behind, place + 1) if _questions(number, s)]
            until = block.statements[place : asking[-1]] if asking else ()
            if sum(_handles(s, number) for s in behind) == _handles(body, number) and _is_only_given(number, until):
                body = with_block(body, block, _flagged(number, block, place, until))
            break
    return body


def _is_of_nodes(symbol: typed.Symbol) -> bool:
    kind = symbol.type
    return isinstance(kind, types.PropertyType) and kind.carrier is types.Carrier.NODE and element(symbol) in _NODES


def _handles(s: typed.Statement, number: typed.Symbol) -> int:
    """How many statements, of one and those inside it, read or write a number."""
    inside = (i for i in walk.statements(s) if not isinstance(i, typed.Declare))
    return sum(number in (*walk.written(i), *walk.read(i)) for i in inside)


def _questions(number: typed.Symbol, *statements: typed.Statement) -> list[Question]:
    """What is asked of a number anywhere below statements."""
    asked = (question(part) for part in walk.all_parts(*statements))
    return [q for q in asked if q is not None and q[0].symbol is number]


def _is_only_given(number: typed.Symbol, until: Sequence[typed.Statement]) -> bool:
    """Whether all that is stored are -1 in all cells and nodes in hand, and every question says which, in the
    statements until the last that asks. A fixed point asks for what held before its round."""
    inside = [s for given in until for s in walk.statements(given)]
    asked = {
        p.symbol
        for s in inside
        if isinstance(s, typed.FixedPoint)
        for p in walk.within(s.condition)
        if isinstance(p, typed.Cell)
    }
    loops = (s for s in inside if isinstance(s, typed.ForEach) and not isinstance(s.domain, typed.Items))
    nodes = {typed.Variable(s.iterator) for s in loops}
    answers = [GIVEN.says(operator, other) for _, operator, other in _questions(number, *until)]
    barred = number in asked or any(number in walk.lent(s) for s in until)
    return bool(answers) and None not in answers and not barred and all(_stores(number, inside, nodes))


def _stores(number: typed.Symbol, inside: Sequence[typed.Statement], nodes: Set[typed.Expression]) -> Iterator[bool]:
    """Of each statement that stores the number, whether it does so."""

    def is_node(place: typed.Place, value: typed.Expression) -> bool:
        own = isinstance(place, typed.Cell) and plain(value) == plain(place.index)
        return own or plain(value) in nodes

    for s in (s for s in inside if number in walk.written(s)):
        match s:
            case typed.Attach(items=items):
                yield all(not isinstance(v, typed.Symbol) and constant(v) == -1 for of, v in items if of is number)
            case typed.Assign(place, value):
                yield is_node(place, value)
            case typed.AssignExtreme(place=place, carried=carried):
                given = all(is_node(c.place, c.value) for c in carried if c.place.symbol is number)
                yield given and place.symbol is not number
            case _:
                yield False


def _flagged(number: typed.Symbol, block: typed.Block, place: int, until: Sequence[typed.Statement]) -> typed.Block:
    """The block that fills a number at a place with a flag beside it, in the statements until the last that asks."""
    build = Builder(block.statements[place].span)
    flag = build.of_nodes(f"{number.name}_given", types.Scalar.BOOL)

    def beside(cell: typed.Place) -> typed.Cell:
        assert isinstance(cell, typed.Cell)
        return replace(cell, symbol=flag)

    def change(part: Any) -> Any:
        match part:
            case typed.Attach(items=items) if any(of is number for of, _ in items):
                return replace(part, items=(*items, (flag, typed.FALSE)))
            case typed.AssignExtreme(carried=carried) if number in walk.written(part):
                found = (build.carried(beside(c.place), True) for c in carried if c.place.symbol is number)
                return replace(part, carried=(*carried, *found))
            case typed.Binary() | typed.Convert() if (asked := question(part)) is not None and asked[
                0
            ].symbol is number:
                of_none, of_others = GIVEN.says(*asked[1:]) or (False, False)
                given = beside(asked[0])
                return build.truth(of_none) if of_none == of_others else given if of_others else build.negated(given)
        return None

    def stored(s: typed.Statement) -> tuple[typed.Statement, ...] | None:
        if isinstance(s, typed.Assign) and s.place.symbol is number:
            return s, build.assign(beside(s.place), True)
        return None

    flagged = with_each_statement(build.block(build.declare(flag), *rebuilt(until, change)), stored).statements
    return replace(block, statements=(*block.statements[:place], *flagged, *block.statements[place + len(until) :]))
