"""Step `direction`: lets a loop over levels look for its next nodes from the other end of the arcs.

In such a loop all nodes that are walked in a round have one value, all cells that have been lowered hold that value or
less, and all others INF: so it is when the loop begins with INF everywhere but in one cell, whose node is the one that
is walked first, and each round lowers cells to the walked nodes' value plus a constant above zero. Then a cell that a
round lowers was INF and is lowered once, to what any walked neighbor tells: it is enough to find one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir.capabilities import Capabilities
from starplat.ir.members import membership
from starplat.ir.nodes import (
    GRAPH_ARRAYS,
    AllNodes,
    Array,
    Binary,
    BinaryOperator,
    CheckCell,
    Combine,
    Const,
    Direction,
    Element,
    Expression,
    ExtremeCell,
    Fill,
    ForNeighbors,
    HostOp,
    HostWhile,
    Kernel,
    KernelBreak,
    KernelIf,
    KernelOp,
    Launch,
    Let,
    Load,
    Module,
    OnDevice,
    PushOrPull,
    Ref,
    Store,
    Variable,
    WriteCell,
    infinity,
)
from starplat.ir.uses import stream
from starplat.ir.visitor import (
    Rewriter,
    changed_by,
    declared_by,
    used_host_arrays,
    walk_host,
    walk_kernel,
    with_signature,
    written_arrays,
)
from starplat.schedule.schedule import Direction as Wanted
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Choice, Decided

_TRUE, _FALSE = Const(True, Element.BOOL), Const(False, Element.BOOL)


def push_or_pull(module: Module, schedule: Schedule, capabilities: Capabilities) -> Module | Decided:
    """The module whose loops over levels may pull, where the schedule and the target let them."""
    if schedule.direction is Wanted.PUSH or not capabilities.shared_arcs:
        return module
    maker = _Maker(module, only_pull=schedule.direction is Wanted.PULL)
    functions = tuple(replace(f, body=maker.host_block(f.body)) for f in module.functions)
    if not maker.choices:
        return module
    kernels = (*map(maker.plainly, module.kernels), *maker.kernels)
    used = {array for kernel in kernels for array in kernel.arrays}
    graph = tuple(array for array in GRAPH_ARRAYS if array in used)
    changed = replace(module, functions=functions, kernels=kernels, graph_arrays=graph)
    return Decided(changed, tuple(maker.choices))


@dataclass(frozen=True, slots=True)
class Wave:
    """A walk that lowers INF cells of `values` to one candidate and adds their nodes to `following`."""

    now: Array
    takes: bool
    following: Array
    values: Array
    loop: ForNeighbors
    lowering: ExtremeCell


def wave_of(kernel: Kernel) -> Wave | None:
    """The kernel's parts, if all it does is to lower the cells of its nodes' neighbors by a candidate that is the same
    for all nodes of one value."""
    found = membership(kernel)
    if found is None or found.keep is not None:
        return None
    match found.body:
        case (ForNeighbors(Direction.OUT, Ref(node), neighbor, _, (ExtremeCell() as lowering,), True) as loop,) if (
            node == kernel.iterator
        ):
            pass
        case _:
            return None
    told = lowering.carried
    plain = lowering.extreme is Combine.MIN and lowering.lock is None and lowering.index == Ref(neighbor)
    if not plain or len(told) != 1 or told[0].index != lowering.index or not told[0].array.packed:
        return None
    if told[0].array == found.members or not _alike(lowering.candidate, lowering.array, node):
        return None
    return Wave(found.members, found.takes, told[0].array, lowering.array, loop, lowering)


def _alike(candidate: Expression, values: Array, node: Variable) -> bool:
    """Whether the candidate is the node's own value, or a scalar of the kernel, plus a constant above zero."""
    match candidate:
        case Binary(BinaryOperator.ADD | BinaryOperator.ADD_INF, left, Const(int() as step)) if step > 0:
            scalar = isinstance(left, Ref) and left.variable != node
            return scalar or left == Load(values, Ref(node))
        case _:
            return False


