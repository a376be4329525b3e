"""Lowers what the host does with lists, and puts those on the device that kernels go over.

A list that kernels go over more than once has a flag, which says whether it has changed since it was last put there.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from starplat.analysis.parallel import ParallelLoop, parallel_loops
from starplat.frontend import typed
from starplat.frontend.types import is_list
from starplat.ir import build, nodes as ir, visitor
from starplat.ir.lowering.elements import ELEMENTS
from starplat.ir.lowering.host_expressions import HostExpressions

_LOOPS = typed.While | typed.DoWhile | typed.CountedLoop | typed.ForEach | typed.FixedPoint | typed.IterateInBFS


class HostLists(HostExpressions):
    """The part of a host function under construction that knows of its lists."""

    def do(self, op: ir.HostOp) -> None:
        """Appends an operation; lists that it may change are to be put on the device again."""
        super().do(op)
        for flag in dict.fromkeys(flag for items in _changed_by(op) for flag in self._flags_of(items)):
            if not self._is_set(flag):
                super().do(ir.SetVariable(flag, build.TRUE))

    def list_of(self, symbol: typed.Symbol) -> ir.HostList:
        """The list of a name that is declared here."""
        self.lists[symbol] = ir.HostList(self.names.fresh(symbol.name), ELEMENTS[symbol.element])
        if symbol in self.put_often:
            flag = self.names.variable(f"{symbol.name}_changed", ir.Element.BOOL)
            self.list_flags[self.lists[symbol]] = flag
            self.prologue.append(ir.DeclareVariable(flag, build.TRUE))
        return self.lists[symbol]

    def change_list(self, s: typed.ChangeList) -> None:
        """`path.push(v);`, `path = other;` and the like."""
        items = self.lists[s.symbol]
        match s.arguments:
            case (typed.WholeList(symbol=source),):
                if source is not s.symbol:
                    self.do(ir.CopyList(items, self.lists[source]))
            case _:
                arguments = tuple(map(self.expression, s.arguments))
                self.do(ir.ChangeList(items, ir.ListChange(s.change.value), arguments, s.span))

    def runs_as_kernel(self, s: typed.ForEach) -> bool:
        """Whether a loop is a kernel. A checked run goes over lists on the host: faults are told by nodes and arcs."""
        if not s.parallel or self.context.facts.hosting.needs_host(s.body):
            return False
        return self.context.checks is None or not isinstance(s.domain, typed.Items)

    def put(self, symbol: typed.Symbol) -> tuple[ir.Array, ir.Variable]:
        """A list on the device, and its size."""
        items = self.lists[symbol]
        if items not in self.put_lists:
            name, element = f"{items.name}_items", items.element
            self.put_lists[items] = self.new_array(name, element, ir.Extent.ITEMS, ir.Origin.TEMPORARY)
        array, flag = self.put_lists[items], self.list_flags.get(items)
        put = ir.PutItems(array, items)
        self.do(put if flag is None else ir.HostIf(ir.Ref(flag), (put, ir.SetVariable(flag, build.FALSE))))
        size = self.declare(f"{items.name}_size", ir.Element.INT, build.ZERO)
        self.do(ir.ReadLength(size, items))
        return array, size

    @cached_property
    def put_often(self) -> frozenset[typed.Symbol]:
        """The lists that kernels may go over more than once."""
        loops = [(symbol, loop) for loop in parallel_loops(self.function) if (symbol := self._put_for(loop))]
        times = Counter(symbol for symbol, _ in loops)
        again = {symbol for symbol, loop in loops if any(isinstance(s, _LOOPS) for s in loop.around)}
        return frozenset(again | {symbol for symbol, number in times.items() if number > 1})

    def _put_for(self, loop: ParallelLoop) -> typed.Symbol | None:
        match loop.node:
            case typed.ForEach(domain=typed.Items(symbol=symbol)) if self.runs_as_kernel(loop.node):
                return symbol
        return None

    def _flags_of(self, items: ir.HostList) -> Iterator[ir.Variable]:
        """The flags of a list, and of those that may be the same: a caller may lend one list twice."""
        lent = {self.lists[p] for p in self.function.parameters if is_list(p.type) and p in self.lists}
        for other, flag in self.list_flags.items():
            if other == items or (other.element is items.element and {other, items} <= lent):
                yield flag

    def _is_set(self, flag: ir.Variable) -> bool:
        """Whether a flag is surely set already where the next operation goes."""
        for op in reversed(self.ops):
            if visitor.blocks_of(op):
                return False
            if isinstance(op, ir.SetVariable) and op.variable == flag:
                return op.value == build.TRUE
        return self.ops is self.outermost


def _changed_by(op: ir.HostOp) -> tuple[ir.HostList, ...]:
    match op:
        case ir.DeclareList(items) | ir.ChangeList(items) | ir.CopyList(items):
            return (items,)
        case ir.HostCall(lists=lent):
            return lent
    return ()
