"""Arithmetic that raises a `Fault` on overflow, NaN or undefined results.

Integers that are INF stay INF in sums; every other result must fit its type. Reals may become infinite, as IEEE has it,
but NaN may only come from NaN.
"""

import math
from collections.abc import Callable, Sequence

from starplat.frontend.typed import Function, Operator
from starplat.frontend.types import Scalar
from starplat.ir import nodes as ir
from starplat.ir.python import arithmetic
from starplat.ir.python.arithmetic import Fault, Value
from starplat.runtime.elements import element_of

_COMPARISONS: dict[Operator, Callable[[Value, Value], bool]] = {
    Operator.EQUAL: lambda a, b: a == b,
    Operator.NOT_EQUAL: lambda a, b: a != b,
    Operator.LESS: lambda a, b: a < b,
    Operator.LESS_EQUAL: lambda a, b: a <= b,
    Operator.GREATER: lambda a, b: a > b,
    Operator.GREATER_EQUAL: lambda a, b: a >= b,
}
_REALS: dict[Function, Callable[..., float]] = {
    Function.SQRT: arithmetic.square_root,
    Function.EXP: arithmetic.exponential,
    Function.LOG: arithmetic.logarithm,
    Function.POW: arithmetic.power,
    Function.FLOOR: arithmetic.floor,
    Function.CEIL: arithmetic.ceil,
}


def binary(operator: Operator, left: Value, right: Value, kind: Scalar) -> Value:
    """`left operator right`; both operands and, but for comparisons, the result are of type `kind`."""
    if operator in _COMPARISONS:
        return _COMPARISONS[operator](left, right)
    if kind is Scalar.BOOL:
        return _of_bools(operator, bool(left), bool(right))
    return (
        _of_reals(operator, left, right, kind) if kind.is_real else _of_integers(operator, int(left), int(right), kind)
    )


def _of_bools(operator: Operator, left: bool, right: bool) -> bool:
    match operator:
        case Operator.BIT_AND:
            return left and right
        case Operator.BIT_OR:
            return left or right
    return left != right


def _of_integers(operator: Operator, left: int, right: int, kind: Scalar) -> int:
    largest = ir.infinity(element_of(kind)).value
    match operator:
        case Operator.ADD:
            return int(largest) if largest in (left, right) else fitting(left + right, kind, f"{left} + {right}")
        case Operator.SUBTRACT:
            return fitting(left - right, kind, f"{left} - {right}")
        case Operator.MULTIPLY:
            return fitting(left * right, kind, f"{left} * {right}")
        case Operator.DIVIDE:
            return fitting(arithmetic.divide(left, right), kind, f"{left} / {right}")
        case Operator.REMAINDER:
            return arithmetic.remainder(left, right)
        case Operator.SHIFT_LEFT:
            return int(arithmetic.settled(element_of(kind), left << right))
        case Operator.SHIFT_RIGHT:
            return left >> right
        case Operator.BIT_AND:
            return left & right
        case Operator.BIT_OR:
            return left | right
    return left ^ right


def _of_reals(operator: Operator, left: Value, right: Value, kind: Scalar) -> float:
    a, b = float(left), float(right)
    match operator:
        case Operator.ADD:
            result = a + b
        case Operator.SUBTRACT:
            result = a - b
        case Operator.MULTIPLY:
            result = a * b
        case _:
            result = arithmetic.real_divide(a, b)
    return a_number(result, (a, b), kind, f"{a} {operator.value} {b}")


def random_bits(seed: Value, i: Value, second: Value) -> Value:
    """The prelude's `random_bits`, whose 350 operations take 4 ms one by one."""
    low = 0xFFFFFFFF
    seed, i = int(seed), int(i)
    a, b, c, d = i & low, i >> 32 & low, 0, 0
    first_key, second_key = seed & low, seed >> 32 & low
    for _ in range(10):
        x, y = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = y >> 32 ^ b ^ first_key, y & low, x >> 32 ^ d ^ second_key, x & low
        first_key, second_key = first_key + 0x9E3779B9 & low, second_key + 0xBB67AE85 & low
    return arithmetic.wrap64(d << 32 | c if second else b << 32 | a)


OF_PRELUDE: dict[str, Callable[..., Value]] = {"random_bits": random_bits}
"""Functions of the prelude that are not interpreted; no program has others of these names."""


def negated(value: Value, kind: Scalar) -> Value:
    return -float(value) if kind.is_real else fitting(-int(value), kind, f"-({value})")


def applied(function: Function, values: Sequence[Value], kind: Scalar) -> Value:
    """A function of the language; Min and Max give way to what is a number."""
    match function:
        case Function.MIN | Function.MAX:
            numbers = [v for v in values if not math.isnan(v)] or list(values)
            return min(numbers) if function is Function.MIN else max(numbers)
        case Function.ABS:
            return abs(float(values[0])) if kind.is_real else fitting(abs(int(values[0])), kind, f"abs({values[0]})")
        case _:
            reals = tuple(map(float, values))
            said = f"{function.value}({', '.join(map(str, reals))})"
            return a_number(_REALS[function](*reals), reals, kind, said)


def converted(value: Value, source: Scalar, target: Scalar) -> Value:
    """A value as another type: INF stays INF, what does not fit in an integer type from another is a fault."""
    if source is target:
        return value
    if target is Scalar.BOOL:
        return value != 0
    if target.is_real:
        is_infinity = source.is_integer and value == ir.infinity(element_of(source)).value
        return stored(math.inf if is_infinity else float(value), target)
    if source.is_real:
        lowest, highest = ir.limits(element_of(target))
        return 0 if math.isnan(value) else int(min(max(value, lowest), highest))
    if source.is_integer and value == ir.infinity(element_of(source)).value:
        return int(ir.infinity(element_of(target)).value)
    return fitting(int(value), target, str(value))


def cast(value: Value, source: Scalar, target: Scalar) -> Value:
    """A value as the type that the program asks for: of an integer that does not fit, the low bits stay."""
    found = value if source.is_real or source is Scalar.BOOL else int(value)
    lowest, highest = ir.limits(ir.Element.INT)
    fits = target is not Scalar.INT or source.is_real or lowest <= found <= highest
    is_infinity = source.is_integer and value == ir.infinity(element_of(source)).value
    return converted(value, source, target) if fits or is_infinity else arithmetic.wrap32(int(value))


def stored(value: Value, kind: Scalar) -> Value:
    """A value as a cell of the type holds it."""
    return arithmetic.round32(float(value)) if kind is Scalar.FLOAT else value


def fitting(value: int, kind: Scalar, said: str) -> int:
    """The integer, if it fits. Raises Fault: E0715."""
    lowest, highest = ir.limits(element_of(kind))
    if lowest <= value <= highest:
        return value
    raise Fault(
        "E0715", f"{said} does not fit in {'an' if str(kind)[0] in 'ie' else 'a'} {kind}", "a wider type holds more"
    )


def a_number(value: float, operands: Sequence[float], kind: Scalar, said: str) -> float:
    """The real, if it is a number or came from none. Raises Fault: E0716."""
    if not math.isnan(value) or any(map(math.isnan, operands)):
        return float(stored(value, kind))
    raise Fault("E0716", f"{said} is not a number", "test the operands first; scale numbers that grow too large")
