"""Step `batch`: the host launches several rounds of a loop ahead and tests late whether there are more.

Host-driven rounds that end by a result of the device cost a readback each. Here the device keeps that result and all
scalars that rounds change, and every kernel first tests whether its round takes place: so the host can launch rounds
without knowing how many there are, and looks after 1, 2, 4, … of them.

A round qualifies if the host only launches kernels of known size, fills, copies and swaps arrays, and computes scalars
from the device's results: a kernel of one thread can compute these in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from starplat.ir import build, fresh_names, launches, nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.visitor import all_expressions, declared_by, walk_around, walk_host, with_signature
from starplat.schedule.loop import batch_rounds, drivers, group_rounds
from starplat.schedule.loop.late_declarations import as_assignments
from starplat.schedule.schedule import Loop, Schedule
from starplat.schedule.step import Choice, Decided, Decider
from starplat.source import NOWHERE

MOST_AHEAD = 8
"""The most rounds launched at a time. A readback takes about as long as the launches of one round: loops of 20 to 100
rounds then lose least to readbacks and launches in vain together."""


def rounds_in_batches(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose loops run in batches, where the schedule and the target permit it."""
    by_itself = schedule.loop is Loop.AUTO and capabilities.late_words and not capabilities.grid_barrier
    if not capabilities.batches or not (by_itself or schedule.loop is Loop.BATCH):
        return module
    batcher = _Batcher(module, spares_doubles=by_itself and not _has_doubles(module.kernels))
    made = batcher.module()
    if not batcher.kernels:
        return Decided(module, tuple(batcher.choices))
    launched = launches.launched_names(made.functions)
    made = replace(made, kernels=tuple(kernel for kernel in made.kernels if kernel.name in launched))
    return Decided(made, tuple(batcher.choices))


def _has_doubles(kernels: Iterable[ir.Kernel]) -> bool:
    """Whether any kernel uses doubles, which not every device has."""
    for kernel in kernels:
        results = (reduction.variable for reduction in kernel.reductions)
        parts = (*kernel.arrays, *kernel.scalars, *results, *all_expressions(kernel.body))
        if any(part.element is ir.Element.DOUBLE for part in parts):
            return True
    return False


class _Batcher(Decider):
    """Rewrites the loops that qualify; `around` are the loops around the current one, `place` is where it stands."""

    def __init__(self, module: ir.Module, *, spares_doubles: bool) -> None:
        super().__init__(module)
        self.spares_doubles = spares_doubles
        self.around: list[ir.HostOp] = []

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        """The function, with the cells that its loops need."""
        self.host, self.place = function, NOWHERE
        return super().function(function)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.OnDevice):
            return (op,)
        if isinstance(op, ir.HostBlock) and op.span != NOWHERE:
            outer, self.place = self.place, op.span
            block = self.rebuild(op)
            self.place = outer
            return (block,)
        if not isinstance(op, ir.HostLoop):
            return (self.rebuild(op),)
        if (rounds := self.suiting(op)) is not None:
            return self.in_batches(op, rounds)
        self.around.append(op)
        rebuilt = self.rebuild(op)
        self.around.pop()
        return (rebuilt,)

    def suiting(self, op: ir.HostOp) -> Rounds | None:
        """The loop, if the host waits in each round and need not; where it must, the reason is reported."""
        inside = tuple(walk_host((op,)))
        if any(
            isinstance(inner, ir.OnDevice) or (isinstance(inner, ir.HostLoop) and inner is not op) for inner in inside
        ):
            return None
        launched = next((inner.kernel for inner in inside if isinstance(inner, ir.Launch)), None)
        rounds = None if launched is None else rounds_of(op, self.given, self.taken)
        if rounds is None or not waits(rounds, self.given):
            return None
        reason = obstacle(rounds, self.given)
        if reason is None and self.spares_doubles and works_out_doubles(rounds):
            reason = "it computes a double, which the device may lack"
        if reason is None:
            what = f"the loop of '{launched}': the host launches up to {MOST_AHEAD} rounds ahead"
            self.choices.append(Choice(what, "a readback in each round takes longer than its launches"))
            return rounds
        self.choices.append(Choice(f"the loop of '{launched}': the host waits for each round", reason))
        return None

    # --- a loop ------------------------------------------------------------------------------------------------------

    def in_batches(self, op: ir.HostOp, rounds: Rounds) -> Iterator[ir.HostOp]:
        """The loop, with its beginning ahead of it and late reads behind it."""
        inside = tuple(walk_host((op,)))
        launched = [inner.kernel for inner in inside if isinstance(inner, ir.Launch)]
        before = {inner.kernel for inner in walk_host(rounds.ahead) if isinstance(inner, ir.Launch)}
        names = {name: name for name in launched if launches.is_launched_once(name, self.given) and name not in before}
        span = self.given.kernel(launched[0]).span if self.place == NOWHERE else self.place
        one = batch_rounds.Round(self.given, self.taken, self.host.name, span, names)
        body = one.row(rounds.row, rounds.condition, rounds.varying)
        late = self.late(op, rounds)
        one.forget_unread(late)
        begin = self.beginning(one, rounds)
        self.changed |= {kernel.name: kernel for kernel in one.kernels if kernel.name in names}
        self.kernels += (begin, *(kernel for kernel in one.kernels if kernel.name not in names))
        self.arrays += (one.goes_on, *one.cells.values(), *one.words)
        yield from rounds.ahead
        for _, by_host, on_device in one.turns:
            yield ir.DeclareVariable(by_host, build.FALSE)
            yield ir.DeclareVariable(on_device, build.FALSE)
        reads = (ir.ReadCell(variable, one.cells[variable], build.ZERO) for variable in late)
        goes_on = ir.Load(one.goes_on, build.ZERO)
        rows = ir.Loop((), goes_on, body, test_last=True, driver=ir.Ahead(one.goes_on, MOST_AHEAD))
        loop = (ir.Launch(begin.name), rows, *reads, *self.turned(one))
        if rounds.tested_first and rounds.condition != build.TRUE:
            yield ir.HostIf(rounds.condition, loop)
        else:
            yield from loop

    def beginning(self, one: batch_rounds.Round, rounds: Rounds) -> ir.Kernel:
        """One thread stores the host's values into cells."""
        lasting = (*rounds.varying, *(on_device for _, _, on_device in one.turns))
        stores = (
            ir.Store(one.goes_on, build.ZERO, build.TRUE),
            *(
                ir.Store(one.cells[variable], build.ZERO, ir.Ref(variable))
                for variable in lasting
                if variable in one.cells
            ),
            *(ir.Store(word, build.ZERO, start) for word, start in one.words.items()),
        )
        name = self.taken.fresh(f"{self.host.name}_begin")
        comment = "puts what rounds change on the device"
        return with_signature(ir.Kernel(name, ir.Once(), None, stores, span=one.span, comment=comment))

    def turned(self, one: batch_rounds.Round) -> Iterator[ir.HostOp]:
        """Undoes swaps of the host in rounds after the last one."""
        for swap, by_host, on_device in one.turns:
            yield ir.ReadCell(on_device, one.cells[on_device], build.ZERO)
            differs = build.differs(ir.Ref(by_host), ir.Ref(on_device))
            yield ir.HostIf(differs, (replace(swap),))

    def late(self, op: ir.HostOp, rounds: Rounds) -> list[ir.Variable]:
        """The variables that are read after the loop; in a loop around it, before it as well."""
        outside = list(walk_around(self.host.body, op))
        asked = {*launches.scalars_read(outside, self.given), *launches.scalars_set(outside, self.given)}
        asked |= set(self.host.references)
        if self.around:
            own = {variable for other in walk_host((self.around[-1],)) for variable in declared_by(other)}
            asked |= set(rounds.varying) - own
        return [variable for variable in rounds.varying if variable in asked]


