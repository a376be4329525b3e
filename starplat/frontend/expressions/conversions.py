"""Conversions between types: a constant takes the type it is needed in, everything else becomes `Convert`.

An unsuffixed constant (`2`, `0.85`, `INF`) has the type of what it meets: `x * 0.85` of a float `x` is computed in
float. Everything else follows `types.common` and `types.convertible`. Narrowing a real to an integer is a warning.
"""

from starplat.diagnostics import Label
from starplat.frontend import typed
from starplat.frontend.context import Context
from starplat.frontend.expressions.truth import number
from starplat.frontend.typed import Binary, Conditional, Convert, Infinity, Literal, Unary, scalar_of
from starplat.frontend.types import Carrier, Scalar, as_number, common, convertible, indefinite
from starplat.source import Span

LARGEST = {Scalar.INT: 2**31 - 1, Scalar.LONG: 2**63 - 1, Scalar.NODE: 2**31 - 1, Scalar.EDGE: 2**63 - 1}
_LARGEST_FLOAT = 3.4028234663852886e38


def convert(
    context: Context, value: typed.Expression, target: Scalar, because: tuple[Label, ...] = ()
) -> typed.Expression | None:
    """`value` as `target`; reports and returns None where that is impossible. `because` are places that say why."""
    source = scalar_of(value)
    if isinstance(value, Infinity):
        return _convert_infinity(context, value, target, because)
    if source is target:
        return value
    if source is Scalar.BOOL and target.is_numeric:
        return convert(context, number(context, value, because), target, because)
    if not convertible(source, target):
        mismatch(context, value, target, because)
        return None
    return _convert(context, value, target, because)


def _convert(
    context: Context, value: typed.Expression, target: Scalar, because: tuple[Label, ...]
) -> typed.Expression | None:
    match value:
        case Literal():
            return _convert_literal(context, value, target, because)
        case Conditional() if is_constant(value.then) or is_constant(value.otherwise):
            then = convert(context, value.then, target, because)
            otherwise = convert(context, value.otherwise, target, because)
            if then is None or otherwise is None:
                return None
            return Conditional(value.condition, then, otherwise, span=value.span)
        case _:
            if target is Scalar.FLOAT and (single := in_single(value)) is not None:
                return single
            if scalar_of(value).is_real and not target.is_real and not _is_whole(value):
                _warn_of_lost_fraction(context, value, target, because)
            warn_of_lost_bits(context, value, target, because)
            return Convert(value, target, span=value.span)


def cast(context: Context, value: typed.Expression, target: Scalar, span: Span) -> typed.Expression | None:
    """`value` as a number of type `target`, which the program asks for: a bool counts as 0 or 1, and what is lost
    gets no warning."""
    source = scalar_of(value)
    match value:
        case Infinity():
            return Infinity(target, value.negative, span=span)
        case _ if source is Scalar.BOOL:
            one, zero = (Literal(bit if target.is_integer else float(bit), target, span=span) for bit in (1, 0))
            return Conditional(value, one, zero, span=span)
        case Literal() if target.is_integer and not fits(int(value.value), target):
            too_large(context, span, target)
            return None
        case Literal() if target.is_integer:
            return Literal(int(value.value), target, span=span)
        case Literal() if target is Scalar.FLOAT:
            return convert(context, value, target)
        case _ if source is target and (target is not Scalar.DOUBLE or in_single(value) is None):
            return value
    same_bits = {source, target} in ({Scalar.NODE, Scalar.INT}, {Scalar.EDGE, Scalar.LONG})
    return Convert(value, target, span=span) if same_bits else typed.Cast(value, target, span=span)


def mismatch(context: Context, value: typed.Expression, target: Scalar, because: tuple[Label, ...] = ()) -> None:
    """Says that `value` stands where `target` is needed."""
    source = scalar_of(value)
    context.error(
        "E0301",
        f"expected {indefinite(target)}, found {indefinite(source)}",
        value.span,
        f"this is {indefinite(source)}",
        related=because,
        help=_conversion_help(value, source, target),
    )


def _conversion_help(value: typed.Expression, source: Scalar, target: Scalar) -> str | None:
    match source, target:
        case Scalar.BOOL, _:
            return "a bool is no node and no edge" if target.is_index else "write '… ? 1 : 0' to make a number of it"
        case _, Scalar.BOOL if isinstance(value, Literal) and value.value in (0, 1):
            return f"write '{bool(value.value)}'"
        case _, Scalar.BOOL:
            return "a number is no bool: compare it, as in '… != 0'"
        case Scalar.EDGE, Scalar.NODE:
            return "the ends of an edge e are the nodes e.source and e.destination"
        case Scalar.NODE, Scalar.EDGE:
            return "the edge between two nodes is g.get_edge(u, v)"
    return "only an integer converts to a node or an edge" if target.is_index else None


def _convert_infinity(
    context: Context, value: Infinity, target: Scalar, because: tuple[Label, ...]
) -> typed.Expression | None:
    if target.is_numeric:
        return Infinity(target, value.negative, span=value.span)
    help = "-1 stands for none" if target.is_index else "INF is a number"
    context.error("E0323", f"INF cannot be {indefinite(target)}", value.span, related=because, help=help)
    return None


def _convert_literal(
    context: Context, literal: Literal, target: Scalar, because: tuple[Label, ...]
) -> typed.Expression | None:
    value = literal.value
    if target.is_real:
        if target is Scalar.FLOAT and abs(value) > _LARGEST_FLOAT:
            too_large(context, literal.span, target, because)
            return None
        return Literal(float(value), target, span=literal.span)
    if isinstance(value, float) and not value.is_integer():
        _warn_of_lost_fraction(context, literal, target, because)
    if not fits(int(value), target):
        too_large(context, literal.span, target, because)
        return None
    return Literal(int(value), target, span=literal.span)


