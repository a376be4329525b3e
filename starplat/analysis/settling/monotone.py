"""Tests whether an expression is monotone in the cells that it reads: it never falls when none of them does.

Asked of what a `Min` or `Max` compares, of locals on the way there, and of the conditions in front of it. Reals are
taken to be numbers, and integers not to wrap: that is for `--checked` to find.
"""

from collections.abc import Iterator, Set

from starplat.analysis import walk
from starplat.frontend import typed, types
from starplat.frontend.walk import children, with_children

_WIDE = (types.Scalar.LONG, types.Scalar.EDGE)
_DOWNWARD = (typed.Operator.LESS, typed.Operator.LESS_EQUAL)
_UPWARD = (typed.Operator.GREATER, typed.Operator.GREATER_EQUAL)
MIRRORED = {
    typed.Operator.LESS: typed.Operator.GREATER,
    typed.Operator.LESS_EQUAL: typed.Operator.GREATER_EQUAL,
    typed.Operator.GREATER: typed.Operator.LESS,
    typed.Operator.GREATER_EQUAL: typed.Operator.LESS_EQUAL,
    typed.Operator.EQUAL: typed.Operator.EQUAL,
    typed.Operator.NOT_EQUAL: typed.Operator.NOT_EQUAL,
}
"""What comparisons are with their sides exchanged."""
_DENIED = {
    typed.Operator.LESS: typed.Operator.GREATER_EQUAL,
    typed.Operator.LESS_EQUAL: typed.Operator.GREATER,
    typed.Operator.GREATER: typed.Operator.LESS_EQUAL,
    typed.Operator.GREATER_EQUAL: typed.Operator.LESS,
    typed.Operator.EQUAL: typed.Operator.NOT_EQUAL,
    typed.Operator.NOT_EQUAL: typed.Operator.EQUAL,
}


_JOINED = {True: typed.Operator.AND, False: typed.Operator.OR}


def mentions(value: typed.Expression, symbols: Set[typed.Symbol]) -> bool:
    """Whether the value reads a cell or variable of one of the symbols."""
    return any(
        (isinstance(part, typed.Variable | typed.Cell) and part.symbol in symbols)
        or (isinstance(part, typed.Aggregate) and part.property in symbols)
        or (isinstance(part, typed.Call) and any(a in symbols for a in part.arguments if isinstance(a, typed.Symbol)))
        for part in walk.within(value)
    )


def asked_flag(condition: typed.Expression, node: typed.Symbol) -> typed.Symbol | None:
    """The flag whose cell at a node is all that a condition asks."""
    match condition:
        case typed.Cell(symbol, typed.Variable(own)) if own is node:
            return symbol if condition.type is types.Scalar.BOOL else None
    return None


def rises_with(value: typed.Expression, symbols: Set[typed.Symbol]) -> bool:
    """Whether the value never falls when the cells and variables of the symbols do not."""
    if not mentions(value, symbols):
        return True
    match value:
        case typed.Variable():
            return True
        case typed.Cell():
            return not mentions(value.index, symbols)
        case typed.Binary(typed.Operator.ADD):
            return rises_with(value.left, symbols) and rises_with(value.right, symbols)
        case typed.Binary(typed.Operator.SUBTRACT):
            return rises_with(value.left, symbols) and not mentions(value.right, symbols)
        case typed.Binary(typed.Operator.MULTIPLY, part, factor) if _is_at_least(factor, 0):
            return rises_with(part, symbols)
        case typed.Binary(typed.Operator.MULTIPLY, factor, part) if _is_at_least(factor, 0):
            return rises_with(part, symbols)
        case typed.Binary(typed.Operator.DIVIDE, part, divisor) if _is_above_zero(divisor):
            return rises_with(part, symbols)
        case typed.Apply(typed.Function.POW) | typed.Apply(typed.Function.ABS):
            return False
        case typed.Apply(arguments=arguments):
            return all(rises_with(argument, symbols) for argument in arguments)
        case typed.Convert(operand) | typed.Cast(operand):
            cut_off = typed.scalar_of(operand) in _WIDE and value.type in (types.Scalar.INT, types.Scalar.NODE)
            return not cut_off and value.type is not types.Scalar.BOOL and rises_with(operand, symbols)
        case typed.Conditional():
            both = rises_with(value.then, symbols) and rises_with(value.otherwise, symbols)
            return both and not mentions(value.condition, symbols)
    return False


