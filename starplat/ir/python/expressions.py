"""Expressions of kernels and of the host as Python text: operators, cells, calls."""

from typing import assert_never

from starplat.ir import nodes as ir
from starplat.ir.python.conversions import Conversions
from starplat.ir.python.text import (
    AND,
    ATOM,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    CHOICE,
    COMPARISON,
    NOT,
    OR,
    PRODUCT,
    SHIFT,
    SIGN,
    SUM,
    Text,
    literal,
    width,
)

_ARITHMETIC = {
    ir.BinaryOperator.ADD: ("+", SUM),
    ir.BinaryOperator.SUBTRACT: ("-", SUM),
    ir.BinaryOperator.MULTIPLY: ("*", PRODUCT),
    ir.BinaryOperator.BIT_AND: ("&", BIT_AND),
    ir.BinaryOperator.BIT_OR: ("|", BIT_OR),
    ir.BinaryOperator.BIT_XOR: ("^", BIT_XOR),
    ir.BinaryOperator.SHIFT_LEFT: ("<<", SHIFT),
    ir.BinaryOperator.SHIFT_RIGHT: (">>", SHIFT),
}
_COMPARISONS = {
    ir.BinaryOperator.EQUAL,
    ir.BinaryOperator.NOT_EQUAL,
    ir.BinaryOperator.LESS,
    ir.BinaryOperator.LESS_EQUAL,
    ir.BinaryOperator.GREATER,
    ir.BinaryOperator.GREATER_EQUAL,
}
_REAL_FUNCTIONS = {
    ir.MathFunction.SQRT: "square_root",
    ir.MathFunction.EXP: "exponential",
    ir.MathFunction.LOG: "logarithm",
    ir.MathFunction.POW: "power",
    ir.MathFunction.FLOOR: "floor",
    ir.MathFunction.CEIL: "ceil",
}


