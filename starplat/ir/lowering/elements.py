"""The types and operators of the language as those of the intermediate form."""

from starplat.frontend import typed, types
from starplat.ir import nodes as ir

ELEMENTS = {kind: ir.Element.ARC if kind is types.Scalar.EDGE else ir.Element[kind.name] for kind in types.Scalar}
COMBINES = {combine: ir.Combine[combine.name] for combine in typed.Combine}
EXTREMES = {extreme: ir.Combine[extreme.name] for extreme in typed.Extreme}
