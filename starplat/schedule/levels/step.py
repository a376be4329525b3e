"""Step `levels`: keeps the nodes of each breadth-first level, where a program selects them by number.

`loops` defines and proves loops over levels. Where the host drives the rounds, or a target has no sets, the nodes are
listed in the order in which they were found (`lists`). In a persistent kernel with sets, a flag beside each lowered
cell marks the next level, and the flags can be kept as a set; its members are listed only for a loop that goes back.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build, conditions, fresh_names, module_rewriter, nodes as ir, rewriter, visitor
from starplat.ir.capabilities import Capabilities
from starplat.schedule.direction.restored_filters import judged_filters
from starplat.schedule.levels.kernels import as_lowering, asked_level
from starplat.schedule.levels.leaves import leaves
from starplat.schedule.levels.lists import LevelsAsLists, ReturnRewriter, level_list
from starplat.schedule.levels.loops import Levels, WayBack, levels_in
from starplat.schedule.queues.step import has_queues
from starplat.schedule.schedule import Frontier, Schedule
from starplat.schedule.step import Choice, Decided


def levels_at_hand(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module where the nodes of a level are a set or a list, where the schedule and the target permit it."""
    lists = schedule.frontier in (Frontier.QUEUE, Frontier.AUTO) and capabilities.has_atomic(
        ir.Combine.ADD, ir.Element.INT
    )
    bits = schedule.frontier in (Frontier.BITMAP, Frontier.LAYERS) and has_queues(capabilities)
    if schedule.keeps_flags(batches=capabilities.batches) or not (lists or bits or capabilities.shared_arcs):
        return module
    choices = list[Choice]()
    for function in module.functions:
        module = _judging_for_themselves(module, function.name)
        for levels in levels_in(module.function(function.name), module):
            directions: tuple[Choice, ...] = ()
            module = _with_lowering(module, levels)
            if levels.in_one_launch and capabilities.shared_arcs:
                module = _Flagger(module, function.name, levels, fresh_names.names_of(module)).module()
                what = "are a set, which is listed for the way back" if levels.returns else "are a set"
            elif lists:
                listing = LevelsAsLists(module, function.name, levels, fresh_names.names_of(module), schedule.direction)
                module, directions = listing.module(), tuple(listing.directions())
                what = "are listed as they are found" + ", and both ways walk the list" * bool(levels.returns)
            elif bits:
                there = replace(levels, returns=())
                module = _Flagger(module, function.name, there, fresh_names.names_of(module)).module()
                what = "are a set" + "; the way back tests the level of every node" * bool(levels.returns)
            else:
                continue
            why = "a node is lowered once, in the round before it is visited"
            choices += (Choice(f"{levels.finder}: the nodes of a level {what}", why), *directions)
    return Decided(module_rewriter.with_arrays(module), tuple(choices)) if choices else module


def _judging_for_themselves(module: ir.Module, function: str) -> ir.Module:
    """The module where the kernel that finds the next level evaluates its own filter, where that is the same: the
    filter tests the level, which finding leaves alone, and what it does not change."""
    for judged in judged_filters(module.function(function), module):
        made = judged.unjudged(module)
        found = [levels for levels in levels_in(made.function(function), made) if levels.finder == judged.kernel.name]
        if found:
            kernel, written = made.kernel(judged.kernel.name), visitor.written_arrays(judged.kernel.body)
            asked = asked_level(kernel, found[0].cells, found[0].depth)
            others = (condition for condition in conditions.conjuncts(judged.filter) if condition != asked)
            if not any(written.intersection(visitor.arrays_in(condition)) for condition in others):
                return _judging_for_themselves(made, function)
    return module


def _with_lowering(module: ir.Module, levels: Levels) -> ir.Module:
    """The module whose kernel that finds the next level lowers cells to it."""
    return module.with_each_kernel(
        lambda kernel: as_lowering(kernel, levels.cells, levels.depth) if kernel.name == levels.finder else kernel
    )


