"""Lowers a parallel loop to a kernel: domain, filter, body, scalars from and to the host, the host's work before and
after.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import assert_never

from starplat.analysis import walk
from starplat.analysis.parallel import ParallelLoop
from starplat.analysis.races import LoopRaces, RaceClass
from starplat.frontend import typed
from starplat.ir import build, nodes as ir, visitor
from starplat.ir.lowering.checking import Risk
from starplat.ir.lowering.context import both
from starplat.ir.lowering.host_operations import HostOperations
from starplat.ir.lowering.kernels import KernelLowering
from starplat.ir.lowering.maps import rows_of_maps
from starplat.ir.lowering.surroundings import LevelScope, Surroundings, arc_place
from starplat.ir.lowering.uses import Return, returned_scalars, written_scalars
from starplat.operators.answers.triangles import counted_in, counted_of_nodes
from starplat.same import Same
from starplat.source import Span

_VERBS = {
    ir.Combine.ADD: "add",
    ir.Combine.MULTIPLY: "multiply",
    ir.Combine.AND: "and",
    ir.Combine.OR: "or",
    ir.Combine.BIT_AND: "bit_and",
    ir.Combine.BIT_OR: "bit_or",
    ir.Combine.BIT_XOR: "bit_xor",
    ir.Combine.MIN: "min",
    ir.Combine.MAX: "max",
}


class RegionLowering:
    """Makes the kernels of one host function; `host` receives the operations around them."""

    def __init__(self, host: HostOperations) -> None:
        self.host = host
        self.context = host.context

    # --- parallel loops

    def launch(self, races: LoopRaces, levels: LevelScope | None = None) -> None:
        """Runs a parallel loop: once, or twice for a loop over both kinds of neighbors."""
        halves = _halves(races.loop)
        if len(halves) == 1:
            self._launch(races, races.loop, levels)
            return
        changes = self._filter_may_change(races, races.loop)
        chosen = [self._judge(races, half, levels) if changes else None for half in halves]
        for half, judged in zip(halves, chosen, strict=True):
            self._launch(races, half, levels, judged)

    def _launch(
        self, races: LoopRaces, loop: ParallelLoop, levels: LevelScope | None, judged: ir.Array | None = None
    ) -> None:
        """One kernel; `judged` holds the results of the loop's filter where it was evaluated on entry."""
        around = self.host.surroundings()
        after = self._give(races, around)
        self._hoist(loop.body, loop.filter, around)
        lowering = KernelLowering(self.context, self.host.names.inner(), around, races.shared, levels)
        changes = self._filter_may_change(races, loop)
        domain, iterator, condition = self._domain(loop, lowering, by_place=changes)
        ahead = self._element(loop, domain, iterator, lowering)
        lowering.iteration = _number(domain, iterator)
        if judged is not None:
            condition = ir.Load(judged, ir.Ref(_position(domain, iterator)))
        else:
            condition = self._condition(loop, lowering, iterator, condition)
        first = loop.filter is not None and levels is None and self.context.checks is not None
        if judged is None and condition is not None and (first or changes):
            condition = self._judge_first(loop, domain, iterator, condition, ahead)
        if isinstance(loop.node, typed.ForEach) and levels is None:
            lowering.counted = counted_of_nodes(loop.node, self.context.program)
        lowering.map_rows = rows_of_maps(loop.body)
        body = lowering.block(loop.body)
        if ahead and condition is not None and not changes:
            body, condition = (ir.KernelIf(condition, body),), None
        body = (*ahead, *body)
        kernel = ir.Kernel("", domain, iterator, body, filter=condition, span=loop.span)
        self.emit(replace(kernel, reductions=self._reductions(around, body), counts=self._counts(loop, around)))
        for fetch in after:
            fetch()

    def _counts(self, loop: ParallelLoop, around: Surroundings) -> ir.PerTriangle | None:
        """What a loop adds for every triangle, if it does no more than that."""
        counted = counted_in(loop.node, self.context.program) if isinstance(loop.node, typed.ForEach) else None
        if counted is None:
            return None
        total, cells = around.reductions.get(counted.symbol), around.arrays.get(counted.symbol)
        target = cells if total is None else total.variable
        return None if target is None else ir.PerTriangle(target, counted.value, counted.loops_count)

    def _domain(
        self, loop: ParallelLoop, lowering: KernelLowering, *, by_place: bool = False
    ) -> tuple[ir.Domain, ir.Variable, ir.Expression | None]:
        iterator = lowering.local(loop.iterator)
        match loop.domain:
            case typed.AllNodes():
                return ir.AllNodes(), iterator, None
            case typed.AllEdges():
                return ir.AllArcs(), iterator, None
            case typed.Members(symbol=symbol):
                array = self.host.arrays[symbol]
                domain = ir.AllNodes() if array.extent is ir.Extent.NODES else ir.AllArcs()
                return domain, iterator, ir.Load(array, ir.Ref(iterator))
            case typed.Numbers(count=count):
                return ir.Numbers(self.host.simple(count, "count")), iterator, None
            case typed.Keys():
                raise AssertionError("a map belongs to an iteration")
            case typed.Items(symbol=symbol):
                array, size = self.host.put(symbol)
                if array.element is ir.Element.NODE and not by_place:
                    return ir.Listed(array, build.ZERO, ir.Ref(size)), iterator, None
                return ir.Numbers(ir.Ref(size)), lowering.temporary("i", ir.Element.INT), None
            case typed.Neighbors():
                return self._neighbor_domain(loop, loop.domain, iterator, lowering)
        assert_never(loop.domain)

    def _element(
        self, loop: ParallelLoop, domain: ir.Domain, place: ir.Variable, lowering: KernelLowering
    ) -> tuple[ir.KernelOp, ...]:
        """What gives an iteration of a loop over places of a list the element that stands there."""
        if not isinstance(loop.domain, typed.Items) or not isinstance(domain, ir.Numbers):
            return ()
        items = self.host.put_lists[self.host.lists[loop.domain.symbol]]
        return (ir.Let(lowering.locals[loop.iterator], ir.Load(items, ir.Ref(place))),)

    def _neighbor_domain(
        self, loop: ParallelLoop, domain: typed.Neighbors, iterator: ir.Variable, lowering: KernelLowering
    ) -> tuple[ir.Domain, ir.Variable, ir.Expression | None]:
        assert isinstance(loop.node, typed.ForEach)
        direction, level = lowering.direction(loop.node, domain)
        node = self.host.named(self.host.node(domain.node), "node")
        position = lowering.temporary("e" if direction is ir.Direction.OUT else "in_e", ir.Element.ARC)
        lowering.arcs[loop.iterator] = arc_place(direction, node, iterator, position)
        lowering.loops.append(loop.iterator)
        return ir.NodeNeighbors(direction, node, position), iterator, lowering.at_level(iterator, level)

    def _filter_may_change(self, races: LoopRaces, loop: ParallelLoop) -> bool:
        """Whether iterations may write what the filter of another reads; then the filter is evaluated on entry."""
        tops = [] if loop.filter is None else [loop.filter]
        read = {e.symbol for top in tops for e in walk.within(top) if isinstance(e, typed.Cell | typed.SetContains)}
        if isinstance(loop.domain, typed.Members):
            read.add(loop.domain.symbol)
        quiet = (RaceClass.OWNED, RaceClass.READ_ONLY)
        written = {cell.symbol for cell in races.cells if cell.race_class not in quiet}
        return any(s in written and self.host.arrays[s] not in self.host.stand_ins for s in read)

    def judged(self, races: LoopRaces, levels: LevelScope | None) -> tuple[ir.Array, ...]:
        """The flags of the iterations that pass the filter on entry, by out- and by in-neighbors where the loop is over
        both; none where the body, run by the host, does not change what the filter reads."""
        loop = races.loop
        if not self.changes_its_filter(races):
            return ()
        return tuple(self._judge(races, half, levels) for half in _halves(loop))

    def changes_its_filter(self, races: LoopRaces) -> bool:
        """Whether a body that the host runs may change what its loop's filter reads."""
        loop = races.loop
        if loop.filter is None:
            return False
        read = {e.symbol for e in walk.within(loop.filter) if isinstance(e, typed.Variable)}
        return not read.isdisjoint(written_scalars(loop.body)) or self._filter_may_change(races, loop)

    def _condition(
        self, loop: ParallelLoop, lowering: KernelLowering, iterator: ir.Variable, member: ir.Expression | None
    ) -> ir.Expression | None:
        """Whether an iteration takes place: it is at the pass's level, belongs to the domain, passes the filter."""
        levels = lowering.levels
        if levels is not None and loop.levels:
            member = both(build.equal(ir.Load(levels.levels, ir.Ref(iterator)), ir.Ref(levels.depth)), member)
        return member if loop.filter is None else both(member, lowering.expression(loop.filter))

    def _judge(self, races: LoopRaces, loop: ParallelLoop, levels: LevelScope | None) -> ir.Array:
        """The results of a loop's filter on entry."""
        around = self.host.surroundings()
        self._hoist(typed.Block(()), loop.filter, around)
        lowering = KernelLowering(self.context, self.host.names.inner(), around, races.shared, levels)
        domain, iterator, member = self._domain(loop, lowering)
        lowering.iteration = _number(domain, iterator)
        condition = self._condition(loop, lowering, iterator, member)
        assert condition is not None
        chosen = self._judge_first(loop, domain, iterator, condition)
        return chosen.array

    def _judge_first(
        self,
        loop: ParallelLoop,
        domain: ir.Domain,
        iterator: ir.Variable,
        condition: ir.Expression,
        ahead: tuple[ir.KernelOp, ...] = (),
    ) -> ir.Load:
        """The filter as flags set by a kernel of its own."""
        extent = ir.Extent.NODES if isinstance(domain, ir.AllNodes) else ir.Extent.ARCS
        if isinstance(domain, ir.NodeNeighbors):
            extent = domain.direction.layout.slots
        elif isinstance(domain, ir.Numbers):
            extent = ir.Extent.ITEMS if isinstance(loop.domain, typed.Items) else ir.Extent.UPDATES
        where = _position(domain, iterator)
        chosen = self.host.new_array("chosen", ir.Element.BOOL, extent, ir.Origin.TEMPORARY)
        if isinstance(loop.domain, typed.Items):
            self.host.do(ir.MakeRoom(chosen, self.host.lists[loop.domain.symbol]))
        store = ir.Store(chosen, ir.Ref(where), condition)
        span = loop.span if loop.filter is None else loop.filter.span
        self.emit(ir.Kernel("", domain, iterator, (*ahead, store), span=span, comment="judges the filter on entry"))
        return ir.Load(chosen, ir.Ref(where))

    # --- sequential code on the device

    def run_once(self, statement: typed.Statement) -> None:
        """Runs a piece of sequential code on one thread of the device."""
        around = self.host.surroundings()
        returned = list(written_scalars(statement))
        for symbol in returned:
            self._send_word(symbol, around)
        self._hoist(statement, None, around)
        lowering = KernelLowering(self.context, self.host.names.inner(), around, frozenset())
        lowering.map_rows = rows_of_maps(statement)
        body = tuple(lowering.statement(statement))
        reductions = self._reductions(around, body)
        self.emit(ir.Kernel("", ir.Once(), None, body, reductions=reductions, span=statement.span))
        for symbol in returned:
            self._fetch_word(symbol)

    # --- whole arrays

    def reduce(
        self,
        variable: ir.Variable,
        combine: ir.Combine,
        array: ir.Array,
        value: ir.Expression,
        over: ir.Variable,
        span: Span,
    ) -> None:
        """`variable = variable combine value` over all cells of `array`, `over` standing for the cell's index in
        `value`."""
        domain = ir.AllNodes() if array.extent is ir.Extent.NODES else ir.AllArcs()
        body = (ir.Contribute(variable, value),)
        reductions = (ir.Reduction(variable, combine),)
        self.emit(ir.Kernel("", domain, over, body, reductions=reductions, span=span))

    def sum_up(self, variable: ir.Variable, risk: Risk, value: ir.Expression, over: ir.Variable, span: Span) -> None:
        """The same in ascending order on one thread, for a checked run: it tells of the cell where that goes wrong."""
        lowering = KernelLowering(self.context, self.host.names.inner(), self.host.surroundings(), frozenset())
        total = lowering.temporary("total", variable.element)
        word = self.host.new_array(f"{variable.name}_word", variable.element, ir.Extent.ONE, ir.Origin.TEMPORARY)
        last: ir.Expression = ir.NumNodes(over.element) if over.element is ir.Element.NODE else ir.NumArcs(over.element)
        add = ir.SetLocal(total, lowering.guarded(risk, (ir.Ref(total), value), span))
        each = ir.ForRange(over, ir.Const(0, over.element), last, (add,))
        body = (ir.Let(total, ir.Ref(variable)), each, ir.Store(word, build.ZERO, ir.Ref(total)))
        self.emit(ir.Kernel("", ir.Once(), None, body, span=span))
        self.host.do(ir.ReadCell(variable, word, build.ZERO))

    def emit(self, kernel: ir.Kernel) -> None:
        """Names a kernel, keeps it and launches it."""
        name = self.context.kernel_names.fresh(f"{self.host.function.name}_{_deed(kernel)}")
        self.context.kernels[name] = visitor.with_signature(replace(kernel, name=name))
        self.host.do(ir.Launch(name))
        self.host.tell_recorded("" if kernel.iterator is None else kernel.iterator.name)

    # --- scalars that come back

    def _give(self, races: LoopRaces, around: Surroundings) -> list[Callable[[], None]]:
        """Prepares the outer scalars that a loop changes; gives what fetches them afterwards."""
        after: list[Callable[[], None]] = []
        for returned in returned_scalars(races):
            symbol = returned.symbol
            sums = returned.how is Return.REDUCTION and returned.combine in (ir.Combine.ADD, ir.Combine.MULTIPLY)
            match Return.WORD if sums and self.context.checks is not None else returned.how:
                case Return.REDUCTION:
                    assert returned.combine is not None
                    around.reductions[symbol] = ir.Reduction(self.host.variables[symbol], returned.combine)
                case Return.FLAG:
                    assert returned.value is not None
                    flag = self.host.declare(f"{symbol.name}_stored", ir.Element.BOOL, build.FALSE)
                    around.flags[symbol] = flag
                    after.append(partial(self._fetch_flag, symbol, flag, returned.value))
                case Return.WORD:
                    self._send_word(symbol, around)
                    after.append(partial(self._fetch_word, symbol))
        return after

    def _fetch_flag(self, symbol: typed.Symbol, flag: ir.Variable, value: typed.Expression) -> None:
        store = ir.SetVariable(self.host.variables[symbol], self.host.expression(value))
        self.host.do(ir.HostIf(ir.Ref(flag), (store,)))

    def _send_word(self, symbol: typed.Symbol, around: Surroundings) -> None:
        word = self.host.word(symbol)
        around.words[symbol] = word
        self.host.do(ir.WriteCell(word, ir.Const(0, ir.Element.INT), ir.Ref(self.host.variables[symbol])))

    def _fetch_word(self, symbol: typed.Symbol) -> None:
        self.host.do(ir.ReadCell(self.host.variables[symbol], self.host.word(symbol), ir.Const(0, ir.Element.INT)))

    def _reductions(self, around: Surroundings, body: tuple[ir.KernelOp, ...]) -> tuple[ir.Reduction, ...]:
        known = {r.variable: r for r in around.reductions.values()}
        known |= {flag: ir.Reduction(flag, ir.Combine.OR) for flag in around.flags.values()}
        known |= {flag: ir.Reduction(flag, ir.Combine.AND) for flag in around.announce.values()}
        used = dict.fromkeys(op.reduction for op in visitor.walk_kernel(body) if isinstance(op, ir.Contribute))
        return tuple(known[variable] for variable in used)

    def _hoist(self, body: typed.Statement, filter: typed.Expression | None, around: Surroundings) -> None:
        """Computes aggregates of whole properties before the kernel."""
        tops = [*walk.all_values(body), *([] if filter is None else [filter])]
        for e in (e for top in tops for e in walk.within(top)):
            extreme = isinstance(e, typed.GraphQuery) and e.query in (typed.Query.MIN_WEIGHT, typed.Query.MAX_WEIGHT)
            if extreme or isinstance(e, typed.Aggregate | typed.SetSize):
                around.hoisted[Same(e)] = self.host.expression(e)


