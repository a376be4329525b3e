"""How many arcs a node has, as an expression."""

from __future__ import annotations

from starplat.ir.nodes import ROW_OFFSETS, Binary, BinaryOperator, Const, Element, Load, Ref, Variable


def row_length(node: Variable) -> Binary:
    """The arcs that leave the node."""
    following = Binary(BinaryOperator.ADD, Ref(node), Const(1, Element.INT), Element.NODE)
    return Binary(BinaryOperator.SUBTRACT, Load(ROW_OFFSETS, following), Load(ROW_OFFSETS, Ref(node)), Element.ARC)
