"""What a set of nodes is as a queue, and the function that puts a node into one."""

from __future__ import annotations

from dataclasses import dataclass

from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    CallFunction,
    Const,
    Element,
    Expression,
    Extent,
    FetchAdd,
    FetchOr,
    Function,
    KernelCall,
    KernelIf,
    KernelOp,
    Let,
    Listed,
    Load,
    Origin,
    Parameter,
    Ref,
    Store,
    Variable,
)
from starplat.schedule.names import Taken

ZERO = Const(0, Element.INT)
ONE = Const(1, Element.INT)
_BITS_IN_A_WORD = Const(32, Element.INT)
_BIT = Variable("bit", Element.INT)


@dataclass(frozen=True, slots=True)
class Queue:
    """What a set comes to: `bits` say who is in it, the first `size[0]` cells of `nodes` who that is, in no order;
    `count` is the host's copy of that number."""

    bits: Array
    nodes: Array
    size: Array
    count: Variable

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All that is on the device."""
        return self.bits, self.nodes, self.size

    @property
    def told(self) -> tuple[Array, ...]:
        """What who puts a node in must know."""
        return self.arrays

    @property
    def walked(self) -> Listed:
        """The nodes that are in the set."""
        return Listed(self.nodes, ZERO, Ref(self.count))


def queue_of(flags: Array, taken: Taken) -> Queue:
    """Arrays and a variable in the place of flags."""
    name = flags.name
    return Queue(
        Array(taken.free(f"{name}_bits"), Element.INT, Extent.BITS, Origin.TEMPORARY),
        Array(taken.free(f"{name}_list"), Element.NODE, Extent.NODES, Origin.TEMPORARY),
        Array(taken.free(f"{name}_size"), Element.INT, Extent.ONE, Origin.TEMPORARY),
        Variable(taken.free(f"{name}_count"), Element.INT),
    )


def insertion(taken: Taken) -> Function:
    """The function that puts a node into a set; who sees the bit at a glance needs no atomic operation."""
    node, bit = Variable("node", Element.NODE), _BIT
    held, place = Variable("held", Element.INT), Variable("place", Element.INT)
    bits = Array("bits", Element.INT, Extent.BITS, Origin.TEMPORARY)
    nodes = Array("list", Element.NODE, Extent.NODES, Origin.TEMPORARY)
    size = Array("size", Element.INT, Extent.ONE, Origin.TEMPORARY)
    listed: tuple[KernelOp, ...] = (
        Let(place, ZERO),
        FetchAdd(place, size, ZERO, ONE),
        Store(nodes, Ref(place), Ref(node)),
    )
    body = put_into(bits, node, held, (KernelIf(_without(Ref(held), Ref(bit)), listed),))
    parameters = (Parameter(node), Parameter(bits), Parameter(nodes), Parameter(size))
    comment = "Puts a node into a set, unless its bit says that it is there; the list has its nodes in no order."
    return Function(taken.free("enlist"), parameters, None, body, comment=comment)


def put_into(bits: Array, node: Variable, held: Variable, new: tuple[KernelOp, ...]) -> tuple[KernelOp, ...]:
    """Sets the bit of a node, unless it is set at a glance; what was there before is `held` for what is done then."""
    put = (Let(held, ZERO), FetchOr(held, bits, word_of(Ref(node)), Ref(_BIT)), *new)
    unknown = _without(Load(bits, word_of(Ref(node))), Ref(_BIT))
    return Let(_BIT, bit_of(Ref(node))), KernelIf(unknown, put)


def inserted(node: Expression, told: tuple[Array, ...], insert: Function) -> KernelCall:
    """The call that puts a node into a set, with what of the set it must know."""
    return KernelCall(CallFunction(insert.name, (node, *told), Element.INT))


def contained(node: Expression, bits: Array) -> Expression:
    """Whether a node is in the set that has these bits."""
    found = _common(Load(bits, word_of(node)), bit_of(node))
    return Binary(BinaryOperator.NOT_EQUAL, found, ZERO, Element.BOOL)


def word_of(node: Expression) -> Expression:
    """Where a node's bit is."""
    return Binary(BinaryOperator.DIVIDE, node, _BITS_IN_A_WORD, Element.INT)


def bit_of(node: Expression) -> Expression:
    """Which bit of the word it is."""
    place = Binary(BinaryOperator.REMAINDER, node, _BITS_IN_A_WORD, Element.INT)
    return Binary(BinaryOperator.SHIFT_LEFT, ONE, place, Element.INT)


def _without(word: Expression, bit: Expression) -> Expression:
    return Binary(BinaryOperator.EQUAL, _common(word, bit), ZERO, Element.BOOL)


def _common(left: Expression, right: Expression) -> Expression:
    return Binary(BinaryOperator.BIT_AND, left, right, Element.INT)
