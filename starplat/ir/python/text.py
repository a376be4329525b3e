"""Pieces of Python text and how tightly they bind: of these, expressions and statements are put together.

No name of a program gets into the text: `Names` maps variables, arrays and helpers to names of its own.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isinf, isnan
from re import sub
from typing import NamedTuple

from starplat.ir import nodes as ir
from starplat.ir.python.arithmetic import round32

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


def mangled(kind: str, number: int, name: str) -> str:
    """A Python name of our own that still reminds of the program's."""
    return f"{kind}{number}_{sub('[^A-Za-z0-9_]', '_', name)}"


def helper_names(helpers: Iterable[ir.Function]) -> dict[str, str]:
    return {helper.name: mangled("f", number, helper.name) for number, helper in enumerate(helpers)}


def width(element: ir.Element) -> int:
    """The bits of an integer type, 0 for the others."""
    match element:
        case ir.Element.INT | ir.Element.NODE:
            return 32
        case ir.Element.LONG | ir.Element.ARC:
            return 64
    return 0


def literal(constant: ir.Const) -> Text:
    """The text of a constant; a float is what a device would hold."""
    if constant.element is ir.Element.BOOL:
        return Text(repr(bool(constant.value)), ATOM)
    if not constant.element.is_real:
        number = int(constant.value)
        return Text(repr(number), ATOM if number >= 0 else SIGN)
    real = float(constant.value)
    if isnan(real):
        return Text("nan", ATOM)
    real = round32(real) if constant.element is ir.Element.FLOAT else real
    text = ("inf" if real > 0 else "-inf") if isinf(real) else repr(real)
    return Text(text, SIGN if text.startswith("-") else ATOM)
