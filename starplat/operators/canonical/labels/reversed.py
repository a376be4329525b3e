"""Labels that count from the other end are turned.

forall (v in g.nodes()) { v.rank = n - v; }      forall (v in g.nodes()) { v.rank = v; }
... <w.rank> = <Max(w.rank, v.rank)>; ...        ... <w.rank> = <Min(w.rank, v.rank)>; ...
forall (v in g.nodes()) { v.c = n - v.rank; }    forall (v in g.nodes()) { v.c = v.rank; }
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from starplat.analysis import walk
from starplat.analysis.settling.monotone import MIRRORED
from starplat.frontend import typed, types
from starplat.operators.canonical.labels.spreading import whole_number
from starplat.operators.canonical.rebuilding import rebuilt

_OTHER = {typed.Extreme.MIN: typed.Extreme.MAX, typed.Extreme.MAX: typed.Extreme.MIN}


def turned(body: typed.Block, parameters: frozenset[typed.Symbol]) -> typed.Block:
    """A function's body with a property's cells counted from 0 where they all begin as a number less that of their
    node, and only go from cell to cell."""
    spread = {symbol for s in walk.statements(body) if (symbol := _passed_on(s)) is not None}
    for place, store in list(_stores(body)) if spread else ():
        assert isinstance(store.place, typed.Cell)
        assert isinstance(store.value, typed.Binary)
        label, end = store.place.symbol, store.value.left
        if label in spread - parameters and _is_fixed(end, body) and _is_first(label, body, place):
            changed = _with_numbers(body, store, label, end)
            body = changed or body
    return body


def _stores(body: typed.Block) -> Iterator[tuple[int, typed.Assign]]:
    """Where all nodes store a number less their own."""
    for place, s in enumerate(body.statements):
        match s:
            case typed.ForEach(parallel=True, domain=typed.AllNodes(), filter=None, body=inner):
                own = typed.Variable(s.iterator)
            case _:
                continue
        for store in inner.statements:
            match store:
                case typed.Assign(
                    typed.Cell(symbol, index), typed.Binary(operator=typed.Operator.SUBTRACT, right=number)
                ) if index == own and whole_number(number) == own and _counts(symbol):
                    yield place, store


def _passed_on(s: typed.Statement) -> typed.Symbol | None:
    """The property of which a cell is given to another cell."""
    match s:
        case typed.AssignExtreme(place=typed.Cell(symbol), candidate=typed.Cell(given)) | typed.Assign(
            typed.Cell(symbol), typed.Cell(given)
        ) if symbol is given:
            return symbol
    return None


def _counts(symbol: typed.Symbol) -> bool:
    return isinstance(symbol.type, types.PropertyType) and symbol.type.element in (types.Scalar.INT, types.Scalar.LONG)


def _is_fixed(end: typed.Expression, body: typed.Block) -> bool:
    """Whether a number is the same wherever it is looked at from the first store on."""
    match whole_number(end):
        case typed.Literal() | typed.GraphQuery(query=typed.Query.NUM_NODES):
            return True
        case typed.Variable(symbol):
            inside = list(walk.statements(body))
            declared = [s for s in body.statements if isinstance(s, typed.Declare) and s.symbol is symbol]
            begun = symbol.role is typed.Role.PARAMETER or any(s.value is not None for s in declared)
            return begun and not any(symbol in walk.written(s) for s in inside)
    return False


def _is_first(label: typed.Symbol, body: typed.Block, place: int) -> bool:
    """Whether nothing touches the cells before they are stored there, and they come to be in the function."""
    inside = [i for s in body.statements[:place] for i in walk.statements(s)]
    declared = any(isinstance(s, typed.Declare) and s.symbol is label for s in body.statements[:place])
    return declared and not any(label in (*walk.written(i), *walk.read(i)) for i in inside)


def _with_numbers(
    body: typed.Block, store: typed.Assign, label: typed.Symbol, end: typed.Expression
) -> typed.Block | None:
    number = replace(label)
    assert isinstance(store.value, typed.Binary)
    own = store.value.right

    def cell(part: typed.Cell) -> typed.Cell:
        return replace(part, symbol=number, index=rebuilt(part.index, change))

    def is_label(part: object) -> bool:
        return isinstance(part, typed.Cell) and part.symbol is label

    def change(part: Any) -> Any:
        match part:
            case typed.Declare(symbol) if symbol is label:
                return replace(part, symbol=number)
            case typed.Assign() if part is store:
                assert isinstance(part.place, typed.Cell)
                return replace(part, place=cell(part.place), value=own)
            case typed.AssignExtreme(place=typed.Cell() as place, candidate=typed.Cell() as candidate) if is_label(
                place
            ) and is_label(candidate):
                carried = tuple(rebuilt(c, change) for c in part.carried)
                extreme = _OTHER[part.extreme]
                return replace(part, extreme=extreme, place=cell(place), candidate=cell(candidate), carried=carried)
            case typed.Assign(typed.Cell() as place, typed.Cell() as given) if is_label(place) and is_label(given):
                return replace(part, place=cell(place), value=cell(given))
            case typed.Binary(operator, typed.Cell() as left, typed.Cell() as right) if (
                operator in MIRRORED and is_label(left) and is_label(right)
            ):
                return replace(part, operator=MIRRORED[operator], left=cell(left), right=cell(right))
            case typed.Binary(typed.Operator.SUBTRACT, left, typed.Cell() as right) if left == end and is_label(right):
                return cell(right)
        return None

    changed = rebuilt(body, change)
    left = walk.touches(changed, label) or label in walk.declared(changed)
    return None if left else changed
