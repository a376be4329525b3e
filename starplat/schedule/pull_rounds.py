"""Which way a round goes where the host drives it: with few active nodes it pushes, with many it pulls."""

from __future__ import annotations

from starplat.ir.nodes import Binary, BinaryOperator, Const, Element, Expression, HostIf, HostOp, NumNodes

_SHARE = 16
"""Pulling looks at fewer arcs where more than one node in so many is active."""


def pulls_if_many(active: Expression, push: tuple[HostOp, ...], pull: tuple[HostOp, ...]) -> HostIf:
    """The choice, by how many nodes are active, which the host knows."""
    limit = Binary(BinaryOperator.DIVIDE, NumNodes(), Const(_SHARE, Element.INT), Element.INT)
    return HostIf(Binary(BinaryOperator.GREATER, active, limit, Element.BOOL), pull, push)
