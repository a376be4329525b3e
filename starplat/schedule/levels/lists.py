"""Keeps the nodes of breadth-first levels in one list, in the order in which they were found.

The thread that lowers a cell from INF appends its node, so that a level is a piece of the list; the host reads the
length where it would test for an end. The start of each level is kept if a loop goes back over the levels. So a round
visits only its own nodes, in either direction.

A cell that is lowered was INF and is lowered once, to the next level's number, whichever node of this level does it
(see `loops`): so a node whose cell is INF may search its in-neighbors for this level's number, and append itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir import build, conditions, fresh_names, launches, module_rewriter, nodes as ir, rewriter, uses
from starplat.ir.visitor import walk_expression, walk_host, walk_kernel, with_signature
from starplat.schedule.direction.pull_kernels import Spread, from_other_end, says_only_that, spread_in
from starplat.schedule.direction.pull_rounds import Choices
from starplat.schedule.levels.kernels import asked_level
from starplat.schedule.levels.loops import Levels, WayBack
from starplat.schedule.schedule import Direction
from starplat.schedule.step import Choice


@dataclass(frozen=True, slots=True)
class LevelList:
    """The nodes in the order of their levels, the start of each level, and the two ends of the current level.
    `in_vain` says that rounds may go on when all levels have been found: theirs begin where the last one ends."""

    order: ir.Array
    starts: ir.Array
    begin: ir.Variable
    end: ir.Variable
    in_vain: bool

    def declarations(self, levels: Levels) -> tuple[ir.HostOp, ...]:
        """The ends of the first level, which has one node."""
        known: tuple[ir.HostOp, ...] = (
            ir.DeclareVariable(self.begin, build.ZERO),
            ir.DeclareVariable(self.end, build.ONE),
        )
        return (*known, ir.WriteCell(self.starts, build.ZERO, build.ZERO)) if levels.returns else known

    def note_start(self, levels: Levels) -> tuple[ir.HostOp, ...]:
        """At the end of a round: the start of the next level."""
        index = self.place(levels.depth, -levels.base)
        return (ir.WriteCell(self.starts, index, ir.Ref(self.begin)),) if levels.returns else ()

    def before_return(self, way: WayBack, base: int) -> ir.HostOp:
        """The start of the level above that of the first round."""
        return ir.ReadCell(self.begin, self.starts, self.place(way.number, (0 if way.lowers is not None else 1) - base))

    def looked_up(self, number: ir.Variable, base: int) -> tuple[ir.HostOp, ...]:
        """On the way back: the ends of a level, which ends where the previous round's begins."""
        return ir.SetVariable(self.end, ir.Ref(self.begin)), ir.ReadCell(
            self.begin, self.starts, self.place(number, -base)
        )

    def place(self, number: ir.Variable, by: int) -> ir.Expression:
        """Where the start of a level is kept."""
        place = _shifted(number, by)
        return ir.Apply(ir.MathFunction.MIN, (place, ir.NumNodes()), ir.Element.INT) if self.in_vain else place

    def walking(self, kernel: ir.Kernel, cells: ir.Array, number: ir.Variable) -> ir.Kernel:
        """The kernel over the current level, without testing all nodes."""
        asked = asked_level(kernel, cells, number)
        assert kernel.filter is not None
        rest = [condition for condition in conditions.conjuncts(kernel.filter) if condition is not asked]
        filter = conditions.conjunction(rest)
        return with_signature(
            replace(kernel, domain=ir.Listed(self.order, ir.Ref(self.begin), ir.Ref(self.end)), filter=filter)
        )


def level_list(levels: Levels, taken: fresh_names.FreshNames, module: ir.Module) -> LevelList:
    """The declarations of a list of levels; where the host drives the rounds, it keeps the starts of levels itself."""
    name = levels.cells.name
    origin = ir.Origin.TEMPORARY if levels.in_one_launch else ir.Origin.HOST
    return LevelList(
        taken.array(f"{name}_order", ir.Element.NODE, ir.Extent.NODES),
        ir.Array(taken.fresh(f"{name}_starts"), ir.Element.INT, ir.Extent.NODES_AND_ONE, origin),
        taken.variable(f"{name}_begin", ir.Element.INT),
        taken.variable(f"{name}_end", ir.Element.INT),
        not _ends_with_levels(levels, module),
    )


