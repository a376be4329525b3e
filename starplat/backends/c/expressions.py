"""Prints expressions of the intermediate form in a C-like language, with few brackets, constants with their exact value
and type, and assignments.

Takes an expression, the names and a target's spelling; returns text. Functions of ours that the text calls are noted in
`helpers`, so that only those are emitted.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

import numpy as np

from starplat.backends import statements as st
from starplat.backends.c import precedence
from starplat.backends.c.precedence import is_long, is_plainly_long, without_cast, without_narrowing, without_widening
from starplat.backends.spelling import Spelling
from starplat.backends.text.helpers import Helpers
from starplat.ir import build, nodes as ir
from starplat.ir.conditions import negated
from starplat.ir.visitor import walk

_WIDENED = (precedence.SUM, precedence.PRODUCT, precedence.BIT_OR, precedence.BIT_XOR, precedence.BIT_AND)


@dataclass(slots=True)
class ExpressionPrinter:
    """Prints in the words of one target, with the names of one module.

    `references` are variables that are known by a pointer; `contested` arrays whose cells others update atomically
    while they are read; `far` arrays that may lie in the host's memory; `hidden_arguments` what a called function is
    passed besides what its call says; `counts` arrays of small numbers; `any_numbers` variables that may hold others,
    and `any_results` functions that may return them; `streamed` indices of cells that are not looked at again soon.
    """

    spelling: Spelling
    local: Callable[[ir.Variable | ir.Array], str]
    function_name: Callable[[str], str]
    helpers: Helpers
    num_nodes: str = "num_nodes"
    num_arcs: str = "num_arcs"
    references: frozenset[ir.Variable] = frozenset()
    contested: frozenset[ir.Array] = frozenset()
    far: frozenset[ir.Array] = frozenset()
    hidden_arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counts: frozenset[ir.Array] = frozenset()
    any_numbers: set[ir.Variable] = field(default_factory=set)
    any_results: set[str] = field(default_factory=set)
    streamed: set[ir.Expression] = field(default_factory=set)

    def expression(self, expression: ir.Expression) -> str:
        """The text where any expression may stand: after `=`, between commas or brackets."""
        if isinstance(expression, ir.Const) and expression.element in (ir.Element.LONG, ir.Element.ARC):
            return literal(expression, self.spelling, self.helpers, bare=True)
        return self.at(precedence.SELECT, without_cast(expression))

    def at(self, level: int, expression: ir.Expression) -> str:
        """The text, bracketed if it binds weaker than `level`."""
        text, own = self.print(expression)
        return f"({text})" if own < level else text

    def print(self, expression: ir.Expression) -> tuple[str, int]:
        """The text and how strongly it binds."""
        match expression:
            case ir.Const():
                text = literal(expression, self.spelling, self.helpers)
                return text, precedence.PREFIX if text.startswith("-") else precedence.POSTFIX
            case ir.Ref(variable):
                return self.place(variable)
            case ir.Load(array, index):
                return self.read(array, index)
            case ir.Unary(ir.UnaryOperator.NOT, ir.Binary() as condition) if negated(condition) != expression:
                return self.print(negated(condition))
            case ir.Unary(operator, operand):
                return self.unary(operator, operand), precedence.PREFIX
            case ir.Binary():
                return self.binary(expression)
            case ir.Select(condition, then, otherwise):
                asked, chosen = (self.at(precedence.OR, part) for part in (condition, then))
                return f"{asked} ? {chosen} : {self.at(precedence.SELECT, otherwise)}", precedence.SELECT
            case ir.Cast():
                return self.cast(expression)
            case ir.Apply(function, arguments, element):
                return self.apply(function, arguments, element)
            case ir.NumNodes():
                return self.num_nodes, precedence.POSTFIX
            case ir.NumArcs():
                return self.num_arcs, precedence.POSTFIX
            case ir.FindArc():
                return self.find_arc(expression), precedence.POSTFIX
            case ir.CallFunction():
                return self.call(expression), precedence.POSTFIX
        assert_never(expression)

    def place(self, variable: ir.Variable) -> tuple[str, int]:
        """A variable, to be read or assigned."""
        name = self.local(variable)
        return (f"*{name}", precedence.PREFIX) if variable in self.references else (name, precedence.POSTFIX)

    def read(self, array: ir.Array, index: ir.Expression) -> tuple[str, int]:
        """The value of a cell, and how strongly the text binds."""
        if array.packed:
            self.helpers.need("contains")
            return f"contains({self.local(array)}, {self.expression(index)})", precedence.POSTFIX
        cell = self.cell(array, index)
        if array in self.contested and array.element in self.spelling.latest:
            return f"{self.latest(array.element)}({cell})", precedence.POSTFIX
        if index in self.streamed and self.spelling.streamed and array.element is not ir.Element.BOOL:
            return self.spelling.streamed.format(cell=cell), precedence.POSTFIX
        return cell, precedence.PREFIX if is_word(array, index) else precedence.POSTFIX

    def latest(self, element: ir.Element) -> str:
        """The macro for reading a contested cell."""
        latest = self.spelling.latest[element]
        self.helpers.need("latest", name=latest.macro, read=latest.read, extension=latest.extension)
        return latest.macro

    def cell(self, array: ir.Array, index: ir.Expression) -> str:
        """`array[index]`; the one cell of a reduction's word is `*name`."""
        name = self.local(array)
        return f"*{name}" if is_word(array, index) else f"{name}[{self.expression(index)}]"

    # --- operators -------------------------------------------------------------------------------------------------

    def unary(self, operator: ir.UnaryOperator, operand: ir.Expression) -> str:
        inner, element = self.at(precedence.PREFIX, operand), operand.element
        if operator is ir.UnaryOperator.NEGATE and element in self.spelling.unsigned and self.is_any_number(operand):
            return f"({self.spelling.values[element]})-({self.spelling.unsigned[element]}){inner}"
        gap = operator is ir.UnaryOperator.NEGATE and inner.startswith("-")
        return f"{operator.value}({inner})" if gap else f"{operator.value}{inner}"

    def binary(self, binary: ir.Binary) -> tuple[str, int]:
        operator, left, right = binary.operator, binary.left, binary.right
        if operator is ir.BinaryOperator.ADD_INF:
            return self.add_inf(binary), precedence.POSTFIX
        if operator is ir.BinaryOperator.MULTIPLY and binary.element in (ir.Element.INT, ir.Element.LONG):
            return self.multiply(binary), precedence.POSTFIX
        if (
            operator in (ir.BinaryOperator.EQUAL, ir.BinaryOperator.NOT_EQUAL)
            and isinstance(right, ir.Const)
            and right.element is ir.Element.BOOL
        ):
            same = (operator is ir.BinaryOperator.EQUAL) == bool(right.value)
            return self.print(left if same else build.denied(left))
        if (
            operator is ir.BinaryOperator.ADD
            and isinstance(right, ir.Unary)
            and right.operator is ir.UnaryOperator.NEGATE
        ):
            return self.print(build.minus(left, right.operand, binary.element))
        if operator in _SUMS and binary.element in self.spelling.unsigned and self.is_any_number(binary):
            text = self.wrapping(binary, binary.element)
            return f"({self.spelling.values[binary.element]})({text})", precedence.PREFIX
        level = precedence.LEVELS[operator]
        if level in (precedence.EQUALITY, precedence.ORDER):
            left, right = without_cast(left), without_cast(right)
        first, second = self.beside(level, left, level, right), self.beside(level, right, level + 1, left)
        if binary.element is ir.Element.LONG and level in _WIDENED and not (is_long(left) or is_long(right)):
            first = f"({self.spelling.values[ir.Element.LONG]}){self.at(precedence.PREFIX, left)}"
        return f"{first} {operator.value} {second}", level

    def is_any_number(self, value: ir.Expression) -> bool:
        """Whether sums with it may overflow: it is no index, count or small constant, nor made of these alone."""
        if value.element not in self.spelling.unsigned:
            return False
        match value:
            case ir.Const(int() as number):
                return abs(number) > _SMALL
            case ir.Load(array):
                return array not in self.counts
            case ir.Ref(variable):
                return variable in self.any_numbers
            case ir.Cast(operand, element):
                widens = element is ir.Element.LONG and not is_long(operand)
                return operand.element.is_real or (not widens and self.is_any_number(operand))
            case ir.Unary(_, operand):
                return self.is_any_number(operand)
            case ir.Binary(operator, left, right):
                parts = [part for part in (left, right) if operator in _SUMS or not isinstance(part, ir.Const)]
                return any(map(self.is_any_number, parts))
            case ir.Select(_, then, otherwise):
                return self.is_any_number(then) or self.is_any_number(otherwise)
            case ir.Apply(function, arguments) if function is not ir.MathFunction.POPCOUNT:
                bounds = function is ir.MathFunction.MIN
                return any(self.is_any_number(one) for one in arguments if not (bounds and _is_positive(one)))
            case ir.CallFunction(name):
                return name in self.any_results
        return False

    def note(self, body: object, given: Iterable[tuple[ir.Variable, ir.Expression]] = ()) -> None:
        """Finds out which variables may hold any number, wherever in a body they get it."""
        if not self.spelling.unsigned:
            return
        given = [*given]
        for part in walk(body):
            match part:
                case st.Declare(variable, value) | st.Assign(variable, value) | st.Accumulate(variable, _, value):
                    given.append((variable, value))
                case ir.DeclareVariable(variable, value) | ir.SetVariable(variable, value):
                    given.append((variable, value))
                case st.FetchCell(variable, _, array, index) | st.SwapCell(variable, array, index):
                    given.append((variable, ir.Load(array, index)))
                case ir.ReadCell(variable, array, index):
                    given.append((variable, ir.Load(array, index)))
                case ir.CallFunction(_, arguments):
                    self.any_numbers.update(lent for lent in arguments if isinstance(lent, ir.Variable))
                case ir.HostCall(_, arguments, result):
                    lent = (one for one in (*arguments, result) if isinstance(one, ir.Variable))
                    self.any_numbers.update(lent)
        before = -1
        while before < len(self.any_numbers):
            before = len(self.any_numbers)
            self.any_numbers.update(variable for variable, value in given if self.is_any_number(value))

    def wrapping(self, value: ir.Expression, element: ir.Element) -> str:
        """A value in the unsigned type of an element, in which sums wrap around."""
        if isinstance(value, ir.Binary) and value.operator in _SUMS and value.element is element:
            right = self.operand(precedence.SUM, value.right, precedence.PRODUCT)
            return f"{self.wrapping(value.left, element)} {value.operator.value} {right}"
        return f"({self.spelling.unsigned[element]}){self.at(precedence.PREFIX, value)}"

    def beside(self, level: int, operand: ir.Expression, needed: int, other: ir.Expression) -> str:
        """An operand; beside a 64-bit one or in a comparison it needs no conversion to 64 bits."""
        if level in (precedence.EQUALITY, precedence.ORDER) or (
            level in (precedence.SUM, precedence.PRODUCT) and is_plainly_long(other)
        ):
            if isinstance(operand, ir.Const) and operand.element is ir.Element.LONG:
                return literal(operand, self.spelling, self.helpers, bare=True)
            operand = without_widening(operand)
        return self.operand(level, operand, needed)

    def operand(self, level: int, operand: ir.Expression, needed: int) -> str:
        text, own = self.print(operand)
        confusing = own != level and own in precedence.MIXED_NEEDS_BRACKETS and level in precedence.MIXED_NEEDS_BRACKETS
        confusing |= own in (precedence.EQUALITY, precedence.ORDER) and level in (precedence.EQUALITY, precedence.ORDER)
        around_bits = (
            level in (precedence.BIT_OR, precedence.BIT_XOR, precedence.BIT_AND, precedence.SHIFT)
            and own != level
            and own < precedence.PREFIX
        )
        return f"({text})" if own < needed or confusing or around_bits else text

    def add_inf(self, binary: ir.Binary) -> str:
        element = ir.Element.LONG if binary.element is ir.Element.LONG else ir.Element.INT
        name = "add_inf_long" if element is ir.Element.LONG else "add_inf"
        self.helpers.need(
            "add_inf",
            function=self.spelling.function,
            name=name,
            type=self.spelling.values[element],
            largest=self.spelling.largest[element],
            sum=sum_text(self.spelling, element),
        )
        return f"{name}({self.expression(binary.left)}, {self.expression(binary.right)})"

    def multiply(self, binary: ir.Binary) -> str:
        """Products wrap around, as in hashes; C compilers assume that signed ones do not."""
        name = "multiply_long" if binary.element is ir.Element.LONG else "multiply"
        kind = self.spelling.values[binary.element]
        self.helpers.need("multiply", function=self.spelling.function, name=name, type=kind)
        return f"{name}({self.expression(binary.left)}, {self.expression(binary.right)})"

    def largest(self, element: ir.Element) -> str:
        """INF of an element."""
        return "INFINITY" if element.is_real else self.spelling.largest[element]

    # --- conversions and functions ---------------------------------------------------------------------------------

    def cast(self, cast: ir.Cast) -> tuple[str, int]:
        source, target = cast.operand.element, cast.element
        if target is ir.Element.BOOL:
            return self.print(build.differs(cast.operand, ir.Const(0, source)))
        if source.is_real and not target.is_real:
            return self.saturating(cast.operand, target), precedence.POSTFIX
        if cast.keeps_inf and not source.is_real and source is not ir.Element.BOOL and source is not target:
            return self.keeping_inf(cast), precedence.POSTFIX
        operand = cast.operand if target is ir.Element.INT else without_narrowing(cast.operand)
        return f"({self.spelling.values[target]}){self.at(precedence.PREFIX, operand)}", precedence.PREFIX

    def saturating(self, operand: ir.Expression, target: ir.Element) -> str:
        function = self.spelling.saturating[target]
        if target in self.spelling.saturating_helpers:
            self.helpers.need(self.spelling.saturating_helpers[target])
        return f"{function}({self.expression(operand)})"

    def keeping_inf(self, cast: ir.Cast) -> str:
        source, target = _as_number(cast.operand.element), _as_number(cast.element)
        if source is target:
            return f"({self.expression(cast.operand)})"
        name = f"{source.value}_to_{target.value}_inf"
        self.helpers.need(
            "keeping_inf",
            function=self.spelling.function,
            name=name,
            source=self.spelling.values[source],
            target=self.spelling.values[target],
            source_inf=self.largest(source),
            target_inf=self.largest(target),
        )
        return f"{name}({self.expression(cast.operand)})"

    def apply(
        self, function: ir.MathFunction, arguments: tuple[ir.Expression, ...], element: ir.Element
    ) -> tuple[str, int]:
        name = self.spelling.math[element][function]
        inside = ", ".join(self.typed(argument, element) for argument in arguments)
        return (f"{name}({inside})", precedence.PREFIX if name.startswith("(") else precedence.POSTFIX)

    def typed(self, expression: ir.Expression, element: ir.Element) -> str:
        """The text with exactly the type of `element`, for functions that are overloaded."""
        unsure = element is ir.Element.ARC and (
            isinstance(expression, ir.Const) or expression.element is not ir.Element.ARC
        )
        if unsure or (element is ir.Element.LONG and not is_long(expression)):
            return f"({self.spelling.values[element]}){self.at(precedence.PREFIX, expression)}"
        return self.at(precedence.SELECT, expression)

    def find_arc(self, find: ir.FindArc) -> str:
        name = "find_arc_among_gaps" if find.among_gaps else "find_arc"
        self.helpers.need(name)
        arrays = ", ".join(self.local(array) for array in ir.CSR.row_arrays)
        return f"{name}({arrays}, {self.expression(find.source)}, {self.expression(find.destination)})"

    def call(self, call: ir.CallFunction) -> str:
        hidden = self.hidden_arguments.get(call.function, ())
        arguments = (*hidden, *(self.argument(argument) for argument in call.arguments))
        return f"{self.function_name(call.function)}({', '.join(arguments)})"

    def argument(self, argument: ir.Expression | ir.Array | ir.Variable) -> str:
        match argument:
            case ir.Array():
                return self.local(argument)
            case ir.Variable():
                name = self.local(argument)
                return name if argument in self.references else f"&{name}"
        return self.expression(argument)

    def combined(self, combine: ir.Combine, left: str, right: str, element: ir.Element) -> str:
        """`left combine right` for two names."""
        if combine in (ir.Combine.MIN, ir.Combine.MAX):
            function = ir.MathFunction.MIN if combine is ir.Combine.MIN else ir.MathFunction.MAX
            return f"{self.spelling.math[element][function]}({left}, {right})"
        return f"{left} {combine.value} {right}"


