"""Finds the loops of a host program whose rounds one group of threads can run.

A round qualifies if it launches walks over lists, whose lengths the host knows when it begins, and otherwise only uses
scalars, single words and arrays swapped in pairs. Of two ways to walk, between which the host chooses by what it knows
then, a group takes the one over a list, as long as the host would.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import FreshNames
from starplat.ir.launches import scalars_read, scalars_set
from starplat.ir.rewriter import Rewriter
from starplat.ir.shapes.listed import known_length
from starplat.ir.uses import stream
from starplat.ir.visitor import declared_by, expressions_of, variables_read, walk_host
from starplat.schedule.edge_effects import unfolded
from starplat.schedule.loop.threads import is_safe, shortens, takes_locks
from starplat.source import NOWHERE, Span


@dataclass(frozen=True, slots=True)
class Rounds:
    """A loop, as one that tests a condition: `body` is a round as a group does it, `by_host` as the host does.

    `lengths` are those of the lists that are walked, and `provided` what must hold besides for the body to be the
    round, as the host knows them when a round begins; if it only knows them after the first operations of a round,
    these stand `ahead` and not in the bodies. `swaps` change places in a round, no array twice.
    """

    loop: ir.Loop
    body: tuple[ir.HostOp, ...]
    by_host: tuple[ir.HostOp, ...]
    lengths: tuple[ir.Expression, ...]
    provided: tuple[ir.Expression, ...]
    swaps: tuple[ir.Swap, ...]
    ahead: tuple[ir.HostOp, ...] | None
    span: Span


def rounds_of(op: ir.HostOp, module: ir.Module) -> Rounds | None:
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


def _as_while(op: ir.HostOp) -> ir.Loop | None:
    """A loop that tests a condition; no `continue` in a round that qualifies."""
    return replace(op, body=(*op.body, *op.step), step=()) if isinstance(op, ir.Loop) else None


def _ahead(row: Sequence[ir.HostOp]) -> tuple[ir.HostOp, ...]:
    """The operations of a round before its first launch, if they can stand elsewhere."""
    place = next(
        (n for n, op in enumerate(row) if not isinstance(op, ir.SetVariable | ir.ReadCell | ir.WriteCell)), len(row)
    )
    return tuple(row[:place])


def _span_of(loop: ir.HostOp, module: ir.Module) -> Span:
    """The place of the loop's first kernel in the program."""
    spans = (module.kernel(op.kernel).span for op in walk_host((loop,)) if isinstance(op, ir.Launch))
    return next(spans, NOWHERE)


