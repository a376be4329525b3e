"""Python text for conversions between types and into a type's range.

`+ - *` and the bit operators commute with wrapping around, so a chain of them is computed in Python's unbounded
integers and brought into range once, where its value is compared, divided, stored, converted or used as an index
(`Text.in_range`). A float is kept in double precision and rounded where it is compared or converted (cells round what
is stored in them): a better sum than a device's, but the same answer to `new < old`.
"""

from abc import ABC, abstractmethod

from starplat.ir import nodes as ir
from starplat.ir.python.text import ATOM, BIT_OR, CHOICE, COMPARISON, SIGN, SUM, Names, Text, literal, width
from starplat.ir.verifying.bounds import Bounds


class Conversions(ABC):
    """Three ways to want a value, and casts. `bounds` says which values are known."""

    def __init__(self, names: Names, bounds: Bounds) -> None:
        self.names, self.bounds = names, bounds
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

    def exact(self, expression: ir.Expression) -> Text:
        """A value inside its type's range."""
        return self.into_range(self.raw(expression), expression.element)

    def into_range(self, text: Text, element: ir.Element) -> Text:
        bits = width(element)
        if text.in_range or not bits:
            return text
        lowest, highest = ir.limits(element)
        value, name = self.bind(text)
        return Text(f"{name} if {lowest} <= {value} <= {highest} else wrap{bits}({name})", CHOICE)

    def rounded(self, expression: ir.Expression) -> Text:
        """As `exact`; a float as a device would have it."""
        text = self.exact(expression)
        if expression.element is not ir.Element.FLOAT or isinstance(expression, ir.Load | ir.Const):
            return text
        return Text(f"round32({text.text})", ATOM)

    @abstractmethod
    def raw(self, expression: ir.Expression) -> Text:
        """A value that wraps around to the right one."""

    def cast(self, cast: ir.Cast) -> Text:
        source, target = cast.operand.element, cast.element
        if source is target:
            return self.raw(cast.operand)
        if target is ir.Element.BOOL:
            return Text(f"{self.exact(cast.operand).at(BIT_OR)} != 0", COMPARISON)
        if source is ir.Element.BOOL:
            operand = self.raw(cast.operand)
            return Text(f"{operand.at(SUM)} + 0.0", SUM) if target.is_real else Text(f"+{operand.at(SIGN)}", SIGN)
        if source.is_real:
            return self._cast_real(cast)
        return self._cast_integer(cast)

    def _cast_real(self, cast: ir.Cast) -> Text:
        text = self.rounded(cast.operand)
        match cast.element:
            case ir.Element.FLOAT:
                return Text(f"round32({text.text})", ATOM)
            case ir.Element.DOUBLE:
                return text
        return Text(f"to_int{width(cast.element)}({text.text})", ATOM)

    def _cast_integer(self, cast: ir.Cast) -> Text:
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
        largest = literal(ir.infinity(target)).text
        inside = self.into_range(converted, target)
        return Text(f"{largest} if {value} == {ir.infinity(source).value} else {inside.text}", CHOICE)
