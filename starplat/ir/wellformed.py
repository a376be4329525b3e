"""Whether an expression keeps the rules that `nodes` states: types that agree, names that stand for something here.

`InvalidModule` says that they were broken, which is a mistake of the compiler and never of a program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import assert_never

from starplat.ir.capabilities import machine_elements
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
    FindArc,
    Function,
    HostFunction,
    Load,
    MathFunction,
    NumArcs,
    NumNodes,
    Origin,
    Ref,
    Select,
    Unary,
    UnaryOperator,
    Variable,
    limits,
)
from starplat.ir.print_expression import print_expression


class InvalidModule(Exception):  # noqa: N818 - it says what the module is
    """The intermediate form breaks a rule of its own: a mistake of the compiler."""


_LOGIC = (BinaryOperator.AND, BinaryOperator.OR)
_BITS = (BinaryOperator.BIT_AND, BinaryOperator.BIT_OR, BinaryOperator.BIT_XOR, BinaryOperator.SHIFT_LEFT)
_EQUALITY = (BinaryOperator.EQUAL, BinaryOperator.NOT_EQUAL)
_ORDER = (BinaryOperator.LESS, BinaryOperator.LESS_EQUAL, BinaryOperator.GREATER, BinaryOperator.GREATER_EQUAL)
_INTEGER_ONLY = (BinaryOperator.REMAINDER, BinaryOperator.ADD_INF)
_ARGUMENT_COUNTS = {MathFunction.MIN: 2, MathFunction.MAX: 2, MathFunction.POW: 2}
_ANY_NUMBER = (MathFunction.MIN, MathFunction.MAX, MathFunction.ABS)


def meet(left: Element, right: Element) -> bool:
    """Whether values of both types may stand together: one type, NODE and INT, or ARC and any integer."""
    if left is right:
        return True
    pair = {left, right}
    return pair == {Element.INT, Element.NODE} or (Element.ARC in pair and left.is_integer and right.is_integer)


class Scope:
    """The names at one point of a kernel, a helper or a host function; `where` leads every message."""

    def __init__(self, where: str, helpers: dict[str, Function], *, on_host: bool) -> None:
        self.where = where
        self.helpers = helpers
        self.on_host = on_host
        self.arrays: dict[str, Array] = {}
        self._visible: dict[str, Variable] = {}
        self._names: set[str] = set()

    def require(self, condition: bool, message: str) -> None:
        if not condition:
            raise InvalidModule(f"{self.where}: {message}")

    # --- names ---

    def add_array(self, array: Array) -> None:
        self._add_name(array.name)
        self.arrays[array.name] = array

    def declare(self, variable: Variable) -> None:
        self._add_name(variable.name)
        self._visible[variable.name] = variable

    def _add_name(self, name: str) -> None:
        self.require(name not in self._names, f"'{name}' is declared twice")
        self._names.add(name)

    @contextmanager
    def block(self) -> Iterator[None]:
        """What is declared inside is not seen after it."""
        before = dict(self._visible)
        yield
        self._visible = before

    def variable(self, variable: Variable) -> None:
        self.require(self._visible.get(variable.name) == variable, f"'{variable.name}' is not declared here")

    def array(self, array: Array) -> None:
        self.require(self.arrays.get(array.name) == array, f"array '{array.name}' is not declared here")

    def written(self, array: Array) -> None:
        self.array(array)
        self.require(array.origin is not Origin.GRAPH, f"the graph's array '{array.name}' is written")

    # --- expressions ---

    def index(self, expression: Expression) -> None:
        self.expression(expression)
        self._must(expression.element.is_integer, expression, "an index must be an integer")

    def returned(self, value: Expression | None, result: Element | None) -> None:
        """A function with a result returns a value of its type, another one none."""
        self.require((value is None) == (result is None), "return does not suit the result")
        if value is not None and result is not None:
            self.value(value, result)

    def condition(self, expression: Expression) -> None:
        self.value(expression, Element.BOOL)

    def value(self, expression: Expression, element: Element) -> None:
        """The expression is right, and is a value of the type."""
        self.expression(expression)
        self._must(meet(expression.element, element), expression, f"must be {element.value}")

    def _must(self, condition: bool, expression: Expression, message: str) -> None:
        if not condition:
            self.require(False, f"{print_expression(expression)} is {expression.element.value}: {message}")

    def expression(self, expression: Expression) -> None:
        match expression:
            case Const(value, element):
                self._must(_is_value(value, element), expression, f"{value!r} is no value of this type")
            case Ref(variable):
                self.variable(variable)
            case Load(array, index):
                self._load(array)
                self.index(index)
            case Unary(operator, operand):
                self.expression(operand)
                self._must(_takes(operator, operand.element), expression, f"'{operator.value}' does not take it")
            case Binary():
                self._binary(expression)
            case Select(condition, then, otherwise):
                self.condition(condition)
                self.expression(then)
                self.value(otherwise, then.element)
            case Cast(operand):
                self.expression(operand)
            case Apply():
                self._apply(expression)
            case NumNodes() | NumArcs():
                self._must(expression.element.is_integer, expression, "counts are integers")
            case FindArc(source, destination):
                self.index(source)
                self.index(destination)
                self._must(expression.element.is_integer, expression, "arcs are integers")
                if not self.on_host:
                    self.array(ROW_OFFSETS)
                    self.array(COLUMNS)
            case CallFunction():
                self.require(not self.on_host, f"the helper '{expression.function}' is called on the host")
                self.call(expression)
            case _:
                assert_never(expression)

    def _load(self, array: Array) -> None:
        if self.on_host:
            self.require(array.origin is Origin.GRAPH, f"the host loads from '{array.name}', which is on the device")
        else:
            self.array(array)

    def _binary(self, binary: Binary) -> None:
        operator, left, right = binary.operator, binary.left.element, binary.right.element
        self.expression(binary.left)
        self.expression(binary.right)
        self._must(meet(left, right), binary, f"{left.value} and {right.value} do not meet")
        result = Element.BOOL if operator in (*_LOGIC, *_EQUALITY, *_ORDER) else binary.element
        self._must(binary.element is result, binary, "a condition is bool")
        if operator in _LOGIC:
            self._must(left is Element.BOOL, binary, f"'{operator.value}' takes bool")
        elif operator in _BITS:
            self._must(not left.is_real and meet(left, binary.element), binary, "bits are of integers or bool")
        elif operator not in (*_EQUALITY, *_ORDER):
            self._must(left is not Element.BOOL and meet(left, binary.element), binary, "must be of its operands' type")
            self._must(left.is_integer or operator not in _INTEGER_ONLY, binary, f"'{operator.value}' takes integers")

    def _apply(self, apply: Apply) -> None:
        count = _ARGUMENT_COUNTS.get(apply.function, 1)
        self._must(len(apply.arguments) == count, apply, f"{apply.function.value} takes {count} arguments")
        for argument in apply.arguments:
            self.value(argument, apply.element)
        fits = apply.element is not Element.BOOL if apply.function in _ANY_NUMBER else apply.element.is_real
        self._must(fits, apply, f"{apply.function.value} does not take it")

    # --- calls ---

    def call(self, call: CallFunction, *, for_effect: bool = False) -> None:
        helper = self.helpers.get(call.function)
        self.require(helper is not None, f"there is no helper '{call.function}'")
        assert helper is not None
        self.require(for_effect or helper.result is call.element, f"'{helper.name}' does not return {call.element}")
        self.arguments(helper, call.arguments)

    def arguments(self, callee: Function | HostFunction, arguments: Iterable[Expression | Array | Variable]) -> None:
        given = tuple(arguments)
        self.require(len(given) == len(callee.parameters), f"'{callee.name}' is called with {len(given)} arguments")
        for parameter, argument in zip(callee.parameters, given, strict=True):
            what, name = parameter.what, f"argument '{parameter.what.name}' of '{callee.name}'"
            match argument:
                case Array():
                    self.array(argument)
                    alike = machine_elements(what.element) == machine_elements(argument.element)
                    fits = isinstance(what, Array) and alike and what.extent is argument.extent
                    self.require(fits, f"{name} is not such an array as '{argument.name}'")
                case Variable():
                    self.variable(argument)
                    alike = machine_elements(what.element) == machine_elements(argument.element)
                    fits = parameter.by_reference and isinstance(what, Variable) and alike
                    self.require(fits, f"{name} is not by reference to such a variable as '{argument.name}'")
                case _:
                    self.require(isinstance(what, Variable) and not parameter.by_reference, f"{name} is no value")
                    self.value(argument, what.element)


def _takes(operator: UnaryOperator, element: Element) -> bool:
    match operator:
        case UnaryOperator.NOT:
            return element is Element.BOOL
        case UnaryOperator.NEGATE:
            return element is not Element.BOOL
        case UnaryOperator.COMPLEMENT:
            return element.is_integer
        case _:
            assert_never(operator)


def _is_value(value: int | float | bool, element: Element) -> bool:
    if element is Element.BOOL:
        return isinstance(value, bool)
    if element.is_real:
        return isinstance(value, int | float) and not isinstance(value, bool)
    lowest, highest = limits(element)
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest
