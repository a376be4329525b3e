"""Lowers `print` and `assert` in a kernel of a checked run, whose loops end with the first fault."""

from starplat.frontend import typed
from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.lowering.checking import SLOTS, Checks, failed, printed
from starplat.ir.lowering.kernel_stores import KernelStores

_LONG = ir.Element.LONG


class KernelRemarks(KernelStores):
    """Lowers what a kernel tells."""

    def goes_on(self, condition: typed.Expression) -> ir.Expression:
        """The condition of a loop."""
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
