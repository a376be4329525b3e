"""Finds the loops of a host program whose rounds a group of threads can run by itself.

A round suits if it launches walks over lists, whose lengths the host knows when it begins, and has nothing else to do
than threads can: scalars, single words, arrays that change places in pairs. Of two ways to walk, of which the host
takes one by what it knows then, a group takes the one over a list, as long as the host would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.ir.listed import known_length
from starplat.ir.nodes import (
    Const,
    DeclareVariable,
    Element,
    Expression,
    Extent,
    Fill,
    HostBlock,
    HostFor,
    HostIf,
    HostOp,
    HostWhile,
    Kernel,
    Launch,
    Listed,
    Module,
    Once,
    Origin,
    ReadCell,
    Ref,
    SetVariable,
    Swap,
    Unary,
    UnaryOperator,
    Variable,
    WriteCell,
)
from starplat.ir.rewriter import Rewriter
from starplat.ir.uses import stream
from starplat.ir.visitor import declared_by, expressions_of, walk_expression, walk_host
from starplat.schedule.names import Taken
from starplat.schedule.relaxing import unfolded
from starplat.schedule.threads import is_safe, scalars_read, scalars_set, shortens, takes_locks
from starplat.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Rounds:
    """A loop, as one that tests a condition: `body` is a round as a group does it, `by_host` as the host does.

    `lengths` are those of the lists that are walked, and `provided` what must hold besides for the body to be the
    round, as the host knows them when a round begins; if it only knows them after the first operations of a round,
    these stand `ahead` and not in the bodies. `swaps` change places in a round, no array twice.
    """

    loop: HostWhile
    body: tuple[HostOp, ...]
    by_host: tuple[HostOp, ...]
    lengths: tuple[Expression, ...]
    provided: tuple[Expression, ...]
    swaps: tuple[Swap, ...]
    ahead: tuple[HostOp, ...] | None
    span: Span


def rounds_of(op: HostOp, module: Module) -> Rounds | None:
    """What a group needs to know of a loop; None if it cannot run its rounds."""
    loop = _as_while(op)
    if loop is None or not is_safe(loop.condition) or not all(_is_word(inner) for inner in stream(loop.before)):
        return None
    row = tuple(stream(loop.body))
    looked = _Round(module).looked_at(row)
    if looked is None:
        return None
    if looked.lengths:
        return looked.rounds(loop, loop.body, None, _span_of(op, module))
    ahead = _ahead(row)
    turned = _Round(module).looked_at((*row[len(ahead) :], *ahead))
    if not ahead or loop.before or turned is None or not turned.lengths:
        return None
    rest = row[len(ahead) :]
    again = _Round(module).looked_at(rest)
    assert again is not None
    return again.rounds(loop, rest, ahead, _span_of(op, module))


def _as_while(op: HostOp) -> HostWhile | None:
    """A loop that tests a condition; nothing in a round that suits goes on with the next one from its middle."""
    match op:
        case HostWhile():
            return op
        case HostFor(before, condition, step, body):
            return HostWhile(before, condition, (*body, *step))
        case _:
            return None


def _ahead(row: Sequence[HostOp]) -> tuple[HostOp, ...]:
    """The operations of a round before its first launch, if they can stand somewhere else."""
    place = next((n for n, op in enumerate(row) if not isinstance(op, SetVariable | ReadCell | WriteCell)), len(row))
    return tuple(row[:place])


def _span_of(loop: HostOp, module: Module) -> Span:
    """Where the loop's first kernel stands in the program."""
    spans = (module.kernel(op.kernel).span for op in walk_host((loop,)) if isinstance(op, Launch))
    return next(spans, NOWHERE)


