"""Divides the heaviest kernels of persistent launches among devices that reach each other's memory.

Takes a module as one device is to run it, returns one that every device runs alike on cells of its own, or None. Only
kernels that go over arcs are divided, where what they write can be told to the other parts at once: cells of their own
nodes, or what a Min or Max lowers or raises for the members of a set. All else must come to the same on every device,
whatever the order of its threads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from starplat.diagnostics import DiagnosticError
from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.conditions import conjunction
from starplat.ir.fresh_names import names_of
from starplat.ir.launches import in_one_launch
from starplat.ir.python.arithmetic import identity
from starplat.ir.shapes.members import membership
from starplat.ir.shapes.searching import searching
from starplat.ir.shapes.set_rounds import set_rounds
from starplat.ir.verifying.modules import verify
from starplat.ir.visitor import (
    arrays_in,
    expressions_of,
    launched_alone,
    walk_expression,
    walk_host,
    walk_kernel,
    with_signature,
    written_arrays,
)
from starplat.passes.memory import has_two_names
from starplat.passes.parts.effects import FROM_IDENTITY, KernelEffects, effects
from starplat.passes.parts.placing import POISON

_MANY = (ir.Element.INT, ir.Element.NODE, ir.Element.LONG)
"""Elements of which a device changes cells of another one by Min and Max."""


def in_parts_alike(module: ir.Module, poison: bool | None = None) -> ir.Module | None:
    """The module as every part runs it; None where nothing heavy can be divided, or parts would not come to the
    same.

    Args:
        poison: overwrites what a part has not worked out itself before it gets it, by low or by high values: for tests.
    """
    if module.race is not None or has_two_names(module):
        return None
    try:
        made = _Alike(module, poison).module()
    except _DiffersError:
        return None
    if made is not None:
        verify(made)
    return made


class _DiffersError(Exception):
    """Parts that do the same would not come to the same."""


@dataclass(frozen=True, slots=True)
class _Lowered:
    """What the walk over the members of `now` changes: cells of `values`, of nodes that join `following`."""

    values: ir.Array
    combine: ir.Combine
    now: ir.Array
    following: ir.Array


class _Alike:
    def __init__(self, given: ir.Module, poison: bool | None) -> None:
        self.given, self.poison = given, poison
        self.names = names_of(given)
        self.first = ir.Variable(self.names.fresh("part_first"), ir.Element.NODE)
        self.end = ir.Variable(self.names.fresh("part_end"), ir.Element.NODE)
        self.number = ir.Variable(self.names.fresh("part_number"), ir.Element.INT)
        self.parts = ir.Variable(self.names.fresh("number_of_parts"), ir.Element.INT)
        self.divided: dict[str, ir.Kernel] = {}
        self.waves: set[str] = set()

    @cached_property
    def launched(self) -> dict[str, bool]:
        """The kernels that are launched, and whether all of their launches stand inside of persistent ones."""
        prepared = {one.function for one in self.given.prepared}
        ops = [op for f in self.given.functions if f.name not in prepared for op in walk_host(f.body)]
        inside = {
            inner.kernel
            for op in ops
            if isinstance(op, ir.OnDevice)
            for inner in walk_host(op.body)
            if isinstance(inner, ir.Launch)
        }
        alone = {kernel.name for kernel in launched_alone(self.given)}
        return {op.kernel: op.kernel in inside - alone for op in ops if isinstance(op, ir.Launch)}

    @cached_property
    def own(self) -> dict[str, KernelEffects]:
        """The kernels over all nodes that only write cells of their own nodes, of those in persistent launches."""
        found = {name: self.of_own_cells(self.given.kernel(name)) for name, inside in self.launched.items() if inside}
        return {name: effects for name, effects in found.items() if effects is not None}

    @cached_property
    def heavy(self) -> set[str]:
        """Those that go over arcs, and those that share what only a part needs of its own cells with one of them."""
        heavy = {name for name in self.own if _walks_arcs(self.given.kernel(name))}
        while True:
            private = self.private(heavy)
            beside = {name for name in self.launched if any(self.uses(name, array) for array in private)}
            if beside <= heavy:
                return heavy
            heavy |= beside

    def uses(self, kernel: str, array: ir.Array) -> bool:
        return array in self.given.kernel(kernel).arrays

    def private(self, heavy: Iterable[str]) -> set[ir.Array]:
        """The arrays written by such kernels of which no part needs any cells but its own, inside of launches."""
        ops = [op for f in self.given.functions for op in walk_host(f.body)]
        named = {array for op in ops if not isinstance(op, ir.Fill | ir.OnDevice) for array in arrays_in(op)}
        once = Counter(array for op in ops if isinstance(op, ir.OnDevice) for array in op.arrays)
        written = {array for name in heavy for array in self.own[name].own if not array.packed and once[array] == 1}
        return {
            array
            for array in written - named
            if all(
                name in self.own and array not in self.own[name].needs
                for name in self.launched
                if self.uses(name, array)
            )
        }

    def module(self) -> ir.Module | None:
        prepared = {one.function for one in self.given.prepared}
        functions = tuple(f if f.name in prepared else self.function(f) for f in self.given.functions)
        if not self.divided:
            return None
        kernels = tuple(self.divided.get(kernel.name, kernel) for kernel in self.given.kernels)
        made = replace(self.given, functions=functions, kernels=kernels)
        return replace(made, functions=tuple(_with_signatures(function, made) for function in functions))

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        begin = ir.TakePart(self.first, self.end), ir.TakeNumber(self.number, self.parts)
        return replace(function, body=(*begin, *self.block(function.body)))

    def block(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        return tuple(made for op in ops for made in self.op(op))

    def op(self, op: ir.HostOp) -> tuple[ir.HostOp, ...]:
        match op:
            case ir.OnDevice():
                if op.one_group or op.cluster or op.traced:
                    raise _DiffersError
                return (replace(op, body=(*self.block(op.body), *self.at_last(op)), in_parts=True),)
            case ir.Launch():
                return self.launch(op)
            case ir.Loop(driver=ir.NearestFirst()):
                return (self.rounds(op),)
            case ir.Loop(driver=ir.Ahead()):
                raise _DiffersError
            case ir.Loop(before, _, body):
                before, step = (self.block(ops) for ops in (before, op.step))
                return (replace(op, before=before, body=self.block(body), step=step),)
            case ir.HostForRange(body=body) | ir.HostBlock(body=body):
                return (replace(op, body=self.block(body)),)
            case ir.HostIf(_, then, otherwise):
                then, otherwise = (self.block(ops) for ops in (then, otherwise))
                return (replace(op, then=then, otherwise=otherwise),)
            case _ if isinstance(op, _ALIKE):
                return (op,)
            case _:
                raise _DiffersError

    def at_last(self, op: ir.OnDevice) -> tuple[ir.HostOp, ...]:
        """What tells the other parts of results that none has needed before."""
        found = tuple(a for a in op.arrays if a.origin is ir.Origin.PARAMETER and a in self.private(self.heavy))
        return (ir.ExchangeCells(found, None, None, self.first, self.end),) if found else ()

    # --- launches --------------------------------------------------------------------------------------------------

    def launch(self, op: ir.Launch) -> tuple[ir.HostOp, ...]:
        kernel = self.given.kernel(op.kernel)
        if kernel.guard is not None:
            raise _DiffersError
        if op.members is not None:
            self.require_wave(op)
            return (replace(op, pull=self.block(op.pull)),)
        if kernel.name not in self.heavy:
            self.require_alike(kernel)
            return (op, *(ir.TakeFirst(r.variable) for r in kernel.brought_back if _depends_on_order(r)))
        self.divided[kernel.name] = self.of_part(kernel)
        names = self.names
        sums = [
            (reduction, ir.Variable(names.fresh(f"{reduction.variable.name}_before"), reduction.variable.element))
            for reduction in kernel.brought_back
        ]
        ahead: list[ir.HostOp] = []
        for reduction, before in sums:
            ahead.append(ir.DeclareVariable(before, ir.Ref(reduction.variable)))
            start = identity(reduction.combine, reduction.variable.element)
            ahead.append(ir.SetVariable(reduction.variable, start))
        behind = (ir.Together(r.variable, r.combine, before) for r, before in sums)
        return (*ahead, op, *self.poisoned(kernel), *self.exchanged(kernel), *behind)

    def poisoned(self, kernel: ir.Kernel) -> Iterator[ir.HostOp]:
        """Spoils the cells that other parts have worked out."""
        if self.poison is not None:
            values = POISON[self.poison]
            for array in (array for array in self.own[kernel.name].own if not array.packed):
                yield ir.KeepOwn(array, ir.Const(values[array.element], array.element))

    def of_own_cells(self, kernel: ir.Kernel) -> KernelEffects | None:
        """The effects of a kernel over all nodes that only writes cells of its own nodes."""
        if not isinstance(kernel.domain, ir.AllNodes) or kernel.domain.first is not None:
            return None
        if membership(kernel) is not None or _takes_out(kernel):
            return None
        try:
            found = effects(kernel, self.given)
        except DiagnosticError:
            return None
        whole = all(array.extent is ir.Extent.NODES for array in found.own)
        return found if whole and not (found.combined or found.common) else None

    def exchanged(self, kernel: ir.Kernel) -> tuple[ir.HostOp, ...]:
        """What tells the other parts of own cells: of those alone whose nodes join a set, where that is all."""
        private = self.private(self.heavy)
        own = [array for array in self.own[kernel.name].own if array not in private]
        sets = [array for array in own if array.packed]
        rest = tuple(array for array in own if not array.packed)
        made: list[ir.HostOp] = []
        for members in sets:
            beside = tuple(array for array in rest if _written_beside(array, members, kernel.body))
            rest = tuple(array for array in rest if array not in beside)
            common = kernel.name in self.waves
            made.append(ir.ExchangeCells(beside, members, None, self.first, self.end, common))
        if rest:
            made.append(ir.ExchangeCells(rest, None, None, self.first, self.end))
        return tuple(made)

    def of_part(self, kernel: ir.Kernel) -> ir.Kernel:
        return with_signature(replace(kernel, domain=ir.AllNodes(ir.Ref(self.first), ir.Ref(self.end))))

    def rounds(self, loop: ir.Loop) -> ir.HostOp:
        """Rounds that take near nodes first: every part walks the members whose turn is its own, then all get what was
        lowered."""
        rounds = set_rounds(loop)
        assert rounds is not None
        kernel = self.given.kernel(rounds.walk.kernel)
        found = self.lowered(kernel)
        if found is None or rounds.walk.members is not None or kernel.reductions:
            raise _DiffersError
        assert kernel.iterator is not None
        assert kernel.filter is not None
        turn = ir.Binary(ir.BinaryOperator.REMAINDER, ir.Ref(kernel.iterator), ir.Ref(self.parts), ir.Element.INT)
        own = build.equal(turn, ir.Ref(self.number))
        members = membership(kernel)
        assert members is not None
        of_part = replace(kernel, filter=conjunction([kernel.filter, own]), body=members.body)
        self.divided[kernel.name] = with_signature(of_part)
        walk = (
            rounds.walk,
            ir.Fill(found.now, ir.Const(False, ir.Element.BOOL)),
            ir.ExchangeCells((found.values,), found.following, found.combine, self.first, self.end),
        )
        body = tuple(made for op in loop.body for made in (walk if op == rounds.walk else (op,)))
        return replace(loop, body=body)

    def lowered(self, kernel: ir.Kernel) -> _Lowered | None:
        """What a walk over a set lowers (raises), if it does so to the cells of nodes that join another one."""
        members = membership(kernel)
        if members is None or not members.takes:
            return None
        extremes = [op for op in walk_kernel(kernel.body) if isinstance(op, ir.ExtremeCell)]
        if len(extremes) != 1 or extremes[0].lock is not None or extremes[0].partner is not None:
            return None
        extreme, carried = extremes[0], extremes[0].carried
        joins = [carry for carry in carried if carry.array.packed and carry.index == extreme.index]
        fits = len(joins) == len(carried) == 1 and extreme.array.element in _MANY and extreme.array.pairs is None
        if not fits or written_arrays(kernel.body) != {extreme.array, joins[0].array, members.members}:
            return None
        return _Lowered(extreme.array, extreme.extreme, members.members, joins[0].array)

    # --- what comes to the same ------------------------------------------------------------------------------------

    def require_wave(self, op: ir.Launch) -> None:
        """A push comes to the same in any order where a pull may end at the first neighbor in the set: all that is
        offered in a round is one value."""
        push = written_arrays(self.given.kernel(op.kernel).body)
        pulls = [self.given.kernel(inner.kernel) for inner in walk_host(op.pull) if isinstance(inner, ir.Launch)]
        if len(pulls) != 1 or searching(pulls[0]) is None or self.given.kernel(op.kernel).reductions:
            raise _DiffersError
        plain = {array for array in push if not array.packed}
        if len(plain) != 1 or plain != {array for array in written_arrays(pulls[0].body) if not array.packed}:
            raise _DiffersError
        self.waves.add(pulls[0].name)

    def require_alike(self, kernel: ir.Kernel) -> None:
        """Raises where what a kernel leaves depends on the order of its iterations."""
        try:
            found = effects(kernel, self.given)
        except DiagnosticError:
            raise _DiffersError from None
        if isinstance(kernel.domain, ir.Once):
            return
        changed = {one.array for one in found.combined} | set(found.common) | set(found.own)
        read = {
            part.array
            for op in walk_kernel(kernel.body)
            for top in expressions_of(op)
            for part in walk_expression(top)
            if isinstance(part, ir.Load)
        }
        of_others = found.needs - {one.array for one in found.combined} - set(found.common)
        if changed & of_others or read & {one.array for one in found.combined}:
            raise _DiffersError
        for one in found.combined:
            if one.carried or (one.combine in FROM_IDENTITY and one.array.element.is_real):
                raise _DiffersError


_ALIKE = (
    ir.DeclareVariable
    | ir.SetVariable
    | ir.Fill
    | ir.CopyArray
    | ir.Swap
    | ir.ReadCell
    | ir.ReadEmpty
    | ir.ReadSize
    | ir.WriteCell
    | ir.CheckCell
    | ir.HostBreak
    | ir.HostContinue
    | ir.HostReturn
)
"""Host operations that come to the same on all parts."""


def _with_signatures(function: ir.HostFunction, module: ir.Module) -> ir.HostFunction:
    """The function with the signatures of its persistent launches derived again."""

    def derived(op: ir.HostOp) -> ir.HostOp:
        if isinstance(op, ir.OnDevice):
            return in_one_launch(op, module, op.outcomes)
        if isinstance(op, ir.HostIf):
            return replace(op, then=tuple(map(derived, op.then)), otherwise=tuple(map(derived, op.otherwise)))
        if isinstance(op, ir.Loop | ir.HostForRange | ir.HostBlock):
            return replace(op, body=tuple(map(derived, op.body)))
        return op

    return replace(function, body=tuple(map(derived, function.body)))


def _walks_arcs(kernel: ir.Kernel) -> bool:
    return any(isinstance(op, ir.ForNeighbors) for op in walk_kernel(kernel.body))


def _takes_out(kernel: ir.Kernel) -> bool:
    """Whether a kernel takes nodes out of a set, of which parts only tell each other what they put in."""
    stores = (op for op in walk_kernel(kernel.body) if isinstance(op, ir.Store) and op.array.packed)
    return any(store.value != build.TRUE for store in stores)


def _depends_on_order(reduction: ir.Reduction) -> bool:
    """Whether the last bits of a result depend on the order in which threads contribute."""
    return reduction.variable.element.is_real and reduction.combine in FROM_IDENTITY


def _written_beside(array: ir.Array, members: ir.Array, body: tuple[ir.KernelOp, ...]) -> bool:
    """Whether wherever a cell is stored its node joins the set, in the same run of operations."""
    joins = {op.index for op in body if isinstance(op, ir.Store) and op.array == members}
    for op in body:
        if isinstance(op, ir.Store) and op.array == array and op.index not in joins:
            return False
        if isinstance(op, ir.UpdateCell | ir.ExtremeCell) and op.array == array:
            return False
        blocks = (getattr(op, name, ()) for name in ("body", "then", "otherwise"))
        if not all(_written_beside(array, members, block) for block in blocks if isinstance(block, tuple)):
            return False
    return True
