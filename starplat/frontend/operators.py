"""What the operators accept and give: operands that are already checked in, a typed expression out.

Every function returns None, having said why, where the operands do not fit.
"""

from __future__ import annotations

from starplat.frontend import typed
from starplat.frontend.context import Context
from starplat.frontend.conversions import (
    LARGEST,
    convert,
    fits,
    meet,
    meeting_type,
    mismatch,
)
from starplat.frontend.typed import Binary, Infinity, Literal, Operator, Unary, UnaryOperator, scalar_of
from starplat.frontend.types import Scalar, as_number, indefinite
from starplat.source import Span

_ARITHMETIC = frozenset({Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE, Operator.REMAINDER})
_LOGICAL = frozenset({Operator.AND, Operator.OR})
_BITWISE = frozenset({Operator.BIT_AND, Operator.BIT_OR, Operator.BIT_XOR})
_EQUALITY = frozenset({Operator.EQUAL, Operator.NOT_EQUAL})


def binary(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    """`left operator right`, also for `left operator= right`."""
    if operator in _LOGICAL:
        return _logical(context, operator, left, right, span)
    if operator in _BITWISE:
        return _bitwise(context, operator, left, right, span)
    if operator in _ARITHMETIC:
        return _arithmetic(context, operator, left, right, span)
    return _comparison(context, operator, left, right, span)


def _logical(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    fine = True
    for operand in (left, right):
        if scalar_of(operand) is not Scalar.BOOL:
            fine = False
            _refuse(context, operator.value, "bools", operand, "compare it, as in '… != 0'")
    return Binary(operator, left, right, Scalar.BOOL, span=span) if fine else None


def _bitwise(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    if scalar_of(left) is Scalar.BOOL and scalar_of(right) is Scalar.BOOL:
        return Binary(operator, left, right, Scalar.BOOL, span=span)
    fine = True
    for operand in (left, right):
        if not as_number(scalar_of(operand)).is_integer:
            fine = False
            _refuse(context, operator.value, "two integers or two bools", operand)
    return _met(context, operator, left, right, span) if fine else None


def _arithmetic(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    fine = True
    for operand in (left, right):
        kind = scalar_of(operand)
        if kind is Scalar.BOOL:
            fine = False
            _refuse(context, operator.value, "numbers", operand, "a bool does not count as a number: write '… ? 1 : 0'")
        elif operator is Operator.REMAINDER and kind.is_real:
            fine = False
            _refuse(context, "%", "integers", operand)
    if not fine:
        return None
    result = _met(context, operator, left, right, span)
    if isinstance(result, Binary):
        return result if _constants_are_fine(context, result) else None
    return result


def _met(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    kind = meeting_type(left, right)
    kind = None if kind is None else as_number(kind)
    if kind is None:
        mismatch(context, scalar_of(right), scalar_of(left), right.span)
        return None
    operands = meet(context, left, right, kind)
    return None if operands is None else Binary(operator, *operands, kind, span=span)


def _comparison(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    kinds = {scalar_of(left), scalar_of(right)}
    if Scalar.BOOL in kinds and operator not in _EQUALITY:
        operand = left if scalar_of(left) is Scalar.BOOL else right
        _refuse(context, operator.value, "numbers", operand)
        return None
    kind = meeting_type(left, right)
    if kind is None:
        context.error(
            "E0324",
            f"{indefinite(scalar_of(left))} cannot be compared with {indefinite(scalar_of(right))}",
            span,
            help="a bool is already a condition" if Scalar.BOOL in kinds else None,
        )
        return None
    operands = meet(context, left, right, kind)
    return None if operands is None else Binary(operator, *operands, Scalar.BOOL, span=span)


def _refuse(context: Context, operator: str, needed: str, operand: typed.Expression, help: str | None = None) -> None:
    kind = scalar_of(operand)
    context.error(
        "E0303",
        f"'{operator}' needs {needed}, not {indefinite(kind)}",
        operand.span,
        f"this is {indefinite(kind)}",
        help=help,
    )


def _constants_are_fine(context: Context, value: Binary) -> bool:
    """Whether arithmetic on constants can be done at all: no division by 0, nothing beyond the type's range."""
    divides = value.operator in (Operator.DIVIDE, Operator.REMAINDER)
    if divides and isinstance(value.right, Literal) and value.right.value == 0 and value.type.is_integer:
        context.error("E0306", "division by zero", value.right.span, "this is always 0")
        return False
    left, right = _integer_constant(value.left), _integer_constant(value.right)
    if left is None or right is None or divides:
        return True
    match value.operator:
        case Operator.ADD:
            result = left + right
        case Operator.SUBTRACT:
            result = left - right
        case _:
            result = left * right
    if fits(result, value.type):
        return True
    if isinstance(value.left, Infinity) or isinstance(value.right, Infinity):
        beyond = f"INF is the largest {value.type}; nothing lies beyond it"
        context.error("E0305", "this constant goes beyond INF", value.span, help=beyond)
    else:
        help = "a long holds more: write it as one number" if value.type is Scalar.INT else None
        context.error("E0305", f"{result} does not fit in {indefinite(value.type)}", value.span, help=help)
    return False


def _integer_constant(value: typed.Expression) -> int | None:
    match value:
        case Literal(value=int(number), type=Scalar.INT | Scalar.LONG):
            return number
        case Infinity(type=Scalar.INT | Scalar.LONG):
            return -LARGEST[value.type] - 1 if value.negative else LARGEST[value.type]
        case _:
            return None


def unary(context: Context, operator: str, operand: typed.Expression, span: Span) -> typed.Expression | None:
    """`operator operand`; a negated constant is a constant."""
    kind = scalar_of(operand)
    if operator == "!":
        if kind is not Scalar.BOOL:
            _refuse(context, "!", "a bool", operand, "compare it, as in '… == 0'")
            return None
        return Unary(UnaryOperator.NOT, operand, span=span)
    number = as_number(kind)
    if operator == "~":
        if not number.is_integer:
            _refuse(context, "~", "an integer", operand)
            return None
        value = convert(context, operand, number)
        return None if value is None else Unary(UnaryOperator.COMPLEMENT, value, span=span)
    if kind is Scalar.BOOL:
        _refuse(context, operator, "a number", operand)
        return None
    return convert(context, operand, number) if operator == "+" else negate(operand, span)


def negate(operand: typed.Expression, span: Span) -> typed.Expression:
    """`-operand`, folded for constants."""
    match operand:
        case Literal():
            return Literal(-operand.value, operand.type, span=span)
        case Infinity():
            return Infinity(operand.type, not operand.negative, span=span)
        case _:
            number = as_number(scalar_of(operand))
            same = operand if number is scalar_of(operand) else typed.Convert(operand, number, span=operand.span)
            return Unary(UnaryOperator.NEGATE, same, span=span)


def conditional(
    context: Context, condition: typed.Expression, then: typed.Expression, otherwise: typed.Expression, span: Span
) -> typed.Expression | None:
    """`condition ? then : otherwise`; the branches meet like operands; an integer constant beside a node is a node."""
    if not require_bool(context, condition, "the condition of '?:'"):
        return None
    kind = _branch_type(then, otherwise)
    if kind is None:
        mismatch(context, scalar_of(otherwise), scalar_of(then), otherwise.span)
        return None
    branches = meet(context, then, otherwise, kind)
    return None if branches is None else typed.Conditional(condition, *branches, span=span)


def _branch_type(then: typed.Expression, otherwise: typed.Expression) -> Scalar | None:
    for one, other in ((then, otherwise), (otherwise, then)):
        if isinstance(one, Literal) and one.type is Scalar.INT and scalar_of(other).is_index:
            return scalar_of(other)
    return meeting_type(then, otherwise)


def require_bool(context: Context, condition: typed.Expression, what: str) -> bool:
    """Whether `condition` is a bool; says so if not."""
    kind = scalar_of(condition)
    if kind is Scalar.BOOL:
        return True
    help = "compare it, as in '… != 0'" if kind.is_numeric else "compare it, as in '… != -1'"
    context.error("E0302", f"{what} must be a bool", condition.span, f"this is {indefinite(kind)}", help=help)
    return False
