"""Step `frontier`: keeps the active nodes of a loop as a set, which threads walk without looking at the others.

An array of flags is such a set if all that happens to it is: a loop of kernels goes over the nodes whose flag is set,
flags are set one by one, all are cleared, and two arrays change places. A set that is walked and cleared before it is
added to again is emptied while it is walked, so that nobody has to clear it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from starplat.ir.capabilities import Capabilities
from starplat.ir.members import membership, taking
from starplat.ir.nodes import (
    AllNodes,
    Array,
    Binary,
    BinaryOperator,
    CheckCell,
    Combine,
    Const,
    Contribute,
    Element,
    Expression,
    Extent,
    ExtremeCell,
    Fill,
    HostFor,
    HostForMembers,
    HostForNeighbors,
    HostForRange,
    HostFunction,
    HostOp,
    HostWhile,
    Kernel,
    KernelIf,
    KernelOp,
    Launch,
    ListMembers,
    Load,
    Module,
    OnDevice,
    Packing,
    ReadSize,
    Store,
    Swap,
    Unary,
    UnaryOperator,
    WriteCell,
)
from starplat.ir.rewriter import Rewriter
from starplat.ir.uses import stream
from starplat.ir.visitor import (
    all_expressions,
    arrays_in,
    blocks_of,
    loops_of,
    walk_expression,
    walk_host,
    walk_kernel,
    with_signature,
    written_arrays,
)
from starplat.schedule.queues import QUEUED, has_queues
from starplat.schedule.schedule import Frontier, Schedule
from starplat.schedule.step import Choice, Decided

_TRUE, _FALSE = Const(True, Element.BOOL), Const(False, Element.BOOL)

PACKINGS: Mapping[Frontier, Packing | None] = {
    Frontier.FLAGS: None,
    Frontier.QUEUE: Packing.LIST,
    Frontier.BITMAP: Packing.BITS,
    Frontier.LAYERS: Packing.LAYERS,
    Frontier.AUTO: Packing.SWITCHED,
}
"""How the knob asks for sets to be kept."""


def frontiers(given: Module, schedule: Schedule, capabilities: Capabilities) -> Module | Decided:
    """The module with its sets of active nodes packed, where the schedule and the target let them be.

    Those of loops that the host drives become lists by the step `queue`.
    """
    packing = PACKINGS[schedule.frontier]
    if packing is None:
        return given
    module = _with_filters(given)
    in_launches: set[Array] = set()
    queues = packing in QUEUED and has_queues(capabilities)
    if capabilities.shared_arcs or queues:
        listed = packing is Packing.LIST or not capabilities.shared_arcs
        in_launches |= {array for loop in loops_of(module) for array in _sets_in(loop, module, listed=listed)}
    found = set(in_launches)
    if queues:
        found |= {array for function in module.functions for array in _sets_of_the_host(function, module)}
    if not found:
        return given
    emptied = _emptied_while_walked(module, found)
    packed = _Packer(found, packing).module(emptied)
    names = ", ".join(sorted(array.name for array in found))
    kept = f", kept as {packing.value}" if found <= in_launches and capabilities.shared_arcs else ""
    why = "the loop walks the nodes that are set and adds some, one by one"
    return Decided(packed, (Choice(f"{names}: a set of nodes{kept}", why),))


def _with_filters(module: Module) -> Module:
    """The module where a kernel that does something only under a condition has it as its filter."""
    kernels = tuple(map(_with_filter, module.kernels))
    return replace(module, kernels=kernels)


def _with_filter(kernel: Kernel) -> Kernel:
    match kernel:
        case Kernel(domain=AllNodes(), body=(KernelIf(condition, then, ()),)):
            if written_arrays(kernel.body).intersection(a for e in walk_expression(condition) for a in arrays_in(e)):
                return kernel
            both = condition if kernel.filter is None else _both(kernel.filter, condition)
            return with_signature(replace(kernel, filter=both, body=then))
        case Kernel(domain=AllNodes(), filter=None, body=(Contribute(variable, value),)):
            combine = next(r.combine for r in kernel.reductions if r.variable == variable)
            counts = _when_it_counts(combine, value)
            if counts is None:
                return kernel
            told = Contribute(variable, Const(combine is Combine.OR, Element.BOOL))
            return with_signature(replace(kernel, filter=counts, body=(told,)))
        case _:
            return kernel


def _when_it_counts(combine: Combine, value: Expression) -> Expression | None:
    """The condition under which a value makes a difference to an `||` or `&&`, where it is a plain one."""
    match combine, value:
        case Combine.AND, Unary(UnaryOperator.NOT, operand):
            return operand
        case Combine.AND, Binary(BinaryOperator.EQUAL, operand, Const(False, Element.BOOL)):
            return operand
        case Combine.OR, Load():
            return value
        case _:
            return None


def _both(left: Expression, right: Expression) -> Expression:
    return Binary(BinaryOperator.AND, left, right, Element.BOOL)


# --- which arrays ---------------------------------------------------------------------------------------------------


def _sets_in(loop: OnDevice, module: Module, *, listed: bool) -> frozenset[Array]:
    """The arrays that are sets in a loop that is one launch; those that are to be lists must have a length from the
    first moment."""
    function = next(f for f in module.functions if any(op is loop for op in walk_host(f.body)))
    inside = tuple(walk_host(loop.body))
    elsewhere = {
        a
        for op in walk_host(function.body)
        if not any(op is i for i in inside) and op is not loop and not isinstance(op, CheckCell)
        for a in _touched(op, module)
    }
    candidates = _own_flags(function) - elsewhere
    if listed:
        candidates = {array for array in candidates if _begins_cleared(loop.body, array, module)}
    return _sets_among(candidates, inside, inside, module)


def _sets_of_the_host(function: HostFunction, module: Module) -> frozenset[Array]:
    """The arrays that are sets in all of a function, and walked in loops that the host drives."""
    ops = tuple(op for op in walk_host(function.body) if not isinstance(op, CheckCell))
    in_one_launch = {array for op in ops if isinstance(op, OnDevice) for array in op.arrays}
    candidates = {a for a in _own_flags(function) - in_one_launch if _begins_cleared(function.body, a, module)}
    in_loops = tuple(op for loop in ops if isinstance(loop, _LOOPS) for op in walk_host((loop,)))
    return _sets_among(candidates, ops, in_loops, module)


_LOOPS = (HostWhile, HostFor, HostForRange, HostForNeighbors, HostForMembers)


def _own_flags(function: HostFunction) -> set[Array]:
    return {a for a in function.arrays if a.element is Element.BOOL and a.extent is Extent.NODES}


def _begins_cleared(ops: Iterable[HostOp], array: Array, module: Module) -> bool:
    """Whether the array is cleared before anything else is done to it."""
    about = [op for op in stream(ops) if any(array in _touched(inner, module) for inner in walk_host((op,)))]
    match about:
        case [Fill(), *_]:
            return True
        case [op] if blocks_of(op):
            blocks = [b for b in blocks_of(op) if any(array in _touched(inner, module) for inner in walk_host(b))]
            return all(_begins_cleared(block, array, module) for block in blocks)
        case _:
            return not about


def _sets_among(
    candidates: set[Array], ops: tuple[HostOp, ...], in_loops: tuple[HostOp, ...], module: Module
) -> frozenset[Array]:
    """Those to which the operations do nothing else than one does to a set, and which a kernel walks in a loop; what
    they change places with is a set too."""
    candidates = {array for array in candidates if all(_suits(op, array, module) for op in ops)}
    pairs = [{op.first, op.second} for op in ops if isinstance(op, Swap)]
    while alone := {array for pair in pairs if not pair <= candidates for array in pair & candidates}:
        candidates -= alone
    walked = {m.members for k in _kernels(in_loops, module) if (m := membership(k, candidates.__contains__))}
    while more := {a for pair in pairs if pair & walked for a in pair if a in candidates} - walked:
        walked |= more
    return frozenset(walked)


def _touched(op: HostOp, module: Module) -> tuple[Array, ...]:
    kernel = module.kernel(op.kernel).arrays if isinstance(op, Launch) else ()
    return (*arrays_in(op), *kernel)


def _kernels(ops: Iterable[HostOp], module: Module) -> Iterator[Kernel]:
    yield from (module.kernel(op.kernel) for op in ops if isinstance(op, Launch))


def _suits(op: HostOp, array: Array, module: Module) -> bool:
    """Whether an operation does nothing else to the array than one does to a set."""
    match op:
        case Fill(filled, value):
            return filled != array or value == _FALSE
        case WriteCell(written, _, value):
            return written != array or value == _TRUE
        case Swap() | ReadSize():
            return True
        case ListMembers(_, listed):
            return listed != array
        case Launch(kernel):
            return _kernel_suits(module.kernel(kernel), array)
        case OnDevice():
            return array not in op.arrays
        case _:
            return array not in arrays_in(op)


def _kernel_suits(kernel: Kernel, array: Array) -> bool:
    if array not in kernel.arrays:
        return True
    found = membership(kernel, array.__eq__)
    heads: list[Expression] = [] if kernel.filter is None else [kernel.filter]
    body = kernel.body
    if found is not None:
        heads, body = [] if found.keep is None else [found.keep], found.body
    if found is not None and any(_adds(op, array) for op in walk_kernel(found.body)):
        return False  # who walks it now would see whom he adds
    loads = any(array in arrays_in(e) for head in heads for e in (head,))
    loads = loads or any(array in arrays_in(e) for e in all_expressions(body))
    return not loads and all(_only_adds(op, array) for op in walk_kernel(body))


def _only_adds(op: KernelOp, array: Array) -> bool:
    match op:
        case Store(stored, _, value) if stored == array:
            return value == _TRUE
        case ExtremeCell():
            if array in (op.array, op.lock):
                return False
            return all(carry.value == _TRUE for carry in op.carried if carry.array == array)
        case _:
            return array not in _named(op)


def _adds(op: KernelOp, array: Array) -> bool:
    """Whether an operation itself writes to the array."""
    return array in _named(op) or (isinstance(op, ExtremeCell) and any(c.array == array for c in op.carried))


def _named(op: KernelOp) -> Iterator[Array]:
    """The arrays that an operation names itself, its expressions and blocks left out."""
    for name in ("array", "lock"):
        part = getattr(op, name, None)
        if isinstance(part, Array):
            yield part


# --- emptied while walked -------------------------------------------------------------------------------------------


def _emptied_while_walked(module: Module, sets: set[Array]) -> Module:
    """The module where a set that is walked once in a round, then cleared, is emptied by the walk."""
    emptier = _Emptier(module, sets)
    functions = tuple(replace(f, body=emptier.host_block(f.body)) for f in module.functions)
    kernels = tuple(emptier.taking(kernel) for kernel in module.kernels)
    return replace(module, functions=functions, kernels=kernels) if emptier.taken else module


class _Emptier(Rewriter):
    """Looks for rounds that clear one set, walk another and add to the first, and let the two change places.

    The clearing goes ahead of the loop, or vanishes if it stands last, and the walk takes out what it comes by.
    """

    def __init__(self, module: Module, sets: set[Array]) -> None:
        self.module = module
        self.sets = sets
        self.taken: dict[str, Array] = {}

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        if isinstance(op, HostWhile) and not op.before:
            row = list(stream(op.body))
            for swap in (s for s in row if isinstance(s, Swap)):
                found = self.round(row, swap)
                if found is not None:
                    fill, walk, now = found
                    self.taken[walk.kernel] = now
                    rest = replace(op, body=tuple(o for o in row if o is not fill))
                    return (fill, rest) if row.index(fill) < row.index(walk) else (rest,)
        return (self.rebuild(op),)

    def round(self, row: list[HostOp], swap: Swap) -> tuple[Fill, Launch, Array] | None:
        """The clearing, the walk, and what it walks, if everything that touches the two sets in a round is that."""
        for now, following in ((swap.first, swap.second), (swap.second, swap.first)):
            if now not in self.sets or following not in self.sets:
                continue
            about = [op for op in row if {now, following} & set(_touched(op, self.module))]
            found = self._cleared_last(row, about, swap, now, following)
            found = found or self._cleared_first(row, about, swap, now, following)
            if found is not None:
                return found
        return None

    def _cleared_last(
        self, row: list[HostOp], about: list[HostOp], swap: Swap, now: Array, following: Array
    ) -> tuple[Fill, Launch, Array] | None:
        """Walks, swap, clear; whatever comes after only looks at what was added."""
        place = about.index(swap)
        walks, rest = about[:place], about[place + 1 :]
        match rest:
            case [Fill(cleared) as fill, *later] if cleared == following:
                looking = all(isinstance(op, Launch | ReadSize) for op in later)
                looks = looking and not any(following in _touched(op, self.module) for op in later)
                last = self._taker(row, about, walks, now)
                return (fill, last, now) if looks and last is not None else None
            case _:
                return None

    def _cleared_first(
        self, row: list[HostOp], about: list[HostOp], swap: Swap, now: Array, following: Array
    ) -> tuple[Fill, Launch, Array] | None:
        """Clear, walks, swap."""
        match about:
            case [Fill(cleared) as fill, *walks, last] if cleared == following and last is swap:
                taker = self._taker(row, about, walks, now)
                return None if taker is None else (fill, taker, now)
            case _:
                return None

    def _taker(self, row: list[HostOp], about: list[HostOp], walks: list[HostOp], now: Array) -> Launch | None:
        """The last of the walks, if it may empty the set: all of them walk it, the last one comes by every member, and
        its kernel runs only here. Before it the members may be listed."""
        if walks and isinstance(walks[-1], Launch):
            walks = [op for op in walks if not (isinstance(op, ListMembers) and op.flags == now)]
        kernels = [self.module.kernel(op.kernel) for op in walks if isinstance(op, Launch)]
        found = [m for k in kernels if (m := membership(k, now.__eq__)) is not None and not m.takes]
        if not walks or len(found) < len(walks) or found[-1].keep is not None or _nested(row, about):
            return None
        last = walks[-1]
        assert isinstance(last, Launch)
        return last if self._launched_once(last) else None

    def _launched_once(self, launch: Launch) -> bool:
        launches = [
            op
            for function in self.module.functions
            for op in walk_host(function.body)
            if isinstance(op, Launch) and op.kernel == launch.kernel
        ]
        return len(launches) == 1

    def taking(self, kernel: Kernel) -> Kernel:
        """The kernel, taking out of the set what it walks."""
        if kernel.name not in self.taken or kernel.iterator is None:
            return kernel
        return with_signature(replace(kernel, body=(taking(self.taken[kernel.name], kernel.iterator), *kernel.body)))


def _nested(row: list[HostOp], about: list[HostOp]) -> bool:
    """Whether one of the operations is inside another, not in the row itself."""
    return not all(any(op is one for one in row) for op in about)


class _Packer(Rewriter):
    """Packs arrays wherever they are mentioned."""

    def __init__(self, sets: set[Array], packing: Packing) -> None:
        self.sets = sets
        self.packing = packing

    def array(self, array: Array) -> Array:
        return replace(array, packed=self.packing) if array in self.sets else array

    def module(self, module: Module) -> Module:
        functions = tuple(
            replace(f, arrays=tuple(map(self.array, f.arrays)), body=self.host_block(f.body)) for f in module.functions
        )
        return replace(module, functions=functions, kernels=tuple(map(self.kernel, module.kernels)))
