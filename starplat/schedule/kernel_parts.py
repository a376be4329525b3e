"""What a kernel comes to when it is taken apart by what it does with flags of its own nodes."""

from __future__ import annotations

from dataclasses import dataclass

from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Const,
    Element,
    Expression,
    KernelOp,
    Unary,
    UnaryOperator,
)

TRUE, FALSE = Const(True, Element.BOOL), Const(False, Element.BOOL)

Conditions = tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Cleared:
    """Nobody is in the set any more."""

    array: Array


@dataclass(frozen=True, slots=True)
class Lost:
    """Members for which all conditions hold leave the set, and do something that has nothing to do with it."""

    array: Array
    conditions: Conditions
    body: tuple[KernelOp, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """What nodes do for which all conditions hold."""

    conditions: Conditions
    body: tuple[KernelOp, ...]


Part = Cleared | Lost | Done


# --- conditions put together ---------------------------------------------------------------------------------------


def either(left: Expression, right: Expression) -> Expression:
    """One of two conditions, or both."""
    return Binary(BinaryOperator.OR, left, right, Element.BOOL)


def negated(condition: Expression) -> Expression:
    """The opposite, as plain as it can be said."""
    match condition:
        case Unary(UnaryOperator.NOT, operand):
            return operand
        case Binary(BinaryOperator.EQUAL, operand, Const(False, Element.BOOL)):
            return operand
        case _:
            return Unary(UnaryOperator.NOT, condition)