def sum_text(spelling: Spelling, element: ir.Element, left: str = "a", right: str = "b") -> str:
    """The sum of two names, which wraps around."""
    unsigned = spelling.unsigned.get(element)
    return f"{left} + {right}" if unsigned is None else f"({spelling.values[element]})(({unsigned}){left} + {right})"


def _is_positive(value: ir.Expression) -> bool:
    return isinstance(value, ir.Const) and value.value > 0


def is_word(array: ir.Array, index: ir.Expression) -> bool:
    """Whether this is the one cell of a word, not one of an array's."""
    return array.extent is ir.Extent.ONE and isinstance(index, ir.Const)


def _as_number(element: ir.Element) -> ir.Element:
    return ir.Element.INT if element is ir.Element.NODE else element


def literal(constant: ir.Const, spelling: Spelling, helpers: Helpers, *, bare: bool = False) -> str:
    """A literal of exactly the constant's type; `bare` where a narrower one will be converted anyway."""
    value, element = constant.value, constant.element
    if element.is_real:
        return _real(float(value), element)
    if element is ir.Element.BOOL:
        return "true" if value else "false"
    smallest, largest = ir.limits(element)
    if value == largest and element in spelling.largest:
        return _largest(element, spelling, helpers)
    if value == smallest and element is ir.Element.ARC:
        return f"(-{_largest(element, spelling, helpers)} - 1)"
    if value == smallest and element in spelling.smallest:
        return spelling.smallest[element]
    wide = element is ir.Element.LONG and not (bare and abs(value) < 2**31)
    return f"{value}{spelling.long_suffix}" if wide else str(value)


