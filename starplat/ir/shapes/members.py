"""Kernels over the members of a set: their filter tests a flag of the iteration's own node."""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.conditions import conjunction, conjuncts


@dataclass(frozen=True, slots=True)
class Membership:
    """A kernel's iterations are the members of `members` for which `keep` holds; it `takes` them out of the set, all of
    them, if its first operation says so; `body` is the rest."""

    members: ir.Array
    keep: ir.Expression | None
    takes: bool
    body: tuple[ir.KernelOp, ...]


def membership(
    kernel: ir.Kernel, is_set: Callable[[ir.Array], bool] = lambda array: array.packed is not None
) -> Membership | None:
    """The parts of a kernel whose filter tests for a member of an array that `is_set`."""
    if not isinstance(kernel.domain, ir.AllNodes) or kernel.filter is None or kernel.iterator is None:
        return None
    conditions = list(conjuncts(kernel.filter))
    for number, condition in enumerate(conditions):
        if (array := flag_of(condition, kernel.iterator)) is not None and is_set(array):
            rest = [*conditions[:number], *conditions[number + 1 :]]
            keep = conjunction(rest)
            takes = keep is None and bool(kernel.body) and kernel.body[0] == taking(array, kernel.iterator)
            return Membership(array, keep, takes, kernel.body[takes:])
    return None


def taking(members: ir.Array, iterator: ir.Variable) -> ir.Store:
    """The operation that removes the iteration's node from a set."""
    return ir.Store(members, ir.Ref(iterator), build.FALSE)


def flag_of(condition: ir.Expression, iterator: ir.Variable) -> ir.Array | None:
    """The array of flags whose own cell the condition tests, if it tests nothing else."""
    match condition:
        case ir.Load(array, index) if index == ir.Ref(iterator) and array.element is ir.Element.BOOL:
            return array if array.extent is ir.Extent.NODES else None
    return None
