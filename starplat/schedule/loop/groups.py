"""Step `group`: lets one group of threads run the rounds of a loop while few nodes are active.

Each host-driven round costs launches and a readback, which for a few hundred nodes take longer than the round. Threads
of one group have a barrier on every device: so the host launches one group, which goes on until no round is left or too
many nodes are active, and then launches rounds itself until few are.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from starplat.ir import build, conditions, launches, nodes as ir, rewriter, visitor
from starplat.ir.capabilities import Capabilities
from starplat.schedule.loop.drivers import left_to_the_host
from starplat.schedule.loop.group_rounds import Rounds, copied, rounds_of, with_plain_walks
from starplat.schedule.schedule import Loop, Schedule
from starplat.schedule.step import Choice, Decided, Decider

FEW = 4096
"""One group runs rounds of fewer nodes."""

ARCS_OF_A_NODE = 8
"""The mean degree up to which one group is used: its threads take nodes with all their arcs."""


def rounds_by_one_group(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose rounds of few nodes one group runs, where the schedule and the target permit it."""
    wanted = schedule.loop is Loop.GROUP or (schedule.loop is Loop.AUTO and not capabilities.grid_barrier)
    if not wanted or not capabilities.group_loops:
        return module
    return _Grouper(module).decided(tells_refused=schedule.loop is Loop.GROUP)


class _Grouper(Decider):
    """Rewrites the loops whose rounds a group can run."""

    name = ""

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        """The function; the host's values that a group needs are on the device."""
        self.name = function.name
        made = super().function(function)
        groups = [op for op in visitor.walk_host(made.body) if isinstance(op, ir.OnDevice) and op.one_group]
        moved = {array for op in groups for array in op.arrays if array.origin is ir.Origin.HOST}

        def on_device(array: ir.Array) -> ir.Array:
            return replace(array, origin=ir.Origin.TEMPORARY) if array in moved else array

        body = rewriter.ArrayRule(on_device).host_block(made.body)
        return replace(made, arrays=tuple(map(on_device, made.arrays)), body=body)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.OnDevice):
            return (op,)
        rounds = rounds_of(op, self.given) if isinstance(op, ir.Loop) else ""
        if isinstance(rounds, Rounds):
            return self.grouped(rounds)
        self.refused += left_to_the_host(visitor.walk_host((op,)), rounds)
        return (self.rebuild(op),)

    def grouped(self, rounds: Rounds) -> Iterable[ir.HostOp]:
        """The loop, which decides in each round what runs it."""
        limit = self.taken.variable("few", ir.Element.INT)
        provided = (condition for condition in rounds.provided if not _holds_of_few(condition, rounds.lengths))
        few = build.both(*(build.less(length, ir.Ref(limit)) for length in rounds.lengths), *provided)
        yield ir.DeclareVariable(limit, _limit())
        if rounds.ahead is None:
            by_host = (ir.HostIf(few, self.launch(rounds, rounds.loop.condition, few), rounds.by_host),)
            yield replace(rounds.loop, body=by_host)
            return
        goes_on = self.taken.variable("goes_on", ir.Element.BOOL)
        ends = (ir.SetVariable(goes_on, rounds.loop.condition), ir.HostIf(ir.Ref(goes_on), copied(rounds.ahead)))
        last = replace(rounds, body=(*rounds.body, *copied(ends)))
        body = ir.HostIf(few, self.launch(last, ir.Ref(goes_on), few), (*rounds.by_host, *ends))
        yield ir.DeclareVariable(goes_on, build.TRUE if rounds.loop.test_last else rounds.loop.condition)
        yield ir.HostIf(ir.Ref(goes_on), copied(rounds.ahead))
        yield ir.Loop((), ir.Ref(goes_on), (body,))

    def launch(self, rounds: Rounds, condition: ir.Expression, few: ir.Expression) -> tuple[ir.HostOp, ...]:
        """The launch of a group that runs rounds while the condition holds and nodes are few. Arrays that it swaps an
        odd number of times are swapped by the host behind it."""
        turned = self.taken.variable("turned", ir.Element.BOOL)
        turns = (ir.SetVariable(turned, build.denied(ir.Ref(turned))),) if rounds.swaps else ()
        again = build.both(condition, few)
        loop = ir.Loop(copied(rounds.loop.before), again, (*copied(rounds.body), *turns), test_last=True)
        back = (ir.HostIf(ir.Ref(turned), copied(rounds.swaps)),) if rounds.swaps else ()
        group = self.operation((with_plain_walks(loop, self.given, self.taken, self.kernels), *back), rounds)
        if not rounds.swaps:
            return (group,)
        return (ir.DeclareVariable(turned, build.FALSE), group, ir.HostIf(ir.Ref(turned), copied(rounds.swaps)))

    def operation(self, body: tuple[ir.HostOp, ...], rounds: Rounds) -> ir.OnDevice:
        name = self.taken.fresh(f"{self.name}_few")
        what = f"{name}: one group runs rounds of fewer than {FEW:,} nodes by itself"
        self.choices.append(Choice(what, "its launches and readback would take longer"))
        return launches.in_one_launch(ir.OnDevice(name, body, span=rounds.span, one_group=True), self.with_kernels())


def _limit() -> ir.Expression:
    """The number of nodes that are few: none where nodes have many arcs."""
    share = build.divided(ir.NumArcs(), ir.Const(ARCS_OF_A_NODE, ir.Element.ARC), ir.Element.ARC)
    crowded = build.greater(share, ir.NumNodes())
    return ir.Select(crowded, build.ZERO, build.number(FEW))


def _holds_of_few(condition: ir.Expression, lengths: Collection[ir.Expression]) -> bool:
    """Whether a condition never holds of few nodes."""
    match condition:
        case ir.Unary(ir.UnaryOperator.NOT, denied):
            return any(_asks_for_many(part, lengths) for part in conditions.conjuncts(denied))
    return False


def _asks_for_many(condition: ir.Expression, lengths: Collection[ir.Expression]) -> bool:
    match condition:
        case ir.Binary(ir.BinaryOperator.GREATER, length, ir.Const(int() as least)):
            return length in lengths and least >= FEW - 1
    return False
