"""Collecting kernels: each node lacks bits of some words, and takes those that its neighbors offer.

Only the compiler makes them (see `schedule.sources`). The domain is the words of all nodes; a loop over the node's arcs
ends when nothing is missing.
"""

from dataclasses import dataclass

from starplat.ir import nodes as ir


@dataclass(frozen=True, slots=True)
class Collecting:
    """`ahead` finds the node and which of its words it is; `wanted` is what is missing; an arc for which `condition`
    holds offers `value`; `found` are the bits that were missing, with which `taken` is done if there are any."""

    ahead: tuple[ir.Let, ...]
    missing: ir.Variable
    wanted: ir.Expression
    loop: ir.ForNeighbors
    condition: ir.Expression
    value: ir.Expression
    found: ir.Variable
    taken: tuple[ir.KernelOp, ...]


def collecting(kernel: ir.Kernel) -> Collecting | None:
    """The kernel's parts, if it collects bits."""
    match kernel.domain, kernel.body:
        case (
            ir.Numbers(),
            (
                *ahead,
                ir.Let(missing, wanted),
                ir.KernelIf(
                    ir.Binary(ir.BinaryOperator.NOT_EQUAL, ir.Ref(asked), ir.Const(0)),
                    (
                        ir.Let(found, ir.Const(0)),
                        ir.ForNeighbors(
                            body=(
                                ir.KernelIf(
                                    condition,
                                    (
                                        ir.SetLocal(grown, ir.Binary(ir.BinaryOperator.BIT_OR, ir.Ref(old), value)),
                                        ir.KernelIf(_, (ir.KernelBreak(),), ()),
                                    ),
                                    (),
                                ),
                            )
                        ) as loop,
                        ir.SetLocal(masked, ir.Binary(ir.BinaryOperator.BIT_AND, _, ir.Ref(mask))),
                        ir.KernelIf(_, taken, ()),
                    ),
                    (),
                ),
            ),
        ) if asked == mask == missing and found == grown == old == masked:
            lets = tuple(op for op in ahead if isinstance(op, ir.Let))
            return Collecting(lets, missing, wanted, loop, condition, value, found, taken)
    return None
