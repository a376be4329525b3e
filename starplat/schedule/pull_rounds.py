"""Which way a round goes where the host drives it: with few active nodes it pushes, with many it pulls."""

from __future__ import annotations

from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Binary, BinaryOperator, Const, Element, Expression, HostIf, HostOp, NumNodes

_SHARE, _SHARE_IN_LOCKSTEP = 16, 32
"""Pulling takes less time where more than one node in so many is active. Atomic operations cost more on a GPU."""


def pulling_share(capabilities: Capabilities) -> int:
    """One node in how many must be active on a device, so that pulling is worth it."""
    return _SHARE_IN_LOCKSTEP if capabilities.lockstep else _SHARE


def pulls_if_many(active: Expression, share: int, push: tuple[HostOp, ...], pull: tuple[HostOp, ...]) -> HostIf:
    """The choice, by how many nodes are active, which the host knows: more than one in `share`, or not."""
    limit = Binary(BinaryOperator.DIVIDE, NumNodes(), Const(share, Element.INT), Element.INT)
    return HostIf(Binary(BinaryOperator.GREATER, active, limit, Element.BOOL), pull, push)
