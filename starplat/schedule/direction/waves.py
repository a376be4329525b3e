"""Finds walks that can push or pull in each round, and proves it.

Take a loop that begins with INF everywhere but in one cell, whose node is walked first, and in which each round lowers
cells to the walked nodes' value plus a constant above zero. All nodes walked for the first time in a round have one
value, all lowered cells hold that value or less, all others INF. So a cell that a round lowers was INF and is lowered
once, to what any walked neighbor sends: it is enough to find one. The same holds where cells are lowered to a number
that never goes down, plus a constant. Numbers that wrap around would go down: constants must be small.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starplat.ir import build, nodes as ir
from starplat.ir.launches import assigns, changed, given_by, is_launched_once, used_host_arrays
from starplat.ir.shapes.members import membership
from starplat.ir.uses import stream
from starplat.ir.visitor import variables_read, walk_expression, walk_host, written_arrays
from starplat.schedule.direction.pull_kernels import Spread, says_only_that, spread_in

_MOST_ADDED = 16
"""The most that a round adds: numbers of 32 bits take 2^27 rounds to wrap around then."""

_MOST_AT_FIRST = 1 << 20


@dataclass(frozen=True, slots=True)
class Wave:
    """A walk over the set `now` that lowers INF cells to one candidate and adds their nodes to `following`.

    The candidate is the node's own value and a constant, or `counter`, a scalar, and `step`. `data` goes with it: as
    all candidates of a cell are the same, that of any of them will do. It `counts_rounds` if the value of a round's
    nodes is the number of rounds before, and is `in_step` with the counter if that has their value until it is raised,
    after the walk, by 1.
    """

    now: ir.Array
    takes: bool
    following: ir.Array
    data: tuple[ir.Carry, ...]
    spread: Spread
    counter: ir.Variable | None
    step: int
    counts_rounds: bool = False
    in_step: bool = False

    def counted_by(self, counter: ir.Variable) -> "Wave":
        """The same, where `counter` tells how many rounds there have been."""
        candidate = build.plus(ir.Ref(counter), build.ONE)
        return replace(self, counter=counter, spread=replace(self.spread, candidate=candidate))

    @property
    def values(self) -> ir.Array:
        """The cells that are lowered."""
        return self.spread.cells


def wave_of(kernel: ir.Kernel) -> Wave | None:
    """The kernel's parts, if it only lowers the cells of its nodes' neighbors by a candidate that is the same for all
    nodes of one value.

    A node that a condition leaves out may be reached later: then nodes must be walked only once, or nodes of an earlier
    round would reach it.
    """
    if (found := membership(kernel)) is None or found.keep is not None or kernel.iterator is None:
        return None
    spread = spread_in(found.body, kernel.iterator)
    if spread is None or (spread.guards and not found.takes) or not says_only_that(spread.lowering.also):
        return None
    told = [carry for carry in spread.lowering.carried if carry.array.packed]
    if len(told) != 1 or any(carry.index != spread.lowering.index for carry in spread.lowering.carried):
        return None
    following, data = told[0].array, tuple(c for c in spread.lowering.carried if c is not told[0])
    if any(_loads(spread.cells, carry.value) for carry in data):
        return None
    sum = _sum(spread.candidate)
    if following == found.members or sum is None:
        return None
    base, step = sum
    counter = base.variable if isinstance(base, ir.Ref) and base.variable in kernel.scalars else None
    if counter is None and base != ir.Load(spread.cells, kernel.own):
        return None
    return Wave(found.members, found.takes, following, data, spread, counter, step)


def _loads(array: ir.Array, value: ir.Expression) -> bool:
    return any(isinstance(part, ir.Load) and part.array == array for part in walk_expression(value))


def _sum(candidate: ir.Expression) -> tuple[ir.Expression, int] | None:
    """A sum's two parts, one of which is a small constant above zero."""
    match candidate:
        case ir.Binary(ir.BinaryOperator.ADD | ir.BinaryOperator.ADD_INF, base, ir.Const(int() as step)) | ir.Binary(
            ir.BinaryOperator.ADD | ir.BinaryOperator.ADD_INF, ir.Const(int() as step), base
        ) if 0 < step <= _MOST_ADDED:
            return base, step
    return None


def wave_in(loop: ir.Loop, before: Sequence[ir.HostOp], module: ir.Module) -> tuple[ir.Launch, Wave] | None:
    """The launch of a wave in a loop, if there is one and nothing else touches what it needs; `before` are the
    operations ahead of the loop."""
    launches = [op for op in walk_host((loop,)) if isinstance(op, ir.Launch)]
    waves = [(op, wave) for op in launches if (wave := wave_of(module.kernel(op.kernel))) is not None]
    if len(waves) != 1:
        return None
    launch, wave = waves[0]
    others = (op for op in walk_host((loop,)) if op is not launch)
    alone = is_launched_once(launch.kernel, module) and all(_leaves_alone(op, wave, module) for op in others)
    beginning = _Beginning(loop, before, wave, module)
    lowest = beginning.lowest() if alone else None
    if lowest is None:
        return None
    by_one = wave.step == 1 and wave.values.element is ir.Element.INT and _walks_then_swaps(loop, launch, wave)
    numbers = by_one and lowest == 0 and wave.counter is None
    in_step = by_one and lowest == beginning.start() and _rises_once(loop, launch, wave, module)
    return launch, replace(wave, counts_rounds=numbers, in_step=in_step)


