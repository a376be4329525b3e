"""Arithmetic that raises a `Fault` on overflow, NaN or undefined results.

Integers that are INF stay INF in sums; every other result must fit its type. Reals may become infinite, as IEEE has it,
but NaN may only come from NaN.
"""

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache

from starplat.frontend.typed import Function, Operator
from starplat.frontend.types import Scalar
from starplat.ir import nodes as ir
from starplat.ir.python import arithmetic
from starplat.ir.python.arithmetic import Fault, Value
from starplat.runtime.elements import element_of

Operation = Callable[[Value, Value], Value]

RANGES = {kind: ir.limits(element_of(kind)) for kind in Scalar if not kind.is_real}
"""The lowest and the highest value of types without fractions; the highest is INF."""

_COMPARISONS: dict[Operator, Operation] = {
    Operator.EQUAL: operator.eq,
    Operator.NOT_EQUAL: operator.ne,
    Operator.LESS: operator.lt,
    Operator.LESS_EQUAL: operator.le,
    Operator.GREATER: operator.gt,
    Operator.GREATER_EQUAL: operator.ge,
}
_OF_INTEGERS: dict[Operator, Callable[[int, int], int]] = {
    Operator.ADD: operator.add,
    Operator.SUBTRACT: operator.sub,
    Operator.MULTIPLY: operator.mul,
    Operator.DIVIDE: arithmetic.divide,
    Operator.REMAINDER: arithmetic.remainder,
    Operator.SHIFT_LEFT: operator.lshift,
    Operator.SHIFT_RIGHT: operator.rshift,
    Operator.BIT_AND: operator.and_,
    Operator.BIT_OR: operator.or_,
    Operator.BIT_XOR: operator.xor,
}
_OF_REALS: dict[Operator, Callable[[float, float], float]] = {
    Operator.ADD: operator.add,
    Operator.SUBTRACT: operator.sub,
    Operator.MULTIPLY: operator.mul,
    Operator.DIVIDE: arithmetic.real_divide,
}
_REALS: dict[Function, Callable[..., float]] = {
    Function.SQRT: arithmetic.square_root,
    Function.EXP: arithmetic.exponential,
    Function.LOG: arithmetic.logarithm,
    Function.POW: arithmetic.power,
    Function.FLOOR: arithmetic.floor,
    Function.CEIL: arithmetic.ceil,
}


def binary(of: Operator, left: Value, right: Value, kind: Scalar) -> Value:
    """`left of right`; both operands and, but for comparisons, the result are of type `kind`."""
    return operation(of, kind)(left, right)


@cache
def operation(of: Operator, kind: Scalar) -> Operation:
    """The same as a function of the operands."""
    if of in _COMPARISONS:
        return _COMPARISONS[of]
    if kind is Scalar.BOOL:
        return lambda left, right: bool(_OF_INTEGERS[of](bool(left), bool(right)))
    return _of_reals(of, kind) if kind.is_real else _of_integers(of, kind)


def _of_integers(of: Operator, kind: Scalar) -> Operation:
    (lowest, highest), exact = RANGES[kind], _OF_INTEGERS[of]
    keeps_infinity, wraps = of is Operator.ADD, of is Operator.SHIFT_LEFT

    def fits(left: Value, right: Value) -> int:
        a, b = int(left), int(right)
        if keeps_infinity and highest in (a, b):
            return highest
        result = exact(a, b)
        if lowest <= result <= highest:
            return result
        return (
            int(arithmetic.settled(element_of(kind), result)) if wraps else fitting(result, kind, f"{a} {of.value} {b}")
        )

    return fits


def _of_reals(of: Operator, kind: Scalar) -> Operation:
    exact, is_single = _OF_REALS[of], kind is Scalar.FLOAT

    def is_number(left: Value, right: Value) -> float:
        a, b = float(left), float(right)
        result = exact(a, b)
        if math.isnan(result):
            return a_number(result, (a, b), kind, f"{a} {of.value} {b}")
        return arithmetic.round32(result) if is_single else result

    return is_number


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
    is_infinity = source.is_integer and value == RANGES[source][1]
    if target.is_real:
        return stored(math.inf if is_infinity else float(value), target)
    lowest, highest = RANGES[target]
    if source.is_real:
        return 0 if math.isnan(value) else int(min(max(value, lowest), highest))
    return highest if is_infinity else fitting(int(value), target, str(value))


def cast(value: Value, source: Scalar, target: Scalar) -> Value:
    """A value as the type that the program asks for: of an integer that does not fit, the low bits stay."""
    found = value if source.is_real or source is Scalar.BOOL else int(value)
    lowest, highest = RANGES[Scalar.INT]
    fits = target is not Scalar.INT or source.is_real or lowest <= found <= highest
    is_infinity = source.is_integer and value == RANGES[source][1]
    return converted(value, source, target) if fits or is_infinity else arithmetic.wrap32(int(value))


def stored(value: Value, kind: Scalar) -> Value:
    """A value as a cell of the type holds it."""
    return arithmetic.round32(float(value)) if kind is Scalar.FLOAT else value


def fitting(value: int, kind: Scalar, said: str) -> int:
    """The integer, if it fits. Raises Fault: E0715."""
    lowest, highest = RANGES[kind]
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
