"""Recognises reductions however they are spelt: `x += e`, `x = x + a - b`, `x = e || x`, `x = min(x, e)`.

Works on typed expressions. A reduction is recognised only where the new spelling means the same: the place must occur
once, and an integer place may not be reduced in reals.
"""

from starplat.frontend import typed
from starplat.frontend.expressions import conversions, operators
from starplat.frontend.typed import (
    AssignExtreme,
    Binary,
    Combine,
    Convert,
    Extreme,
    Function,
    Infinity,
    Literal,
    Operator,
    Place,
    Update,
    scalar_of,
)
from starplat.frontend.types import Scalar
from starplat.frontend.walk import within
from starplat.source import Span

_COMBINE = {
    Operator.ADD: Combine.ADD,
    Operator.SUBTRACT: Combine.ADD,
    Operator.MULTIPLY: Combine.MULTIPLY,
    Operator.AND: Combine.AND,
    Operator.OR: Combine.OR,
    Operator.BIT_AND: Combine.BIT_AND,
    Operator.BIT_OR: Combine.BIT_OR,
    Operator.BIT_XOR: Combine.BIT_XOR,
}
_LEAST, _GREATEST = -(2**31), 2**31 - 1
"""What an int and a node hold."""

_SUMS = frozenset({Operator.ADD, Operator.SUBTRACT})


def update(place: Place, operator: Operator, value: typed.Expression, span: Span) -> Update | None:
    """`place operator= value` as an `Update`, None where it is none."""
    combine = _COMBINE.get(operator)
    if combine is None or mentions(value, place) or (operator in operators.LOGICAL and place.type is not Scalar.BOOL):
        return None
    operand = operators.negate(value, value.span) if operator is Operator.SUBTRACT else value
    converted = _as(operand, place.type)
    return None if converted is None else Update(combine, place, converted, span=span)


def as_update(place: Place, value: typed.Expression, span: Span) -> Update | None:
    """`place = value` as an `Update`, where value is the place and something commutatively combined with it."""
    while isinstance(value, Convert):
        value = value.operand
    if not isinstance(value, Binary) or value.operator not in _COMBINE:
        return None
    terms = _terms(value)
    mine = [position for position, (positive, term) in enumerate(terms) if positive and _is(term, place)]
    if len(mine) != 1:
        return None
    rest = _joined(terms[: mine[0]] + terms[mine[0] + 1 :], value)
    if mentions(rest, place):
        return None
    converted = _as(rest, place.type)
    return None if converted is None else Update(_COMBINE[value.operator], place, converted, span=span)


def _terms(value: Binary) -> list[tuple[bool, typed.Expression]]:
    """The operands of a left-nested chain of one operator; of a sum with their signs."""
    family = _SUMS if value.operator in _SUMS else frozenset({value.operator})
    terms: list[tuple[bool, typed.Expression]] = []
    current: typed.Expression = value
    while isinstance(current, Binary) and current.operator in family and current.type is value.type:
        terms.append((current.operator is not Operator.SUBTRACT, current.right))
        current = current.left
    terms.append((True, current))
    return terms[::-1]


def _joined(terms: list[tuple[bool, typed.Expression]], like: Binary) -> typed.Expression:
    """The chain of what is left."""
    positive, result = terms[0]
    if not positive:
        result = operators.negate(result, result.span)
    operator = Operator.ADD if like.operator in _SUMS else like.operator
    for plus, term in terms[1:]:
        joint = operator if plus else Operator.SUBTRACT
        result = Binary(joint, result, term, like.type, span=result.span.to(term.span))
    return result


def _is(term: typed.Expression, place: Place) -> bool:
    """Whether a term is the place's value, perhaps widened."""
    widened = isinstance(term, Convert) and (term.operand == place or _is_whole(term.type))
    return term == place or (isinstance(term, Convert) and widened and _is(term.operand, place))


def _as(value: typed.Expression, kind: Scalar) -> typed.Expression | None:
    """A reduction's operand in the place's type; None where reducing in that type would mean something else."""
    if (source := scalar_of(value)) is kind:
        return value
    if not kind.is_numeric or (kind.is_integer and source.is_real):
        return None
    match value:
        case Literal() if kind.is_real or source.is_integer:
            number = float(value.value) if kind.is_real else value.value
            small = not isinstance(number, int) or kind is not Scalar.INT or -(2**31) <= number < 2**31
            return Literal(number, kind, span=value.span) if small else None
        case Infinity():
            return Infinity(kind, value.negative, span=value.span)
        case Convert() if scalar_of(value.operand) is kind:
            return value.operand
        case _:
            single = conversions.in_single(value) if kind is Scalar.FLOAT else None
            return single or Convert(value, kind, span=value.span)


def as_extreme(place: Place, value: typed.Expression, span: Span) -> AssignExtreme | None:
    """`place = min(place, e)` as one operation; also of a float in doubles, for rounding keeps the order, and of
    whatever integer with whatever other."""
    if not isinstance(value, typed.Apply) or value.function not in (Function.MIN, Function.MAX):
        return None
    widened = (place.type, value.type) == (Scalar.FLOAT, Scalar.DOUBLE)
    whole = _is_whole(place.type) and _is_whole(value.type)
    if value.type is not place.type and not widened and not whole:
        return None
    left, right = value.arguments
    if not _is(left, place) and not _is(right, place):
        return None
    other = right if _is(left, place) else left
    candidate = _as(other, place.type) if value.type is place.type or widened else saturated(other, place.type)
    if candidate is None:
        return None
    extreme = Extreme.MIN if value.function is Function.MIN else Extreme.MAX
    return AssignExtreme(extreme, place, candidate, span=span)


def _is_whole(kind: Scalar) -> bool:
    return kind.is_integer or kind.is_index


def saturated(value: typed.Expression, kind: Scalar) -> typed.Expression | None:
    """An integer as another integer type, at whose ends it stays: what Min and Max compare keeps its order."""
    source = scalar_of(value)
    match value:
        case Infinity():
            return Infinity(kind, value.negative, span=value.span) if kind.is_numeric else None
        case Convert() if _is_whole(scalar_of(value.operand)):
            return saturated(value.operand, kind)
    if source is kind:
        return value
    if kind not in (Scalar.INT, Scalar.NODE) or source in (Scalar.INT, Scalar.NODE):
        return Convert(value, kind, span=value.span)
    wide = value if source is Scalar.LONG else Convert(value, Scalar.LONG, span=value.span)
    least, greatest = (Literal(limit, Scalar.LONG, span=value.span) for limit in (_LEAST, _GREATEST))
    above = typed.Apply(Function.MAX, (wide, least), Scalar.LONG, span=value.span)
    within = typed.Apply(Function.MIN, (above, greatest), Scalar.LONG, span=value.span)
    return Convert(within, kind, span=value.span)


def mentions(value: typed.Expression, place: Place) -> bool:
    """Whether the value reads the place, or hands its variable on by reference."""
    for part in within(value):
        if part == place:
            return True
        if isinstance(part, typed.Call) and place.symbol in part.arguments:
            return True
    return False
