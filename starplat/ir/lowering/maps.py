"""Lowers local maps: a map is a hash table with open addressing in its row's window of two arrays.

The window has two slots for each arc of the row, at twice the row's offset, so at least half of them stay free and a
search ends. A free slot has key -1. What stands here takes symbols and lowered expressions; which places of a program
may add to a map is the checker's to say.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from starplat.analysis import walk
from starplat.frontend import typed
from starplat.frontend.walk import as_named
from starplat.ir import build, nodes as ir
from starplat.ir.lowering.context import Context, zero
from starplat.ir.lowering.elements import ELEMENTS
from starplat.ir.lowering.surroundings import NewArray

_FREE, _SPREAD, _LOW_BITS = build.number(-1), build.number(-1640531535), build.number(0x7FFFFFFF)
"""The key of a free slot; 2^32 divided by the golden ratio, made odd; the 31 bits of an INT beside its sign."""


@dataclass(frozen=True, slots=True)
class MapWindow:
    """One iteration's map: the slots from `first` to `end`, LONGs, of `keys` and `sums`; `sorted` has room for half as
    many keys, where the program goes over them in order."""

    keys: ir.Array
    sums: ir.Array
    sorted: ir.Array | None
    first: ir.Variable
    end: ir.Variable


@dataclass(frozen=True, slots=True)
class MapRow:
    """Where the keys of a map come from: the neighbors of `owner` in a direction. `in_order` tells that the program
    goes over the keys."""

    owner: typed.Symbol
    direction: typed.Direction
    in_order: bool


def rows_of_maps(body: typed.Statement) -> dict[typed.Symbol, MapRow]:
    """The maps that are added to below a statement."""
    loops = [s for s in walk.statements(body) if isinstance(s, typed.ForEach)]
    ordered = {loop.domain.symbol for loop in loops if isinstance(loop.domain, typed.Keys)}
    found: dict[typed.Symbol, MapRow] = {}
    for loop in loops:
        for inner in walk.statements(loop.body) if isinstance(loop.domain, typed.Neighbors) else ():
            if isinstance(inner, typed.AddToMap):
                assert isinstance(loop.domain, typed.Neighbors)
                node = as_named(loop.domain.node)
                assert isinstance(node, typed.Variable)
                found[inner.symbol] = MapRow(node.symbol, loop.domain.direction, inner.symbol in ordered)
    return found


def arrays_of_map(symbol: typed.Symbol, row: MapRow, new_array: NewArray) -> tuple[ir.Array, ir.Array, ir.Array | None]:
    """The arrays in which the windows of all nodes stand: keys, sums and, if asked for, keys in order."""
    most = 2 if row.direction is typed.Direction.BOTH else 1
    slots, value = ir.Extent.ARCS.times(2 * most), ELEMENTS[symbol.map.value]
    keys = new_array(f"{symbol.name}_keys", ir.Element.INT, slots, ir.Origin.TEMPORARY)
    sums = new_array(f"{symbol.name}_sums", value, slots, ir.Origin.TEMPORARY)
    if not row.in_order:
        return keys, sums, None
    return (
        keys,
        sums,
        new_array(f"{symbol.name}_sorted", ir.Element.INT, ir.Extent.ARCS.times(most), ir.Origin.TEMPORARY),
    )


def window_ends(direction: typed.Direction, node: ir.Expression) -> tuple[ir.Expression, ir.Expression]:
    """The first slot of a node's window and the one after its last."""
    layouts = [d.layout for d in ir.Direction if direction in (typed.Direction.BOTH, _DIRECTIONS[d])]
    return _doubled([layout.first(node) for layout in layouts]), _doubled([layout.end(node) for layout in layouts])


_DIRECTIONS = {ir.Direction.OUT: typed.Direction.OUT, ir.Direction.IN: typed.Direction.IN}


def _doubled(offsets: Iterable[ir.Expression]) -> ir.Expression:
    first, *more = offsets
    total: ir.Expression = ir.Cast(first, ir.Element.LONG)
    for offset in more:
        total = build.plus(total, offset)
    return build.times(_long(2), total)


