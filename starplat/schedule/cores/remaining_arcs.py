"""Step `remaining`: rounds that take arcs out for good go over a list of those that are left.

  loop                                        list all arcs with open[e]
    forall (e in arcs with open[e])           loop
      if (…) open[e] = False; else …            forall (piece of the list)
    forall (e in arcs with open[e]) …             for (e of the piece) { …; if (open[e]) it stays }
    if (…) open = …                             forall (piece of the list) { for (e of the piece) … }
                                                if (…) { open = …; list all arcs with open[e] }

Every arc for which the condition holds is in the list: no operation of the loop makes it true for another one, or all
arcs are listed again behind it. Where others than those that go over the list take arcs out, some are listed in vain,
and the condition is asked there as before.

A piece has room for as many arcs as are numbered in a row, and is one thread's, so that what stays moves up without
atomic operations, and in order. Where threads run in lockstep, next to each other they would read cells far apart.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from starplat.ir import build, conditions, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.fresh_names import FreshNames, names_in
from starplat.ir.launches import changed, is_launched_once
from starplat.ir.module_rewriter import ModuleRewriter
from starplat.ir.rewriter import HostRule, Replacer
from starplat.ir.visitor import (
    all_expressions,
    arrays_in,
    blocks_of,
    continues,
    walk_expression,
    walk_host,
    walk_kernel,
    walk_outside,
    with_signature,
    written_arrays,
)
from starplat.passes.memory import has_two_names
from starplat.schedule.schedule import Memory, Schedule
from starplat.schedule.step import Decided, for_kernels

_PIECE = 256
"""Arcs of a piece: enough that a loop over them costs little, few enough that the threads share pieces evenly."""

_ARC = ir.Variable("arc", ir.Element.ARC)
"""Stands for a kernel's iterator in a condition."""