def _largest(element: ir.Element, spelling: Spelling, helpers: Helpers) -> str:
    largest = spelling.largest[element]
    if element is ir.Element.ARC and largest.isidentifier():
        helpers.need("largest_arc")  # which gives the name its value
    return largest


def _real(value: float, element: ir.Element) -> str:
    """A real that reads back as the same number."""
    if math.isnan(value):
        return "NAN"
    if math.isinf(value):
        return "-INFINITY" if value < 0 else "INFINITY"
    if element is ir.Element.DOUBLE:
        return repr(value)
    with np.errstate(over="ignore"):
        narrow = np.float32(value)
    return "INFINITY" if np.isinf(narrow) else f"{_with_point(str(narrow))}f"


def _with_point(text: str) -> str:
    return text if any(mark in text for mark in ".en") else f"{text}.0"


_WITH_OWN_ASSIGNMENT = (ir.Combine.ADD, ir.Combine.MULTIPLY, ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR)

_SMALL = 256
"""Steps up to here, added once for each node or arc, are counts."""

_SUMS = (ir.BinaryOperator.ADD, ir.BinaryOperator.SUBTRACT)

_ASSIGNED = (
    ir.BinaryOperator.ADD,
    ir.BinaryOperator.SUBTRACT,
    ir.BinaryOperator.MULTIPLY,
    ir.BinaryOperator.DIVIDE,
    ir.BinaryOperator.REMAINDER,
    ir.BinaryOperator.BIT_AND,
    ir.BinaryOperator.BIT_OR,
    ir.BinaryOperator.BIT_XOR,
)


