"""Lowers assignments in a kernel: to locals, cells, words, reductions, extremes with carried values."""

from dataclasses import replace
from typing import assert_never

from starplat.frontend import typed
from starplat.ir import build, nodes as ir
from starplat.ir.lowering import kernel_expressions, maps
from starplat.ir.lowering.checking import no_number, risk_of_update
from starplat.ir.lowering.elements import COMBINES, ELEMENTS, EXTREMES
from starplat.same import Same


class KernelStores(kernel_expressions.KernelExpressions):
    """Lowers assignments inside a kernel."""

    def assign(self, place: typed.Place, value: ir.Expression) -> list[ir.KernelOp]:
        """`place = value`, for any kind of place."""
        match place:
            case typed.Cell():
                return self._store(place, value)
            case typed.Variable(symbol) if symbol in self.locals:
                return [ir.SetLocal(self.locals[symbol], value)]
            case typed.Variable(symbol) if symbol in self.around.words:
                return [ir.Store(self.around.words[symbol], build.ZERO, value, Same(place) in self.shared)]
            case typed.Variable(symbol) if symbol in self.around.flags:
                return [ir.Contribute(self.around.flags[symbol], build.TRUE)]
            case typed.Variable(symbol):
                return [ir.Contribute(self.around.reductions[symbol].variable, value)]
            case typed.ListItem():
                raise AssertionError("lists are the host's")
        assert_never(place)

    def _store(self, place: typed.Cell, value: ir.Expression) -> list[ir.KernelOp]:
        array = self.written_array(place.symbol)
        store = ir.Store(array, self.place(place), value, Same(place) in self.shared)
        return [store, *self._announce(array)]

    def _announce(self, array: ir.Array) -> list[ir.KernelOp]:
        if array not in self.around.announce:
            return []
        flag = self.around.announce[array]
        self.announced.add(flag)
        return [ir.Contribute(flag, build.FALSE)]

    def _update(self, s: typed.Update) -> list[ir.KernelOp]:
        value = self.expression(s.value)
        match s.place:
            case typed.Cell(symbol):
                shared, array, where = Same(s.place) in self.shared, self.written_array(symbol), self.place(s.place)
                return self._update_cell(s, array, where, value, shared)
            case typed.Variable(symbol) if symbol in self.locals:
                variable = self.locals[symbol]
                return [ir.SetLocal(variable, self.combined(s, ir.Ref(variable), value))]
            case typed.Variable(symbol) if symbol in self.around.words:
                word, shared = self.around.words[symbol], Same(s.place) in self.shared
                if self.context.checks is not None:
                    return self._update_cell(s, word, build.ZERO, value, shared)
                return [ir.UpdateCell(COMBINES[s.combine], word, build.ZERO, value, shared)]
            case typed.Variable(symbol):
                return [ir.Contribute(self.around.reductions[symbol].variable, value)]
            case typed.ListItem():
                raise AssertionError("lists are the host's")
        assert_never(s.place)

    def _update_cell(
        self, s: typed.Update, array: ir.Array, where: ir.Expression, value: ir.Expression, shared: bool
    ) -> list[ir.KernelOp]:
        combine = COMBINES[s.combine]
        risk = None if self.context.checks is None else risk_of_update(combine, typed.scalar_of(s.place))
        if self.sum_stays_infinite(s) or (risk is not None and not (shared and array.element.is_real)):
            return self._saturating(s, array, where, value, shared)
        update = ir.UpdateCell(combine, array, where, value, shared)
        return [update] if risk is None else self._summed_reals(s, update)

    def _summed_reals(self, s: typed.Update, update: ir.UpdateCell) -> list[ir.KernelOp]:
        """Updates a real cell that others update too, and tells if that made NaN of numbers."""
        assert self.context.checks is not None
        where, value = (
            ir.Let(self.temporary(name, e.element), e) for name, e in (("cell", update.index), ("added", update.value))
        )
        cell, added = ir.Ref(where.variable), ir.Ref(value.variable)
        before, after = (ir.Let(self.temporary(n, added.element), ir.Load(update.array, cell)) for n in ("old", "new"))
        numbers = (build.equal(ir.Ref(x), ir.Ref(x)) for x in (value.variable, before.variable))
        is_none = build.differs(ir.Ref(after.variable), ir.Ref(after.variable))
        record, inner = self.record()
        site = self.context.checks.site(no_number(self.context.program.source, s.span, inner))
        told = ir.KernelIf(build.both(*numbers, is_none), (self.context.checks.note(site, record),))
        return [where, value, before, replace(update, index=cell, value=added), after, told]

    def _saturating(
        self, s: typed.Update, array: ir.Array, where: ir.Expression, value: ir.Expression, shared: bool
    ) -> list[ir.KernelOp]:
        """Adds to a cell what leaves INF as it is, or what may go wrong: no atomic addition does, so shared cells are
        swapped."""
        if not shared:
            return [ir.Store(array, where, self.combined(s, ir.Load(array, where), value))]
        cell, added = (ir.Let(self.temporary(name, e.element), e) for name, e in (("cell", where), ("added", value)))
        index = ir.Ref(cell.variable)
        seen, before = (self.temporary(name, array.element) for name in ("seen", "before"))
        total = self.combined(s, ir.Ref(before), ir.Ref(added.variable))
        swap = (ir.SetLocal(before, ir.Ref(seen)), ir.CompareSwap(seen, array, index, ir.Ref(before), total))
        again = ir.KernelWhile(build.differs(ir.Ref(seen), ir.Ref(before)), swap, test_last=True)
        return [cell, added, ir.Let(seen, ir.Load(array, index)), ir.Let(before, ir.Ref(seen)), again]

    def _add_to_map(self, s: typed.AddToMap) -> ir.KernelCall:
        if self.context.may_be_infinite(s.value):
            help = "leave such values out"
            raise self.context.refuse("E0658", "INF cannot be added up in a map", s.value.span, help=help)
        helpers, window = maps.MapHelpers(self.context), self.maps[s.symbol]
        key, value = self.key(s.key), self.expression(s.value)
        risk = risk_of_update(ir.Combine.ADD, s.symbol.map.value)
        if self.context.checks is not None and risk is not None and value.element.is_integer:
            old = helpers.value(window, key)
            value = build.minus(self.guarded(risk, (old, value), s.span), old)
        return helpers.add(window, key, value)

    def combined(self, s: typed.Update, old: ir.Expression, value: ir.Expression) -> ir.Expression:
        """The same; what is added negated is subtracted."""
        match super().combined(s, old, value):
            case ir.Binary(ir.BinaryOperator.ADD, _, ir.Unary(ir.UnaryOperator.NEGATE, operand)):
                return build.minus(old, operand)
            case total:
                return total

    def _extreme(self, s: typed.AssignExtreme) -> list[ir.KernelOp]:
        match s.place:
            case typed.Cell(symbol):
                array, where = self.written_array(symbol), self.place(s.place)
            case typed.Variable(symbol) if symbol in self.around.words:
                array, where = self.around.words[symbol], build.ZERO
            case typed.Variable(symbol) if symbol in self.locals:
                return self._local_extreme(s, self.locals[symbol])
            case typed.Variable(symbol):
                return [ir.Contribute(self.around.reductions[symbol].variable, self.expression(s.candidate))]
        shared = Same(s.place) in self.shared
        carries, also = self._carries(s)
        lock = self._lock(array, s) if shared and not all(isinstance(c.value, ir.Const) for c in carries) else None
        candidate, settles = self.expression(s.candidate), self.context.settles(s.place)
        way = EXTREMES[s.extreme]
        return [ir.ExtremeCell(way, array, where, candidate, tuple(carries), shared, lock, also, settles)]

    def _lock(self, array: ir.Array, s: typed.AssignExtreme) -> ir.Array:
        if self.around.lock_of is None:
            raise self.context.refuse(
                "E0657", "a function that a 'forall' calls cannot carry values along with a shared 'Min' or 'Max'",
                s.span, help="write the multi-assignment in the 'forall' itself",
            )  # fmt: skip
        return self.around.lock_of(array)

    def _carries(self, s: typed.AssignExtreme) -> tuple[list[ir.Carry], tuple[ir.KernelOp, ...]]:
        """The values carried to memory, and the other operations of the winner."""
        carries: list[ir.Carry] = []
        also: list[ir.KernelOp] = []
        for c in s.carried:
            value = self.expression(c.value)
            match c.place:
                case typed.Cell(symbol):
                    carries.append(ir.Carry(self.written_array(symbol), self.place(c.place), value))
                    also += self._announce(carries[-1].array)
                case typed.Variable(symbol) if symbol in self.around.words:
                    carries.append(ir.Carry(self.around.words[symbol], build.ZERO, value))
                case typed.Variable():
                    also += self.assign(c.place, value)
        return carries, tuple(also)

    def _local_extreme(self, s: typed.AssignExtreme, variable: ir.Variable) -> list[ir.KernelOp]:
        candidate = self.temporary("candidate", variable.element)
        wins = build.beyond(EXTREMES[s.extreme], ir.Ref(candidate), ir.Ref(variable))
        values: list[ir.KernelOp] = []
        stores: list[ir.KernelOp] = []
        for c in s.carried:
            if not isinstance(value := self.expression(c.value), ir.Const | ir.Ref):
                held = self.temporary("carried", ELEMENTS[c.place.type])
                values.append(ir.Let(held, value))
                value = ir.Ref(held)
            stores += self.assign(c.place, value)
        first = ir.Let(candidate, self.expression(s.candidate))
        return [first, ir.KernelIf(wins, (*values, ir.SetLocal(variable, ir.Ref(candidate)), *stores))]
