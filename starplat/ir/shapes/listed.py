"""Lengths of node lists, and the number of threads of a launch over one."""

from collections.abc import Mapping
from typing import assert_never

from starplat.ir import build, nodes as ir
from starplat.same import remembered

MOST_GUESSED = 2**17
"""Threads of a launch over a list whose length only the device knows: enough for any device to be busy."""

_BITS_IN_A_WORD, _OF_A_WORD = build.number(32), build.number(5)


@remembered(256)
def told_lengths(module: ir.Module) -> Mapping[str, ir.Expression | None]:
    """What `told_length` says of every kernel's domain, by the kernel's name."""
    return {kernel.name: told_length(kernel.domain) for kernel in module.kernels}


def told_length(domain: ir.Domain) -> ir.Expression | None:
    """The length of a domain that states it, as the host knows it; None for all others, and where only the device
    knows."""
    return known_length(domain) if isinstance(domain, ir.Listed | ir.InWords | ir.Numbers) else None


def known_length(domain: ir.Listed | ir.InWords | ir.Numbers) -> ir.Expression | None:
    """The number of iterations, as the host knows it; None where only the device does."""
    match domain:
        case ir.Listed(_, first, last) if isinstance(first, ir.Load) or isinstance(last, ir.Load):
            return None
    return listed_length(domain)


def listed_length(domain: ir.Listed | ir.InWords | ir.Numbers) -> ir.Expression:
    """The number of iterations, as the kernel knows it: places of a list, bits of listed words, numbers."""
    match domain:
        case ir.Listed(_, first, last) if first == ir.Const(0, first.element):
            return last
        case ir.Listed(_, first, last):
            return build.minus(last, first, ir.Element.INT)
        case ir.InWords(_, count):
            return ir.Binary(ir.BinaryOperator.SHIFT_LEFT, count, _OF_A_WORD, ir.Element.INT)
        case ir.Numbers(count):
            return count
        case _:
            assert_never(domain)


def node_in_words(domain: ir.InWords, place: ir.Variable) -> ir.Expression:
    """The node of an iteration, by its number; there may be no such node in the last word."""
    first = ir.Load(domain.array, build.divided(ir.Ref(place), _BITS_IN_A_WORD, ir.Element.INT))
    bit = ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(place), _BITS_IN_A_WORD, ir.Element.INT)
    return build.plus(first, bit, ir.Element.NODE)


def is_there(node: ir.Variable) -> ir.Expression:
    """Whether a number is that of a node, if it is none below zero."""
    return build.less(ir.Ref(node), ir.NumNodes())