class Expressions(Conversions):
    """Writes the expressions of one Python function."""

    def raw(self, expression: ir.Expression) -> Text:
        """A value that wraps around to the right one."""
        match expression:
            case ir.Const():
                return literal(expression)
            case ir.Ref(variable):
                return Text(self.names.variables[variable.name], ATOM)
            case ir.Load(array, index):
                return Text(
                    self.names.load.format(array=self.names.arrays[array.name], index=self.index(array, index)), ATOM
                )
            case ir.Unary():
                return self._unary(expression)
            case ir.Binary():
                return self._binary(expression)
            case ir.Select():
                return self._select(expression)
            case ir.Cast():
                return self.cast(expression)
            case ir.Apply():
                return self._apply(expression)
            case ir.NumNodes():
                return Text("n", ATOM)
            case ir.NumArcs():
                return Text("m", ATOM)
            case ir.FindArc(source, destination):
                graph = ", ".join(self.names.arrays[array.name] for array in ir.CSR.row_arrays)
                return Text(f"find_arc({graph}, n, {self.exact(source).text}, {self.exact(destination).text})", ATOM)
            case ir.CallFunction():
                return self._call(expression)
            case _:
                assert_never(expression)

    # --- cells ---

    def index(self, array: ir.Array, index: ir.Expression) -> str:
        """Text of an index that is surely inside the array when it has been computed."""
        text = self.exact(index)
        if self.bounds.inside(index, array.extent):
            return text.text
        value, name = self.bind(text)
        return f"{name} if {self.inside(array, value)} else {self.refusal(array, name)}"

    def inside(self, array: ir.Array, index: str) -> str:
        return f"{index} == 0" if array.extent is ir.Extent.ONE else f"0 <= {index} < {self.size(array)}"

    def size(self, array: ir.Array) -> str:
        """How many cells it has."""
        own = array.extent in (ir.Extent.UPDATES, ir.Extent.HEADS, ir.Extent.ITEMS)
        return f"{self.names.arrays[array.name]}.shape[0]" if own else array.extent.text(_COUNTS, quotient="//")

    def refusal(self, array: ir.Array, index: str) -> str:
        return f"out_of_range({array.name!r}, {index}, f'{{{self.size(array)}}}')"

    # --- operators ---

    def _unary(self, unary: ir.Unary) -> Text:
        match unary.operator:
            case ir.UnaryOperator.NOT:
                return Text(f"not {self.raw(unary.operand).at(NOT)}", NOT)
            case ir.UnaryOperator.NEGATE:
                return Text(f"-{self.raw(unary.operand).at(SIGN)}", SIGN, unary.element.is_real)
            case ir.UnaryOperator.COMPLEMENT:
                operand = self.raw(unary.operand)
                return Text(f"~{operand.at(SIGN)}", SIGN, operand.in_range)
            case _:
                assert_never(unary.operator)

    def _binary(self, binary: ir.Binary) -> Text:
        operator = binary.operator
        if operator in _ARITHMETIC:
            return self._arithmetic(binary)
        if operator in _COMPARISONS:
            left, right = self.rounded(binary.left).at(BIT_OR), self.rounded(binary.right).at(BIT_OR)
            return Text(f"{left} {operator.value} {right}", COMPARISON)
        match operator:
            case ir.BinaryOperator.AND:
                return Text(f"{self.raw(binary.left).at(AND)} and {self.raw(binary.right).at(AND)}", AND)
            case ir.BinaryOperator.OR:
                return Text(f"{self.raw(binary.left).at(OR)} or {self.raw(binary.right).at(OR)}", OR)
            case ir.BinaryOperator.ADD_INF:
                return self._add_inf(binary)
            case ir.BinaryOperator.DIVIDE:
                return self._real_divide(binary) if binary.element.is_real else self._divide(binary)
        return Text(f"remainder({self.exact(binary.left).text}, {self.exact(binary.right).text})", ATOM)

    def _arithmetic(self, binary: ir.Binary) -> Text:
        sign, level = _ARITHMETIC[binary.operator]
        left, right = (self._widened(side, binary.element) for side in (binary.left, binary.right))
        if level == SHIFT:
            left, right = self.exact(binary.left), self.exact(binary.right)
        keeps = binary.element.is_real or self.bounds.inside(binary, ir.Extent.NODES_AND_ONE)
        if binary.operator is ir.BinaryOperator.SUBTRACT:
            keeps = keeps or (self.bounds.is_natural(binary.left) and self.bounds.is_natural(binary.right))
        keeps = keeps or (level in (BIT_AND, BIT_OR, BIT_XOR) and left.in_range and right.in_range)
        keeps = keeps or (binary.operator is ir.BinaryOperator.SHIFT_RIGHT and left.in_range)
        return Text(f"{left.at(level)} {sign} {right.at(level + 1)}", level, keeps)

    def _widened(self, operand: ir.Expression, element: ir.Element) -> Text:
        """An operand may stay out of range only if it wraps around where the result does."""
        return self.raw(operand) if width(operand.element) == width(element) else self.exact(operand)

    def _add_inf(self, binary: ir.Binary) -> Text:
        if binary.element.is_real:
            return Text(f"{self.raw(binary.left).at(SUM)} + {self.raw(binary.right).at(PRODUCT)}", SUM)
        largest = ir.infinity(binary.element).value
        tests, names = [], []
        for side in (binary.left, binary.right):
            if isinstance(side, ir.Const) and side.value != largest:
                names.append(literal(side).text)
                continue
            value, name = self.bind(self.exact(side))
            names.append(name)
            tests.append(f"{value} == {largest}")
        total = self.into_range(Text(" + ".join(names), SUM, False), binary.element)
        return Text(f"{largest} if {' or '.join(tests) or 'False'} else {total.at(CHOICE)}", CHOICE)

    def _divide(self, binary: ir.Binary) -> Text:
        left, right = self.exact(binary.left), self.exact(binary.right)
        if isinstance(binary.right, ir.Const) and int(binary.right.value) > 0:
            value, name = self.bind(left)
            return Text(f"{name} // {right.text} if {value} >= 0 else -(-{name} // {right.text})", CHOICE)
        return Text(f"divide({left.text}, {right.text})", ATOM, False)

    def _real_divide(self, binary: ir.Binary) -> Text:
        left, right = self.raw(binary.left), self.raw(binary.right)
        if isinstance(binary.right, ir.Const) and binary.right.value != 0:
            return Text(f"{left.at(PRODUCT)} / {right.at(SIGN)}", PRODUCT)
        divisor, name = self.bind(right)
        dividend, first = self.bind(left)
        condition = divisor if left.is_atom else f"({dividend},) and {divisor}"
        return Text(f"{first} / {name} if {condition} else real_divide({first}, {name})", CHOICE)

    def _select(self, select: ir.Select) -> Text:
        then, otherwise = self.raw(select.then), self._widened(select.otherwise, select.element)
        text = f"{then.at(OR)} if {self.raw(select.condition).at(OR)} else {otherwise.text}"
        return Text(text, CHOICE, then.in_range and otherwise.in_range)

    def _apply(self, apply: ir.Apply) -> Text:
        match apply.function:
            case ir.MathFunction.MIN | ir.MathFunction.MAX:
                return self._extreme(apply)
            case ir.MathFunction.ABS:
                return self._absolute(apply)
            case ir.MathFunction.POPCOUNT:
                return Text(f"({self.exact(apply.arguments[0]).text} & {2**64 - 1}).bit_count()", ATOM)
            case function:
                arguments = ", ".join(self.rounded(argument).text for argument in apply.arguments)
                return Text(f"{_REAL_FUNCTIONS[function]}({arguments})", ATOM)

    def _extreme(self, apply: ir.Apply) -> Text:
        """C's fmin and fmax: what is not a number gives way."""
        sign = "<" if apply.function is ir.MathFunction.MIN else ">"
        result = self.rounded(apply.arguments[0])
        for argument in apply.arguments[1:]:
            left, first = self.bind(result)
            right, second = self.bind(self.rounded(argument))
            condition = f"{left} {sign} {right}"
            if apply.element.is_real:
                condition += f" or {second} != {second}"
            result = Text(f"{first} if {condition} else {second}", CHOICE)
        return result

    def _absolute(self, apply: ir.Apply) -> Text:
        (argument,) = apply.arguments
        if apply.element.is_real:
            return Text(f"abs({self.raw(argument).text})", ATOM)
        return Text(f"abs({self.exact(argument).text})", ATOM, False)

    # --- helpers ---

    def _call(self, call: ir.CallFunction) -> Text:
        """A helper gives a tuple: its result, then its parameters by reference."""
        references = self.references(call)
        text = self.call(call)
        if not references:
            return Text(f"{text}[0]", ATOM)
        name = self.temporary()
        changes = [f"({reference} := {name}[{i}])" for i, reference in enumerate(references, 1)]
        return Text(f"(({name} := {text}), {', '.join(changes)})[0][0]", ATOM)

    def references(self, call: ir.CallFunction) -> list[str]:
        return [self.names.variables[a.name] for a in call.arguments if isinstance(a, ir.Variable)]

    def call(self, call: ir.CallFunction) -> str:
        arguments = ["n", "m"]
        for argument in call.arguments:
            match argument:
                case ir.Array():
                    arguments.append(self.names.arrays[argument.name])
                case ir.Variable():
                    arguments.append(self.names.variables[argument.name])
                case _:
                    arguments.append(self.exact(argument).text)
        return f"{self.names.functions[call.function]}({', '.join(arguments)})"


_COUNTS = {ir.Count.NODES: "n", ir.Count.ARCS: "m", ir.Count.SLOTS: "m", ir.Count.WORKERS: str(ir.WORKERS)}
