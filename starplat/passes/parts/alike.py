"""Divides the heaviest kernels of persistent launches among devices that reach each other's memory.

Takes a module as one device is to run it, returns one that every device runs alike on cells of its own, or None. Only
kernels that go over arcs are divided, where what they write can be told to the other parts at once: cells of their own
nodes, or what a Min or Max lowers or raises for the members of a set. All else must come to the same on every device,
whatever the order of its threads.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

from starplat.ir import build, conditions, fresh_names, nodes as ir
from starplat.ir.launches import MOST_ARRAYS_OF_PARTS, in_one_launch
from starplat.ir.python.arithmetic import identity
from starplat.ir.rewriter import HostRule, Rewriter
from starplat.ir.shapes.members import membership, set_rounds
from starplat.ir.verifying.modules import verify
from starplat.ir.visitor import arrays_in, host_ops, launched_alone, walk_host, walks_rows, with_signature
from starplat.passes.memory import has_two_names
from starplat.passes.parts.effects import KernelEffects
from starplat.passes.parts.joining import written_beside
from starplat.passes.parts.placing import POISON
from starplat.passes.parts.sameness import (
    DiffersError,
    depends_on_order,
    lowered,
    of_own_cells,
    pull_of_wave,
    require_alike,
)


def in_parts_alike(module: ir.Module, poison: bool | None = None, *, even_rows: bool = False) -> ir.Module | None:
    """The module as every part runs it; None where nothing heavy can be divided, or parts would not come to the
    same.

    Args:
        poison: overwrites what a part has not worked out itself before it gets it, by low or by high values: for tests.
        even_rows: whether no node of the graph has many times as many arcs as others.
    """
    if module.race is not None or has_two_names(module):
        return None
    try:
        made = _Alike(module, poison, even_rows).module()
    except DiffersError:
        return None
    if made is not None:
        verify(made)
    return made


class _Alike(Rewriter):
    def __init__(self, given: ir.Module, poison: bool | None, even_rows: bool) -> None:
        self.given, self.poison, self.even_rows = given, poison, even_rows
        self.names = fresh_names.names_of(given)
        self.first = self.names.variable("part_first", ir.Element.NODE)
        self.end = self.names.variable("part_end", ir.Element.NODE)
        self.number = self.names.variable("part_number", ir.Element.INT)
        self.parts = self.names.variable("number_of_parts", ir.Element.INT)
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
        found = {
            name: of_own_cells(self.given.kernel(name), self.given) for name, inside in self.launched.items() if inside
        }
        return {name: effects for name, effects in found.items() if effects is not None}

    @cached_property
    def heavy(self) -> set[str]:
        """Those that go over arcs, and those that share what only a part needs of its own cells with one of them."""
        heavy = {name for name in self.own if walks_rows(self.given.kernel(name))}
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
        ops = list(host_ops(self.given))
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
        return _with_signatures(replace(self.given, functions=functions, kernels=kernels))

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        begin = ir.TakePart(self.first, self.end), ir.TakeNumber(self.number, self.parts)
        return replace(function, body=(*begin, *self.host_block(function.body)))

    def host_op(self, op: ir.HostOp) -> tuple[ir.HostOp, ...]:
        match op:
            case ir.OnDevice():
                if op.one_group or op.cluster or op.traced:
                    raise DiffersError
                body = (*self.host_block(op.body), *self.at_last(op))
                return (replace(op, body=body, in_parts=True, even_rows=self.even_rows),)
            case ir.Launch():
                return self.launch(op)
            case ir.Loop(driver=ir.NearestFirst()):
                return self.rounds(op)
            case ir.Loop(driver=ir.Ahead()):
                raise DiffersError
            case _ if isinstance(op, _ALIKE):
                return (self.rebuild(op),)
            case _:
                raise DiffersError

    def at_last(self, op: ir.OnDevice) -> tuple[ir.HostOp, ...]:
        """What tells the other parts of results that none has needed before."""
        found = tuple(a for a in op.arrays if a.origin is ir.Origin.PARAMETER and a in self.private(self.heavy))
        return (ir.ExchangeCells(found, None, None, self.first, self.end),) if found else ()

    # --- launches --------------------------------------------------------------------------------------------------

    def launch(self, op: ir.Launch) -> tuple[ir.HostOp, ...]:
        kernel = self.given.kernel(op.kernel)
        if kernel.guard is not None:
            raise DiffersError
        if op.members is not None:
            self.waves.add(pull_of_wave(op, self.given).name)
            return (replace(op, pull=self.host_block(op.pull)),)
        if kernel.name not in self.heavy:
            require_alike(kernel, self.given)
            return (op, *(ir.TakeFirst(r.variable) for r in kernel.brought_back if depends_on_order(r)))
        self.divided[kernel.name] = self.of_part(kernel)
        names = self.names
        sums = [
            (reduction, names.variable(f"{reduction.variable.name}_before", reduction.variable.element))
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

    def exchanged(self, kernel: ir.Kernel) -> tuple[ir.HostOp, ...]:
        """What tells the other parts of own cells: of those alone whose nodes join a set, where that is all."""
        private = self.private(self.heavy)
        own = [array for array in self.own[kernel.name].own if array not in private]
        sets = [array for array in own if array.packed]
        rest = tuple(array for array in own if not array.packed)
        made: list[ir.HostOp] = []
        for members in sets:
            beside = tuple(array for array in rest if written_beside(array, members, kernel.body))
            rest = tuple(array for array in rest if array not in beside)
            common = kernel.name in self.waves
            made.append(ir.ExchangeCells(beside, members, None, self.first, self.end, common))
        if rest:
            made.append(ir.ExchangeCells(rest, None, None, self.first, self.end))
        return tuple(made)

    def of_part(self, kernel: ir.Kernel) -> ir.Kernel:
        return with_signature(replace(kernel, domain=ir.AllNodes(ir.Ref(self.first), ir.Ref(self.end))))

    def rounds(self, loop: ir.Loop) -> tuple[ir.HostOp, ...]:
        """Rounds that take near nodes first: every part walks the members whose turn is its own, then all get what was
        lowered. Where rows are even, near nodes that are few lead to few, so parts may walk them all."""
        rounds = set_rounds(loop)
        assert rounds is not None
        kernel = self.given.kernel(rounds.walk.kernel)
        found = lowered(kernel)
        if found is None or rounds.walk.members is not None or kernel.reductions:
            raise DiffersError
        assert kernel.filter is not None
        turn = ir.Binary(ir.BinaryOperator.REMAINDER, kernel.own, ir.Ref(self.parts), ir.Element.INT)
        own = build.equal(turn, ir.Ref(self.number))
        members = membership(kernel)
        assert members is not None
        alone = self.names.variable("alone", ir.Element.BOOL) if self.even_rows else None
        own = own if alone is None else build.either(ir.Ref(alone), own)
        of_part = replace(kernel, filter=conditions.conjunction([kernel.filter, own]), body=members.body)
        self.divided[kernel.name] = with_signature(of_part)
        walk = (
            rounds.walk,
            ir.Fill(found.now, ir.Const(False, ir.Element.BOOL)),
            ir.ExchangeCells((found.values,), found.following, found.combine, self.first, self.end),
        )
        body = tuple(made for op in loop.body for made in (walk if op == rounds.walk else (op,)))
        assert isinstance(loop.driver, ir.NearestFirst)
        divided = replace(loop, driver=replace(loop.driver, alone=alone), body=body)
        return (divided,) if alone is None else (ir.DeclareVariable(alone, build.FALSE), divided)


_ALIKE = (
    ir.Loop
    | ir.HostForRange
    | ir.HostBlock
    | ir.HostIf
    | ir.DeclareVariable
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


def _with_signatures(module: ir.Module) -> ir.Module:
    """The module with the signatures of its persistent launches derived again."""

    def derived(op: ir.HostOp) -> tuple[ir.HostOp, ...] | None:
        if not isinstance(op, ir.OnDevice):
            return None
        made = in_one_launch(op, module, op.outcomes)
        if sum(array.origin is not ir.Origin.GRAPH for array in made.arrays) > MOST_ARRAYS_OF_PARTS:
            raise DiffersError
        return (made,)

    return replace(module, functions=HostRule(derived).functions_of(module))