class _Round:
    """Goes through one round: what it assigns, how long its lists are, which way it takes."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.assigned: set[Variable] = set()
        self.values: dict[Variable, Expression] = {}
        self.lengths: dict[Expression, None] = {}
        self.provided: dict[Expression, None] = {}
        self.swaps: list[Swap] = []
        self.body: tuple[HostOp, ...] = ()

    def looked_at(self, row: Iterable[HostOp]) -> _Round | None:
        """This, if a group can run the round."""
        body: list[HostOp] = []
        for op in row:
            taken = self.taken(op)
            if taken is None:
                return None
            body += taken
            for inner in taken:
                self.note(inner)
        swapped = [array for swap in self.swaps for array in (swap.first, swap.second)]
        if len(swapped) != len(set(swapped)):
            return None
        read = set(scalars_read((inner for op in body for inner in walk_host((op,))), self.module))
        self.body = tuple(op for op in body if not isinstance(op, DeclareVariable) or op.variable in read)
        return self

    def rounds(
        self, loop: HostWhile, by_host: tuple[HostOp, ...], ahead: tuple[HostOp, ...] | None, span: Span
    ) -> Rounds:
        lengths, provided = tuple(self.lengths), tuple(self.provided)
        return Rounds(loop, self.body, by_host, lengths, provided, tuple(self.swaps), ahead, span)

    def taken(self, op: HostOp) -> tuple[HostOp, ...] | None:
        """What a group does in the place of an operation; None if it cannot."""
        if self.fits(op):
            return (op,)
        if not isinstance(op, HostIf) or not is_safe(op.condition):
            return None
        condition = unfolded(op.condition, self.values)
        if self.assigned & _variables(condition):
            return None
        then, otherwise = tuple(stream(op.then)), tuple(stream(op.otherwise))
        if all(map(self.fits, otherwise)):
            self.provided[Unary(UnaryOperator.NOT, condition)] = None
            return otherwise
        if all(map(self.fits, then)):
            self.provided[condition] = None
            return then
        return None

    def fits(self, op: HostOp, *, conditional: bool = False) -> bool:
        """Whether the threads of a group can do it."""
        if not all(is_safe(e) for e in expressions_of(op)) or shortens(op):
            return False
        match op:
            case SetVariable():
                return True
            case DeclareVariable() | Swap():
                return not conditional
            case Fill(array):
                return array.extent is Extent.ONE
            case ReadCell() | WriteCell():
                return _is_word(op)
            case Launch(kernel):
                return _is_walk(self.module.kernel(kernel), self.module)
            case HostBlock(body):
                return all(self.fits(inner, conditional=conditional) for inner in body)
            case HostIf(_, then, otherwise):
                return all(self.fits(inner, conditional=True) for inner in (*then, *otherwise))
            case _:
                return False

    def note(self, op: HostOp) -> None:
        """What is known when a round begins is known as long as nothing assigns it; and so is what is worked out of
        it, as its `values`."""
        for inner in walk_host((op,)):
            match inner:
                case Launch(kernel):
                    domain = self.module.kernel(kernel).domain
                    length = known_length(domain) if isinstance(domain, Listed) else None
                    if length is not None and not self.assigned & _variables(length):
                        self.lengths[length] = None
                case Swap():
                    self.swaps.append(inner)
                case _:
                    pass
        known = dict(self.values)
        changed = set(scalars_set(walk_host((op,)), self.module))
        changed.update(variable for inner in walk_host((op,)) for variable in declared_by(inner))
        self.assigned |= changed
        self.values = {variable: value for variable, value in known.items() if variable not in changed}
        match op:
            case DeclareVariable(variable, value) | SetVariable(variable, value) if value.element is variable.element:
                began = unfolded(value, known)
                if not self.assigned & _variables(began):
                    self.values[variable] = began
            case _:
                pass


def _variables(expression: Expression) -> set[Variable]:
    return {part.variable for part in walk_expression(expression) if isinstance(part, Ref)}


def _is_word(op: HostOp) -> bool:
    """Whether it reads or writes the one cell of an array, or a cell of what a step keeps for each level, whose number
    is in range."""
    match op:
        case ReadCell(_, array, index) | WriteCell(array, index):
            own = array.origin in (Origin.HOST, Origin.TEMPORARY)
            only = array.extent is Extent.ONE and index == Const(0, Element.INT)
            return own and is_safe(index) and (only or array.extent is Extent.NODES_AND_ONE)
        case _:
            return False


def _is_walk(kernel: Kernel, module: Module) -> bool:
    """Whether the kernel goes over a list whose length the host knows, or is for one thread, and nobody has to wait for
    a lock or for what others have found."""
    match kernel.domain:
        case Listed() as listed:
            plain = known_length(listed) is not None
        case Once():
            plain = True
        case _:
            plain = False
    return plain and not kernel.reductions and not takes_locks(kernel, module)


# --- what a group does ------------------------------------------------------------------------------------------------


def copied(ops: Iterable[HostOp]) -> tuple[Any, ...]:
    """The operations once more: who tells them apart does so by which object they are."""
    result: list[HostOp] = []
    for op in ops:
        inside: dict[str, Any] = {name: copied(block) for name, block in _blocks(op)}
        result.append(replace(op, **inside))
    return tuple(result)


def _blocks(op: HostOp) -> Iterable[tuple[str, tuple[HostOp, ...]]]:
    for name in ("before", "then", "otherwise", "body", "step"):
        block = getattr(op, name, None)
        if block is not None:
            yield name, block


def with_plain_walks(loop: HostWhile, module: Module, taken: Taken, added: list[Kernel]) -> HostWhile:
    """The loop, whose walks give each node to one thread; where kernels share arcs, others are `added` that do not."""
    names: dict[str, str] = {}
    for name in dict.fromkeys(op.kernel for op in walk_host((loop,)) if isinstance(op, Launch)):
        kernel = module.kernel(name)
        if kernel.shares_arcs:
            names[name] = taken.free(f"{name}_of_few")
            added.append(replace(kernel, name=names[name], shares_arcs=False))
    return replace(loop, body=_Renamed(names).host_block(loop.body))


class _Renamed(Rewriter):
    """Launches kernels by their new names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        if isinstance(op, Launch):
            return (replace(op, kernel=self.names.get(op.kernel, op.kernel)),)
        return (self.rebuild(op),)
