"""Expressions as Python text: what the interpreter and the host's evaluator compile.

`+ - *` and the bit operators commute with wrapping around, so a chain of them is computed in Python's unbounded
integers and brought into range once, where its value is compared, divided, stored, converted or used as an index
(`Text.in_range`). A float is kept in double precision and rounded where it is compared or converted (cells round what
is stored in them): a better sum than a device's, but the same answer to `new < old`.

No name of a program gets into the text: `Names` maps variables and arrays to names of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf, isnan
from typing import NamedTuple, assert_never

from starplat.ir.arithmetic import round32
from starplat.ir.bounds import Bounds
from starplat.ir.nodes import (
    COLUMNS,
    ROW_OFFSETS,
    Apply,
    Array,
    Binary,
    BinaryOperator,
    CallFunction,
    Cast,
    Const,
    Element,
    Expression,
    Extent,
    FindArc,
    Load,
    MathFunction,
    NumArcs,
    NumNodes,
    Ref,
    Select,
    Unary,
    UnaryOperator,
    Variable,
    infinity,
    limits,
)

CHOICE, OR, AND, NOT, COMPARISON, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, SIGN, ATOM = range(13)
"""How tightly Python's operators bind, loosest first."""


class Text(NamedTuple):
    """Python text of an expression; `in_range` if it surely has a value of its element type."""

    text: str
    level: int
    in_range: bool = True

    def at(self, level: int) -> str:
        """The text where something that binds at least as tightly as `level` must stand."""
        return self.text if self.level >= level else f"({self.text})"

    @property
    def is_atom(self) -> bool:
        return self.text.isidentifier() or self.text.isdigit()


@dataclass(frozen=True)
class Names:
    """The Python texts of variables, arrays and helpers, by their names in the program; `load` reads a cell."""

    variables: dict[str, str]
    arrays: dict[str, str]
    functions: dict[str, str]
    load: str = "{array}[{index}]"


_ARITHMETIC = {
    BinaryOperator.ADD: ("+", SUM),
    BinaryOperator.SUBTRACT: ("-", SUM),
    BinaryOperator.MULTIPLY: ("*", PRODUCT),
    BinaryOperator.BIT_AND: ("&", BIT_AND),
    BinaryOperator.BIT_OR: ("|", BIT_OR),
    BinaryOperator.BIT_XOR: ("^", BIT_XOR),
    BinaryOperator.SHIFT_LEFT: ("<<", SHIFT),
}
_COMPARISONS = {
    BinaryOperator.EQUAL,
    BinaryOperator.NOT_EQUAL,
    BinaryOperator.LESS,
    BinaryOperator.LESS_EQUAL,
    BinaryOperator.GREATER,
    BinaryOperator.GREATER_EQUAL,
}
_REAL_FUNCTIONS = {
    MathFunction.SQRT: "square_root",
    MathFunction.EXP: "exponential",
    MathFunction.LOG: "logarithm",
    MathFunction.POW: "power",
    MathFunction.FLOOR: "floor",
    MathFunction.CEIL: "ceil",
}


def width(element: Element) -> int:
    """The bits of an integer type, 0 for the others."""
    match element:
        case Element.INT | Element.NODE:
            return 32
        case Element.LONG | Element.ARC:
            return 64
        case _:
            return 0


def literal(constant: Const) -> Text:
    """The text of a constant; a float is what a device would hold."""
    if constant.element is Element.BOOL:
        return Text(repr(bool(constant.value)), ATOM)
    if not constant.element.is_real:
        number = int(constant.value)
        return Text(repr(number), ATOM if number >= 0 else SIGN)
    real = float(constant.value)
    if isnan(real):
        return Text("nan", ATOM)
    real = round32(real) if constant.element is Element.FLOAT else real
    text = ("inf" if real > 0 else "-inf") if isinf(real) else repr(real)
    return Text(text, SIGN if text.startswith("-") else ATOM)