def fits(value: int, kind: Scalar) -> bool:
    """Whether an integer type can hold the value."""
    return -LARGEST[kind] - 1 <= value <= LARGEST[kind]


def too_large(context: Context, span: Span, kind: Scalar, because: tuple[Label, ...] = ()) -> None:
    """Says that a constant is out of the range of its type."""
    wider = {Scalar.INT: "a long", Scalar.FLOAT: "a double"}.get(kind)
    limit = f"the largest {kind} is {LARGEST[kind]}" if kind in LARGEST else f"the largest {kind} is about 3.4e38"
    help = limit if wider is None else f"{limit}; {wider} holds more"
    context.error("E0304", f"this number does not fit in {indefinite(kind)}", span, related=because, help=help)


def _is_whole(value: typed.Expression) -> bool:
    """Whether a real value has visibly been made whole."""
    match value:
        case typed.Apply(function=typed.Function.FLOOR | typed.Function.CEIL):
            return True
        case Convert():
            return _is_whole(value.operand) or not scalar_of(value.operand).is_real
    return False


def _warn_of_lost_fraction(
    context: Context, value: typed.Expression, target: Scalar, because: tuple[Label, ...]
) -> None:
    context.warn(
        "W0301",
        f"{indefinite(scalar_of(value))} becomes {indefinite(target)} and loses its fraction",
        value.span,
        related=because,
        help="write 'floor(…)' or 'ceil(…)' to say which way it is rounded",
    )


def warn_of_lost_bits(
    context: Context, value: typed.Expression, target: Scalar, because: tuple[Label, ...] = ()
) -> None:
    """Warns where a `long` is put into 32 bits; a number of nodes fits."""
    if scalar_of(value) is not Scalar.LONG or target not in (Scalar.INT, Scalar.NODE) or _counts_nodes(value):
        return
    context.warn(
        "W0305",
        f"a long becomes {indefinite(target)} and keeps its low 32 bits",
        value.span,
        related=because,
        help="a long holds it all",
    )


def _counts_nodes(value: typed.Expression) -> bool:
    match value:
        case typed.Aggregate(aggregation=typed.Aggregation.COUNT):
            return value.property.property.carrier is Carrier.NODE
    return False


def is_constant(value: typed.Expression) -> bool:
    """Whether the value is a constant whose type is open: it takes the type of what it meets."""
    match value:
        case Infinity():
            return True
        case Literal():
            return value.type is not Scalar.BOOL and value.type is not Scalar.FLOAT
    return False


def in_single(value: typed.Expression) -> typed.Expression | None:
    """A double expression as a float one, where nothing in it is double but constants; None elsewhere."""
    match value:
        case Literal() if value.type is Scalar.DOUBLE:
            return Literal(value.value, Scalar.FLOAT, span=value.span)
        case Infinity():
            return Infinity(Scalar.FLOAT, value.negative, span=value.span)
        case Convert() if scalar_of(value.operand) in (Scalar.INT, Scalar.FLOAT):
            if scalar_of(value.operand) is Scalar.FLOAT:
                return value.operand
            return Convert(value.operand, Scalar.FLOAT, span=value.span)
        case Unary() if value.type is Scalar.DOUBLE:
            operand = in_single(value.operand)
            return None if operand is None else Unary(value.operator, operand, span=value.span)
        case Binary() if value.type is Scalar.DOUBLE:
            left, right = in_single(value.left), in_single(value.right)
            if left is None or right is None:
                return None
            return Binary(value.operator, left, right, Scalar.FLOAT, span=value.span)
        case typed.Apply() if value.type is Scalar.DOUBLE:
            arguments = tuple(a for a in map(in_single, value.arguments) if a is not None)
            if len(arguments) < len(value.arguments):
                return None
            return typed.Apply(value.function, arguments, Scalar.FLOAT, span=value.span)
    return None


def meeting_type(left: typed.Expression, right: typed.Expression) -> Scalar | None:
    """The type that two operands meet in, None where they do not meet."""
    kind, other = scalar_of(left), scalar_of(right)
    if is_constant(left) and not is_constant(right):
        return _constant_meets(left, other)
    if is_constant(right) and not is_constant(left):
        return _constant_meets(right, kind)
    if isinstance(left, Infinity) and other is not Scalar.BOOL:
        return other
    if isinstance(right, Infinity) and kind is not Scalar.BOOL:
        return kind
    if kind is not other and kind.is_index and other.is_index:
        return None
    if {kind, other} == {Scalar.FLOAT, Scalar.DOUBLE}:
        double = left if kind is Scalar.DOUBLE else right
        return Scalar.FLOAT if in_single(double) is not None else Scalar.DOUBLE
    return common(kind, other)


def _constant_meets(constant: typed.Expression, other: Scalar) -> Scalar | None:
    """The type in which a constant meets a value of type `other`."""
    kind = scalar_of(constant)
    if other is Scalar.BOOL:
        return None
    if isinstance(constant, Infinity) or other.is_real:
        return as_number(other)
    return common(kind, as_number(other))


def meet(
    context: Context, left: typed.Expression, right: typed.Expression, kind: Scalar
) -> tuple[typed.Expression, typed.Expression] | None:
    """Both operands as `kind`."""
    first, second = convert(context, left, kind), convert(context, right, kind)
    return None if first is None or second is None else (first, second)
