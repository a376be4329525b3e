"""Stores what statements of a checked tree assign: to scalars, cells, sets, lists and maps; each that goes wrong names
its place."""

from starplat.frontend import typed
from starplat.frontend.typed import Combine, Extreme, Operator
from starplat.ir.nodes import ListChange
from starplat.ir.python.arithmetic import Value
from starplat.runtime import items
from starplat.runtime.checked import numbers
from starplat.runtime.checked.expressions import Expressions
from starplat.runtime.checked.memory import Frame, Whereabouts, cell_of, written
from starplat.source import Span

_OPERATORS = {
    Combine.ADD: Operator.ADD,
    Combine.MULTIPLY: Operator.MULTIPLY,
    Combine.BIT_AND: Operator.BIT_AND,
    Combine.BIT_OR: Operator.BIT_OR,
    Combine.BIT_XOR: Operator.BIT_XOR,
}


class Stores:
    """Assignments of one program on one graph, of values that `values` computes."""

    def __init__(self, values: Expressions, where: Whereabouts) -> None:
        self.values = values
        self.where = where

    def store(self, place: typed.Place, value: Value, frame: Frame) -> None:
        if isinstance(place, typed.Variable):
            frame.box(place.symbol).value = numbers.stored(value, place.type)
            return
        if isinstance(place, typed.ListItem):
            index = self.values.integer(place.index, frame)
            self.change_items(place.symbol, ListChange.SET, index, value, place.span, frame)
            return
        cells = frame.written(place.symbol).values
        cells[self.index(place, cells, frame)] = numbers.stored(value, place.type)

    def change_list(self, s: typed.ChangeList, frame: Frame) -> None:
        if s.change is typed.ListChange.COPY:
            (source,) = s.arguments
            assert isinstance(source, typed.WholeList)
            frame.elements(s.symbol)[:] = list(frame.elements(source.symbol))
            return
        *places, value = [self.values.value(e, frame) for e in s.arguments] or [0]
        self.change_items(s.symbol, ListChange(s.change.value), int(places[0]) if places else 0, value, s.span, frame)

    def change_items(
        self, symbol: typed.Symbol, change: ListChange, place: int, value: Value, span: Span, frame: Frame
    ) -> None:
        with self.where.at(span):
            items.change(frame.elements(symbol), symbol.name, change, place, numbers.stored(value, symbol.element))

    def index(self, place: typed.Cell, cells: list[Value | None], frame: Frame) -> int:
        with self.where.at(place.span):
            return cell_of(cells, self.values.integer(place.index, frame), place.symbol.name)

    def old(self, place: typed.Place, frame: Frame) -> Value:
        """What stands in a place that is about to change."""
        if not isinstance(place, typed.Cell):
            return self.values.value(place, frame)
        cells = frame.written(place.symbol).values
        found = cells[self.index(place, cells, frame)]
        with self.where.at(place.span):
            return written(found, place.symbol.name)

    def update(self, s: typed.Update, frame: Frame) -> None:
        value, old = self.values.value(s.value, frame), self.old(s.place, frame)
        match s.combine:
            case Combine.AND:
                new: Value = bool(old and value)
            case Combine.OR:
                new = bool(old or value)
            case _:
                with self.where.at(s.span):
                    new = numbers.binary(_OPERATORS[s.combine], old, value, s.place.type)
        self.store(s.place, new, frame)

    def extreme(self, s: typed.AssignExtreme, frame: Frame) -> None:
        candidate = self.values.value(s.candidate, frame)
        carried = [self.values.value(c.value, frame) for c in s.carried]
        old = self.old(s.place, frame)
        if candidate < old if s.extreme is Extreme.MIN else candidate > old:
            self.store(s.place, candidate, frame)
            for c, value in zip(s.carried, carried, strict=True):
                self.store(c.place, value, frame)

    def attach(self, s: typed.Attach, frame: Frame) -> None:
        found: list[tuple[typed.Symbol, list[Value | None]]] = []
        for symbol, given in s.items:
            if isinstance(given, typed.Symbol):
                found.append((symbol, list(frame.cells(given).values)))
            else:
                value = numbers.stored(self.values.value(given, frame), symbol.property.element)
                found.append((symbol, [value] * len(frame.cells(symbol).values)))
        for symbol, values in found:
            frame.written(symbol).values[:] = values

    def add(self, s: typed.AddToSet, frame: Frame) -> None:
        flags, member = frame.cells(s.symbol).values, self.values.integer(s.member, frame)
        with self.where.at(s.span):
            flags[cell_of(flags, member, s.symbol.name)] = True

    def add_to_map(self, s: typed.AddToMap, frame: Frame) -> None:
        key, value, sums = self.values.integer(s.key, frame), self.values.value(s.value, frame), frame.sums(s.symbol)
        if key < 0:
            return
        with self.where.at(s.span):
            sums[key] = numbers.binary(Operator.ADD, sums[key], value, s.symbol.map.value) if key in sums else value
