"""The parts of a kernel that works with flags of its own nodes."""

from dataclasses import dataclass

from starplat.ir import nodes as ir

Conditions = tuple[ir.Expression, ...]


@dataclass(frozen=True, slots=True)
class Cleared:
    """All members leave the set."""

    array: ir.Array


@dataclass(frozen=True, slots=True)
class Lost:
    """Members for which all conditions hold leave the set, and do something unrelated to it."""

    array: ir.Array
    conditions: Conditions
    body: tuple[ir.KernelOp, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The work of nodes for which all conditions hold."""

    conditions: Conditions
    body: tuple[ir.KernelOp, ...]


Part = Cleared | Lost | Done