def _rises_once(loop: ir.Loop, launch: ir.Launch, wave: Wave, module: ir.Module) -> bool:
    """Whether the counter rises by 1 in every round, after the walk, and changes nowhere else."""
    row = list(stream(loop.body))
    rises = [op for op in walk_host((loop,)) if wave.counter in given_by(op, module)]
    counter = ir.Ref(wave.counter) if wave.counter is not None else None
    once = len(rises) == 1 and any(op is rises[0] for op in row[row.index(launch) :])
    return once and counter is not None and rises[0] == ir.SetVariable(counter.variable, build.plus(counter, build.ONE))


def _walks_then_swaps(loop: ir.Loop, launch: ir.Launch, wave: Wave) -> bool:
    """Whether every round walks the set once and then swaps the two sets once."""
    inside, row = tuple(walk_host((loop,))), tuple(stream(loop.body))
    swaps = [op for op in inside if isinstance(op, ir.Swap) and {op.first, op.second} == {wave.now, wave.following}]
    places = [place for place, op in enumerate(row) if op is launch or any(op is swap for swap in swaps)]
    in_turn = len(swaps) == 1 and len(places) == 2 and row[places[0]] is launch
    return in_turn and not any(isinstance(op, ir.HostContinue) for op in inside)


def _leaves_alone(op: ir.HostOp, wave: Wave, module: ir.Module) -> bool:
    """Whether an operation in the loop changes no values, and only tests, removes from or swaps the two sets."""
    needed = {wave.values, wave.now, wave.following}
    match op:
        case ir.Launch(kernel):
            return not needed & _written(module.kernel(kernel))
        case ir.Fill(array, value) if array in (wave.now, wave.following):
            return value == build.FALSE
        case ir.Swap(first, second):
            return not needed & {first, second} or {first, second} == {wave.now, wave.following}
    return not needed & changed(op, module)


def _written(kernel: ir.Kernel) -> frozenset[ir.Array]:
    """What a kernel writes, apart from removing nodes from a set."""
    found = membership(kernel)
    return written_arrays(kernel.body if found is None else found.body)


@dataclass(frozen=True, slots=True)
class _Beginning:
    """The state in which a wave begins; it may begin with no node, where a branch sets the cell and the member."""

    loop: ir.Loop
    before: Sequence[ir.HostOp]
    wave: Wave
    module: ir.Module

    def lowest(self) -> int | None:
        """The value of the one cell that is not INF, if its node is the one member, and candidates never go down."""
        wave = self.wave
        values, members = self.about(wave.values), self.about(wave.now)
        match values[-2:], members[-2:]:
            case (
                [ir.Fill(_, value), ir.WriteCell(_, one, ir.Const(int() as lowest)) as cell],
                [ir.Fill(_, everywhere), ir.WriteCell(_, first, flag) as member],
            ):
                largest = ir.infinity(wave.values.element)
                begins = value == largest and lowest <= _MOST_AT_FIRST
                alone = (everywhere, flag) == (build.FALSE, build.TRUE) and one == first and self.is_same(cell, member)
                fits = begins and alone and self.is_emptied(wave.following) and self.counts(lowest)
                return lowest if fits else None
        return None

    def about(self, array: ir.Array) -> list[ir.HostOp]:
        """The operations on an array ahead of the loop."""
        return [inner for op in self.before for inner in _opened(op) if self.touches(inner, array)]

    def is_emptied(self, array: ir.Array) -> bool:
        """Whether a set is cleared, and left so, before the loop or before anything is added to it in a round."""
        rounds = [op for op in stream((*self.loop.before, *self.loop.body, *self.loop.step)) if self.touches(op, array)]
        return any(isinstance(op, ir.Fill) for op in (*self.about(array)[-1:], *rounds[:1]))

    def touches(self, op: ir.HostOp, array: ir.Array) -> bool:
        return not isinstance(op, ir.CheckCell) and array in used_host_arrays(tuple(walk_host((op,))), self.module)

    def is_same(self, one: ir.WriteCell, other: ir.WriteCell) -> bool:
        """Whether an index is the same node in both operations."""
        places = sorted(self.place(op) for op in (one, other))
        if places[0] == places[1]:
            return True
        if any(isinstance(self.before[place], ir.HostIf) for place in places):
            return False
        between = self.before[places[0] : places[1]]
        read = variables_read(one.index)
        return not any(assigns(op, variable, self.module) for op in between for variable in read)

    def place(self, op: ir.HostOp) -> int:
        return next(place for place, one in enumerate(self.before) if any(inner is op for inner in _opened(one)))

    def counts(self, lowest: int) -> bool:
        """Whether the scalar that candidates come from begins high enough and only goes up."""
        counter, start = self.wave.counter, self.start()
        if counter is None:
            return True
        rises = [op for op in walk_host((self.loop,)) if counter in given_by(op, self.module)]
        begins = start is not None and lowest <= start + self.wave.step and start <= _MOST_AT_FIRST
        return begins and all(_rises(op, counter) for op in rises)

    def start(self) -> int | None:
        """What the scalar begins with, if candidates come from one."""
        counter = self.wave.counter
        starts = [op for op in self.before if counter is not None and assigns(op, counter, self.module)]
        match starts[-1:]:
            case [ir.DeclareVariable(_, ir.Const(int() as start)) | ir.SetVariable(_, ir.Const(int() as start))]:
                return start
        return None


def _opened(op: ir.HostOp) -> tuple[ir.HostOp, ...]:
    """What a branch does that only sets cells; any other operation as it is."""
    match op:
        case ir.HostIf(_, then, ()):
            writes = tuple(stream(then))
            return writes if all(isinstance(inner, ir.WriteCell) for inner in writes) else (op,)
    return (op,)


def _rises(op: ir.HostOp, counter: ir.Variable) -> bool:
    match op:
        case ir.SetVariable(_, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(variable), ir.Const(int() as by))):
            return variable == counter and 0 <= by <= _MOST_ADDED
    return False
