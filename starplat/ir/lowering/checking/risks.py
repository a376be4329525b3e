"""What may go wrong in an operation of the language, as conditions on its operands.

`risk_of` gives for an expression its operands and a `Risk`: the result, the conditions under which a checked run stops,
and what stands for the result then. Each is an expression over the risk's own variables; `Checks` makes functions or
host operations of it. The rules are those of `runtime.checked.numbers`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.frontend import typed
from starplat.frontend.typed import Function, Operator, UnaryOperator, scalar_of
from starplat.frontend.types import Scalar
from starplat.ir import build, nodes as ir
from starplat.ir.lowering.elements import ELEMENTS


@dataclass(frozen=True, slots=True)
class Wrong:
    """A fault: its code, what is said of it, with `{0}` and `{1}` for the operands, a remedy, and when it is there."""

    code: str
    says: str
    help: str
    when: ir.Expression


@dataclass(frozen=True, slots=True)
class Risk:
    """An operation that may go wrong. `name` says which, for the function that a kernel calls."""

    name: str
    operands: tuple[ir.Variable, ...]
    result: ir.Expression
    wrongs: tuple[Wrong, ...]
    instead: ir.Const


Found = tuple[Risk, tuple[typed.Expression, ...]]
_WORDS = {
    Operator.ADD: "sum",
    Operator.SUBTRACT: "difference",
    Operator.MULTIPLY: "product",
    Operator.DIVIDE: "quotient",
    Operator.REMAINDER: "rest",
}
_UPDATES = {ir.Combine.ADD: Operator.ADD, ir.Combine.MULTIPLY: Operator.MULTIPLY}
_NEVER_NAN = (Function.MIN, Function.MAX, Function.ABS)
_IN_A_WIDER_TYPE = "a wider type holds more"


def risk_of(e: typed.Expression) -> Found | None:
    """What may go wrong in an expression itself, beside its indices; None: nothing."""
    match e:
        case typed.Binary(operator) if operator in _WORDS:
            found = _of_operator(operator, scalar_of(e), scalar_of(e.left))
            return None if found is None else (found, (e.left, e.right))
        case typed.Unary(UnaryOperator.NEGATE) if scalar_of(e).is_integer:
            return _opposite(scalar_of(e), "-({0})", "opposite", build.TRUE), (e.operand,)
        case typed.Apply(Function.ABS) if scalar_of(e).is_integer:
            return _opposite(scalar_of(e), "abs({0})", "magnitude", None), e.arguments
        case typed.Apply(function) if function not in _NEVER_NAN:
            return _of_function(function, ELEMENTS[scalar_of(e)], len(e.arguments)), e.arguments
        case typed.Convert() if _narrows(scalar_of(e.operand), e.type):
            return _narrowed(scalar_of(e.operand), e.type), (e.operand,)
    return None


def risk_of_update(combine: ir.Combine, kind: Scalar) -> Risk | None:
    """What may go wrong when a place of this type is combined with a value of it."""
    return _of_operator(_UPDATES[combine], kind, kind) if combine in _UPDATES and kind.is_numeric else None


def at_cell(name: str, element: ir.Element) -> Risk:
    """An index of something that has so many cells; `name` is what messages call it, empty for nodes themselves."""
    index, cells = ir.Variable("index", element), ir.Variable("cells", ir.Element.LONG)
    wide = ir.Cast(ir.Ref(index), ir.Element.LONG)
    outside = build.either(build.less(wide, ir.Const(0, ir.Element.LONG)), build.at_least(wide, ir.Ref(cells)))
    says = f"'{name}' has no cell {{0}} (it has {{1}})" if name else "there is no node {0} (there are {1})"
    help = f"test the {'index' if name else 'node'} before it is used; -1 stands for none"
    wrong = Wrong("E0704", says, help, outside)
    return Risk(f"cell_{element.value}", (index, cells), ir.Ref(index), (wrong,), ir.Const(0, element))


# --- operators -----------------------------------------------------------------------------------------------------


def _of_operator(operator: Operator, result: Scalar, kind: Scalar) -> Risk | None:
    if result is Scalar.BOOL or kind is Scalar.BOOL:
        return None
    element = ELEMENTS[kind]
    name = f"{_WORDS[operator]}_{element.value}"
    if kind.is_real:
        left, right = _operands(element)
        real = ir.Binary(ir.BinaryOperator(operator.value), ir.Ref(left), ir.Ref(right), element)
        return Risk(name, (left, right), real, (_no_number(real, (left, right)),), ir.Const(0.0, element))
    left, right = _operands(_computed_in(element))
    value, wrongs = _INTEGERS[operator](ir.Ref(left), ir.Ref(right), kind)
    return Risk(name, (left, right), build.converted(value, element), wrongs, ir.Const(0, element))


def _computed_in(element: ir.Element) -> ir.Element:
    """An ARC may have 32 or 64 bits: its arithmetic is that of a LONG."""
    return ir.Element.LONG if element is ir.Element.ARC else element


def _operands(element: ir.Element) -> tuple[ir.Variable, ir.Variable]:
    return ir.Variable("left", element), ir.Variable("right", element)


_Integer = tuple[ir.Expression, tuple[Wrong, ...]]


def _sum(left: ir.Expression, right: ir.Expression, kind: Scalar) -> _Integer:
    least, most = _ends(left.element)
    above = build.both(build.greater(right, _zero(left)), build.greater(left, build.minus(most, right)))
    below = build.both(build.less(right, _zero(left)), build.less(left, build.minus(least, right)))
    finite = build.both(build.differs(left, most), build.differs(right, most))
    value = ir.Binary(ir.BinaryOperator.ADD_INF, left, right, left.element)
    return value, (_too_large("{0} + {1}", kind, build.both(finite, build.either(above, below))),)


def _difference(left: ir.Expression, right: ir.Expression, kind: Scalar) -> _Integer:
    least, most = _ends(left.element)
    above = build.both(build.less(right, _zero(left)), build.greater(left, build.plus(most, right)))
    below = build.both(build.greater(right, _zero(left)), build.less(left, build.plus(least, right)))
    return build.minus(left, right), (_too_large("{0} - {1}", kind, build.either(above, below)),)


def _product(left: ir.Expression, right: ir.Expression, kind: Scalar) -> _Integer:
    least, most = _ends(left.element)
    zero = _zero(left)
    by_plus = ir.Select(
        build.greater(left, zero),
        build.greater(left, build.divided(most, right)),
        build.less(left, build.divided(least, right)),
    )
    minus_one = ir.Const(-1, left.element)
    by_less = ir.Select(
        build.greater(left, zero),
        build.greater(left, build.divided(least, right)),
        build.less(left, build.divided(most, right)),
    )
    by_minus = ir.Select(build.equal(right, minus_one), build.equal(left, least), by_less)
    beyond = ir.Select(build.greater(right, zero), by_plus, by_minus)
    wrong = _too_large("{0} * {1}", kind, build.both(build.differs(right, zero), beyond))
    return build.times(left, right), (wrong,)


def _quotient(left: ir.Expression, right: ir.Expression, kind: Scalar) -> _Integer:
    least, _ = _ends(left.element)
    beyond = build.both(build.equal(left, least), build.equal(right, ir.Const(-1, left.element)))
    return build.divided(left, right), (_by_zero(right), _too_large("{0} / {1}", kind, beyond))


def _rest(left: ir.Expression, right: ir.Expression, kind: Scalar) -> _Integer:
    rest = ir.Binary(ir.BinaryOperator.REMAINDER, left, right, left.element)
    by_minus_one = build.equal(right, ir.Const(-1, left.element))  # the least number by -1 is a trap of many machines
    return ir.Select(by_minus_one, _zero(left), rest), (_by_zero(right),)


_INTEGERS: dict[Operator, Callable[[ir.Expression, ir.Expression, Scalar], _Integer]] = {
    Operator.ADD: _sum,
    Operator.SUBTRACT: _difference,
    Operator.MULTIPLY: _product,
    Operator.DIVIDE: _quotient,
    Operator.REMAINDER: _rest,
}


def _opposite(kind: Scalar, said: str, name: str, always: ir.Expression | None) -> Risk:
    """`-x`, or, unless it is so `always`, only of what is below 0."""
    element = ELEMENTS[kind]
    operand = ir.Variable("operand", _computed_in(element))
    value = ir.Ref(operand)
    wrong = _too_large(said, kind, build.equal(value, _ends(value.element)[0]))
    result: ir.Expression = ir.Unary(ir.UnaryOperator.NEGATE, value)
    if always is None:
        result = ir.Select(build.less(value, _zero(value)), result, value)
    return Risk(f"{name}_{element.value}", (operand,), build.converted(result, element), (wrong,), ir.Const(0, element))


def _narrows(source: Scalar, target: Scalar) -> bool:
    wide = (Scalar.LONG, Scalar.EDGE)
    return source in wide and target.is_integer and target not in wide


def _narrowed(source: Scalar, target: Scalar) -> Risk:
    element = ELEMENTS[target]
    operand = ir.Variable("operand", ELEMENTS[source])
    value = ir.Cast(ir.Ref(operand), ir.Element.LONG) if source is Scalar.EDGE else ir.Ref(operand)
    least, most = (ir.Const(end, ir.Element.LONG) for end in ir.limits(element))
    outside = build.either(build.less(value, least), build.greater(value, most))
    finite = build.differs(value, ir.infinity(ir.Element.LONG))
    wrong = _too_large("{0}", target, build.both(finite, outside))
    result = ir.Cast(value, element, keeps_inf=True)
    return Risk(f"{element.value}_of_{ELEMENTS[source].value}", (operand,), result, (wrong,), ir.Const(0, element))


def _of_function(function: Function, element: ir.Element, count: int) -> Risk:
    operands = tuple(ir.Variable(name, element) for name in ("left", "right")[:count])
    value = ir.Apply(ir.MathFunction(function.value), tuple(map(ir.Ref, operands)), element)
    wrong = _no_number(value, operands)
    return Risk(f"{function.value}_{element.value}", operands, value, (wrong,), ir.Const(0.0, element))


# --- their parts ---------------------------------------------------------------------------------------------------


def _too_large(said: str, kind: Scalar, when: ir.Expression) -> Wrong:
    article = "an" if str(kind)[0] in "ie" else "a"
    return Wrong("E0715", f"{said} does not fit in {article} {kind}", _IN_A_WIDER_TYPE, when)


def _by_zero(right: ir.Expression) -> Wrong:
    help = "check the divisor first; devices give an arbitrary number here"
    return Wrong("E0703", "division by zero", help, build.equal(right, _zero(right)))


def _no_number(value: ir.Expression, operands: tuple[ir.Variable, ...]) -> Wrong:
    numbers = [build.equal(ir.Ref(one), ir.Ref(one)) for one in operands]
    when = build.both(*numbers, build.differs(value, value))
    help = "test the operands first; scale numbers that grow too large"
    return Wrong("E0716", "{text} is not a number", help, when)


def _ends(element: ir.Element) -> tuple[ir.Const, ir.Const]:
    least, most = ir.limits(element)
    return ir.Const(least, element), ir.Const(most, element)


def _zero(like: ir.Expression) -> ir.Const:
    return ir.Const(0, like.element)
