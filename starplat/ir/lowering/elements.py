"""The types and operators of the language as those of the intermediate form."""

from starplat.frontend import typed
from starplat.frontend.types import Scalar
from starplat.ir import nodes as ir

ELEMENTS = {
    Scalar.BOOL: ir.Element.BOOL,
    Scalar.INT: ir.Element.INT,
    Scalar.LONG: ir.Element.LONG,
    Scalar.FLOAT: ir.Element.FLOAT,
    Scalar.DOUBLE: ir.Element.DOUBLE,
    Scalar.NODE: ir.Element.NODE,
    Scalar.EDGE: ir.Element.ARC,
}

COMBINES = {
    typed.Combine.ADD: ir.Combine.ADD,
    typed.Combine.MULTIPLY: ir.Combine.MULTIPLY,
    typed.Combine.AND: ir.Combine.AND,
    typed.Combine.OR: ir.Combine.OR,
    typed.Combine.BIT_AND: ir.Combine.BIT_AND,
    typed.Combine.BIT_OR: ir.Combine.BIT_OR,
    typed.Combine.BIT_XOR: ir.Combine.BIT_XOR,
}

EXTREMES = {typed.Extreme.MIN: ir.Combine.MIN, typed.Extreme.MAX: ir.Combine.MAX}