class MapHelpers:
    """The functions by which kernels ask maps, each made once for a type of sums and a size of arrays."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def add(self, window: MapWindow, key: ir.Expression, value: ir.Expression) -> ir.KernelCall:
        """Adds a value to a key; nothing for a negative one."""
        return ir.KernelCall(self._call(_add_to_map, "add_to_map", window, key, value))

    def value(self, window: MapWindow, key: ir.Expression) -> ir.Expression:
        """The sum of a key, 0 where there is none."""
        return self._call(_sum_of_key, "sum_of_key", window, key)

    def size(self, window: MapWindow) -> ir.Expression:
        """How many keys there are."""
        return self._call(_size_of_map, "size_of_map", window)

    def best(self, window: MapWindow) -> ir.Expression:
        """The key of the largest sum, the smallest of equals."""
        return self._call(_best_of_map, "best_of_map", window)

    def sort(self, window: MapWindow) -> ir.Expression:
        """How many keys there are, after they were sorted."""
        return self._call(_sort_keys, "sort_keys", window)

    def _call(
        self, make: Callable[[MapWindow, str], ir.Function], wanted: str, window: MapWindow, *more: ir.Expression
    ) -> ir.CallFunction:
        function = self._function(make, wanted, window)
        given = {"keys": window.keys, "sums": window.sums, "sorted": window.sorted}
        arrays = [array for p in function.parameters if (array := given.get(p.what.name)) is not None]
        ends = (ir.Ref(window.first), ir.Ref(window.end))
        return ir.CallFunction(function.name, (*arrays, *ends, *more), function.result or ir.Element.INT)

    def _function(self, make: Callable[[MapWindow, str], ir.Function], wanted: str, window: MapWindow) -> ir.Function:
        taken = {function.name for function in self._context.program.functions}
        number, name = 2, wanted
        while True:
            made, known = make(window, name), self._context.helpers.get(name)
            if name not in taken and known in (None, made):
                return self._context.helpers.setdefault(name, made)
            number, name = number + 1, f"{wanted}_{number}"


# --- the functions ------------------------------------------------------------------------------------------------

_FIRST, _END = ir.Variable("first", ir.Element.LONG), ir.Variable("end", ir.Element.LONG)
_SLOT, _KEY = ir.Variable("slot", ir.Element.LONG), ir.Variable("key", ir.Element.INT)


def _add_to_map(window: MapWindow, name: str) -> ir.Function:
    keys, sums = _parameter("keys", window.keys), _parameter("sums", window.sums)
    value = ir.Variable("value", sums.element)
    old = ir.Select(build.equal(_at(keys), ir.Ref(_KEY)), _at(sums), zero(sums.element))
    body = (
        ir.KernelIf(build.less(ir.Ref(_KEY), build.ZERO), (ir.KernelReturn(None),)),
        *_probing(keys),
        ir.Store(sums, ir.Ref(_SLOT), build.plus(old, ir.Ref(value))),
        ir.Store(keys, ir.Ref(_SLOT), ir.Ref(_KEY)),
    )
    return _helper(name, (keys, sums), None, body, ir.MapPart.ADD, _KEY, value)


def _sum_of_key(window: MapWindow, name: str) -> ir.Function:
    keys, sums, key = _parameter("keys", window.keys), _parameter("sums", window.sums), ir.Ref(_KEY)
    none = build.either(build.less(key, build.ZERO), build.equal(ir.Ref(_FIRST), ir.Ref(_END)))
    nothing = zero(sums.element)
    body = (
        ir.KernelIf(none, (ir.KernelReturn(nothing),)),
        *_probing(keys),
        ir.KernelReturn(ir.Select(build.equal(_at(keys), key), _at(sums), nothing)),
    )
    return _helper(name, (keys, sums), sums.element, body, ir.MapPart.SUM, _KEY)


def _probing(keys: ir.Array) -> tuple[ir.KernelOp, ...]:
    """Finds the slot of a key that is not negative, or the free one where it would stand."""
    slot, key, first, end = ir.Ref(_SLOT), ir.Ref(_KEY), ir.Ref(_FIRST), ir.Ref(_END)
    bits = ir.Binary(ir.BinaryOperator.BIT_AND, build.times(key, _SPREAD), _LOW_BITS, ir.Element.INT)
    scaled = build.times(ir.Cast(bits, ir.Element.LONG), build.minus(end, first))
    place = ir.Binary(ir.BinaryOperator.SHIFT_RIGHT, scaled, build.number(31), ir.Element.LONG)
    following = build.plus(slot, _long(1))
    taken = build.both(build.differs(_at(keys), key), build.differs(_at(keys), _FREE))
    on = ir.SetLocal(_SLOT, ir.Select(build.less(following, end), following, first))
    return (ir.Let(_SLOT, build.plus(first, place)), ir.KernelWhile(taken, (on,)))


def _size_of_map(window: MapWindow, name: str) -> ir.Function:
    keys, size = _parameter("keys", window.keys), ir.Variable("size", ir.Element.INT)
    count = ir.KernelIf(_is_taken(keys), (ir.SetLocal(size, build.plus(ir.Ref(size), build.ONE)),))
    body = (ir.Let(size, build.ZERO), _each_slot(count), ir.KernelReturn(ir.Ref(size)))
    return _helper(name, (keys,), ir.Element.INT, body, ir.MapPart.SIZE)


def _best_of_map(window: MapWindow, name: str) -> ir.Function:
    keys, sums = _parameter("keys", window.keys), _parameter("sums", window.sums)
    best, most = ir.Variable("best", ir.Element.INT), ir.Variable("most", sums.element)
    tie = build.both(build.equal(_at(sums), ir.Ref(most)), build.less(_at(keys), ir.Ref(best)))
    beyond = build.either(build.greater(_at(sums), ir.Ref(most)), tie)
    wins = build.both(_is_taken(keys), build.either(build.less(ir.Ref(best), build.ZERO), beyond))
    body = (
        ir.Let(best, _FREE),
        ir.Let(most, zero(sums.element)),
        _each_slot(ir.KernelIf(wins, (ir.SetLocal(best, _at(keys)), ir.SetLocal(most, _at(sums))))),
        ir.KernelReturn(ir.Ref(best)),
    )
    return _helper(name, (keys, sums), ir.Element.INT, body, ir.MapPart.BEST)


def _sort_keys(window: MapWindow, name: str) -> ir.Function:
    """Copies the keys to `sorted`, from half of `first` on, and sorts them there by Shell's method."""
    assert window.sorted is not None
    keys, cells = _parameter("keys", window.keys), _parameter("sorted", window.sorted)
    at, count, gap, step, place = (ir.Variable(n, ir.Element.LONG) for n in ("at", "count", "gap", "step", "place"))

    def cell(place: ir.Expression) -> ir.Expression:
        return build.plus(ir.Ref(at), place)

    copied = (ir.Store(cells, cell(ir.Ref(count)), _at(keys)), ir.SetLocal(count, build.plus(ir.Ref(count), _long(1))))
    before = cell(build.minus(ir.Ref(place), ir.Ref(gap)))
    later = build.both(build.at_least(ir.Ref(place), ir.Ref(gap)), build.greater(ir.Load(cells, before), ir.Ref(_KEY)))
    shift = (
        ir.Store(cells, cell(ir.Ref(place)), ir.Load(cells, before)),
        ir.SetLocal(place, build.minus(ir.Ref(place), ir.Ref(gap))),
    )
    inserted = (
        ir.Let(_KEY, ir.Load(cells, cell(ir.Ref(step)))),
        ir.Let(place, ir.Ref(step)),
        ir.KernelWhile(later, shift),
        ir.Store(cells, cell(ir.Ref(place)), ir.Ref(_KEY)),
    )
    one_less = ir.Binary(ir.BinaryOperator.DIVIDE, build.times(ir.Ref(gap), _long(4)), _long(9), ir.Element.LONG)
    narrower = ir.Select(build.equal(ir.Ref(gap), _long(2)), _long(1), one_less)
    rounds = (ir.ForRange(step, ir.Ref(gap), ir.Ref(count), inserted), ir.SetLocal(gap, narrower))
    body = (
        ir.Let(at, build.half(ir.Ref(_FIRST))),
        ir.Let(count, _long(0)),
        _each_slot(ir.KernelIf(_is_taken(keys), copied)),
        ir.Let(gap, build.half(ir.Ref(count))),
        ir.KernelWhile(build.greater(ir.Ref(gap), _long(0)), rounds),
        ir.KernelReturn(ir.Ref(count)),
    )
    return _helper(name, (keys, cells), ir.Element.LONG, body, ir.MapPart.SORT)


# --- their parts ----------------------------------------------------------------------------------------------------


def _helper(
    name: str,
    arrays: tuple[ir.Array, ...],
    result: ir.Element | None,
    body: tuple[ir.KernelOp, ...],
    part: ir.MapPart,
    *more: ir.Variable,
) -> ir.Function:
    lent = tuple(ir.Parameter(array, by_reference=True) for array in arrays)
    values = tuple(ir.Parameter(variable) for variable in (_FIRST, _END, *more))
    return ir.Function(name, (*lent, *values), result, body, comment=part.value, of_map=part)


def _parameter(name: str, array: ir.Array) -> ir.Array:
    return ir.Array(name, array.element, array.extent, ir.Origin.PARAMETER)


def _each_slot(op: ir.KernelOp) -> ir.ForRange:
    return ir.ForRange(_SLOT, ir.Ref(_FIRST), ir.Ref(_END), (op,))


def _at(array: ir.Array) -> ir.Expression:
    return ir.Load(array, ir.Ref(_SLOT))


def _is_taken(keys: ir.Array) -> ir.Expression:
    return build.differs(_at(keys), _FREE)


def _long(value: int) -> ir.Const:
    return ir.Const(value, ir.Element.LONG)
