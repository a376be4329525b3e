"""Kernels over the members of a set: those whose filter asks for a flag of the iteration's own node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir.conditions import conjunction, conjuncts
from starplat.ir.nodes import (
    AllNodes,
    Array,
    Binary,
    BinaryOperator,
    Const,
    Element,
    Expression,
    Extent,
    Kernel,
    KernelOp,
    Load,
    Ref,
    Store,
    Variable,
)


@dataclass(frozen=True, slots=True)
class Membership:
    """A kernel's iterations are the members of `members` for which `keep` holds; it `takes` them out of the set, all of
    them, if its first operation says so, and does `body` with them."""

    members: Array
    keep: Expression | None
    takes: bool
    body: tuple[KernelOp, ...]


def membership(
    kernel: Kernel, is_set: Callable[[Array], bool] = lambda array: array.packed is not None
) -> Membership | None:
    """What the kernel's filter says, if it asks for a member of an array that `is_set`."""
    if not isinstance(kernel.domain, AllNodes) or kernel.filter is None or kernel.iterator is None:
        return None
    conditions = list(conjuncts(kernel.filter))
    for number, condition in enumerate(conditions):
        array = flag_of(condition, kernel.iterator)
        if array is not None and is_set(array):
            rest = [*conditions[:number], *conditions[number + 1 :]]
            keep = conjunction(rest)
            takes = keep is None and bool(kernel.body) and kernel.body[0] == taking(array, kernel.iterator)
            return Membership(array, keep, takes, kernel.body[takes:])
    return None


def taking(members: Array, iterator: Variable) -> Store:
    """The operation that takes the iteration's node out of a set."""
    return Store(members, Ref(iterator), Const(False, Element.BOOL))


def flag_of(condition: Expression, iterator: Variable) -> Array | None:
    """The array of flags whose own cell the condition asks for, if that is all it asks."""
    match condition:
        case Load(array, index) if index == Ref(iterator) and array.element is Element.BOOL:
            return array if array.extent is Extent.NODES else None
        case Binary(BinaryOperator.EQUAL, left, Const(True, Element.BOOL)):
            return flag_of(left, iterator)
        case Binary(BinaryOperator.NOT_EQUAL, left, Const(False, Element.BOOL)):
            return flag_of(left, iterator)
        case _:
            return None