def assignment_text(expressions: ExpressionPrinter, variable: ir.Variable, value: ir.Expression) -> str:
    """`x = value`, or `x += …` where the value begins with what the variable was."""
    place, _ = expressions.place(variable)
    if isinstance(value, ir.Binary) and value.left == ir.Ref(variable) and value.operator in _ASSIGNED:
        wraps = value.operator is ir.BinaryOperator.MULTIPLY and not value.element.is_real
        wraps |= value.operator in _SUMS and expressions.is_any_number(value)
        taken = _taken_away(ir.Combine.ADD, value.right) if value.operator is ir.BinaryOperator.ADD else None
        if taken is not None and not wraps:
            return f"{place} -= {expressions.expression(taken)}"
        if not wraps:
            return f"{place} {value.operator.value}= {expressions.expression(value.right)}"
    return f"{place} = {expressions.expression(value)}"


def step_text(expressions: ExpressionPrinter, variable: ir.Variable, value: ir.Expression) -> str:
    """As `assignment_text`, with `x++` and `x--` where they do."""
    place, strength = expressions.place(variable)
    text = assignment_text(expressions, variable, value)
    short = {f"{place} += 1": f"{place}++", f"{place} -= 1": f"{place}--"}
    return short.get(text, text) if strength == precedence.POSTFIX else text


