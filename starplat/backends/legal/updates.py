"""Rewrites updates of cells: atomic where other threads may interfere, plain elsewhere."""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.backends import statements as st
from starplat.backends.legal.contributions import only_if
from starplat.backends.legal.locals import Locals
from starplat.backends.legal.methods import Methods
from starplat.ir import build, conditions, nodes as ir

_ONE_MENTION = frozenset(
    {ir.Combine.ADD, ir.Combine.MULTIPLY, ir.Combine.BIT_AND, ir.Combine.BIT_OR, ir.Combine.BIT_XOR}
)
"""Operators with an assignment form, which mentions the cell once."""


Block = Callable[[tuple[ir.KernelOp, ...]], st.Body]


@dataclass(frozen=True)
class Updates:
    """Of one kernel or function."""

    locals: Locals
    methods: Methods

    def update(self, op: ir.UpdateCell) -> st.Body:
        """A cell is combined with a value."""
        if op.array.element is ir.Element.BOOL and op.combine is not ir.Combine.BIT_XOR:
            return self._update_flag(op)
        if op.shared:
            method = self.methods.method(op.combine, op.array.element)
            return (st.AtomicCell(op.combine, op.array, op.index, op.value, method),)
        before, index = self.locals.settled(op.index, "cell", ())
        if op.combine in _ONE_MENTION:
            before, index = (), op.index
        return (*before, st.CombineCell(op.combine, op.array, index, op.value))

    def _update_flag(self, op: ir.UpdateCell) -> st.Body:
        """`||` stores True and `&&` False to a flag: no atomic operation is needed."""
        sets = op.combine.is_any
        condition = op.value if sets else conditions.negated(op.value)
        store = st.StoreCell(op.array, op.index, ir.Const(sets, ir.Element.BOOL))
        return only_if(condition, store)

    def extreme(self, op: ir.ExtremeCell, block: Block) -> st.Body:
        """A cell takes a smaller or greater value, with its carried values; `block` are further statements of the
        winner."""
        before, index = self.locals.settled(op.index, "cell", ())
        more, candidate = self.locals.settled(op.candidate, "candidate", ())
        before += more
        carried: list[st.Statement] = []
        for carry in op.carried:
            here, at = self.locals.early(carry.index, f"{carry.array.name}_cell")
            there, value = self.locals.early(carry.value, f"new_{carry.array.name}")
            before += here + there
            carried.append(stored(carry.array, at, value))
        carried += block(op.also)
        if op.partner is not None:
            there, beside = self.locals.early(op.partner, "partner")
            self.methods.require_swap(op.array)
            loop = st.Method.SWAP_LOOP
            return (*before, *there, st.IfBeyond(op.extreme, op.array, index, candidate, loop, tuple(carried), beside))
        store = st.StoreCell(op.array, index, candidate)
        if not op.shared:
            return (*before, st.IfBeyond(op.extreme, op.array, index, candidate, None, (store, *carried)))
        if op.lock is None:
            method = self.methods.method(op.extreme, op.array.element)
            return (*before, st.IfBeyond(op.extreme, op.array, index, candidate, method, tuple(carried)))
        self.methods.require_lock(op.array)
        done = self.locals.fresh("done", ir.Element.BOOL)
        body = (store, *carried)
        return (*before, st.WhileBeyondLocked(op.extreme, op.array, index, candidate, op.lock, done, body))

    def fetch(self, op: ir.FetchAdd | ir.FetchOr) -> st.Body:
        """A cell is read and changed."""
        combine = ir.Combine.ADD if isinstance(op, ir.FetchAdd) else ir.Combine.BIT_OR
        self.methods.require_fetch(op.array, combine)
        before, (index, value) = self.locals.apart(op.variable, op.index, op.value)
        in_runs = isinstance(op, ir.FetchAdd) and op.in_runs
        return (*before, st.FetchCell(op.variable, combine, op.array, index, value, in_runs=in_runs))

    def swap(self, op: ir.CompareSwap) -> st.Body:
        """A cell is replaced if it holds the expected value."""
        self.methods.require_swap(op.array)
        before, (index, value) = self.locals.apart(op.variable, op.index, op.value)
        return (*before, st.SwapCell(op.variable, op.array, index, op.expected, value))


def stored(array: ir.Array, index: ir.Expression, value: ir.Expression, *, own: bool = False) -> st.Statement:
    """The store of a cell; to a packed array nodes are only added."""
    if not array.packed:
        return st.StoreCell(array, index, value)
    assert value == build.TRUE, "the schedule packs what is only added to"
    return st.Insert(array, index, own=own)
