"""Kernels over the members of a set: their filter tests a flag of the iteration's own node."""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.ir import build, nodes as ir, uses
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


@dataclass(frozen=True, slots=True)
class SetRounds:
    """The walk over the set `now` while `following` is filled; `done` is what ends the loop. In parts each walks its
    own members, and `exchange` tells the others what it has found."""

    walk: ir.Launch
    now: ir.Array
    following: ir.Array
    done: ir.SetVariable
    exchange: ir.ExchangeCells | None = None


def set_rounds(loop: ir.Loop) -> SetRounds | None:
    """The parts of a round, if it is `do { launch walk; swap; ask whether the set is empty } while (it is not)`."""
    ops = list(uses.stream(loop.body))
    exchange = next((op for op in ops if isinstance(op, ir.ExchangeCells)), None)
    if exchange is not None and len(ops) == 5 and isinstance(ops[1], ir.Fill):
        ops = [ops[0], *ops[3:]]
    match ops:
        case [ir.Launch() as walk, ir.Swap(first, second), ir.ReadEmpty(variable, now, when_empty)] if now in (
            first,
            second,
        ):
            over: ir.Expression = ir.Ref(variable)
            done = ir.SetVariable(variable, ir.Const(when_empty, ir.Element.BOOL))
            plain = loop.test_last and not (loop.before or loop.step)
            if not plain or loop.condition != (build.denied(over) if when_empty else over):
                return None
            return SetRounds(walk, now, second if now == first else first, done, exchange)
    return None