@dataclass(frozen=True, slots=True)
class Rounds:
    """A loop as `ahead; do row while (condition)`; if `tested_first`, the host tests the condition before.

    `varying` are the variables from before the loop that rounds change.
    """

    ahead: tuple[ir.HostOp, ...]
    tested_first: bool
    row: tuple[ir.HostOp, ...]
    condition: ir.Expression
    varying: tuple[ir.Variable, ...]


def rounds_of(op: ir.HostOp, module: ir.Module, taken: fresh_names.FreshNames) -> Rounds | None:
    """The loop, if it is of a kind that has rounds and a condition."""
    match op:
        case ir.Loop(before, condition, body, True):
            return _rounds((), False, (*body, *op.step, *before), condition, module)
        case ir.Loop(before, condition, body, False):
            again = as_assignments(group_rounds.copied(before))
            return _rounds(group_rounds.copied(before), True, (*body, *op.step, *again), condition, module)
        case ir.HostForRange(variable, first, end, body):
            last = taken.variable(f"{variable.name}_end", variable.element)
            less = build.less(ir.Ref(variable), ir.Ref(last))
            one = ir.Const(1, variable.element)
            advance = ir.SetVariable(variable, build.plus(ir.Ref(variable), one))
            ahead = (ir.DeclareVariable(variable, first), ir.DeclareVariable(last, end))
            return _rounds(ahead, True, (*body, advance), less, module)
    return None


def _rounds(
    ahead: tuple[ir.HostOp, ...],
    tested_first: bool,
    row: tuple[ir.HostOp, ...],
    condition: ir.Expression,
    module: ir.Module,
) -> Rounds:
    inside = tuple(visitor.walk_host(row))
    own = {variable for op in inside for variable in visitor.declared_by(op)}
    varying = dict.fromkeys(v for v in launches.scalars_set(inside, module) if v not in own)
    return Rounds(ahead, tested_first, row, condition, tuple(varying))


def waits(rounds: Rounds, module: ir.Module) -> bool:
    """Whether the host waits in a round for a result of the device."""
    return any(
        isinstance(op, ir.ReadCell) or (isinstance(op, ir.Launch) and bool(module.kernel(op.kernel).brought_back))
        for op in visitor.walk_host(rounds.row)
    )


def works_out_doubles(rounds: Rounds) -> bool:
    """Whether the host computes with doubles in a round."""
    parts = (*rounds.varying, *visitor.walk_expression(rounds.condition), *visitor.all_expressions(rounds.row))
    return any(part.element is ir.Element.DOUBLE for part in parts)


def obstacle(rounds: Rounds, module: ir.Module) -> str | None:
    """Why the host cannot launch rounds ahead; None if it can."""
    if not drivers.is_safe(rounds.condition):
        return "only the host can compute whether there is another round"
    inside = tuple(visitor.walk_host(rounds.row))
    swapped = [array for op in inside if isinstance(op, ir.Swap) for array in (op.first, op.second)]
    if len(swapped) != len(set(swapped)):
        return "an array is swapped twice in a round"
    declared = {variable for op in inside for variable in visitor.declared_by(op)}
    return drivers.Ahead(module, declared.union(rounds.varying)).first(rounds.row)
