"""Step `group`: lets one group of threads run the rounds of a loop by itself while few nodes are active.

Where the host drives the rounds, each costs it launches and a word that comes back, which for a few hundred nodes takes
longer than the round. Threads of one group can wait for each other on every device: so the host launches one group,
which goes on until no round is left or too many nodes are active, and launches rounds itself again until few are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import reduce

from starplat.ir.capabilities import Capabilities
from starplat.ir.conditions import both, conjuncts
from starplat.ir.nodes import (
    Array,
    Binary,
    BinaryOperator,
    Const,
    DeclareVariable,
    Element,
    Expression,
    HostFunction,
    HostIf,
    HostOp,
    HostWhile,
    Kernel,
    Module,
    NumArcs,
    NumNodes,
    OnDevice,
    Origin,
    Ref,
    Select,
    SetVariable,
    Unary,
    UnaryOperator,
    Variable,
)
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import declared_by, used_host_arrays, walk_host
from starplat.schedule.group_rounds import Rounds, copied, rounds_of, with_plain_walks
from starplat.schedule.names import Taken
from starplat.schedule.schedule import Loop, Schedule
from starplat.schedule.step import Choice, Decided
from starplat.schedule.threads import scalars_read, scalars_set

FEW = 4096
"""One group runs rounds of fewer nodes than that."""

ARCS_OF_A_NODE = 8
"""It does so where nodes have no more arcs than that on average: a group's threads take nodes with all their arcs."""

_TRUE, _FALSE = Const(True, Element.BOOL), Const(False, Element.BOOL)


def rounds_by_one_group(module: Module, schedule: Schedule, capabilities: Capabilities) -> Module | Decided:
    """The module whose rounds of few nodes one group runs, where the schedule and the target let it."""
    wanted = schedule.loop is Loop.GROUP or (schedule.loop is Loop.AUTO and not capabilities.grid_barrier)
    if not wanted or not capabilities.group_loops:
        return module
    grouper = _Grouper(module)
    functions = tuple(map(grouper.function, module.functions))
    if not grouper.choices:
        return module
    made = replace(module, functions=functions, kernels=(*module.kernels, *grouper.kernels))
    return Decided(made, tuple(grouper.choices))


