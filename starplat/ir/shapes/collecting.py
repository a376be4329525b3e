"""Collecting kernels: each node lacks bits of some words, and takes those that its neighbors offer.

The domain, which no loop of a program goes over, tells them; a loop over the node's arcs ends when nothing is
missing.
"""

from dataclasses import dataclass

from starplat.ir import build, nodes as ir
from starplat.ir.visitor import walk_expression


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a node: `wanted` is what is `missing`; an arc offers `value`; `found` are the bits that were
    missing."""

    missing: ir.Variable
    wanted: ir.Expression
    value: ir.Expression
    found: ir.Variable


@dataclass(frozen=True, slots=True)
class Collecting:
    """`ahead` finds the node and which of its words they are; an arc offers bits if `condition` holds, which it always
    does where threads share rows; if any of them were missing, `taken` is done."""

    ahead: tuple[ir.Let, ...]
    words: tuple[Word, ...]
    loop: ir.ForNeighbors
    condition: ir.Expression
    taken: tuple[ir.KernelOp, ...]


def collecting(kernel: ir.Kernel) -> Collecting | None:
    """The kernel's parts, if it collects bits."""
    if not isinstance(kernel.domain, ir.WordsOfNodes):
        return None
    match kernel.body:
        case (*lets, ir.KernelIf(ir.Binary(ir.BinaryOperator.NOT_EQUAL, asked, ir.Const(0)), search, ())):
            several = len(search) // 2 - 1
            first = len(lets) - several
        case _:
            return None
    ahead = tuple(op for op in lets[:first] if isinstance(op, ir.Let))
    match search[several:]:
        case (ir.ForNeighbors(body=body) as loop, *masked, ir.KernelIf(_, taken, ())) if len(ahead) == first:
            condition, grown = _offers(body)
            if not several == len(grown) == len(masked):
                return None
            found = map(_word, lets[first:], search[:several], grown, masked)
            words = tuple(word for word in found if word is not None)
            read = {part.variable for part in walk_expression(asked) if isinstance(part, ir.Ref)}
            if several == len(words) and read == {word.missing for word in words}:
                return Collecting(ahead, words, loop, condition, taken)
    return None


def _offers(body: tuple[ir.KernelOp, ...]) -> tuple[ir.Expression, tuple[ir.KernelOp, ...]]:
    """The condition under which an arc offers bits, and how words take them; none if the body does something else."""
    match body:
        case (ir.KernelIf(condition, (*grown, ir.KernelIf(_, (ir.KernelBreak(),), ())), ()),):
            return condition, tuple(grown)
        case (*grown, ir.KernelIf(_, (ir.KernelBreak(),), ())):
            return build.TRUE, tuple(grown)
    return build.FALSE, ()


def _word(missing: ir.KernelOp, begun: ir.KernelOp, grown: ir.KernelOp, masked: ir.KernelOp) -> Word | None:
    """The word that begins with no bits, takes those of arcs, and keeps those that were missing."""
    match missing, begun, grown, masked:
        case (
            ir.Let(lacked, wanted),
            ir.Let(found, ir.Const(0)),
            ir.SetLocal(taker, ir.Binary(ir.BinaryOperator.BIT_OR, ir.Ref(old), value)),
            ir.SetLocal(kept, ir.Binary(ir.BinaryOperator.BIT_AND, _, ir.Ref(mask))),
        ) if found == taker == old == kept and lacked == mask:
            return Word(lacked, wanted, value, found)
    return None