class ReturnRewriter(rewriter.Rewriter):
    """Lets the loops that go back walk the list."""

    def __init__(self, levels: Levels, listed: LevelList) -> None:
        self.levels, self.listed = levels, listed
        self.back = {name: way.number for way in levels.returns for name in way.visitors}

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        base = self.levels.base
        for way in self.levels.returns:
            if op is way.lowers:
                return op, *self.looked_up(way)
            if op is way.loop:
                inner, first = self.rebuild(way.loop), self.listed.before_return(way, base)
                if way.lowers is None:
                    inner = replace(inner, body=(*self.looked_up(way), *inner.body))
                return first, inner
        return (self.rebuild(op),)

    def looked_up(self, way: WayBack) -> tuple[ir.HostOp, ...]:
        """The ends of the level of a round of the way back."""
        return self.listed.looked_up(way.number, self.levels.base)

    def returning(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel, over the list if it belongs to the way back."""
        number = self.back.get(kernel.name)
        return kernel if number is None else self.listed.walking(kernel, self.levels.cells, number)


class LevelsAsLists(ReturnRewriter):
    """Lets both directions of one loop over levels walk the list, which the kernel that finds the next level
    extends."""

    def __init__(
        self, module: ir.Module, function: str, levels: Levels, taken: fresh_names.FreshNames, direction: Direction
    ) -> None:
        super().__init__(levels, level_list(levels, taken, module))
        self.given = module
        self.function, self.direction = function, direction
        count = taken.fresh(f"{levels.cells.name}_count")
        self.count = ir.Array(count, ir.Element.INT, ir.Extent.ONE, ir.Origin.TEMPORARY)
        self.place = taken.variable("slot", ir.Element.INT)
        self.node = taken.variable("found_node", ir.Element.NODE)
        self.signal = found_signal(levels, module)
        self.pull = self.pulling(taken)
        self.counting: list[ir.Kernel] = []
        self.choices = Choices(taken, self.counting)

    def module(self) -> ir.Module:
        made = self.given.with_function(self.host_function(self.given.function(self.function)))
        drops = self.levels.finder if self.pull is not None and self.direction is Direction.PULL else None
        kernels = tuple(self.walking(kernel) for kernel in self.given.kernels if kernel.name != drops)
        pull = () if self.pull is None else (self.pull,)
        return module_rewriter.with_graph_arrays(replace(made, kernels=(*kernels, *pull, *self.counting)))

    def pulling(self, taken: fresh_names.FreshNames) -> ir.Kernel | None:
        """The pull kernel that finds the next level, where legal; the host chooses between both."""
        if self.direction is Direction.PUSH or self.levels.in_one_launch:
            return None
        finder = self.walking(self.given.kernel(self.levels.finder))
        return _pulled_level(finder, self.levels, taken)

    def directions(self) -> Iterable[Choice]:
        """The ways to find the next level, if there is a choice."""
        if self.pull is not None:
            how = "pull" if self.direction is Direction.PULL else "push while a level has few nodes and arcs, else pull"
            why = "all nodes of a level send the same value, so one sender is enough"
            yield Choice(f"{self.levels.finder}: {how}", why, "direction")

    def host_function(self, function: ir.HostFunction) -> ir.HostFunction:
        kept = (self.listed.order, *((self.listed.starts,) if self.levels.returns else ()), self.count)
        return replace(function, arrays=(*function.arrays, *kept), body=self.host_block(function.body))

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        levels, listed = self.levels, self.listed
        if self.signal is not None and op is self.signal.begins:
            return ()
        if op is levels.first:
            first = ir.WriteCell(listed.order, build.ZERO, levels.first.index)
            return op, first, ir.WriteCell(self.count, build.ZERO, build.ONE), *listed.declarations(levels)
        if isinstance(op, ir.Launch) and op.kernel == levels.finder and self.pull is not None:
            pull = (ir.Launch(self.pull.name),)
            if self.direction is Direction.PULL:
                return pull
            level = ir.Listed(listed.order, ir.Ref(listed.begin), ir.Ref(listed.end))
            return self.choices.choose_by_list(op, level, (op,), pull, self.pull.span)
        if op is levels.loop:
            ends = (ir.SetVariable(listed.begin, ir.Ref(listed.end)), ir.ReadCell(listed.end, self.count, build.ZERO))
            said = () if self.signal is None else (self.signal.by_length(listed),)
            inner = self.rebuild(levels.loop)
            return (replace(inner, body=(*inner.body, *ends, *listed.note_start(levels), *said)),)
        return super().host_op(op)

    def walking(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel, over the list if it visits a level."""
        levels = self.levels
        if kernel.name in levels.visitors:
            return self.listed.walking(kernel, levels.cells, levels.depth)
        if kernel.name != levels.finder:
            return self.returning(kernel)
        found = self.listed.walking(kernel, levels.cells, levels.depth)
        silent = None if self.signal is None else self.signal.variable
        left = tuple(reduction for reduction in kernel.reductions if reduction.variable != silent)
        return with_signature(replace(found, body=_Appender(self).kernel_block(kernel.body), reductions=left))


class _Appender(rewriter.Rewriter):
    """Appends the node of every cell that is lowered."""

    def __init__(self, lists: LevelsAsLists) -> None:
        self.lists = lists

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        if not isinstance(op, ir.ExtremeCell) or op.array != self.lists.levels.cells:
            return (self.rebuild(op),)
        lists, told = self.lists, self.lists.signal
        also = tuple(inner for inner in op.also if told is None or inner != told.contribution)
        append = (
            ir.Let(lists.place, build.ZERO),
            ir.FetchAdd(lists.place, lists.count, build.ZERO, build.ONE),
            ir.Store(lists.listed.order, ir.Ref(lists.place), op.index),
        )
        if isinstance(op.index, ir.Ref):
            return (replace(op, also=(*also, *append)),)
        here = ir.Ref(lists.node)
        store = replace(append[-1], value=here)
        return ir.Let(lists.node, op.index), replace(op, index=here, also=(*also, *append[:-1], store))


# --- how a loop ends -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FoundSignal:
    """The variable that says whether a level was found: its value at a round's start and the value contributed."""

    variable: ir.Variable
    begins: ir.SetVariable
    contribution: ir.Contribute

    def by_length(self, listed: LevelList) -> ir.HostOp:
        """The same, by the ends of the next level."""
        operator = ir.BinaryOperator.LESS if self.contribution.value == build.TRUE else ir.BinaryOperator.EQUAL
        return ir.SetVariable(self.variable, build.compared(operator, ir.Ref(listed.begin), ir.Ref(listed.end)))


def found_signal(levels: Levels, module: ir.Module) -> FoundSignal | None:
    """What says that a level was found, if only the loop's condition reads it in a round, and nothing else writes
    it."""
    finder = module.kernel(levels.finder)
    (lowering,) = (op for op in walk_kernel(finder.body) if isinstance(op, ir.ExtremeCell) and op.array == levels.cells)
    inside = list(walk_host(levels.loop.body))
    if any(isinstance(op, ir.HostBreak) for op in inside):
        return None
    for contribution in lowering.also:
        if isinstance(contribution, ir.Contribute):
            variable = contribution.reduction
            combine = next(r.combine for r in finder.reductions if r.variable == variable)
            start = ir.SetVariable(variable, ir.Const(combine is ir.Combine.AND, ir.Element.BOOL))
            begins = [
                op for op in inside if variable in launches.given_by(op, module) and not isinstance(op, ir.Launch)
            ]
            says = contribution.value == ir.Const(combine is ir.Combine.OR, ir.Element.BOOL)
            fits = (
                says and combine in (ir.Combine.AND, ir.Combine.OR) and begins == [start] and _is_first(start, levels)
            )
            if fits and isinstance(begins[0], ir.SetVariable) and _is_only_signal(variable, finder, inside, module):
                return FoundSignal(variable, begins[0], contribution)
    return None


def _ends_with_levels(levels: Levels, module: ir.Module) -> bool:
    """Whether the loop surely ends with the first round that finds no level."""
    return any(_asks(part, levels, module) for part in conditions.conjuncts(levels.loop.condition))


def ends_with_last_level(levels: Levels, module: ir.Module) -> bool:
    """Whether the loop surely ends with the first round that finds no level, and with none before."""
    return _asks(levels.loop.condition, levels, module)


def _asks(condition: ir.Expression, levels: Levels, module: ir.Module) -> bool:
    """Whether the condition asks whether a level was found."""
    if (signal := found_signal(levels, module)) is None:
        return False
    goes_on = ir.Ref(signal.variable)
    return condition == (goes_on if signal.contribution.value == build.TRUE else build.denied(goes_on))


def _is_first(start: ir.SetVariable, levels: Levels) -> bool:
    return next(uses.stream(levels.loop.body)) == start


def _is_only_signal(variable: ir.Variable, finder: ir.Kernel, inside: list[ir.HostOp], module: ir.Module) -> bool:
    """Whether the variable is contributed once in the kernel, by no other, and not read in a round."""
    times = sum(isinstance(op, ir.Contribute) and op.reduction == variable for op in walk_kernel(finder.body))
    launched = [module.kernel(op.kernel) for op in inside if isinstance(op, ir.Launch)]
    others = (kernel for kernel in launched if kernel.name != finder.name)
    told = any(r.variable == variable for kernel in others for r in kernel.reductions)
    asked = any(variable in launches.read_by(op, module) for op in inside)
    return times == 1 and not told and not asked


def _shifted(number: ir.Variable, by: int) -> ir.Expression:
    if by == 0:
        return ir.Ref(number)
    operator = ir.BinaryOperator.ADD if by > 0 else ir.BinaryOperator.SUBTRACT
    return ir.Binary(operator, ir.Ref(number), build.number(abs(by)), ir.Element.INT)


def _pulled_level(found: ir.Kernel, levels: Levels, taken: fresh_names.FreshNames) -> ir.Kernel | None:
    """The pull kernel for one that finds the next level by walking the list; None where that does other things as
    well."""
    spread = spread_in(found.body, found.index)
    if spread is None or spread.lowering.carried or not says_only_that(_without_append(spread)):
        return None
    rest = [] if found.filter is None else list(conditions.conjuncts(found.filter))
    if any(isinstance(part, ir.Load) and part.array == spread.cells for e in rest for part in walk_expression(e)):
        return None
    here: ir.Expression = build.equal(ir.Load(spread.cells, ir.Ref(found.index)), ir.Ref(levels.depth))
    return from_other_end(found, spread, taken, build.both(here, *rest), spread.lowering.also, by_value=True)


def _without_append(spread: Spread) -> tuple[ir.KernelOp, ...]:
    """What is done beside a lowering, apart from appending the node to the list."""
    match spread.lowering.also:
        case (*rest, ir.Let(), ir.FetchAdd(), ir.Store(_, _, ir.Ref(node))) if node == spread.loop.neighbor:
            return tuple(rest)
        case rest:
            return rest
