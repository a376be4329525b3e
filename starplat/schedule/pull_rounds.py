"""Which way a round goes where the host drives it: with few active nodes it pushes, with many it pulls."""

from __future__ import annotations

from starplat.ir.capabilities import Capabilities
from starplat.ir.nodes import Binary, BinaryOperator, Const, Element, Expression, HostIf, HostOp, NumNodes

_SHARE, _SHARE_IN_LOCKSTEP = 16, 32
"""Pulling takes less time where more than one node in so many is active. Atomic operations cost more on a GPU."""


def pulling_share(capabilities: Capabilities) -> int:
    """One node in how many must be active on a device, so that pulling is worth it."""
    return _SHARE_IN_LOCKSTEP if capabilities.lockstep else _SHARE


def pulls_if_many_words(words: Expression, share: int, push: tuple[HostOp, ...], pull: tuple[HostOp, ...]) -> HostIf:
    """The choice, by how many words of a set's bits are not zero: more than there would be if one node in `share` were
    active and these lay anywhere. Where they lie together they are more by then, and pushing them is right as well."""
    eighths = round(8 * (1 - (1 - 1 / share) ** 32))
    all_words = Binary(BinaryOperator.DIVIDE, NumNodes(), Const(32, Element.INT), Element.INT)
    some = Binary(BinaryOperator.MULTIPLY, all_words, Const(eighths, Element.INT), Element.INT)
    limit = Binary(BinaryOperator.DIVIDE, some, Const(8, Element.INT), Element.INT)
    return HostIf(Binary(BinaryOperator.GREATER, words, limit, Element.BOOL), pull, push)


def pulls_if_many(active: Expression, share: int, push: tuple[HostOp, ...], pull: tuple[HostOp, ...]) -> HostIf:
    """The choice, by how many nodes are active, which the host knows: more than one in `share`, or not."""
    limit = Binary(BinaryOperator.DIVIDE, NumNodes(), Const(share, Element.INT), Element.INT)
    return HostIf(Binary(BinaryOperator.GREATER, active, limit, Element.BOOL), pull, push)