def only_remaining_arcs(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose rounds go over such lists, where threads are cores and the arcs stay where they are."""
    in_memory = schedule.memory in (Memory.AUTO, Memory.RESIDENT)
    if capabilities.lockstep or not in_memory or module.room or has_two_names(module):
        return module
    maker = _Maker(module)
    made = maker.module()
    return for_kernels(module, made, sorted(maker.changed), "only arcs that are left", "rounds take arcs out for good")


@dataclass(frozen=True)
class _Remaining:
    """What a loop takes arcs out by.

    Attributes:
        condition: what holds for an arc that is left, of its own cell of `array`.
        walking: kernels that only work on such arcs.
        exact: whether no other kernels take arcs out.
    """

    condition: ir.Expression
    array: ir.Array
    walking: frozenset[str]
    exact: bool = False


class _Maker(ModuleRewriter):
    """Rewrites loops; the kernels that go over lists then are those that it has `changed`."""

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.Loop) and op.driver is None:
            inside = tuple(walk_host((op,)))
            for condition, array in self._asked(inside):
                if (found := self._remaining(condition, array, inside)) is not None and self._stays(found, op):
                    return self._rounds(op, found)
        return (self.rebuild(op),)

    def _asked(self, inside: tuple[ir.HostOp, ...]) -> Iterator[tuple[ir.Expression, ir.Array]]:
        """The conditions of filters that look at one own cell of an arc, each once."""
        found: dict[ir.Expression, ir.Array] = {}
        for op in inside:
            if isinstance(op, ir.Launch) and self._walks(self.given.kernel(op.kernel), op):
                for condition in _conditions(self.given.kernel(op.kernel)):
                    if (array := _own_cell(condition)) is not None:
                        found[condition] = array
        yield from found.items()

    def _walks(self, kernel: ir.Kernel, launch: ir.Launch) -> bool:
        """Whether a kernel may go over a list of arcs in place of all."""
        plain = launch == ir.Launch(kernel.name) and kernel.guard is None and kernel.chunks is None
        fresh = kernel.name not in self.changed and is_launched_once(kernel.name, self.given)
        return kernel.domain == ir.AllArcs() and plain and fresh and not continues(kernel.body)

    def _remaining(self, condition: ir.Expression, array: ir.Array, inside: tuple[ir.HostOp, ...]) -> _Remaining | None:
        """The kernels that work on arcs for which the condition holds, if one of them takes arcs out."""
        launches = [op for op in inside if isinstance(op, ir.Launch)]
        asking = {op.kernel: self.given.kernel(op.kernel) for op in launches}
        asking = {n: k for n, k in asking.items() if condition in _conditions(k) and self._walks(k, ir.Launch(n))}
        walking = frozenset(name for name, kernel in asking.items() if _writes_own_cells(kernel, array))
        takes = any(array in written_arrays(asking[name].body) for name in walking)
        return _Remaining(condition, array, walking) if takes else None

    def _stays(self, found: _Remaining, loop: ir.Loop) -> bool:
        """Whether arcs need not be listed again in every round."""
        return not any(isinstance(op, ir.ChangeGraph | ir.OnDevice) for op in walk_host((loop,))) and not any(
            self._lists_again(op, found) for op in walk_outside(ir.HostIf, (loop,))
        )

    def _lists_again(self, op: ir.HostOp, found: _Remaining) -> bool:
        """Whether the condition may become true by an operation for an arc that is not listed."""
        if found.array not in changed(op, self.given):
            return False
        if not isinstance(op, ir.Launch):
            return True
        return op.kernel not in found.walking and not _only_takes_out(self.given.kernel(op.kernel), found)

    def _rounds(self, loop: ir.Loop, found: _Remaining) -> tuple[ir.HostOp, ...]:
        """The loop, and the launch that lists arcs before it."""
        writing = [op for op in walk_host((loop,)) if found.array in changed(op, self.given)]
        kept = all(self._lists_again(op, found) or _is_one_of(found.walking, op) for op in writing)
        found = replace(found, exact=kept)
        name = self.taken.fresh(f"{found.array.name}_arcs")
        listed = ir.Array(name, ir.Element.ARC, ir.Extent.ARCS, ir.Origin.TEMPORARY)
        name = self.taken.fresh(f"{found.array.name}_left")
        left = ir.Array(name, ir.Element.INT, ir.Extent.ARCS // _PIECE + 1, ir.Origin.TEMPORARY)
        self.arrays += (listed, left)
        pieces = _Pieces(found, listed, left)
        listing = pieces.listing(self.taken.fresh(f"list_{found.array.name}"), self.taken.inner())
        self.kernels.append(listing)
        for walking in sorted(found.walking):
            kernel = self.given.kernel(walking)
            self.changed[walking] = pieces.walking(kernel, FreshNames(names_in(kernel) | self.taken.taken))
        launch = ir.Launch(listing.name)
        again = HostRule(lambda op: (op, launch) if self._lists_again(op, found) else None)
        return (launch, *again.host_op(loop))


@dataclass(frozen=True)
class _Pieces:
    """Makes the kernels of a list: `listed` has the arcs of each piece from its first arc's place on, `left` how many
    they are."""

    found: _Remaining
    listed: ir.Array
    left: ir.Array

    def listing(self, name: str, names: FreshNames) -> ir.Kernel:
        """Lists all arcs for which the condition holds."""
        arc, first, end, stays = names.variables(ir.Element.ARC, "e", "first", "end", "stays")
        last = build.plus(ir.Ref(first), ir.Const(_PIECE, ir.Element.ARC))
        body = (
            ir.Let(end, ir.Apply(ir.MathFunction.MIN, (last, ir.NumArcs(ir.Element.ARC)), ir.Element.ARC)),
            ir.Let(stays, ir.Ref(first)),
            ir.ForRange(arc, ir.Ref(first), ir.Ref(end), self._keep(arc, stays)),
        )
        what = f"lists the arcs for which '{self.found.array.name}' says that they are left"
        return self._kernel(ir.Kernel(name, ir.AllArcs(), None, body=(), comment=what), names, first, body, stays)

    def walking(self, kernel: ir.Kernel, names: FreshNames) -> ir.Kernel:
        """The kernel for the arcs that are listed; those that it takes out are listed no more."""
        assert kernel.filter is not None
        first, end, stays, place = names.variables(ir.Element.ARC, "first", "end", "stays", "place")
        takes = self.found.array in written_arrays(kernel.body)
        known = {self._of(kernel.index)} if self.found.exact else set()
        asked = conditions.conjunction(part for part in conditions.conjuncts(kernel.filter) if part not in known)
        each = (
            ir.Let(kernel.index, ir.Load(self.listed, ir.Ref(place))),
            *(kernel.body if asked is None else (ir.KernelIf(asked, kernel.body),)),
            *(self._keep(kernel.index, stays) if takes else ()),
        )
        piece = names.variable("block", ir.Element.INT)
        length = ir.Cast(ir.Load(self.left, ir.Ref(piece)), ir.Element.ARC)
        body = (
            ir.Let(end, build.plus(ir.Ref(first), length)),
            *((ir.Let(stays, ir.Ref(first)),) if takes else ()),
            ir.ForRange(place, ir.Ref(first), ir.Ref(end), each),
        )
        return self._kernel(kernel, names, first, body, stays if takes else None, piece)

    def _keep(self, arc: ir.Variable, stays: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """The arc stays if the condition holds for it: it is stored in any case, which needs no branch."""
        one = ir.Cast(self._of(arc), ir.Element.ARC)
        return ir.Store(self.listed, ir.Ref(stays), ir.Ref(arc)), ir.SetLocal(stays, build.plus(ir.Ref(stays), one))

    def _of(self, arc: ir.Variable) -> ir.Expression:
        """What holds for an arc that is left."""
        return Replacer({ir.Ref(_ARC): ir.Ref(arc)}).expression(self.found.condition)

    def _kernel(
        self,
        kernel: ir.Kernel,
        names: FreshNames,
        first: ir.Variable,
        body: tuple[ir.KernelOp, ...],
        stays: ir.Variable | None,
        piece: ir.Variable | None = None,
    ) -> ir.Kernel:
        """The kernel with the body for each piece, and the number of arcs that are left of it, if any were `stays`."""
        piece = piece or names.variable("block", ir.Element.INT)
        begin = build.times(ir.Cast(ir.Ref(piece), ir.Element.ARC), ir.Const(_PIECE, ir.Element.ARC))
        ops: tuple[ir.KernelOp, ...] = (ir.Let(first, begin), *body)
        if stays is not None:
            number = ir.Cast(build.minus(ir.Ref(stays), ir.Ref(first)), ir.Element.INT)
            ops += (ir.Store(self.left, ir.Ref(piece), number),)
        pieces = build.divided(ir.NumArcs(ir.Element.ARC), ir.Const(_PIECE, ir.Element.ARC))
        domain = ir.Numbers(build.plus(ir.Cast(pieces, ir.Element.INT), build.ONE))
        return with_signature(replace(kernel, domain=domain, iterator=piece, filter=None, body=ops, in_pieces=True))


def _is_one_of(kernels: frozenset[str], op: ir.HostOp) -> bool:
    return isinstance(op, ir.Launch) and op.kernel in kernels


def _conditions(kernel: ir.Kernel) -> Iterator[ir.Expression]:
    """The conditions of a kernel's filter, of the arc `_ARC`."""
    if kernel.filter is not None and kernel.iterator is not None:
        arc = Replacer({kernel.own: ir.Ref(_ARC)})
        yield from map(arc.expression, conditions.conjuncts(kernel.filter))


def _own_cell(condition: ir.Expression) -> ir.Array | None:
    """The array of which a condition looks at the arc's cell, if it looks at nothing else but constants, and can be
    asked for every arc: others of the filter may keep it from dividing by 0."""
    parts = [part for part in walk_expression(condition) if not isinstance(part, ir.Const)]
    loads = {part for part in parts if isinstance(part, ir.Load)}
    plain = all(isinstance(part, ir.Load | ir.Binary | ir.Unary | ir.Cast) or part == ir.Ref(_ARC) for part in parts)
    fails = any(isinstance(p, ir.Binary) and p.operator.divides and not isinstance(p.right, ir.Const) for p in parts)
    if not plain or fails or len(loads) != 1 or (load := loads.pop()).index != ir.Ref(_ARC):
        return None
    return None if load.array in ir.GRAPH_ARRAYS else load.array


def _writes_own_cells(kernel: ir.Kernel, array: ir.Array) -> bool:
    """Whether an iteration changes no cell of an array but its arc's own."""
    own = kernel.own
    return all(isinstance(op, ir.Store | ir.UpdateCell) and op.index == own for op in _writes(kernel, array))


def _only_takes_out(kernel: ir.Kernel, found: _Remaining) -> bool:
    """Whether what a kernel stores in cells of the array makes the condition false, whichever cells they are."""
    (cell,) = {part for part in walk_expression(found.condition) if isinstance(part, ir.Load)}
    return all(
        isinstance(op, ir.Store)
        and isinstance(op.value, ir.Const)
        and _is_false(Replacer({cell: op.value}).expression(found.condition))
        for op in _writes(kernel, found.array)
    )


def _writes(kernel: ir.Kernel, array: ir.Array) -> Iterator[ir.KernelOp | ir.Expression]:
    """What writes cells of an array, or is lent it."""
    yield from (op for op in walk_kernel(kernel.body) if not blocks_of(op) and array in written_arrays((op,)))
    yield from (op for op in walk_kernel(kernel.body) if isinstance(op, ir.ExtremeCell) and array in arrays_in(op))
    yield from (e for e in all_expressions(kernel.body) if isinstance(e, ir.CallFunction) and array in e.arguments)


def _is_false(condition: ir.Expression) -> bool:
    match condition:
        case ir.Const(value):
            return value is False
        case ir.Unary(ir.UnaryOperator.NOT, ir.Const(value)):
            return value is True
        case ir.Binary(ir.BinaryOperator.EQUAL, ir.Const(one), ir.Const(other)):
            return one != other
    return False
