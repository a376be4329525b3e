"""Prints expressions in WGSL: nothing converts by itself, `select` is the choice, and atomic cells have reads of their
own.

Takes what the C-like printer takes, and of every array whether its cells are atomic.
"""

from dataclasses import KW_ONLY, dataclass

from starplat.backends.c import expressions, precedence
from starplat.backends.legal.methods import NARROWER
from starplat.backends.wgsl.instances import Instances
from starplat.ir import build, nodes as ir

_WIDE = (ir.Element.LONG, ir.Element.DOUBLE)


@dataclass(slots=True)
class WgslExpressions(expressions.ExpressionPrinter):
    """As the C-like printer. `instances` are the functions for the arrays that they are called with."""

    _: KW_ONLY
    instances: Instances

    def expression(self, expression: ir.Expression) -> str:
        return self.at(precedence.SELECT, expression)

    def print(self, expression: ir.Expression) -> tuple[str, int]:
        match expression:
            case ir.Const():
                self.require_narrow(expression.element)
                text = expressions.literal(expression, self.spelling, self.helpers)
                if expression.element is ir.Element.FLOAT and not text[-2].isdigit():  # INFINITY or NAN
                    return self.unbounded(text), precedence.POSTFIX
                return text, precedence.PREFIX if text.startswith("-") else precedence.POSTFIX
            case ir.Unary(ir.UnaryOperator.NOT, ir.Load(array, index)):
                return self.read(array, index)[0].replace(" != 0", " == 0"), precedence.EQUALITY
            case ir.Select(condition, then, otherwise):
                for side in (then, otherwise):
                    self.instances.require_pure(side)
                chosen = ", ".join(map(self.expression, (otherwise, then, condition)))
                return f"select({chosen})", precedence.POSTFIX
        return super(WgslExpressions, self).print(expression)

    def unbounded(self, text: str) -> str:
        """INF or NaN of a FLOAT, which WGSL has no literal for: by their bits, which no compiler may know."""
        self.helpers.need("real_of_bits")
        bits = {"INFINITY": "0x7f800000u", "-INFINITY": "0xff800000u", "NAN": "0x7fc00000u"}[text]
        return f"real_of_bits({bits})"

    def largest(self, element: ir.Element) -> str:
        return self.unbounded("INFINITY") if element.is_real else self.spelling.largest[element]

    def kind(self, element: ir.Element) -> str:
        """The type of a local. Raises E0604: its numbers would have 64 bits."""
        self.require_narrow(element)
        return self.spelling.values[element]

    def require_narrow(self, element: ir.Element) -> None:
        """Refuses numbers of 64 bits. Raises E0604: this is one."""
        if element in _WIDE:
            self.instances.refuse(f"this target has no '{element.value}': its numbers have 32 bits", NARROWER)

    # --- cells -----------------------------------------------------------------------------------------------------

    def read(self, array: ir.Array, index: ir.Expression) -> tuple[str, int]:
        self.require_narrow(array.element)
        cell = self.cell(array, index)
        text, strength = (f"atomicLoad(&{cell})" if self.is_atomic(array) else cell), precedence.POSTFIX
        if array.element is ir.Element.BOOL:
            return f"{text} != 0", precedence.EQUALITY
        if array.element is ir.Element.FLOAT and self.is_atomic(array):
            return f"bitcast<f32>({text})", strength
        return text, strength

    def cell(self, array: ir.Array, index: ir.Expression) -> str:
        return f"{self.local(array)}[{self.expression(index)}]"

    def stored(self, array: ir.Array, value: ir.Expression) -> str:
        """A value as a cell holds it: a BOOL as 0 or 1, a FLOAT of an atomic array as its bits."""
        if array.element is ir.Element.BOOL and isinstance(value, ir.Const):
            return str(int(value.value))
        return self.as_stored(array, self.expression(value))

    def as_stored(self, array: ir.Array, text: str) -> str:
        if array.element is ir.Element.BOOL:
            return f"i32({text})"
        return f"bitcast<i32>({text})" if array.element is ir.Element.FLOAT and self.is_atomic(array) else text

    def is_atomic(self, array: ir.Array) -> bool:
        """Whether its cells are read and written atomically, as some of the kernels need it."""
        return self.instances.binding(array).atomic

    # --- operators -------------------------------------------------------------------------------------------------

    def binary(self, binary: ir.Binary) -> tuple[str, int]:
        operator, left, right = binary.operator, binary.left, binary.right
        if operator is ir.BinaryOperator.BIT_XOR and binary.element is ir.Element.BOOL:
            return self.binary(ir.Binary(ir.BinaryOperator.NOT_EQUAL, left, right, ir.Element.BOOL))
        self.require_narrow(binary.element)
        if operator in (ir.BinaryOperator.SHIFT_LEFT, ir.BinaryOperator.SHIFT_RIGHT):
            amount = f"{right.value}u" if isinstance(right, ir.Const) else f"u32({self.expression(right)})"
            return f"{self.at(precedence.PREFIX, left)} {operator.value} {amount}", precedence.SHIFT
        return super(WgslExpressions, self).binary(binary)

    def combined(self, combine: ir.Combine, left: str, right: str, element: ir.Element) -> str:
        if combine is ir.Combine.BIT_XOR and element is ir.Element.BOOL:
            return f"{left} != ({right})"
        return super(WgslExpressions, self).combined(combine, left, right, element)

    def multiply(self, binary: ir.Binary) -> str:
        """Products wrap around by themselves; bracketed, since the caller takes it for a call."""
        first, second = self.at(precedence.PRODUCT, binary.left), self.at(precedence.PREFIX, binary.right)
        return f"({first} * {second})"

    # --- conversions and functions ---------------------------------------------------------------------------------

    def cast(self, cast: ir.Cast) -> tuple[str, int]:
        source, target = cast.operand.element, cast.element
        if target is ir.Element.BOOL:
            return self.print(build.differs(cast.operand, ir.Const(0, source)))
        kind = self.kind(target)
        if self.kind(source) == kind:
            return self.print(cast.operand)
        if source.is_real and not target.is_real:
            self.helpers.need("saturated")
            return f"saturated({self.expression(cast.operand)})", precedence.POSTFIX
        if cast.keeps_inf and source is not ir.Element.BOOL:
            return self.keeping_inf(cast), precedence.POSTFIX
        return f"{kind}({self.expression(cast.operand)})", precedence.POSTFIX

    def apply(
        self, function: ir.MathFunction, arguments: tuple[ir.Expression, ...], element: ir.Element
    ) -> tuple[str, int]:
        self.require_narrow(element)
        return super(WgslExpressions, self).apply(function, arguments, element)

    def typed(self, expression: ir.Expression, element: ir.Element) -> str:
        return self.expression(expression)

    def find_arc(self, find: ir.FindArc) -> str:
        assert not find.among_gaps, "webgpu has no rows with room"
        self.helpers.need("find_arc")
        return f"find_arc({self.expression(find.source)}, {self.expression(find.destination)})"

    def call(self, call: ir.CallFunction) -> str:
        hidden = self.hidden_arguments.get(call.function, ())
        given = [self.argument(argument) for argument in call.arguments if not isinstance(argument, ir.Array)]
        return f"{self.instances.called(call)}({', '.join((*hidden, *given))})"