class _Grouper(Rewriter):
    """Rewrites the loops whose rounds a group can run."""

    def __init__(self, module: Module) -> None:
        self.given = module
        self.taken = Taken(module)
        self.choices: list[Choice] = []
        self.kernels: list[Kernel] = []
        self.name = ""

    def function(self, function: HostFunction) -> HostFunction:
        """The function; what the host kept for itself and a group needs is on the device."""
        self.name = function.name
        made = replace(function, body=self.host_block(function.body))
        groups = [op for op in walk_host(made.body) if isinstance(op, OnDevice) and op.one_group]
        moved = {array for op in groups for array in op.arrays if array.origin is Origin.HOST}
        if not moved:
            return made if groups else function
        arrays = tuple(_on_device(array) if array in moved else array for array in made.arrays)
        return replace(made, arrays=arrays, body=_Moved(moved).host_block(made.body))

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        if isinstance(op, OnDevice):
            return (op,)
        rounds = rounds_of(op, self.given)
        return (self.rebuild(op),) if rounds is None else self.grouped(rounds)

    def grouped(self, rounds: Rounds) -> Iterable[HostOp]:
        """The loop, which decides in each round who runs it."""
        limit = Variable(self.taken.free("few"), Element.INT)
        provided = (condition for condition in rounds.provided if not _holds_of_few(condition, rounds.lengths))
        few = reduce(both, (*(_less(length, limit) for length in rounds.lengths), *provided))
        yield DeclareVariable(limit, _limit())
        if rounds.ahead is None:
            by_host = (HostIf(few, self.launch(rounds, rounds.loop.condition, few), rounds.by_host),)
            yield replace(rounds.loop, body=by_host)
            return
        goes_on = Variable(self.taken.free("goes_on"), Element.BOOL)
        ends = (SetVariable(goes_on, rounds.loop.condition), HostIf(Ref(goes_on), copied(rounds.ahead)))
        last = replace(rounds, body=(*rounds.body, *copied(ends)))
        body = HostIf(few, self.launch(last, Ref(goes_on), few), (*rounds.by_host, *ends))
        yield DeclareVariable(goes_on, _TRUE if rounds.loop.test_last else rounds.loop.condition)
        yield HostIf(Ref(goes_on), copied(rounds.ahead))
        yield HostWhile((), Ref(goes_on), (body,))

    def launch(self, rounds: Rounds, condition: Expression, few: Expression) -> tuple[HostOp, ...]:
        """The launch of a group that runs rounds while the condition holds and nodes are few. What changes places in it
        does so for the host behind it, if that was an odd number of times."""
        turned = Variable(self.taken.free("turned"), Element.BOOL)
        turns = (SetVariable(turned, Unary(UnaryOperator.NOT, Ref(turned))),) if rounds.swaps else ()
        again = Binary(BinaryOperator.AND, condition, few, Element.BOOL)
        loop = HostWhile(copied(rounds.loop.before), again, (*copied(rounds.body), *turns), test_last=True)
        back = (HostIf(Ref(turned), copied(rounds.swaps)),) if rounds.swaps else ()
        group = self.operation((with_plain_walks(loop, self.given, self.taken, self.kernels), *back), rounds)
        if not rounds.swaps:
            return (group,)
        return (DeclareVariable(turned, _FALSE), group, HostIf(Ref(turned), copied(rounds.swaps)))

    def operation(self, body: tuple[HostOp, ...], rounds: Rounds) -> OnDevice:
        everything = replace(self.given, kernels=(*self.given.kernels, *self.kernels))
        inside = tuple(walk_host(body))
        declared = {variable for op in inside for variable in declared_by(op)}
        changed = dict.fromkeys(v for v in scalars_set(inside, everything) if v not in declared)
        read = dict.fromkeys(v for v in scalars_read(inside, everything) if v not in declared)
        name = self.taken.free(f"{self.name}_few")
        what = f"{name}: one group runs rounds of fewer than {FEW:,} nodes by itself"
        self.choices.append(Choice(what, "to launch such a round and to wait for a word of it takes longer"))
        arrays = used_host_arrays(inside, everything)
        return OnDevice(name, body, arrays, tuple(read | changed), tuple(changed), rounds.span, one_group=True)


def _limit() -> Expression:
    """How many are few: nobody where nodes have many arcs."""
    share = Binary(BinaryOperator.DIVIDE, NumArcs(), Const(ARCS_OF_A_NODE, Element.ARC), Element.ARC)
    crowded = Binary(BinaryOperator.GREATER, share, NumNodes(), Element.BOOL)
    return Select(crowded, Const(0, Element.INT), Const(FEW, Element.INT))


def _less(length: Expression, limit: Variable) -> Expression:
    return Binary(BinaryOperator.LESS, length, Ref(limit), Element.BOOL)


def _holds_of_few(condition: Expression, lengths: Collection[Expression]) -> bool:
    """Whether a condition denies what no few nodes fulfill."""
    match condition:
        case Unary(UnaryOperator.NOT, denied):
            return any(_asks_for_many(part, lengths) for part in conjuncts(denied))
        case _:
            return False


def _asks_for_many(condition: Expression, lengths: Collection[Expression]) -> bool:
    match condition:
        case Binary(BinaryOperator.GREATER, length, Const(int() as least)):
            return length in lengths and least >= FEW - 1
        case _:
            return False


class _Moved(Rewriter):
    """Puts arrays of the host on the device."""

    def __init__(self, moved: set[Array]) -> None:
        self.moved = moved

    def array(self, array: Array) -> Array:
        return _on_device(array) if array in self.moved else array


def _on_device(array: Array) -> Array:
    return replace(array, origin=Origin.TEMPORARY) if array.origin is Origin.HOST else array