def keeps_holding(condition: typed.Expression, symbols: Set[typed.Symbol], extreme: typed.Extreme) -> bool:
    """Whether a condition that held still holds after the symbols' cells moved in the extreme's direction."""
    if not mentions(condition, symbols):
        return True
    match condition:
        case typed.Binary(operator, left, right) if operator in MIRRORED:
            if mentions(right, symbols):
                operator, left, right = MIRRORED[operator], right, left
            if mentions(right, symbols) or not rises_with(left, symbols):
                return False
            falls = extreme is typed.Extreme.MIN
            if operator is typed.Operator.NOT_EQUAL:
                return isinstance(right, typed.Infinity) and right.negative is not falls
            return operator in (_DOWNWARD if falls else _UPWARD)
    return False


def conjuncts(condition: typed.Expression, *, holds: bool = True) -> Iterator[typed.Expression]:
    """The conditions that must all hold where a condition `holds`, or where it does not."""
    match condition:
        case typed.Binary(operator, left, right) if operator is _JOINED[holds]:
            yield from conjuncts(left, holds=holds)
            yield from conjuncts(right, holds=holds)
        case typed.Unary(typed.UnaryOperator.NOT, operand):
            yield from conjuncts(operand, holds=not holds)
        case typed.Binary(operator, left, right) if not holds and operator in _DENIED:
            yield typed.Binary(_DENIED[operator], left, right, types.Scalar.BOOL, span=condition.span)
        case _:
            yield condition if holds else typed.Unary(typed.UnaryOperator.NOT, condition, span=condition.span)


def all_asked(condition: typed.Expression | None) -> tuple[typed.Expression, ...]:
    """The conditions that a filter or a branch asks, all of them; none where there is no filter."""
    return () if condition is None else tuple(conjuncts(condition))


def asked_of(condition: typed.Expression, place: typed.Expression) -> tuple[typed.Operator, typed.Expression] | None:
    """How a comparison asks for a place, as if that stood on its left, and what it compares the place with."""
    match condition:
        case typed.Binary(operator, left, right) if operator in MIRRORED and place in (left, right):
            return (operator, right) if left == place else (MIRRORED[operator], left)
    return None


def leaves_out_end(condition: typed.Expression, place: typed.Expression, extreme: typed.Extreme) -> bool:
    """Whether a condition only leaves out the end of the order for what a place holds: INF for a Min."""
    top = extreme is typed.Extreme.MAX
    match asked_of(condition, place):
        case (typed.Operator.NOT_EQUAL | typed.Operator.LESS | typed.Operator.GREATER) as way, typed.Infinity() as end:
            return end.negative is top and way is not (typed.Operator.LESS if top else typed.Operator.GREATER)
    return False


def says_that_it_wins(condition: typed.Expression, extreme: typed.AssignExtreme) -> bool:
    """Whether a condition only tests whether the Min or Max would change its place."""
    wins = _UPWARD if extreme.extreme is typed.Extreme.MIN else _DOWNWARD
    match asked_of(condition, extreme.place):
        case operator, other:
            return operator in wins and other == extreme.candidate
    return False


def without(value: typed.Expression, part: typed.Expression) -> typed.Expression:
    """A value with one part replaced by a constant."""
    if value == part:
        return typed.Literal(0, typed.scalar_of(part), span=part.span)
    return with_children(value, [without(child, part) for child in children(value)])


def _is_at_least(value: typed.Expression, least: float) -> bool:
    return isinstance(value, typed.Literal) and value.value >= least


def _is_above_zero(value: typed.Expression) -> bool:
    return isinstance(value, typed.Literal) and value.value > 0
