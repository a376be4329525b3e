"""Lowers the statements inside a kernel, or in a function that kernels call."""

from typing import assert_never

from starplat.analysis.positions import aliases
from starplat.frontend import typed, types
from starplat.ir import build, nodes as ir
from starplat.ir.lowering import context, elements, maps, surroundings, uses
from starplat.ir.lowering.checking import SLOTS, Checks, failed, printed
from starplat.ir.lowering.kernel_stores import KernelStores
from starplat.same import Same

_LONG = ir.Element.LONG


class KernelLowering(KernelStores):
    """Lowers the body of one kernel."""

    # --- statements

    def block(self, block: typed.Block) -> tuple[ir.KernelOp, ...]:
        return tuple(op for statement in block.statements for op in self.statement(statement))

    def statement(self, s: typed.Statement) -> list[ir.KernelOp]:
        match s:
            case typed.Block():
                return list(self.block(s))
            case typed.Declare():
                return self._declare(s)
            case typed.Assign():
                return self.assign(s.place, self.expression(s.value))
            case typed.Update():
                return self._update(s)
            case typed.AssignExtreme():
                return self._extreme(s)
            case typed.AddToSet():
                member = self.index(s.member, s.symbol.name, self.array(s.symbol).extent, s)
                return [ir.Store(self.written_array(s.symbol), member, build.TRUE, Same(s) in self.shared)]
            case typed.AddToMap():
                return [self._add_to_map(s)]
            case typed.CallStatement():
                return [ir.KernelCall(self.call(s.call))]
            case typed.Return():
                return [ir.KernelReturn(None if s.value is None else self.expression(s.value))]
            case typed.Break():
                return [ir.KernelBreak()]
            case typed.Continue():
                return [ir.KernelContinue()]
            case typed.If():
                otherwise = () if s.otherwise is None else self.block(s.otherwise)
                return [ir.KernelIf(self.expression(s.condition), self.block(s.then), otherwise)]
            case typed.While():
                return [ir.KernelWhile(self.goes_on(s.condition), self.block(s.body))]
            case typed.DoWhile():
                return [ir.KernelWhile(self.goes_on(s.condition), self.block(s.body), test_last=True)]
            case typed.CountedLoop():
                return self._counted(s)
            case typed.ForEach():
                self.loops.append(s.iterator)
                ops = self._for_each(s)
                self.loops.pop()
                return ops
            case typed.Print() | typed.Assert() if self.context.checks is not None:
                return self.remark(s, self.context.checks)
            case typed.Attach() | typed.CopyProperty() | typed.FixedPoint() | typed.IterateInBFS():
                raise AssertionError(f"{type(s).__name__} inside a kernel")
            case typed.Print() | typed.Assert():
                raise AssertionError("left out before the analyses")
            case typed.TakeBatch() | typed.EndBatch() | typed.ChangeGraph() | typed.ChangeList():
                raise AssertionError(f"{type(s).__name__} inside a kernel")
            case typed.Unsupported():
                raise self.unsupported(s.construct, s)
        assert_never(s)

    def _declare(self, s: typed.Declare) -> list[ir.KernelOp]:
        if s.symbol in self.locals:
            return []  # an edge that is the arc in hand of the loop around
        if isinstance(s.symbol.type, types.MapType):
            return self._declare_map(s.symbol)
        value = context.zero(elements.ELEMENTS[s.symbol.scalar]) if s.value is None else self.expression(s.value)
        return [ir.Let(self.local(s.symbol), value)]

    def _declare_map(self, symbol: typed.Symbol) -> list[ir.KernelOp]:
        """The ends of the map's window, all of whose slots become free."""
        row, new_array = self.map_rows[symbol], self.around.new_array
        assert new_array is not None
        first, end = self.temporary("first_slot", ir.Element.LONG), self.temporary("end_slot", ir.Element.LONG)
        window = maps.MapWindow(*maps.arrays_of_map(symbol, row, new_array), first, end)
        self.maps[symbol] = window
        slot = self.temporary("slot", ir.Element.LONG)
        free = ir.Store(window.keys, ir.Ref(slot), build.number(-1))
        at_first, at_end = maps.window_ends(row.direction, ir.Ref(self.locals[row.owner]))
        return [ir.Let(first, at_first), ir.Let(end, at_end), ir.ForRange(slot, ir.Ref(first), ir.Ref(end), (free,))]

    # --- loops

    def _counted(self, s: typed.CountedLoop) -> list[ir.KernelOp]:
        first = self.expression(s.first)
        start = [ir.Let(self.local(s.symbol), first)] if s.declares else self.assign(typed.Variable(s.symbol), first)
        step = tuple(self.statement(s.step))
        return [*start, ir.KernelFor(self.goes_on(s.condition), step, self.block(s.body))]

    def _for_each(self, s: typed.ForEach) -> list[ir.KernelOp]:
        match s.domain:
            case typed.Neighbors(direction=typed.Direction.BOTH):
                return self._both_neighbors(s, s.domain)
            case typed.Neighbors():
                return self._neighbors(s, s.domain)
            case typed.AllNodes():
                return self._range(s, ir.NumNodes(ir.Element.NODE), None)
            case typed.AllEdges():
                return self._range(s, ir.NumArcs(ir.Element.ARC), None)
            case typed.Members(symbol=symbol):
                array = self.array(symbol)
                nodes = array.extent is ir.Extent.NODES
                end: ir.Expression = ir.NumNodes(ir.Element.NODE) if nodes else ir.NumArcs(ir.Element.ARC)
                return self._range(s, end, array)
            case typed.Numbers(count=count):
                return self._range(s, self.expression(count), None)
            case typed.Keys(symbol=symbol):
                return self._keys(s, self.maps[symbol])
            case typed.Items():
                raise AssertionError("lists are the host's")
        assert_never(s.domain)

    def _keys(self, s: typed.ForEach, window: maps.MapWindow) -> list[ir.KernelOp]:
        """Over the keys of a map, which are sorted first."""
        assert window.sorted is not None
        count, place = self.temporary("count", ir.Element.LONG), self.temporary("i", ir.Element.LONG)
        variable = self.local(s.iterator)
        at = build.plus(build.half(ir.Ref(window.first)), ir.Ref(place))
        key: ir.Expression = ir.Load(window.sorted, at)
        if variable.element is ir.Element.BOOL:
            key = build.differs(key, build.ZERO)
        body = (ir.Let(variable, key), *self._filtered(self._filter(s), s))
        sort = ir.Let(count, maps.MapHelpers(self.context).sort(window))
        return [sort, ir.ForRange(place, ir.Const(0, ir.Element.LONG), ir.Ref(count), body)]

    def _range(self, s: typed.ForEach, end: ir.Expression, members: ir.Array | None) -> list[ir.KernelOp]:
        variable = self.local(s.iterator)
        contained = None if members is None else ir.Load(members, ir.Ref(variable))
        body = self._filtered(context.both(contained, self._filter(s)), s)
        return [ir.ForRange(variable, ir.Const(0, variable.element), end, body)]

    def _filter(self, s: typed.ForEach) -> ir.Expression | None:
        return None if s.filter is None else self.expression(s.filter)

    def _filtered(self, condition: ir.Expression | None, s: typed.ForEach) -> tuple[ir.KernelOp, ...]:
        body = self.block(s.body)
        return body if condition is None else (ir.KernelIf(condition, body),)

    def _neighbors(self, s: typed.ForEach, domain: typed.Neighbors) -> list[ir.KernelOp]:
        direction, level = self.direction(s, domain)
        before, node = self._held(domain.node, s.body)
        neighbor = self.local(s.iterator)
        position = self._position(s, direction)
        self.arcs[s.iterator] = surroundings.arc_place(direction, node, neighbor, position)
        body = self._filtered(context.both(self.at_level(neighbor, level), self._filter(s)), s)
        counts, one_way = self._counts(s), Same(s) in self.counted and self.counted[Same(s)].one_way
        return [*before, ir.ForNeighbors(direction, node, neighbor, position, body, s.parallel, counts, one_way)]

    def _counts(self, s: typed.ForEach) -> tuple[ir.PerTriangle, ...]:
        """The locals and own cells that a loop over neighbors makes grow for each triangle of its node."""
        targets: dict[typed.Symbol, ir.Variable | ir.Array] = {**self.around.arrays, **self.locals}
        counts = self.counted[Same(s)].counts if Same(s) in self.counted else ()
        return tuple(ir.PerTriangle(targets[c.symbol], c.value, c.loops_count) for c in counts if c.symbol in targets)

    def _held(self, value: typed.Expression, body: typed.Statement) -> tuple[list[ir.KernelOp], ir.Expression]:
        """A node as a constant or as a variable that `body` leaves alone, and the operations that compute it."""
        if isinstance(node := self.node(value), ir.Ref | ir.Const) and uses.holds_still(value, body):
            return [], node
        held = self.temporary("node", ir.Element.NODE)
        return [ir.Let(held, node)], ir.Ref(held)

    def _position(self, s: typed.ForEach, direction: ir.Direction) -> ir.Variable:
        """The loop's own arc. For out-arcs it has the name that the program gives it, and is that edge."""
        named = [x for x, value in aliases(s.body).items() if value == typed.ArcInHand(s.iterator)]
        self.aliases.update({x: typed.ArcInHand(s.iterator) for x in named})
        if direction is ir.Direction.IN:
            return self.temporary("in_e", ir.Element.ARC)
        position = self.temporary(named[0].name if named else "e", ir.Element.ARC)
        self.locals.update(dict.fromkeys(named, position))
        return position

    def direction(self, s: typed.ForEach, domain: typed.Neighbors) -> tuple[ir.Direction, int]:
        """Which arcs a neighbor loop walks, and how many levels on it must arrive in a BFS pass (0: anywhere).

        `domain` is the loop's own, or one half of `inOutNbrs`, which knows no levels."""
        halved = domain != s.domain
        if not halved and self.levels is not None and self._is_level_iterator(domain.node):
            if domain.direction is typed.Direction.OUT and Same(s) in self.levels.pulling:
                return ir.Direction.IN, -1
            return (ir.Direction.OUT, 1) if domain.direction is typed.Direction.OUT else (ir.Direction.IN, -1)
        return (ir.Direction.OUT if domain.direction is typed.Direction.OUT else ir.Direction.IN), 0

    def _is_level_iterator(self, node: typed.Expression) -> bool:
        return self.levels is not None and isinstance(node, typed.Variable) and node.symbol is self.levels.iterator

    def at_level(self, node: ir.Variable, step: int) -> ir.Expression | None:
        if self.levels is None or step == 0:
            return None
        beside = build.plus if step > 0 else build.minus
        depth = beside(ir.Ref(self.levels.depth), build.number(abs(step)), ir.Element.INT)
        return build.equal(ir.Load(self.levels.levels, ir.Ref(node)), depth)

    def _both_neighbors(self, s: typed.ForEach, domain: typed.Neighbors) -> list[ir.KernelOp]:
        """Out-neighbors, then in-neighbors, in one loop, so that `break` ends it."""
        before, here = self._held(domain.node, s.body)
        first_out, first_in = self.temporary("first_out", ir.Element.ARC), self.temporary("first_in", ir.Element.ARC)
        outs, step = self.temporary("outs", ir.Element.ARC), self.temporary("i", ir.Element.ARC)
        ins = build.minus(ir.REVERSE.end(here), ir.Ref(first_in))
        is_out = build.less(ir.Ref(step), ir.Ref(outs))
        out_arc = build.plus(ir.Ref(first_out), ir.Ref(step))
        in_place = build.plus(ir.Ref(first_in), build.minus(ir.Ref(step), ir.Ref(outs)))
        neighbor = self.local(s.iterator)
        w = ir.Ref(neighbor)
        arc = ir.Select(is_out, ir.CSR.arc_id(out_arc), ir.REVERSE.arc_id(in_place))
        self.arcs[s.iterator] = surroundings.ArcPlace(arc, ir.Select(is_out, here, w), ir.Select(is_out, w, here))
        reached = ir.Select(is_out, ir.CSR.neighbor(out_arc), ir.REVERSE.neighbor(in_place))
        body = (ir.Let(neighbor, reached), *self._filtered(self._filter(s), s))
        return [
            *before,
            ir.Let(first_out, ir.CSR.first(here)),
            ir.Let(outs, build.minus(ir.CSR.end(here), ir.Ref(first_out))),
            ir.Let(first_in, ir.REVERSE.first(here)),
            ir.ForRange(step, ir.Const(0, ir.Element.ARC), build.plus(ir.Ref(outs), ins), body, s.parallel),
        ]

    # --- `print` and `assert` of a checked run, whose loops end with the first fault

    def goes_on(self, condition: typed.Expression) -> ir.Expression:
        value = self.expression(condition)
        return value if self.context.checks is None else build.both(self.record()[0].is_clean, value)

    def remark(self, s: typed.Remark, checks: Checks) -> list[ir.KernelOp]:
        """Records a fault where an assertion does not hold, or a line, which no fault comes before."""
        if isinstance(s, typed.Print):
            return self._print(s, checks)
        condition, (record, inner) = self.expression(s.condition), self.record()
        return [ir.KernelIf(build.denied(condition), (checks.note(checks.site(failed(s, inner)), record),))]

    def _print(self, s: typed.Print, checks: Checks) -> list[ir.KernelOp]:
        """Takes slots for the line, and fills them if they are there."""
        assert self.around.lines is not None
        lines, values = self.around.lines, [self.expression(p) for p in s.parts if not isinstance(p, str)]
        held = [ir.Let(self.temporary("shown", value.element), value) for value in values]
        slot = self.temporary("slot", ir.Element.INT)
        count, number = build.number(1 + len(held)), checks.site(printed(s))
        room = build.at_most(ir.Ref(slot), build.number(SLOTS - 1 - len(held)))
        stores: list[ir.KernelOp] = [
            ir.Store(lines.words, _word(slot, 0), self.iteration),
            ir.Store(lines.words, _word(slot, 1), ir.Const(number, _LONG)),
        ]
        for place, one in enumerate(held, 1):
            value = ir.Ref(one.variable)
            if value.element.is_real:
                where = build.plus(ir.Ref(slot), build.number(place))
                stores.append(ir.Store(lines.reals, where, build.converted(value, ir.Element.DOUBLE)))
            else:
                stores.append(ir.Store(lines.words, _word(slot, 2 * place), build.converted(value, _LONG)))
        is_slot = build.both(build.at_least(ir.Ref(slot), build.ZERO), build.less(ir.Ref(slot), build.number(SLOTS)))
        ends = ir.Store(lines.words, _word(slot, 1), ir.Const(0, _LONG))
        filled = ir.KernelIf(is_slot, (ir.KernelIf(room, tuple(stores), (ends,)),))
        take = (ir.FetchAdd(slot, lines.taken, build.ZERO, count), filled)
        return [*held, ir.Let(slot, build.ZERO), ir.KernelIf(self.record()[0].is_clean, take)]


def _word(slot: ir.Variable, place: int) -> ir.Expression:
    first = build.times(ir.Ref(slot), build.number(2))
    return build.plus(first, build.number(place)) if place else first