class _Maker(Rewriter):
    """Finds the walks of waves in loops that begin as they must."""

    def __init__(self, module: Module, *, only_pull: bool) -> None:
        self.given = module
        self.only_pull = only_pull
        self.choices: list[Choice] = []
        self.kernels: list[Kernel] = []
        self.waves: dict[int, Wave] = {}
        self.pushes: set[str] = set()

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        if isinstance(op, OnDevice):
            before = len(self.choices)
            inner = replace(op, body=self.host_block(op.body))
            if len(self.choices) == before:
                return (op,)
            everything = replace(self.given, kernels=(*self.given.kernels, *self.kernels))
            return (replace(inner, arrays=used_host_arrays(tuple(walk_host(inner.body)), everything)),)
        if isinstance(op, Launch) and id(op) in self.waves:
            return self.either(op, self.waves[id(op)])
        return (self.rebuild(op),)

    def host_block(self, ops: Iterable[HostOp]) -> tuple[HostOp, ...]:
        row = tuple(ops)
        flat = list(stream(row))
        for place, op in enumerate(flat):
            if isinstance(op, HostWhile):
                self.look_at(op, flat[:place])
        return super().host_block(row)

    def look_at(self, loop: HostWhile, before: list[HostOp]) -> None:
        """Notes the walk of a wave in the loop, if there is one and nothing else touches what it needs."""
        launches = [op for op in walk_host((loop,)) if isinstance(op, Launch)]
        waves = [(op, wave) for op in launches if (wave := wave_of(self.given.kernel(op.kernel))) is not None]
        if len(waves) != 1:
            return
        launch, wave = waves[0]
        others = [op for op in launches if op is not launch]
        writes = any(wave.values in written_arrays(self.given.kernel(op.kernel).body) for op in others)
        writes = writes or any(wave.values in changed_by(op) for op in walk_host((loop,)))
        adds = any(wave.following in written_arrays(self.given.kernel(op.kernel).body) for op in others)
        alone = [op.kernel for f in self.given.functions for op in walk_host(f.body) if isinstance(op, Launch)]
        if not (writes or adds) and alone.count(launch.kernel) == 1 and self.begins(before, wave):
            self.waves[id(launch)] = wave

    def begins(self, before: list[HostOp], wave: Wave) -> bool:
        """Whether INF is everywhere but in one cell, whose node is the one member, when the loop begins."""
        values = [op for op in before if self.touches(op, wave.values)]
        members = [op for op in before if self.touches(op, wave.now)]
        match values[-2:], members[-2:]:
            case (
                [Fill(_, value), WriteCell(_, first, Const())],
                [Fill(_, nobody), WriteCell(_, one, flag)],
            ):
                infinite = value == infinity(wave.values.element)
                return infinite and nobody == _FALSE and flag == _TRUE and first == one
            case _:
                return False

    def touches(self, op: HostOp, array: Array) -> bool:
        return not isinstance(op, CheckCell) and array in used_host_arrays(tuple(walk_host((op,))), self.given)

    # --- rewriting ------------------------------------------------------------------------------------------------

    def either(self, push: Launch, wave: Wave) -> tuple[HostOp, ...]:
        kernel = self.given.kernel(push.kernel)
        pull = self.pulling(kernel, wave)
        self.kernels.append(pull)
        why = "all that are walked tell the same, so one of them is enough"
        emptied = (Fill(wave.now, _FALSE),) if wave.takes else ()
        if self.only_pull:
            self.choices.append(Choice(f"{kernel.name}: pull", why))
            return (Launch(pull.name), *emptied)
        self.pushes.add(kernel.name)
        self.choices.append(Choice(f"{kernel.name}: push while '{wave.now.name}' has few, else pull", why))
        return (PushOrPull(wave.now, (push,), (Launch(pull.name), *emptied)),)

    def plainly(self, kernel: Kernel) -> Kernel:
        """The kernel that pushes: all who lower a cell store the same, so that no update need be one piece."""
        wave = wave_of(kernel)
        if kernel.name not in self.pushes or wave is None or wave.lowering.also:
            return kernel
        lowering = wave.lowering
        found = membership(kernel)
        assert found is not None
        value = Variable(f"{wave.values.name}_of_next", wave.values.element)
        names = {v.name for op in walk_kernel(kernel.body) for v in declared_by(op)} | {s.name for s in kernel.scalars}
        while value.name in names or any(value.name == array.name for array in kernel.arrays):
            value = replace(value, name=f"{value.name}_")
        lowers = Binary(BinaryOperator.LESS, Ref(value), Load(wave.values, lowering.index), Element.BOOL)
        told = tuple(Store(carry.array, carry.index, _TRUE, shared=True) for carry in lowering.carried)
        store = Store(wave.values, lowering.index, Ref(value), shared=True)
        loop = replace(wave.loop, body=(Let(value, lowering.candidate), KernelIf(lowers, (store, *told))))
        return with_signature(replace(kernel, body=(*kernel.body[: len(kernel.body) - len(found.body)], loop)))

    def pulling(self, kernel: Kernel, wave: Wave) -> Kernel:
        """The kernel from the other end: every node not reached yet looks for a member among those before it."""
        assert kernel.iterator is not None
        node = wave.loop.neighbor
        position = Variable(f"{wave.loop.position.name}_in", Element.ARC)
        told = tuple(Store(carry.array, Ref(node), _TRUE) for carry in wave.lowering.carried)
        reach: tuple[KernelOp, ...] = (
            Store(wave.values, Ref(node), wave.lowering.candidate),
            *told,
            *wave.lowering.also,
            KernelBreak(),
        )
        found = KernelIf(Load(wave.now, Ref(kernel.iterator)), reach)
        search = ForNeighbors(Direction.IN, Ref(node), kernel.iterator, position, (found,), True)
        unreached = Binary(
            BinaryOperator.EQUAL, Load(wave.values, Ref(node)), infinity(wave.values.element), Element.BOOL
        )
        taken = {k.name for k in (*self.given.kernels, *self.kernels)}
        number, name = 2, f"{kernel.name}_pull"
        while name in taken:
            name, number = f"{kernel.name}_pull_{number}", number + 1
        return with_signature(
            replace(
                kernel,
                name=name,
                domain=AllNodes(),
                iterator=node,
                filter=unreached,
                body=(search,),
                comment="nodes that are not reached yet look for a member",
                shares_arcs=True,
            )
        )