class _Flagger(ReturnRewriter):
    """Gives the cells of one loop flags, and lists the flagged nodes in each round if a loop goes back."""

    def __init__(self, module: ir.Module, function: str, levels: Levels, taken: fresh_names.FreshNames) -> None:
        super().__init__(levels, level_list(levels, taken, module))
        self.given = module
        self.function = function
        self.now = _array(taken.fresh(f"{levels.cells.name}_nodes"))
        self.following = _array(taken.fresh(f"{levels.cells.name}_next"))
        self.size = taken.variable(f"{levels.cells.name}_size", ir.Element.INT)
        self.leaves = leaves(levels, self.listed, module, taken)

    def module(self) -> ir.Module:
        function = self.host_function(self.given.function(self.function))
        made = self.given.with_function(function).with_each_kernel(self.flagged)
        if self.leaves is None:
            return made
        return replace(made, kernels=(*made.kernels, self.leaves.marking, self.leaves.without_rows))

    def host_function(self, function: ir.HostFunction) -> ir.HostFunction:
        listed = (self.listed.order, self.listed.starts) if self.levels.returns else ()
        marks = () if self.leaves is None else (self.leaves.marks,)
        arrays = (*function.arrays, self.now, self.following, *listed, *marks)
        return replace(function, arrays=arrays, body=self.host_block(function.body))

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        levels, listed = self.levels, self.listed
        if op is levels.fill:
            sets = (self.now, self.following, *(() if self.leaves is None else (self.leaves.marks,)))
            return op, *(ir.Fill(array, build.FALSE) for array in sets)
        if self.leaves is not None and isinstance(op, ir.Launch) and op.kernel == self.leaves.with_rows.name:
            return self.leaves.visited(op)
        if op is levels.first:
            flagged = ir.WriteCell(self.now, levels.first.index, build.TRUE)
            more = () if self.leaves is None else self.leaves.declarations()
            size = ir.DeclareVariable(self.size, build.ZERO)
            return op, flagged, *self.when_back(*listed.declarations(levels), size, *more)
        if isinstance(op, ir.Launch) and op.kernel == levels.finder:
            return *self.when_back(ir.ListMembers(self.now, listed.order, ir.Ref(listed.begin))), op
        if op is levels.loop:
            inner = self.rebuild(levels.loop)
            turn = (ir.Swap(self.now, self.following), ir.Fill(self.following, build.FALSE))
            return (replace(inner, body=(*inner.body, *turn, *self.when_back(*self.next_level()))),)
        return super().host_op(op)

    def looked_up(self, way: WayBack) -> tuple[ir.HostOp, ...]:
        before = () if self.leaves is None else (self.leaves.before_looking_up(),)
        return *before, *super().looked_up(way)

    def returning(self, kernel: ir.Kernel) -> ir.Kernel:
        if self.leaves is not None and kernel.name == self.leaves.with_rows.name:
            return self.leaves.with_rows
        return super().returning(kernel)

    def next_level(self) -> Iterable[ir.HostOp]:
        """The ends of the next level, by its size."""
        begin, end = self.listed.begin, self.listed.end
        yield ir.ReadSize(self.size, self.now)
        yield ir.SetVariable(begin, ir.Ref(end))
        yield ir.SetVariable(end, build.plus(ir.Ref(end), ir.Ref(self.size), ir.Element.INT))
        yield from self.listed.note_start(self.levels)

    def when_back(self, *ops: ir.HostOp) -> tuple[ir.HostOp, ...]:
        """What only a loop that goes back needs."""
        return ops if self.levels.returns else ()

    def flagged(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel, testing flags in place of numbers."""
        if kernel.name not in (self.levels.finder, *self.levels.visitors) or kernel.iterator is None:
            return self.returning(kernel)
        assert kernel.filter is not None
        asked = asked_level(kernel, self.levels.cells, self.levels.depth)
        assert asked is not None
        flag = ir.Load(self.now, kernel.own)
        filter = rewriter.map_expression(lambda part: flag if part == asked else part, kernel.filter)
        body = rewriter.KernelRule(self.carrying).kernel_block(kernel.body)
        return visitor.with_signature(replace(kernel, filter=filter, body=body))

    def carrying(self, op: ir.KernelOp) -> Iterable[ir.KernelOp] | None:
        """Sets a flag beside a cell that is lowered."""
        if isinstance(op, ir.ExtremeCell) and op.array == self.levels.cells:
            return (replace(op, carried=(ir.Carry(self.following, op.index, build.TRUE),)),)
        return None


def _array(name: str) -> ir.Array:
    return ir.Array(name, ir.Element.BOOL, ir.Extent.NODES, ir.Origin.TEMPORARY)
