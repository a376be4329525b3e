"""Keeps the nodes of breadth-first levels in one list, in the order in which they were found.

Who lowers a cell from INF appends its node, so that a level's nodes stand in a row; the host reads how many there are
where it would ask whether there are any. Where each level begins is kept as well if a loop goes back over the levels.
So no round looks at other nodes than its own, in either direction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir.conditions import conjunction, conjuncts
from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Combine,
    Const,
    Contribute,
    DeclareVariable,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    FetchAdd,
    HostBreak,
    HostFunction,
    HostOp,
    Kernel,
    KernelOp,
    Launch,
    Let,
    Listed,
    Module,
    Origin,
    ReadCell,
    Ref,
    SetVariable,
    Store,
    Variable,
    WriteCell,
)
from starplat.ir.rewriter import Rewriter
from starplat.ir.uses import stream
from starplat.ir.visitor import all_expressions, walk_expression, walk_host, walk_kernel, with_signature
from starplat.schedule.level_kernels import asked_level
from starplat.schedule.level_loops import Levels, WayBack
from starplat.schedule.level_pull import pulled_level
from starplat.schedule.names import Taken
from starplat.schedule.pull_kernels import with_graph_arrays
from starplat.schedule.pull_rounds import ListChoices
from starplat.schedule.schedule import Direction
from starplat.schedule.step import Choice

ZERO, ONE = Const(0, Element.INT), Const(1, Element.INT)


@dataclass(frozen=True, slots=True)
class LevelList:
    """The nodes in the order of their levels, where each level begins among them, and the two ends of the level in
    hand."""

    order: Array
    starts: Array
    begin: Variable
    end: Variable

    def declarations(self, levels: Levels) -> tuple[HostOp, ...]:
        """The ends of the first level, which has one node."""
        known: tuple[HostOp, ...] = (DeclareVariable(self.begin, ZERO), DeclareVariable(self.end, ONE))
        return (*known, WriteCell(self.starts, ZERO, ZERO)) if levels.returns else known

    def noted(self, levels: Levels) -> tuple[HostOp, ...]:
        """At the end of a round: where the next level begins."""
        index = _shifted(levels.depth, -levels.base)
        return (WriteCell(self.starts, index, Ref(self.begin)),) if levels.returns else ()

    def before_return(self, way: WayBack, base: int) -> HostOp:
        """Where the level above that of the first round begins."""
        return ReadCell(self.begin, self.starts, _shifted(way.number, (0 if way.lowers is not None else 1) - base))

    def looked_up(self, number: Variable, base: int) -> tuple[HostOp, ...]:
        """On the way back: the ends of a level, which ends where the one of the round before begins."""
        return SetVariable(self.end, Ref(self.begin)), ReadCell(self.begin, self.starts, _shifted(number, -base))

    def walking(self, kernel: Kernel, cells: Array, number: Variable) -> Kernel:
        """The kernel over the level in hand, without asking all nodes for their number."""
        asked = asked_level(kernel, cells, number)
        assert kernel.filter is not None
        rest = [condition for condition in conjuncts(kernel.filter) if condition is not asked]
        filter = conjunction(rest)
        return with_signature(replace(kernel, domain=Listed(self.order, Ref(self.begin), Ref(self.end)), filter=filter))


def level_list(levels: Levels, taken: Taken) -> LevelList:
    """What a list of levels needs; where the host drives the rounds, it keeps for itself where levels begin."""
    name = levels.cells.name
    origin = Origin.TEMPORARY if levels.in_one_launch else Origin.HOST
    return LevelList(
        Array(taken.free(f"{name}_order"), Element.NODE, Extent.NODES, Origin.TEMPORARY),
        Array(taken.free(f"{name}_starts"), Element.INT, Extent.NODES_AND_ONE, origin),
        Variable(taken.free(f"{name}_begin"), Element.INT),
        Variable(taken.free(f"{name}_end"), Element.INT),
    )


class ReturnRewriter(Rewriter):
    """Lets the loops that go back walk the list."""

    def __init__(self, levels: Levels, listed: LevelList) -> None:
        self.levels = levels
        self.listed = listed
        self.back = {name: way.number for way in levels.returns for name in way.visitors}

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        base = self.levels.base
        for way in self.levels.returns:
            if op is way.lowers:
                return op, *self.listed.looked_up(way.number, base)
            if op is way.loop:
                inner, first = self.rebuild(way.loop), self.listed.before_return(way, base)
                if way.lowers is None:
                    inner = replace(inner, body=(*self.listed.looked_up(way.number, base), *inner.body))
                return first, inner
        return (self.rebuild(op),)

    def returning(self, kernel: Kernel) -> Kernel:
        """The kernel, over the list if it is one of the way back."""
        number = self.back.get(kernel.name)
        return kernel if number is None else self.listed.walking(kernel, self.levels.cells, number)


class LevelsAsLists(ReturnRewriter):
    """Lets both directions of one loop over levels walk the list, which the kernel that finds the next level grows."""

    def __init__(self, module: Module, function: str, levels: Levels, taken: Taken, direction: Direction) -> None:
        super().__init__(levels, level_list(levels, taken))
        self.given = module
        self.function = function
        self.direction = direction
        count = taken.free(f"{levels.cells.name}_count")
        self.count = Array(count, Element.INT, Extent.ONE, Origin.TEMPORARY)
        self.place = Variable(taken.free("slot"), Element.INT)
        self.node = Variable(taken.free("found_node"), Element.NODE)
        self.told = told_by_finding(levels, module)
        self.pull = self.pulling(taken)
        self.counting: list[Kernel] = []
        self.choices = ListChoices(taken, self.counting)

    def module(self) -> Module:
        """The module with the list."""
        functions = tuple(self.host_function(f) if f.name == self.function else f for f in self.given.functions)
        drops = self.levels.finder if self.pull is not None and self.direction is Direction.PULL else None
        kernels = tuple(self.walking(kernel) for kernel in self.given.kernels if kernel.name != drops)
        pull = () if self.pull is None else (self.pull,)
        return with_graph_arrays(replace(self.given, functions=functions, kernels=(*kernels, *pull, *self.counting)))

    def pulling(self, taken: Taken) -> Kernel | None:
        """The kernel that finds the next level from the other end, where that may be; the host chooses between both."""
        if self.direction is Direction.PUSH or self.levels.in_one_launch:
            return None
        finder = self.walking(self.given.kernel(self.levels.finder))
        return pulled_level(finder, self.levels, taken)

    def directions(self) -> Iterable[Choice]:
        """Which way the next level is found, if there is a choice."""
        if self.pull is not None:
            how = "pull" if self.direction is Direction.PULL else "push while a level has few nodes and arcs, else pull"
            why = "all nodes of a level tell the same, so one of them is enough"
            yield Choice(f"{self.levels.finder}: {how}", why, "direction")

    def host_function(self, function: HostFunction) -> HostFunction:
        kept = (self.listed.order, *((self.listed.starts,) if self.levels.returns else ()), self.count)
        return replace(function, arrays=(*function.arrays, *kept), body=self.host_block(function.body))

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        levels, listed = self.levels, self.listed
        if self.told is not None and op is self.told.begins:
            return ()
        if op is levels.first:
            first = WriteCell(listed.order, ZERO, levels.first.index)
            return op, first, WriteCell(self.count, ZERO, ONE), *listed.declarations(levels)
        if isinstance(op, Launch) and op.kernel == levels.finder and self.pull is not None:
            pull = (Launch(self.pull.name),)
            if self.direction is Direction.PULL:
                return pull
            level = Listed(listed.order, Ref(listed.begin), Ref(listed.end))
            return self.choices.choose(level, (op,), pull, self.pull.span)
        if op is levels.loop:
            ends = (SetVariable(listed.begin, Ref(listed.end)), ReadCell(listed.end, self.count, ZERO))
            said = () if self.told is None else (self.told.said(listed),)
            inner = self.rebuild(levels.loop)
            return (replace(inner, body=(*inner.body, *ends, *listed.noted(levels), *said)),)
        return super().host_op(op)

    def walking(self, kernel: Kernel) -> Kernel:
        """The kernel, over the list if it asks for a level."""
        levels = self.levels
        if kernel.name in levels.visitors:
            return self.listed.walking(kernel, levels.cells, levels.depth)
        if kernel.name != levels.finder:
            return self.returning(kernel)
        found = self.listed.walking(kernel, levels.cells, levels.depth)
        silent = None if self.told is None else self.told.variable
        left = tuple(reduction for reduction in kernel.reductions if reduction.variable != silent)
        return with_signature(replace(found, body=_Appender(self).kernel_block(kernel.body), reductions=left))


class _Appender(Rewriter):
    """Appends the node of every cell that is lowered."""

    def __init__(self, lists: LevelsAsLists) -> None:
        self.lists = lists

    def kernel_op(self, op: KernelOp) -> Iterable[KernelOp]:
        if not isinstance(op, ExtremeCell) or op.array != self.lists.levels.cells:
            return (self.rebuild(op),)
        lists, told = self.lists, self.lists.told
        also = tuple(inner for inner in op.also if told is None or inner != told.contribution)
        append = (
            Let(lists.place, ZERO),
            FetchAdd(lists.place, lists.count, ZERO, ONE),
            Store(lists.listed.order, Ref(lists.place), op.index),
        )
        if isinstance(op.index, Ref):
            return (replace(op, also=(*also, *append)),)
        here = Ref(lists.node)
        store = replace(append[-1], value=here)
        return Let(lists.node, op.index), replace(op, index=here, also=(*also, *append[:-1], store))


# --- how a loop ends -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    """The variable that says whether a level was found, by what a round begins with and who finds contributes."""

    variable: Variable
    begins: SetVariable
    contribution: Contribute

    def said(self, listed: LevelList) -> HostOp:
        """The same, by the ends of the next level."""
        operator = BinaryOperator.LESS if self.contribution.value == Const(True, Element.BOOL) else BinaryOperator.EQUAL
        return SetVariable(self.variable, Binary(operator, Ref(listed.begin), Ref(listed.end), Element.BOOL))


def told_by_finding(levels: Levels, module: Module) -> Told | None:
    """What says that a level was found, if nothing in a round but the loop's condition asks for it, and nobody else
    says it."""
    finder = module.kernel(levels.finder)
    (lowering,) = (op for op in walk_kernel(finder.body) if isinstance(op, ExtremeCell) and op.array == levels.cells)
    inside = list(walk_host(levels.loop.body))
    if any(isinstance(op, HostBreak) for op in inside):
        return None
    for contribution in lowering.also:
        if isinstance(contribution, Contribute):
            variable = contribution.reduction
            combine = next(r.combine for r in finder.reductions if r.variable == variable)
            start = SetVariable(variable, Const(combine is Combine.AND, Element.BOOL))
            begins = [op for op in inside if _assigns(op, variable)]
            says = contribution.value == Const(combine is Combine.OR, Element.BOOL)
            fits = says and combine in (Combine.AND, Combine.OR) and begins == [start] and _is_first(start, levels)
            if fits and isinstance(begins[0], SetVariable) and _only_says(variable, finder, inside, module):
                return Told(variable, begins[0], contribution)
    return None


def _is_first(start: SetVariable, levels: Levels) -> bool:
    return next(stream(levels.loop.body)) == start


def _assigns(op: HostOp, variable: Variable) -> bool:
    return getattr(op, "variable", None) == variable or variable in getattr(op, "arguments", ())


def _only_says(variable: Variable, finder: Kernel, inside: list[HostOp], module: Module) -> bool:
    """Whether the variable is told once in the kernel, by no other, and not asked for in a round."""
    times = sum(isinstance(op, Contribute) and op.reduction == variable for op in walk_kernel(finder.body))
    launched = [module.kernel(op.kernel) for op in inside if isinstance(op, Launch)]
    others = (kernel for kernel in launched if kernel.name != finder.name)
    told = any(r.variable == variable for kernel in others for r in kernel.reductions)
    asked = any(variable in kernel.scalars for kernel in launched)
    asked = asked or any(Ref(variable) == part for e in all_expressions(inside) for part in walk_expression(e))
    return times == 1 and not told and not asked


def _shifted(number: Variable, by: int) -> Expression:
    if by == 0:
        return Ref(number)
    operator = BinaryOperator.ADD if by > 0 else BinaryOperator.SUBTRACT
    return Binary(operator, Ref(number), Const(abs(by), Element.INT), Element.INT)
