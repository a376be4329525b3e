"""Verifies expressions: types that agree, names in scope.

`InvalidModule` says that they were broken, which is a mistake of the compiler and never of a program.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import assert_never

from starplat.ir import nodes as ir
from starplat.ir.capabilities import machine_elements
from starplat.ir.printing.expressions import print_expression


class InvalidModule(Exception):  # noqa: N818 - it says what the module is
    """The intermediate form breaks a rule of its own: a mistake of the compiler."""


_LOGIC = (ir.BinaryOperator.AND, ir.BinaryOperator.OR)
_SHIFTS = (ir.BinaryOperator.SHIFT_LEFT, ir.BinaryOperator.SHIFT_RIGHT)
_BITS = (ir.BinaryOperator.BIT_AND, ir.BinaryOperator.BIT_OR, ir.BinaryOperator.BIT_XOR, *_SHIFTS)
_EQUALITY = (ir.BinaryOperator.EQUAL, ir.BinaryOperator.NOT_EQUAL)
_ORDER = (
    ir.BinaryOperator.LESS,
    ir.BinaryOperator.LESS_EQUAL,
    ir.BinaryOperator.GREATER,
    ir.BinaryOperator.GREATER_EQUAL,
)
_INTEGER_ONLY = (ir.BinaryOperator.REMAINDER, ir.BinaryOperator.ADD_INF)
_ARGUMENT_COUNTS = {ir.MathFunction.MIN: 2, ir.MathFunction.MAX: 2, ir.MathFunction.POW: 2}
_ANY_NUMBER = (ir.MathFunction.MIN, ir.MathFunction.MAX, ir.MathFunction.ABS)


def meet(left: ir.Element, right: ir.Element) -> bool:
    """Whether values of both types may stand together: one type, NODE and INT, or ARC and any integer."""
    if left is right:
        return True
    pair = {left, right}
    return pair == {ir.Element.INT, ir.Element.NODE} or (
        ir.Element.ARC in pair and left.is_integer and right.is_integer
    )


class Scope:
    """The names at one point of a kernel, a helper or a host function; `where` leads every message."""

    def __init__(self, where: str, helpers: dict[str, ir.Function], *, on_host: bool) -> None:
        self.where, self.helpers, self.on_host = where, helpers, on_host
        self.arrays: dict[str, ir.Array] = {}
        self._visible: dict[str, ir.Variable | ir.HostList] = {}
        self._names: set[str] = set()

    def require(self, condition: bool, message: str) -> None:
        if not condition:
            raise InvalidModule(f"{self.where}: {message}")

    # --- names ---

    def add_array(self, array: ir.Array) -> None:
        self._add_name(array.name)
        self.arrays[array.name] = array

    def declare(self, variable: ir.Variable | ir.HostList) -> None:
        self._add_name(variable.name)
        self._visible[variable.name] = variable

    def declare_parameters(self, parameters: Iterable[ir.Parameter]) -> None:
        for parameter in parameters:
            if isinstance(parameter.what, ir.Array):
                self.add_array(parameter.what)
            else:
                self.declare(parameter.what)

    def _add_name(self, name: str) -> None:
        self.require(name not in self._names, f"'{name}' is declared twice")
        self._names.add(name)

    @contextmanager
    def block(self) -> Iterator[None]:
        """What is declared inside is not seen after it."""
        before = dict(self._visible)
        yield
        self._visible = before

    def variable(self, variable: ir.Variable) -> None:
        self.require(self._visible.get(variable.name) == variable, f"'{variable.name}' is not declared here")

    def items(self, items: ir.HostList) -> None:
        self.require(self._visible.get(items.name) == items, f"list '{items.name}' is not declared here")

    def array(self, array: ir.Array) -> None:
        self.require(self.arrays.get(array.name) == array, f"array '{array.name}' is not declared here")

    def written(self, array: ir.Array) -> None:
        self.array(array)
        self.require(array.origin is not ir.Origin.GRAPH, f"the graph's array '{array.name}' is written")

    # --- expressions ---

    def index(self, expression: ir.Expression) -> None:
        self.expression(expression)
        self._must(expression.element.is_integer, expression, "an index must be an integer")

    def returned(
        self,
        value: ir.Expression | ir.HostList | None,
        result: ir.Element | ir.ListOf | None,
        more: tuple[ir.Expression, ...] = (),
        more_results: tuple[ir.Element, ...] = (),
    ) -> None:
        """A function with a result returns a value of its type, another one none; one with several, all of them."""
        suits = (value is None) == (result is None) and len(more) == len(more_results)
        self.require(suits, "return does not suit the result")
        for one, element in zip(more, more_results, strict=True):
            self.value(one, element)
        if isinstance(value, ir.HostList):
            self.items(value)
            self.require(result == ir.ListOf(value.element), f"'{value.name}' does not suit the result")
        elif value is not None and result is not None:
            self.require(not isinstance(result, ir.ListOf), "a list is to be returned")
            assert isinstance(result, ir.Element)
            self.value(value, result)

    def condition(self, expression: ir.Expression) -> None:
        self.value(expression, ir.Element.BOOL)

    def value(self, expression: ir.Expression, element: ir.Element) -> None:
        """The expression is right, and is a value of the type."""
        self.expression(expression)
        self._must(meet(expression.element, element), expression, f"must be {element.value}")

    def _must(self, condition: bool, expression: ir.Expression, message: str) -> None:
        if not condition:
            self.require(False, f"{print_expression(expression)} is {expression.element.value}: {message}")

    def expression(self, expression: ir.Expression) -> None:
        match expression:
            case ir.Const(value, element):
                self._must(_is_value(value, element), expression, f"{value!r} is no value of this type")
            case ir.Ref(variable):
                self.variable(variable)
            case ir.Load(array, index):
                self._load(array)
                self.index(index)
            case ir.Unary(operator, operand):
                self.expression(operand)
                self._must(_takes(operator, operand.element), expression, f"'{operator.value}' does not take it")
            case ir.Binary():
                self._binary(expression)
            case ir.Select(condition, then, otherwise):
                self.condition(condition)
                self.expression(then)
                self.value(otherwise, then.element)
            case ir.Cast(operand):
                self.expression(operand)
            case ir.Apply():
                self._apply(expression)
            case ir.NumNodes() | ir.NumArcs():
                self._must(expression.element.is_integer, expression, "counts are integers")
            case ir.FindArc(source, destination):
                self.index(source)
                self.index(destination)
                self._must(expression.element.is_integer, expression, "arcs are integers")
                if not self.on_host:
                    for array in ir.CSR.row_arrays:
                        self.array(array)
            case ir.CallFunction():
                self.require(not self.on_host, f"the helper '{expression.function}' is called on the host")
                self.call(expression)
            case _:
                assert_never(expression)

    def _load(self, array: ir.Array) -> None:
        if self.on_host:
            self.require(array.origin is ir.Origin.GRAPH, f"the host loads from '{array.name}', which is on the device")
        else:
            self.array(array)

    def _binary(self, binary: ir.Binary) -> None:
        operator, left, right = binary.operator, binary.left.element, binary.right.element
        self.expression(binary.left)
        self.expression(binary.right)
        met = right.is_integer if operator in _SHIFTS else meet(left, right)
        self._must(met, binary, f"{left.value} and {right.value} do not meet")
        result = ir.Element.BOOL if operator in (*_LOGIC, *_EQUALITY, *_ORDER) else binary.element
        self._must(binary.element is result, binary, "a condition is bool")
        if operator in _LOGIC:
            self._must(left is ir.Element.BOOL, binary, f"'{operator.value}' takes bool")
        elif operator in _BITS:
            self._must(not left.is_real and meet(left, binary.element), binary, "bits are of integers or bool")
        elif operator not in (*_EQUALITY, *_ORDER):
            self._must(
                left is not ir.Element.BOOL and meet(left, binary.element), binary, "must be of its operands' type"
            )
            self._must(left.is_integer or operator not in _INTEGER_ONLY, binary, f"'{operator.value}' takes integers")

    def _apply(self, apply: ir.Apply) -> None:
        count = _ARGUMENT_COUNTS.get(apply.function, 1)
        self._must(len(apply.arguments) == count, apply, f"{apply.function.value} takes {count} arguments")
        for argument in apply.arguments:
            self.value(argument, apply.element)
        if apply.function is ir.MathFunction.POPCOUNT:
            self._must(apply.element is ir.Element.LONG, apply, "popcount takes a LONG")
            return
        fits = apply.element is not ir.Element.BOOL if apply.function in _ANY_NUMBER else apply.element.is_real
        self._must(fits, apply, f"{apply.function.value} does not take it")

    # --- calls ---

    def call(self, call: ir.CallFunction, *, for_effect: bool = False) -> None:
        helper = self.helpers.get(call.function)
        self.require(helper is not None, f"there is no helper '{call.function}'")
        assert helper is not None
        self.require(for_effect or helper.result is call.element, f"'{helper.name}' does not return {call.element}")
        self.arguments(helper, call.arguments)

    def arguments(
        self, callee: ir.Function | ir.HostFunction, arguments: Iterable[ir.Expression | ir.Array | ir.Variable]
    ) -> None:
        given = tuple(arguments)
        self.require(len(given) == len(callee.parameters), f"'{callee.name}' is called with {len(given)} arguments")
        for parameter, argument in zip(callee.parameters, given, strict=True):
            what, name = parameter.what, f"argument '{parameter.what.name}' of '{callee.name}'"
            match argument:
                case ir.Array():
                    self.array(argument)
                    alike = machine_elements(what.element) == machine_elements(argument.element)
                    fits = isinstance(what, ir.Array) and alike and what.extent is argument.extent
                    self.require(fits, f"{name} is not such an array as '{argument.name}'")
                case ir.Variable():
                    self.variable(argument)
                    alike = machine_elements(what.element) == machine_elements(argument.element)
                    fits = parameter.by_reference and isinstance(what, ir.Variable) and alike
                    self.require(fits, f"{name} is not by reference to such a variable as '{argument.name}'")
                case _:
                    self.require(isinstance(what, ir.Variable) and not parameter.by_reference, f"{name} is no value")
                    self.value(argument, what.element)


def calls_itself(name: str, callees: Callable[[str], Iterable[str]]) -> bool:
    """Whether a function calls itself, also by way of others; `callees` gives those that one calls."""
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        found = set(callees(waiting.pop())) - seen
        seen |= found
        waiting.extend(found)
    return name in seen


def _takes(operator: ir.UnaryOperator, element: ir.Element) -> bool:
    match operator:
        case ir.UnaryOperator.NOT:
            return element is ir.Element.BOOL
        case ir.UnaryOperator.NEGATE:
            return element is not ir.Element.BOOL
        case ir.UnaryOperator.COMPLEMENT:
            return element.is_integer
        case _:
            assert_never(operator)


def _is_value(value: int | float | bool, element: ir.Element) -> bool:
    if element is ir.Element.BOOL:
        return isinstance(value, bool)
    if element.is_real:
        return isinstance(value, int | float) and not isinstance(value, bool)
    lowest, highest = ir.limits(element)
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest
