"""How many arcs a node has, as an expression."""

from __future__ import annotations

from starplat.ir import nodes as ir


def row_length(node: ir.Variable) -> ir.Binary:
    """The arcs that leave the node."""
    following = ir.Binary(ir.BinaryOperator.ADD, ir.Ref(node), ir.Const(1, ir.Element.INT), ir.Element.NODE)
    return ir.Binary(
        ir.BinaryOperator.SUBTRACT,
        ir.Load(ir.ROW_OFFSETS, following),
        ir.Load(ir.ROW_OFFSETS, ir.Ref(node)),
        ir.Element.ARC,
    )