def combination_text(
    expressions: ExpressionPrinter, combine: ir.Combine, cell: ir.Array | ir.Ref, place: str, value: ir.Expression
) -> str:
    """`place = place combine value`, shorter where there is an operator for it."""
    unsigned = expressions.spelling.unsigned.get(cell.element)
    if combine is ir.Combine.ADD and unsigned is not None and expressions.is_any_number(value):
        right = expressions.at(precedence.PRODUCT, value)
        return f"{place} = {sum_text(expressions.spelling, cell.element, place, right)}"
    if (taken := _taken_away(combine, value)) is not None:
        return f"{place} -= {expressions.expression(taken)}"
    if combine in _WITH_OWN_ASSIGNMENT:
        return f"{place} {combine.value}= {expressions.expression(value)}"
    if combine in (ir.Combine.MIN, ir.Combine.MAX):
        right = expressions.typed(value, cell.element)
    else:
        right = expressions.at(precedence.SUM, value)
    return f"{place} = {expressions.combined(combine, place, right, cell.element)}"


def _taken_away(combine: ir.Combine, value: ir.Expression) -> ir.Expression | None:
    """What a sum with `value` subtracts, if it does."""
    match combine, precedence.without_widening(value):
        case ir.Combine.ADD, ir.Unary(ir.UnaryOperator.NEGATE, operand):
            return operand
        case ir.Combine.ADD, ir.Const(int() as number, element) if (
            element.is_integer and ir.limits(element)[0] < number < 0
        ):
            return ir.Const(-number, element)
    return None
