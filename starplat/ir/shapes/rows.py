"""The out-degree of a node, as an expression."""

from starplat.ir import build
from starplat.ir import nodes as ir


def row_length(node: ir.Variable) -> ir.Binary:
    """The arcs that leave the node."""
    following = build.plus(ir.Ref(node), build.ONE, ir.Element.NODE)
    return build.minus(ir.Load(ir.ROW_OFFSETS, following), ir.Load(ir.ROW_OFFSETS, ir.Ref(node)), ir.Element.ARC)