class Expressions:
    """Writes the expressions of one Python function. `bounds` says which indices need no check."""

    def __init__(self, names: Names, bounds: Bounds) -> None:
        self.names = names
        self.bounds = bounds
        self._temporaries = 0

    def temporary(self) -> str:
        self._temporaries += 1
        return f"t{self._temporaries}"

    def bind(self, text: Text) -> tuple[str, str]:
        """Text that computes the value, and a name that has it from then on."""
        if text.is_atom:
            return text.text, text.text
        name = self.temporary()
        return f"({name} := {text.text})", name

    # --- the three ways to want a value ---

    def exact(self, expression: Expression) -> Text:
        """A value inside its type's range."""
        return self.into_range(self.raw(expression), expression.element)

    def into_range(self, text: Text, element: Element) -> Text:
        bits = width(element)
        if text.in_range or not bits:
            return text
        lowest, highest = limits(element)
        value, name = self.bind(text)
        return Text(f"{name} if {lowest} <= {value} <= {highest} else wrap{bits}({name})", CHOICE)

    def rounded(self, expression: Expression) -> Text:
        """As `exact`; a float as a device would have it."""
        text = self.exact(expression)
        if expression.element is not Element.FLOAT or isinstance(expression, Load | Const):
            return text
        return Text(f"round32({text.text})", ATOM)

    def raw(self, expression: Expression) -> Text:
        """A value that wraps around to the right one."""
        match expression:
            case Const():
                return literal(expression)
            case Ref(variable):
                return Text(self.names.variables[variable.name], ATOM)
            case Load(array, index):
                return Text(
                    self.names.load.format(array=self.names.arrays[array.name], index=self.index(array, index)), ATOM
                )
            case Unary():
                return self._unary(expression)
            case Binary():
                return self._binary(expression)
            case Select():
                return self._select(expression)
            case Cast():
                return self._cast(expression)
            case Apply():
                return self._apply(expression)
            case NumNodes():
                return Text("n", ATOM)
            case NumArcs():
                return Text("m", ATOM)
            case FindArc(source, destination):
                graph = f"{self.names.arrays[ROW_OFFSETS.name]}, {self.names.arrays[COLUMNS.name]}"
                return Text(f"find_arc({graph}, n, {self.exact(source).text}, {self.exact(destination).text})", ATOM)
            case CallFunction():
                return self._call(expression)
            case _:
                assert_never(expression)

    # --- cells ---

    def index(self, array: Array, index: Expression) -> str:
        """Text of an index that is surely inside the array when it has been computed."""
        text = self.exact(index)
        if self.bounds.inside(index, array.extent):
            return text.text
        value, name = self.bind(text)
        return f"{name} if {self.inside(array.extent, value)} else {self.refusal(array, name)}"

    def inside(self, extent: Extent, index: str) -> str:
        match extent:
            case Extent.ONE:
                return f"{index} == 0"
            case Extent.NODES:
                return f"0 <= {index} < n"
            case Extent.NODES_AND_ONE:
                return f"0 <= {index} <= n"
            case Extent.ARCS:
                return f"0 <= {index} < m"
            case Extent.BITS:
                return f"0 <= {index} <= n // 32"

    def refusal(self, array: Array, index: str) -> str:
        sizes = {
            Extent.ONE: "'1'",
            Extent.NODES: "f'{n}'",
            Extent.NODES_AND_ONE: "f'{n + 1}'",
            Extent.ARCS: "f'{m}'",
            Extent.BITS: "f'{n // 32 + 1}'",
        }
        return f"out_of_range({array.name!r}, {index}, {sizes[array.extent]})"

    # --- operators ---

    def _unary(self, unary: Unary) -> Text:
        match unary.operator:
            case UnaryOperator.NOT:
                return Text(f"not {self.raw(unary.operand).at(NOT)}", NOT)
            case UnaryOperator.NEGATE:
                return Text(f"-{self.raw(unary.operand).at(SIGN)}", SIGN, unary.element.is_real)
            case UnaryOperator.COMPLEMENT:
                operand = self.raw(unary.operand)
                return Text(f"~{operand.at(SIGN)}", SIGN, operand.in_range)
            case _:
                assert_never(unary.operator)

    def _binary(self, binary: Binary) -> Text:
        operator = binary.operator
        if operator in _ARITHMETIC:
            return self._arithmetic(binary)
        if operator in _COMPARISONS:
            left, right = self.rounded(binary.left).at(BIT_OR), self.rounded(binary.right).at(BIT_OR)
            return Text(f"{left} {operator.value} {right}", COMPARISON)
        match operator:
            case BinaryOperator.AND:
                return Text(f"{self.raw(binary.left).at(AND)} and {self.raw(binary.right).at(AND)}", AND)
            case BinaryOperator.OR:
                return Text(f"{self.raw(binary.left).at(OR)} or {self.raw(binary.right).at(OR)}", OR)
            case BinaryOperator.ADD_INF:
                return self._add_inf(binary)
            case BinaryOperator.DIVIDE:
                return self._real_divide(binary) if binary.element.is_real else self._divide(binary)
            case _:
                return Text(f"remainder({self.exact(binary.left).text}, {self.exact(binary.right).text})", ATOM)

    def _arithmetic(self, binary: Binary) -> Text:
        sign, level = _ARITHMETIC[binary.operator]
        left, right = (self._widened(side, binary.element) for side in (binary.left, binary.right))
        if level == SHIFT:
            right = self.exact(binary.right)
        keeps = binary.element.is_real or self.bounds.inside(binary, Extent.NODES_AND_ONE)
        if binary.operator is BinaryOperator.SUBTRACT:
            keeps = keeps or (self.bounds.is_natural(binary.left) and self.bounds.is_natural(binary.right))
        keeps = keeps or (level in (BIT_AND, BIT_OR, BIT_XOR) and left.in_range and right.in_range)
        return Text(f"{left.at(level)} {sign} {right.at(level + 1)}", level, keeps)

    def _widened(self, operand: Expression, element: Element) -> Text:
        """An operand may stay out of range only if it wraps around where the result does."""
        return self.raw(operand) if width(operand.element) == width(element) else self.exact(operand)

    def _add_inf(self, binary: Binary) -> Text:
        if binary.element.is_real:
            return Text(f"{self.raw(binary.left).at(SUM)} + {self.raw(binary.right).at(PRODUCT)}", SUM)
        largest = infinity(binary.element).value
        tests, names = [], []
        for side in (binary.left, binary.right):
            if isinstance(side, Const) and side.value != largest:
                names.append(literal(side).text)
                continue
            value, name = self.bind(self.exact(side))
            names.append(name)
            tests.append(f"{value} == {largest}")
        total = self.into_range(Text(" + ".join(names), SUM, False), binary.element)
        return Text(f"{largest} if {' or '.join(tests) or 'False'} else {total.at(CHOICE)}", CHOICE)

    def _divide(self, binary: Binary) -> Text:
        left, right = self.exact(binary.left), self.exact(binary.right)
        if isinstance(binary.right, Const) and int(binary.right.value) > 0:
            value, name = self.bind(left)
            return Text(f"{name} // {right.text} if {value} >= 0 else -(-{name} // {right.text})", CHOICE)
        return Text(f"divide({left.text}, {right.text})", ATOM, False)

    def _real_divide(self, binary: Binary) -> Text:
        left, right = self.raw(binary.left), self.raw(binary.right)
        if isinstance(binary.right, Const) and binary.right.value != 0:
            return Text(f"{left.at(PRODUCT)} / {right.at(SIGN)}", PRODUCT)
        divisor, name = self.bind(right)
        dividend, first = self.bind(left)
        condition = divisor if left.is_atom else f"({dividend},) and {divisor}"
        return Text(f"{first} / {name} if {condition} else real_divide({first}, {name})", CHOICE)

    def _select(self, select: Select) -> Text:
        then, otherwise = self.raw(select.then), self._widened(select.otherwise, select.element)
        text = f"{then.at(OR)} if {self.raw(select.condition).at(OR)} else {otherwise.text}"
        return Text(text, CHOICE, then.in_range and otherwise.in_range)

    def _cast(self, cast: Cast) -> Text:
        source, target = cast.operand.element, cast.element
        if source is target:
            return self.raw(cast.operand)
        if target is Element.BOOL:
            return Text(f"{self.exact(cast.operand).at(BIT_OR)} != 0", COMPARISON)
        if source is Element.BOOL:
            operand = self.raw(cast.operand)
            return Text(f"{operand.at(SUM)} + 0.0", SUM) if target.is_real else Text(f"+{operand.at(SIGN)}", SIGN)
        if source.is_real:
            return self._cast_real(cast)
        return self._cast_integer(cast)

    def _cast_real(self, cast: Cast) -> Text:
        text = self.rounded(cast.operand)
        match cast.element:
            case Element.FLOAT:
                return Text(f"round32({text.text})", ATOM)
            case Element.DOUBLE:
                return text
            case _:
                return Text(f"to_int{width(cast.element)}({text.text})", ATOM)

    def _cast_integer(self, cast: Cast) -> Text:
        source, target = cast.operand.element, cast.element
        if width(source) == width(target):
            return self.raw(cast.operand)
        if not cast.keeps_inf and target.is_integer:
            operand = self.exact(cast.operand)
            return operand._replace(in_range=width(target) > width(source))
        if not cast.keeps_inf:
            return Text(f"{self.exact(cast.operand).at(SUM)} + 0.0", SUM)
        value, name = self.bind(self.exact(cast.operand))
        converted = Text(f"{name} + 0.0", SUM) if target.is_real else Text(name, ATOM, width(target) > width(source))
        largest = literal(infinity(target)).text
        inside = self.into_range(converted, target)
        return Text(f"{largest} if {value} == {infinity(source).value} else {inside.text}", CHOICE)

    def _apply(self, apply: Apply) -> Text:
        match apply.function:
            case MathFunction.MIN | MathFunction.MAX:
                return self._extreme(apply)
            case MathFunction.ABS:
                return self._absolute(apply)
            case function:
                arguments = ", ".join(self.rounded(argument).text for argument in apply.arguments)
                return Text(f"{_REAL_FUNCTIONS[function]}({arguments})", ATOM)

    def _extreme(self, apply: Apply) -> Text:
        """C's fmin and fmax: what is not a number gives way."""
        sign = "<" if apply.function is MathFunction.MIN else ">"
        result = self.rounded(apply.arguments[0])
        for argument in apply.arguments[1:]:
            left, first = self.bind(result)
            right, second = self.bind(self.rounded(argument))
            condition = f"{left} {sign} {right}"
            if apply.element.is_real:
                condition += f" or {second} != {second}"
            result = Text(f"{first} if {condition} else {second}", CHOICE)
        return result

    def _absolute(self, apply: Apply) -> Text:
        (argument,) = apply.arguments
        if apply.element.is_real:
            return Text(f"abs({self.raw(argument).text})", ATOM)
        return Text(f"abs({self.exact(argument).text})", ATOM, False)

    # --- helpers ---

    def _call(self, call: CallFunction) -> Text:
        """A helper gives a tuple: its result, then its parameters by reference."""
        references = self.references(call)
        text = self.call(call)
        if not references:
            return Text(f"{text}[0]", ATOM)
        name = self.temporary()
        changes = [f"({reference} := {name}[{i}])" for i, reference in enumerate(references, 1)]
        return Text(f"(({name} := {text}), {', '.join(changes)})[0][0]", ATOM)

    def references(self, call: CallFunction) -> list[str]:
        return [self.names.variables[a.name] for a in call.arguments if isinstance(a, Variable)]

    def call(self, call: CallFunction) -> str:
        arguments = ["n", "m"]
        for argument in call.arguments:
            match argument:
                case Array():
                    arguments.append(self.names.arrays[argument.name])
                case Variable():
                    arguments.append(self.names.variables[argument.name])
                case _:
                    arguments.append(self.exact(argument).text)
        return f"{self.names.functions[call.function]}({', '.join(arguments)})"
