"""How long lists of nodes are, and how many threads a launch over one wants."""

from __future__ import annotations

from typing import assert_never

from starplat.ir.nodes import (
    Binary,
    BinaryOperator,
    Const,
    Domain,
    Element,
    Expression,
    InWords,
    Listed,
    Load,
    Numbers,
    NumNodes,
    Ref,
    Variable,
)

MOST_GUESSED = 2**17
"""Threads of a launch over a list whose length only the device knows: enough for any device to be busy."""

_BITS_IN_A_WORD, _OF_A_WORD = Const(32, Element.INT), Const(5, Element.INT)


def told_length(domain: Domain) -> Expression | None:
    """How many iterations a domain has that says so itself, as the host says it; None for all others, and where only
    the device knows."""
    return known_length(domain) if isinstance(domain, Listed | InWords | Numbers) else None


def known_length(domain: Listed | InWords | Numbers) -> Expression | None:
    """How many iterations there are, as the host says it; None where only the device knows."""
    match domain:
        case Listed(_, first, last) if isinstance(first, Load) or isinstance(last, Load):
            return None
        case _:
            return listed_length(domain)


def listed_length(domain: Listed | InWords | Numbers) -> Expression:
    """How many iterations there are, as the kernel says it: places of a list, bits of listed words, numbers."""
    match domain:
        case Listed(_, first, last) if first == Const(0, first.element):
            return last
        case Listed(_, first, last):
            return Binary(BinaryOperator.SUBTRACT, last, first, Element.INT)
        case InWords(_, count):
            return Binary(BinaryOperator.SHIFT_LEFT, count, _OF_A_WORD, Element.INT)
        case Numbers(count):
            return count
        case _:
            assert_never(domain)


def node_in_words(domain: InWords, place: Variable) -> Expression:
    """The node of an iteration, by its number; there may be no such node in the last word."""
    first = Load(domain.array, Binary(BinaryOperator.DIVIDE, Ref(place), _BITS_IN_A_WORD, Element.INT))
    bit = Binary(BinaryOperator.REMAINDER, Ref(place), _BITS_IN_A_WORD, Element.INT)
    return Binary(BinaryOperator.ADD, first, bit, Element.NODE)


def is_there(node: Variable) -> Expression:
    """Whether a number is that of a node, if it is none below zero."""
    return Binary(BinaryOperator.LESS, Ref(node), NumNodes(), Element.BOOL)
