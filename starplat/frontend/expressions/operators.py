"""Checks operators: checked operands in, a typed expression out.

Every function returns None, having said why, where the operands do not fit.
"""

from starplat.frontend import typed
from starplat.frontend.context import Context
from starplat.frontend.expressions.conversions import LARGEST, cast, convert, fits, meet, meeting_type, mismatch
from starplat.frontend.expressions.truth import comparison_help, falsehood, note_number, number, require_truth, truth
from starplat.frontend.typed import Binary, Infinity, Literal, Operator, Unary, UnaryOperator, scalar_of
from starplat.frontend.types import Scalar, as_number, indefinite
from starplat.source import Span

ARITHMETIC = frozenset({Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.DIVIDE, Operator.REMAINDER})
LOGICAL = frozenset({Operator.AND, Operator.OR})
_BITWISE = frozenset({Operator.BIT_AND, Operator.BIT_OR, Operator.BIT_XOR})
_SHIFTS = frozenset({Operator.SHIFT_LEFT, Operator.SHIFT_RIGHT})
_EQUALITY = frozenset({Operator.EQUAL, Operator.NOT_EQUAL})


def binary(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    """`left operator right`, also for `left operator= right`."""
    if operator in LOGICAL:
        return _logical(context, operator, left, right, span)
    if operator in _BITWISE:
        return _bitwise(context, operator, left, right, span)
    if operator in _SHIFTS:
        return _shift(context, operator, left, right, span)
    if operator in ARITHMETIC:
        return _arithmetic(context, operator, left, right, span)
    return _comparison(context, operator, left, right, span)


def _logical(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    conditions = [truth(context, operand) for operand in (left, right)]
    for operand, condition in zip((left, right), conditions, strict=True):
        if condition is None:
            refuse(context, operator.value, "bools", operand, comparison_help(scalar_of(operand)))
    first, second = conditions
    return None if first is None or second is None else Binary(operator, first, second, Scalar.BOOL, span=span)


def _bitwise(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    if scalar_of(left) is Scalar.BOOL and scalar_of(right) is Scalar.BOOL:
        return Binary(operator, left, right, Scalar.BOOL, span=span)
    fine = True
    for operand in (left, right):
        if not as_number(scalar_of(operand)).is_integer:
            fine = False
            refuse(context, operator.value, "two integers or two bools", operand, _bitwise_help(operator, operand))
    return _met(context, operator, left, right, span) if fine else None


def _shift(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    """A shift in the left side's type, by the right side modulo that type's bits."""
    for operand in (left, right):
        if not as_number(scalar_of(operand)).is_integer:
            refuse(context, operator.value, "integers", operand)
            return None
    kind = as_number(scalar_of(left))
    shifted, count = convert(context, left, kind), cast(context, right, Scalar.INT, right.span)
    if shifted is None or count is None:
        return None
    most = Literal(63 if kind is Scalar.LONG else 31, Scalar.INT, span=count.span)
    known = _integer_constant(count)
    within: typed.Expression = Binary(Operator.BIT_AND, count, most, Scalar.INT, span=count.span)
    if known is not None:
        within = Literal(known & int(most.value), Scalar.INT, span=count.span)
    return Binary(operator, shifted, within, kind, span=span)


def _bitwise_help(operator: Operator, operand: typed.Expression) -> str | None:
    if scalar_of(operand) is not Scalar.BOOL:
        return None
    twice = {Operator.BIT_AND: "&&", Operator.BIT_OR: "||"}.get(operator)
    joined = None if twice is None else f"conditions are joined by '{twice}'"
    if _is_comparison(operand):
        tighter = f"comparisons bind tighter than '{operator.value}': for bits write '(a {operator.value} b) == c'"
        return tighter if joined is None else f"{joined}; {tighter}"
    return joined


def _arithmetic(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    for operand in (left, right):
        if operator is Operator.REMAINDER and scalar_of(operand).is_real:
            refuse(context, "%", "integers", operand)
            return None
    left, right = number(context, left), number(context, right)
    if isinstance(result := _met(context, operator, left, right, span), Binary):
        return result if _constants_are_fine(context, result) else None
    return result


def _met(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    kind = meeting_type(left, right)
    kind = None if kind is None else as_number(kind)
    if kind is None:
        mismatch(context, right, scalar_of(left))
        return None
    operands = meet(context, left, right, kind)
    return None if operands is None else Binary(operator, *operands, kind, span=span)


def _comparison(
    context: Context, operator: Operator, left: typed.Expression, right: typed.Expression, span: Span
) -> typed.Expression | None:
    if Scalar.BOOL in (scalar_of(left), scalar_of(right)):
        if operator not in _EQUALITY:
            operand = left if scalar_of(left) is Scalar.BOOL else right
            help = "compare twice: 'a < b && b < c'" if _is_comparison(operand) else None
            refuse(context, operator.value, "numbers", operand, help)
            return None
        left, right = _beside(context, left, right), _beside(context, right, left)
    if (kind := meeting_type(left, right)) is None:
        first, second = (indefinite(scalar_of(operand)) for operand in (left, right))
        help = _equality_help(left, right)
        context.error("E0324", f"{first} cannot be compared with {second}", span, help=help)
        return None
    if (operands := meet(context, left, right, kind)) is None:
        return None
    for one, other in (operands, operands[::-1]):
        if kind is Scalar.BOOL and isinstance(other, Literal):
            holds = bool(other.value) is (operator is Operator.EQUAL)
            return one if holds else opposite(one, span)
    return Binary(operator, *operands, Scalar.BOOL, span=span)


def opposite(condition: typed.Expression, span: Span) -> typed.Expression:
    """`!condition`, folded where that is negated or constant itself."""
    match condition:
        case Literal(value=value):
            return Literal(not value, Scalar.BOOL, span=span)
        case Unary(operator=UnaryOperator.NOT, operand=operand):
            return operand
    return Unary(UnaryOperator.NOT, condition, span=span)


def _beside(context: Context, operand: typed.Expression, other: typed.Expression) -> typed.Expression:
    """An operand of `==` or `!=`: a bool beside an integer is 0 or 1, and the constants 0 and 1 beside a bool are
    bools, so that `b == 1` asks for `b == True`.
    """
    if _counts(operand, other):
        if not isinstance(other, Literal):
            return number(context, operand)
        note_number(context, operand, help=f"compare it with '{bool(other.value)}' to say so")
    elif isinstance(operand, Literal) and _counts(other, operand):
        return Literal(bool(operand.value), Scalar.BOOL, span=operand.span)
    return operand


def _counts(flag: typed.Expression, other: typed.Expression) -> bool:
    """Whether `flag` is a bool that is 0 or 1 beside `other`."""
    if scalar_of(flag) is not Scalar.BOOL or _is_comparison(flag) or not scalar_of(other).is_integer:
        return False
    return not isinstance(other, Literal) or other.value in (0, 1)


def _is_comparison(value: typed.Expression) -> bool:
    return isinstance(value, Binary) and value.type is Scalar.BOOL and value.operator not in LOGICAL | _BITWISE


def _equality_help(left: typed.Expression, right: typed.Expression) -> str | None:
    flag, other = (left, right) if scalar_of(left) is Scalar.BOOL else (right, left)
    if scalar_of(flag) is not Scalar.BOOL:
        return None
    if _is_comparison(flag):
        return "a comparison is a bool: to compare three values write 'a == b && b == c'"
    if isinstance(other, Literal) and other.type.is_integer:
        return f"a bool counts as 0 or 1, never as {other.value}"
    return "a bool is already a condition"


def refuse(context: Context, operator: str, needed: str, operand: typed.Expression, help: str | None = None) -> None:
    """Says that an operator cannot take an operand of that type."""
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
    return None


def unary(context: Context, operator: str, operand: typed.Expression, span: Span) -> typed.Expression | None:
    """`operator operand`; a negated constant is a constant."""
    if operator == "!":
        return _not(context, operand, span)
    kind = as_number(scalar_of(operand))
    if operator == "~":
        if not kind.is_integer:
            refuse(
                context, "~", "an integer", operand, "the opposite of a bool is '!'" if kind is Scalar.BOOL else None
            )
            return None
        value = convert(context, operand, kind)
        return None if value is None else Unary(UnaryOperator.COMPLEMENT, value, span=span)
    operand = number(context, operand)
    return convert(context, operand, as_number(scalar_of(operand))) if operator == "+" else negate(operand, span)


def _not(context: Context, operand: typed.Expression, span: Span) -> typed.Expression | None:
    if (kind := scalar_of(operand)) is Scalar.BOOL:
        return Unary(UnaryOperator.NOT, operand, span=span)
    if (opposite := falsehood(context, operand, span)) is None:
        refuse(context, "!", "a bool", operand, comparison_help(kind).replace("!=", "=="))
    return opposite


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
    if (test := require_truth(context, condition, "the condition of '?:'")) is None:
        return None
    if (kind := _branch_type(then, otherwise)) is None:
        mismatch(context, otherwise, scalar_of(then))
        return None
    branches = meet(context, then, otherwise, kind)
    return None if branches is None else typed.Conditional(test, *branches, span=span)


def _branch_type(then: typed.Expression, otherwise: typed.Expression) -> Scalar | None:
    for one, other in ((then, otherwise), (otherwise, then)):
        if isinstance(one, Literal) and one.type is Scalar.INT and scalar_of(other).is_index:
            return scalar_of(other)
    return meeting_type(then, otherwise)