class _Round:
    """Goes through one round: assignments, lengths of lists, the way taken."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.assigned: set[ir.Variable] = set()
        self.values: dict[ir.Variable, ir.Expression] = {}
        self.lengths: dict[ir.Expression, None] = {}
        self.provided: dict[ir.Expression, None] = {}
        self.swaps: list[ir.Swap] = []
        self.body: tuple[ir.HostOp, ...] = ()

    def looked_at(self, row: Iterable[ir.HostOp]) -> _Round | None:
        """This, if a group can run the round."""
        body: list[ir.HostOp] = []
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
        self.body = tuple(op for op in body if not isinstance(op, ir.DeclareVariable) or op.variable in read)
        return self

    def rounds(
        self, loop: ir.Loop, by_host: tuple[ir.HostOp, ...], ahead: tuple[ir.HostOp, ...] | None, span: Span
    ) -> Rounds:
        lengths, provided = tuple(self.lengths), tuple(self.provided)
        return Rounds(loop, self.body, by_host, lengths, provided, tuple(self.swaps), ahead, span)

    def taken(self, op: ir.HostOp) -> tuple[ir.HostOp, ...] | None:
        """A group's replacement for an operation; None if it has none."""
        if self.fits(op):
            return (op,)
        if not isinstance(op, ir.HostIf) or not is_safe(op.condition):
            return None
        condition = unfolded(op.condition, self.values)
        if self.assigned & variables_read(condition):
            return None
        then, otherwise = tuple(stream(op.then)), tuple(stream(op.otherwise))
        if all(map(self.fits, otherwise)):
            self.provided[build.denied(condition)] = None
            return otherwise
        if all(map(self.fits, then)):
            self.provided[condition] = None
            return then
        return None

    def fits(self, op: ir.HostOp, *, conditional: bool = False) -> bool:
        """Whether the threads of a group can do it."""
        if not all(is_safe(e) for e in expressions_of(op)) or shortens(op):
            return False
        match op:
            case ir.SetVariable():
                return True
            case ir.DeclareVariable() | ir.Swap():
                return not conditional
            case ir.Fill(array):
                return array.extent is ir.Extent.ONE
            case ir.ReadCell() | ir.WriteCell():
                return _is_word(op)
            case ir.Launch(kernel):
                return _is_walk(self.module.kernel(kernel), self.module)
            case ir.HostBlock(body):
                return all(self.fits(inner, conditional=conditional) for inner in body)
            case ir.HostIf(_, then, otherwise):
                return all(self.fits(inner, conditional=True) for inner in (*then, *otherwise))
            case _:
                return False

    def note(self, op: ir.HostOp) -> None:
        """What is known when a round begins is known until it is assigned, and so are the `values` computed from it."""
        for inner in walk_host((op,)):
            match inner:
                case ir.Launch(kernel):
                    domain = self.module.kernel(kernel).domain
                    length = known_length(domain) if isinstance(domain, ir.Listed) else None
                    if length is not None and not self.assigned & variables_read(length):
                        self.lengths[length] = None
                case ir.Swap():
                    self.swaps.append(inner)
                case _:
                    pass
        known = dict(self.values)
        changed = set(scalars_set(walk_host((op,)), self.module))
        changed.update(variable for inner in walk_host((op,)) for variable in declared_by(inner))
        self.assigned |= changed
        self.values = {variable: value for variable, value in known.items() if variable not in changed}
        match op:
            case ir.DeclareVariable(variable, value) | ir.SetVariable(variable, value) if (
                value.element is variable.element
            ):
                began = unfolded(value, known)
                if not self.assigned & variables_read(began):
                    self.values[variable] = began
            case _:
                pass


def _is_word(op: ir.HostOp) -> bool:
    """Whether it reads or writes the one cell of an array, or a cell of what a step keeps for each level, whose number
    is in range."""
    match op:
        case ir.ReadCell(_, array, index) | ir.WriteCell(array, index):
            own = array.origin in (ir.Origin.HOST, ir.Origin.TEMPORARY)
            only = array.extent is ir.Extent.ONE and index == build.ZERO
            return own and is_safe(index) and (only or array.extent is ir.Extent.NODES_AND_ONE)
        case _:
            return False


def _is_walk(kernel: ir.Kernel, module: ir.Module) -> bool:
    """Whether the kernel goes over a list whose length the host knows, or is for one thread, and needs no lock and no
    result of other threads."""
    match kernel.domain:
        case ir.Listed() as listed:
            plain = known_length(listed) is not None
        case ir.Once():
            plain = True
        case _:
            plain = False
    return plain and not kernel.reductions and not takes_locks(kernel, module)


# --- what a group does ------------------------------------------------------------------------------------------------


def copied(ops: Iterable[ir.HostOp]) -> tuple[Any, ...]:
    """A copy of the operations, because operations are told apart by identity."""
    result: list[ir.HostOp] = []
    for op in ops:
        inside: dict[str, Any] = {name: copied(block) for name, block in _blocks(op)}
        result.append(replace(op, **inside))
    return tuple(result)


def _blocks(op: ir.HostOp) -> Iterable[tuple[str, tuple[ir.HostOp, ...]]]:
    for name in ("before", "then", "otherwise", "body", "step"):
        block = getattr(op, name, None)
        if block is not None:
            yield name, block


def with_plain_walks(loop: ir.Loop, module: ir.Module, taken: FreshNames, added: list[ir.Kernel]) -> ir.Loop:
    """The loop, whose walks give each node to one thread; where kernels share arcs, plain ones are `added`."""
    names: dict[str, str] = {}
    for name in dict.fromkeys(op.kernel for op in walk_host((loop,)) if isinstance(op, ir.Launch)):
        kernel = module.kernel(name)
        if kernel.shares_arcs:
            names[name] = taken.fresh(f"{name}_of_few")
            added.append(replace(kernel, name=names[name], shares_arcs=False))
    return replace(loop, body=_Renamed(names).host_block(loop.body))


class _Renamed(Rewriter):
    """Launches kernels by their new names."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.Launch):
            return (replace(op, kernel=self.names.get(op.kernel, op.kernel)),)
        return (self.rebuild(op),)