def _halves(loop: ParallelLoop) -> tuple[ParallelLoop, ...]:
    """The loop; of one over both kinds of neighbors that over out-neighbors and that over in-neighbors."""
    match loop.domain:
        case typed.Neighbors(direction=typed.Direction.BOTH) as domain:
            sides = (typed.Direction.OUT, typed.Direction.IN)
            return tuple(replace(loop, domain=replace(domain, direction=direction)) for direction in sides)
    return (loop,)


def _position(domain: ir.Domain, iterator: ir.Variable) -> ir.Variable:
    """The number of an iteration: the place in a row of arcs, or the iterator itself."""
    return domain.position if isinstance(domain, ir.NodeNeighbors) else iterator


def _number(domain: ir.Domain, iterator: ir.Variable) -> ir.Expression:
    """The number by which an iteration tells of faults: nodes first, then arcs."""
    place = ir.Cast(ir.Ref(_position(domain, iterator)), ir.Element.LONG)
    return place if isinstance(domain, ir.AllNodes) else build.plus(ir.Cast(ir.NumNodes(), ir.Element.LONG), place)


def _deed(kernel: ir.Kernel) -> str:
    """The kernel's main effect, for its name: `min_dist`, `add_rank`, `set_level`, `count_changed`."""
    ranked: list[tuple[int, str]] = []
    for op in visitor.walk_kernel(kernel.body):
        match op:
            case ir.ExtremeCell():
                ranked.append((0, f"{_VERBS[op.extreme]}_{op.array.name}"))
            case ir.UpdateCell():
                ranked.append((1, f"{_VERBS[op.combine]}_{op.array.name}"))
            case ir.Store():
                ranked.append((2 + (op.array.origin is ir.Origin.TEMPORARY), f"set_{op.array.name}"))
            case ir.Contribute():
                ranked.append((3, f"find_{op.reduction.name}"))
    return min(ranked, key=lambda pair: pair[0])[1] if ranked else "loop"
