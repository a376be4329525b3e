"""Step `pairs`: a cell and the number that it carries become one word, where the cell needed a lock for both.

`<dist, parent> = <Min(dist, …), v>` changes two cells as one unit. Two whole numbers of 32 bits fit into one of 64,
which a target compares and swaps in one operation: the lock, its two fences and three of four accesses go. While a loop
runs the two properties are kept as pairs; they are put together before it and taken apart after it. A candidate that
only equals the cell changes nothing, as under the lock, so the carried value is that of the first thread that lowered
the cell to its minimum.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from starplat.ir import build, launches, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import arrays_in, blocks_of, walk, walk_host, walk_kernel, with_signature, written_arrays
from starplat.schedule.direction.pull_kernels import without_locks
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Choice, Decided, Decider


@dataclass(frozen=True, slots=True)
class _Pair:
    """A property, what it carries, and the lock of both."""

    key: ir.Array
    carried: ir.Array
    lock: ir.Array


def carried_in_pairs(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose loops keep what Min and Max carry beside the cell, where the target can swap both at once."""
    if not capabilities.has_compare_and_swap(ir.Element.LONG):
        return module
    maker = _Maker(module)
    made = maker.module()
    if not maker.choices:
        return module
    return Decided(without_locks(made, maker.locks), tuple(maker.choices))


class _Maker(Decider):
    """Rewrites the outermost loops in which a pair is touched by nothing else."""

    def __init__(self, module: ir.Module) -> None:
        super().__init__(module)
        self.locks: set[ir.Array] = set()

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.HostLoop):
            for pair in self.pairs_in(op):
                return self.kept_together(op, pair)
        if isinstance(inner := self.rebuild(op), ir.OnDevice) and inner is not op:
            return (launches.with_own_arrays(inner, self.with_kernels()),)
        return (inner,)

    def pairs_in(self, loop: ir.HostOp) -> Iterator[_Pair]:
        """The pairs that only kernels touch while the loop runs, and only change as a whole."""
        inside = tuple(walk_host((loop,)))
        kernels = tuple(launches.launched_kernels(inside, self.given))
        locked = dict.fromkeys(pair for kernel in kernels for op in walk_kernel(kernel.body) for pair in _locked(op))
        undriven = (replace(op, driver=None) if isinstance(op, ir.Loop) else op for op in inside)
        named = {array for op in undriven for array in arrays_in(op)}
        for pair in locked:
            alone = not {pair.key, pair.carried, pair.lock} & named
            if alone and all(_keeps_whole(kernel, pair, self.given) for kernel in kernels):
                yield pair

    def kept_together(self, loop: ir.HostOp, pair: _Pair) -> tuple[ir.HostOp, ...]:
        key, carried = pair.key, pair.carried
        name = self.taken.fresh(f"{key.name}_{carried.name}")
        kept = ir.Array(name, ir.Element.LONG, key.extent, ir.Origin.TEMPORARY, pairs=(key.element, carried.element))
        self.arrays.append(kept)
        self.locks.add(pair.lock)
        rewriter = _Together(pair, kept)
        for kernel in launches.launched_kernels(walk_host((loop,)), self.given):
            if {key, carried} & set(kernel.arrays):
                self.changed[kernel.name] = rewriter.kernel(self.changed.get(kernel.name, kernel))
        why = "both fit into one word, which is compared and swapped whole"
        self.choices.append(Choice(f"'{carried.name}' is kept beside '{key.name}'", why))
        (rewritten,) = rewriter.host_op(loop)
        return (ir.Launch(self.joining(kept, pair)), rewritten, ir.Launch(self.parting(kept, pair)))

    def joining(self, kept: ir.Array, pair: _Pair) -> str:
        node = self.taken.variable("node", ir.Element.NODE)
        both = build.pair(ir.Load(pair.key, ir.Ref(node)), ir.Load(pair.carried, ir.Ref(node)))
        comment = f"'{pair.key.name}' and '{pair.carried.name}' into one word"
        return self.over_nodes(f"join_{kept.name}", node, (ir.Store(kept, ir.Ref(node), both),), comment)

    def parting(self, kept: ir.Array, pair: _Pair) -> str:
        node = self.taken.variable("node", ir.Element.NODE)
        body = (
            ir.Store(pair.key, ir.Ref(node), build.cell(kept, ir.Ref(node))),
            ir.Store(pair.carried, ir.Ref(node), build.partner(kept, ir.Ref(node))),
        )
        comment = f"'{pair.key.name}' and '{pair.carried.name}' out of the word"
        return self.over_nodes(f"part_{kept.name}", node, body, comment)

    def over_nodes(self, name: str, node: ir.Variable, body: tuple[ir.KernelOp, ...], comment: str) -> str:
        kernel = ir.Kernel(self.taken.fresh(name), ir.AllNodes(), node, body, comment=comment)
        self.kernels.append(with_signature(kernel))
        return kernel.name


def _locked(op: ir.KernelOp) -> Iterator[_Pair]:
    """The pair of 32 bits each that the operation changes under a lock, if it does."""
    if isinstance(op, ir.ExtremeCell) and op.lock is not None and op.array.extent is ir.Extent.NODES:
        data = [carry for carry in op.carried if not isinstance(carry.value, ir.Const)]
        arrays = (op.array, *(carry.array for carry in data))
        fits = all(array.element in (ir.Element.INT, ir.Element.NODE) for array in arrays)
        if len(data) == 1 and fits and data[0].index == op.index:
            yield _Pair(op.array, data[0].array, op.lock)


def _keeps_whole(kernel: ir.Kernel, pair: _Pair, module: ir.Module) -> bool:
    """Whether a kernel, which is launched nowhere else, only reads cells of the pair or changes both at once."""
    if not {pair.key, pair.carried, pair.lock} & set(kernel.arrays):
        return True
    if not launches.is_launched_once(kernel.name, module):
        return False
    lent = {a for part in walk(kernel) if isinstance(part, ir.CallFunction) for a in part.arguments}
    if {pair.key, pair.carried, pair.lock} & lent:
        return False
    changing = (op for op in walk_kernel(kernel.body) if {pair.key, pair.carried} & written_arrays((op,)))
    return all(pair in _locked(op) for op in changing if not blocks_of(op) or isinstance(op, ir.ExtremeCell))


class _Together(Rewriter):
    """Reads and changes the pair in place of the two properties."""

    def __init__(self, pair: _Pair, kept: ir.Array) -> None:
        self.pair, self.kept = pair, kept

    def expression(self, expression: ir.Expression) -> ir.Expression:
        match self.rebuild(expression):
            case ir.Load(array, index) if array == self.pair.key:
                return build.cell(self.kept, index)
            case ir.Load(array, index) if array == self.pair.carried:
                return build.partner(self.kept, index)
            case rebuilt:
                return rebuilt

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        if not (isinstance(inner := self.rebuild(op), ir.ExtremeCell) and inner.array == self.pair.key):
            return (inner,)
        (data,) = (carry for carry in inner.carried if carry.array == self.pair.carried)
        rest = tuple(carry for carry in inner.carried if carry is not data)
        return (replace(inner, array=self.kept, carried=rest, lock=None, partner=data.value),)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        inner = self.rebuild(op)
        match inner:
            case ir.Loop(driver=ir.NearestFirst(values=values) as driver) if values == self.pair.key:
                return (replace(inner, driver=replace(driver, values=self.kept)),)
        return (inner,)
