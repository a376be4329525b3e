"""How long lists of nodes are, and how many threads a launch over one wants."""

from __future__ import annotations

from starplat.ir.nodes import Binary, BinaryOperator, Const, Element, Expression, Listed, Load

MOST_GUESSED = 2**17
"""Threads of a launch over a list whose length only the device knows: enough for any device to be busy."""


def known_length(listed: Listed) -> Expression | None:
    """How many nodes are listed, as the host says it; None where only the device knows."""
    if isinstance(listed.first, Load) or isinstance(listed.last, Load):
        return None
    return listed_length(listed)


def listed_length(listed: Listed) -> Expression:
    """How many nodes are listed, as the kernel says it."""
    if listed.first == Const(0, listed.first.element):
        return listed.last
    return Binary(BinaryOperator.SUBTRACT, listed.last, listed.first, Element.INT)
