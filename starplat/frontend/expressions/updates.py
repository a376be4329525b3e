"""Checks what is asked of lists of updates and of single updates.

A list is taken apart from the start: the arrays of all updates, the range of numbers that it holds, and their kind. A
batch is a range, so `currentBatch` costs nothing; it asks each update of the range for its kind.
"""

from starplat.frontend import ast, builtins, typed
from starplat.frontend.context import Context
from starplat.frontend.typed import ADDITIONS, ALL, DELETIONS, Binary, Literal, Operator, Role, Symbol
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.source import Span

_ARRAYS = {"adds": Scalar.BOOL, "sources": Scalar.NODE, "destinations": Scalar.NODE, "weights": Scalar.DOUBLE}
_NUMBERS = ("first", "end", "kind")
_NONE = 3
"""A kind that no update has."""


def parameters_of(updates: Symbol) -> typed.Updates:
    """The list whose parts are the parameters that stand for it inside a function."""
    adds, sources, destinations, weights = (
        _part(updates, name, PropertyType(Carrier.UPDATE, element)) for name, element in _ARRAYS.items()
    )
    return typed.Updates(adds, sources, destinations, weights, *map(typed.Variable, numbers_of(updates)))


def numbers_of(updates: Symbol) -> tuple[Symbol, ...]:
    """The variables of a local list of updates: the range that it holds, and their kind."""
    return tuple(_part(updates, name, Scalar.INT) for name in _NUMBERS)


def _part(updates: Symbol, name: str, kind: PropertyType | Scalar) -> Symbol:
    return Symbol(f"{updates.name}_{name}", kind, updates.role, updates.span, updates.parallel_depth)


def current_batch(base: typed.Updates, kind: typed.Expression | None) -> typed.Updates:
    """The updates of `base`, or those of a kind."""
    if kind is None or base.kind == kind:
        return base
    if not _is(base.kind, ALL):
        kept = Binary(Operator.OR, _equal(base.kind, whole(ALL)), _equal(base.kind, kind), Scalar.BOOL)
        kind = typed.Conditional(kept, kind, whole(_NONE))
    return base.ranged(base.first, base.end, kind)


def is_of_kind(updates: typed.Updates, number: typed.Expression) -> typed.Expression | None:
    """Whether the update of that number belongs to the list; None where all of the range do."""
    adds, kind = typed.Cell(updates.adds, number), updates.kind
    if _is(kind, ALL):
        return None
    if _is(kind, ADDITIONS):
        return adds
    if _is(kind, DELETIONS):
        return typed.Unary(typed.UnaryOperator.NOT, adds)
    this = typed.Conditional(adds, whole(ADDITIONS), whole(DELETIONS))
    return Binary(Operator.OR, _equal(kind, whole(ALL)), _equal(kind, this), Scalar.BOOL)


def part_of_update(context: Context, update: Symbol, name: ast.Name, span: Span) -> typed.Expression:
    """`u.source`, `u.destination` or `u.weight`, which has the type of the weights in sight."""
    updates, number = context.update_cells[update]
    if name.text == "source":
        return typed.Cell(updates.sources, number, span=span)
    if name.text == "destination":
        return typed.Cell(updates.destinations, number, span=span)
    weight = context.weight(name.span)
    kind = builtins.UPDATE_ATTRIBUTES[name.text] if weight is None else weight.property.element
    cell = typed.Cell(updates.weights, number, span=span)
    return cell if kind is Scalar.DOUBLE else typed.Cast(cell, kind, span=span)


def size_of(context: Context, updates: typed.Updates, span: Span) -> typed.Expression | None:
    """`d.size()`: how many it holds."""
    if (graph := context.graph_at_hand(span, "a list of updates")) is None:
        return None
    context.note_host_only(span, "counts updates")
    arguments = (graph, *updates.arrays, *updates.numbers)
    return typed.Call(builtins.PRELUDE_ATTRIBUTES["size"], arguments, Scalar.INT, span=span)


def whole(number: int) -> Literal:
    return Literal(number, Scalar.INT)


def difference(one: typed.Expression, other: typed.Expression) -> typed.Expression:
    """How far apart two ints are."""
    return one if _is(other, 0) else Binary(Operator.SUBTRACT, one, other, Scalar.INT)


def total(one: typed.Expression, other: typed.Expression) -> typed.Expression:
    """Two ints together."""
    return other if _is(one, 0) else Binary(Operator.ADD, one, other, Scalar.INT)


def local(name: str, near: Symbol) -> Symbol:
    """An int that the program does not name itself."""
    return Symbol(f"{near.name}_{name}", Scalar.INT, Role.LOCAL, near.span, near.parallel_depth)


def _is(expression: typed.Expression, number: int) -> bool:
    return isinstance(expression, Literal) and expression.value == number


def _equal(one: typed.Expression, other: typed.Expression) -> typed.Expression:
    return Binary(Operator.EQUAL, one, other, Scalar.BOOL)
