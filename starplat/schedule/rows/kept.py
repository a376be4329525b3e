"""Step `kept`: rounds that look at the neighbors that come first walk rows of these alone.

  loop                                        forall (v): rows of the u with rank(u) > rank(v)
    forall (v with waits[v])                  loop
      for (u of v)                              forall (v with waits[v])
        if (a[u] == a[v]                          for (u of v's row of these)
            && rank(u) > rank(v)) …                 if (a[u] == a[v]) …

The test compares the same value of both ends, made of what the loop does not change, so that of two arcs between two
nodes at most one passes. It pays where a node is asked again and again: until it has itself made its filter false, for
which it waits for those that come first. Where others may do so, few rounds ask most nodes.

A launch counts the arcs of each node that pass, prefix sums tell where rows begin, and others fill them. Where threads
share arcs they take places as they come by, so the order of a row is lost: only loops that may take arcs in any order
walk such rows. Neighbors that come before the node by little stand first, for these wait long, as it does. Rows of the
graph alone belong to the graph, and are made once for it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from starplat.ir import build, conditions, fresh_names, launches, nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.inlining import inlined
from starplat.ir.module_rewriter import ModuleRewriter, with_graph_arrays
from starplat.ir.rewriter import ArrayRule, Replacer
from starplat.ir.shapes.gathering import gathering
from starplat.ir.shapes.searching import asking
from starplat.passes.factors import Neighbor, may_be_zero
from starplat.passes.memory import has_two_names
from starplat.schedule.facts import GraphFacts
from starplat.schedule.rows.prefix_sums import prefix_sums
from starplat.schedule.schedule import Algebra, Memory, Schedule
from starplat.schedule.step import Decided, for_kernels

_LONG = ir.Element.LONG
_ONE = ir.Const(1, ir.Element.ARC)

_CLASSES = 8
"""Of arcs, by how much neighbors come before the node."""

_MANY_ARCS, _LONG_ROWS = 2**20, 8
"""Arcs of a graph, and of a node in the mean, from which the rows pay: below, a run takes as long as making them."""


def rows_of_kept_arcs(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> Decided:
    """The module whose rounds walk such rows, where arcs lie in the device's memory and there is no room in rows. If
    they do not fit, what the schedule left open gives way (see `in_less_memory`)."""
    asked = schedule.algebra is Algebra.PROVED and schedule.memory in (Memory.AUTO, Memory.RESIDENT)
    if module.room or not (asked or _pays(schedule, facts)):
        return Decided(module)
    maker = _Maker(module, capabilities)
    made = maker.module()
    why = "every round asks the nodes that still wait for those that come first"
    return for_kernels(module, with_graph_arrays(made), maker.changed, "walks rows of the arcs that pass its test", why)


def has_kept_arcs(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether the module has such rounds, so that the size of the graph matters."""
    maker = _Maker(module, capabilities)
    maker.module()
    return bool(maker.changed)


def of_many_arcs(num_nodes: int, num_arcs: int) -> bool:
    """Whether rows are long enough, and many."""
    return num_arcs >= _MANY_ARCS and num_arcs >= _LONG_ROWS * num_nodes


def _pays(schedule: Schedule, facts: GraphFacts | None) -> bool:
    left_open = schedule.algebra is Algebra.AUTO and schedule.memory is Memory.AUTO
    return left_open and facts is not None and of_many_arcs(facts.num_nodes, facts.num_arcs)


@dataclass(frozen=True, slots=True)
class _Walk:
    """A kernel's loop that leaves arcs out by `test`, and what it does with the others."""

    kernel: ir.Kernel
    loop: ir.ForNeighbors
    test: ir.Expression
    body: tuple[ir.KernelOp, ...]
    meaning: ir.Expression  # the test without functions
    rank: ir.Expression  # what one of its parts compares, of the neighbor
    to_lower: bool  # whether neighbors of a lower rank pass that part

    @property
    def of_any(self) -> ir.KeptArcs:
        """The test in the words of one node and one neighbor, which other kernels may share."""
        names = Replacer({self.kernel.own: ir.Ref(_NODE), ir.Ref(self.loop.neighbor): ir.Ref(_NEIGHBOR)})
        return self.loop.direction, names.expression(self.meaning)


_NODE, _NEIGHBOR = ir.Variable("node", ir.Element.NODE), ir.Variable("neighbor", ir.Element.NODE)


class _Maker(ModuleRewriter):
    """Makes rows before the outermost loops that do not change what a test says, or, of the first test of the graph
    alone, before the run; each test has its own."""

    def __init__(self, module: ir.Module, capabilities: Capabilities) -> None:
        super().__init__(module)
        self.takes_places = capabilities.lockstep
        self.two_names = has_two_names(module)
        self.functions: list[ir.HostFunction] = []
        self.prepared: ir.Prepared | None = None

    def module(self) -> ir.Module:
        made = super().module()
        prepared = (*made.prepared, *(() if self.prepared is None else (self.prepared,)))
        return replace(made, functions=(*made.functions, *self.functions), prepared=prepared)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if not isinstance(op, ir.Loop) or op.driver is not None or self.two_names:
            return (self.rebuild(op),)
        before: list[ir.HostOp] = []
        rows: dict[ir.KeptArcs, ir.Layout] = {}
        for walk in self._walks(op):
            if self.prepared is not None and walk.of_any == self.prepared.kept:
                rows[walk.of_any] = ir.KEPT
            if walk.of_any not in rows:
                rows[walk.of_any], calls = self._rows(walk)
                before += calls
            loop = replace(walk.loop, body=walk.body, copied=rows[walk.of_any])
            body = tuple(loop if one is walk.loop else one for one in walk.kernel.body)
            self.changed[walk.kernel.name] = visitor.with_signature(replace(walk.kernel, body=body))
        return (*before, op) if rows else (self.rebuild(op),)

    def _walks(self, loop: ir.Loop) -> Iterable[_Walk]:
        inside = tuple(visitor.walk_host((loop,)))
        written = {array for op in inside for array in launches.changed(op, self.given)}
        for kernel in launches.launched_kernels(visitor.walk_outside(ir.HostIf, loop.body), self.given):
            fresh = kernel.name not in self.changed and launches.is_launched_once(kernel.name, self.given)
            if fresh and self._waits(kernel, inside, written):
                yield from _walk_of(kernel, self.given, lambda one: isinstance(one, ir.Array) and one not in written)

    def _waits(self, kernel: ir.Kernel, inside: Iterable[ir.HostOp], written: set[ir.Array]) -> bool:
        """Whether a node is asked until it has itself made the filter false."""
        if kernel.domain != ir.AllNodes() or kernel.filter is None or kernel.guard is not None:
            return False
        asked = set(visitor.arrays_in(kernel.filter)) & written
        changing = [op for op in inside if not asked.isdisjoint(launches.changed(op, self.given))]
        own = all(isinstance(op, ir.Launch) and _writes_own(self.given.kernel(op.kernel), asked) for op in changing)
        return own and bool(asked)

    def _rows(self, walk: _Walk) -> tuple[ir.Layout, tuple[ir.HostCall, ...]]:
        """The rows, and the call that makes them, if it is not the runtime's."""
        read = (array for part in visitor.walk_expression(walk.test) for array in visitor.arrays_in(part))
        given = tuple(array for array in dict.fromkeys(read) if array not in ir.GRAPH_ARRAYS)
        if not given and self.prepared is None:
            builder = self._built(walk, ir.KEPT, given)
            self.prepared = ir.Prepared(builder.function.name, ir.KEPT.row_arrays, walk.of_any)
            return ir.KEPT, ()
        kept = ir.Layout(
            self.taken.array("passing_rows", ir.Element.ARC, ir.Extent.NODES_AND_ONE),
            self.taken.array("passing_columns", ir.Element.NODE, walk.loop.layout.slots),
        )
        self.arrays += kept.row_arrays
        builder = self._built(walk, kept, given)
        return kept, (ir.HostCall(builder.function.name, (*kept.row_arrays, *given), None),)

    def _built(self, walk: _Walk, kept: ir.Layout, given: tuple[ir.Array, ...]) -> "_Builder":
        builder = _Builder(walk, (*kept.row_arrays, *given), self.taken, takes_places=self.takes_places)
        self.kernels += builder.kernels
        self.functions.append(builder.function)
        return builder


class _Builder:
    """Makes the `function` that fills the rows, the first two of the `given` arrays, and its `kernels`."""

    def __init__(
        self, walk: _Walk, given: tuple[ir.Array, ...], names: fresh_names.FreshNames, *, takes_places: bool
    ) -> None:
        self.walk, self.names, self.own = walk, names, walk.kernel.own
        named = {a: replace(a, name=names.fresh(f"{a.name}_here"), origin=ir.Origin.PARAMETER) for a in given}
        of_parameters = ArrayRule(lambda array: named.get(array, array))
        self.test, self.rank = map(of_parameters.expression, (walk.test, walk.rank))
        self.kept = ir.Layout(named[given[0]], named[given[1]])
        self.classes = _CLASSES if walk.rank.element.is_integer else 1
        self.ends = names.array("ends_of_classes", ir.Element.ARC, ir.Extent.NODES.times(self.classes))
        self.kernels, ops = self._in_classes() if takes_places else self._in_order()
        own, parameters = (self.ends,) if takes_places else (), tuple(map(ir.Parameter, named.values()))
        ops = (ir.Fill(self.kept.offsets, ir.Const(0, ir.Element.ARC)), *ops)
        self.function = ir.HostFunction(names.fresh("keep_arcs"), parameters, own, None, ops, span=walk.kernel.span)

    def _in_order(self) -> tuple[tuple[ir.Kernel, ...], tuple[ir.HostOp, ...]]:
        """A thread counts the arcs of a node, behind the row's cell, where the sum up to it is the end of the row."""
        count, slot = self._local("count", ir.Element.ARC), self._local("slot", ir.Element.ARC)
        behind = build.plus(self.own, ir.Const(1, ir.Element.NODE))
        counted = (
            ir.Let(count, ir.Const(0, ir.Element.ARC)),
            self._each(ir.SetLocal(count, build.plus(ir.Ref(count), _ONE))),
            ir.Store(self.kept.offsets, behind, ir.Ref(count)),
        )
        store = ir.Store(self.kept.neighbors, ir.Ref(slot), ir.Ref(self.walk.loop.neighbor))
        follow = ir.SetLocal(slot, build.plus(ir.Ref(slot), _ONE))
        filled = (ir.Let(slot, self.kept.first(self.own)), self._each(store, follow))
        count_arcs = self._kernel("count_kept_arcs", counted, "how many arcs of a node pass")
        fill = self._kernel("fill_kept_rows", filled, "rows of the arcs that pass")
        sums = prefix_sums(self.kept.offsets, _more(_nodes(), 1), self.names)
        return (count_arcs, *sums.kernels, fill), (ir.Launch(count_arcs.name), *sums.ops, ir.Launch(fill.name))

    def _in_classes(self) -> tuple[tuple[ir.Kernel, ...], tuple[ir.HostOp, ...]]:
        """Threads take places in a row, in the part of it that is for the class of the arc, the last one first."""
        slot, number, arcs = self._local("slot", ir.Element.ARC), self._local("number", _LONG), self.classes
        (*lets, place), first = self._place(), build.times(ir.Cast(self.own, _LONG), ir.Const(arcs, _LONG))
        assert isinstance(place, ir.Let)
        where, ahead = ir.Ref(place.variable), (*lets, place)
        clear = ir.Store(self.ends, build.plus(first, ir.Ref(number)), ir.Const(0, ir.Element.ARC))
        add = ir.UpdateCell(ir.Combine.ADD, self.ends, where, _ONE, shared=True)
        behind = build.plus(self.own, ir.Const(1, ir.Element.NODE))
        end = ir.Store(self.kept.offsets, behind, ir.Load(self.ends, _more(first, arcs - 1)))
        take = (
            ir.Let(slot, ir.Const(0, ir.Element.ARC)),
            ir.FetchAdd(slot, self.ends, where, ir.Const(-1, ir.Element.ARC)),
            ir.SetLocal(slot, build.minus(ir.Ref(slot), _ONE)),
            ir.Store(self.kept.neighbors, ir.Ref(slot), ir.Ref(self.walk.loop.neighbor)),
        )
        each = ir.ForRange(number, ir.Const(0, _LONG), ir.Const(arcs, _LONG), (clear,))
        begin = self._kernel("clear_classes", (each,), "no arcs yet")
        counted, filled = (self._each(*ahead, *then, parallel=True) for then in ((add,), take))
        count = self._kernel("count_kept_arcs", (counted,), "how many arcs of each class pass")
        sums = prefix_sums(self.ends, build.times(_nodes(), ir.Const(arcs, _LONG)), self.names)
        close = self._kernel("end_kept_rows", (end,), "where rows end")
        fill = self._kernel("fill_kept_rows", (filled,), "rows of the arcs that pass")
        begun, ended = map(ir.Launch, (begin.name, count.name)), map(ir.Launch, (close.name, fill.name))
        return (begin, count, *sums.kernels, close, fill), (*begun, *sums.ops, *ended)

    def _place(self) -> tuple[ir.KernelOp, ...]:
        """The part of all rows that is for the class of an arc: the first are for neighbors that come before the node
        by less than a 16th of its own rank, the next for twice as much. Ranks are halved, so that none is too large."""
        place, apart, unit = (self._local(name, _LONG) for name in ("place", "apart", "unit"))
        first = build.times(ir.Cast(self.own, _LONG), ir.Const(self.classes, _LONG))
        if self.classes == 1:
            return (ir.Let(place, first),)
        other = _shifted(build.converted(self.rank, _LONG), 1)
        own = Replacer({ir.Ref(self.walk.loop.neighbor): self.own}).expression(other)
        size = ir.Apply(ir.MathFunction.MAX, (own, ir.Unary(ir.UnaryOperator.COMPLEMENT, own)), _LONG)
        where = first
        for k in range(self.classes - 1):
            beyond = build.at_least(_shifted(ir.Ref(apart), k), ir.Ref(unit))
            where = build.plus(where, ir.Select(beyond, ir.Const(1, _LONG), ir.Const(0, _LONG)))
        higher, lower = (own, other) if self.walk.to_lower else (other, own)
        return (
            ir.Let(apart, build.minus(higher, lower)),
            ir.Let(unit, _more(_shifted(size, 4), 1)),
            ir.Let(place, where),
        )

    def _kernel(self, name: str, body: tuple[ir.KernelOp, ...], comment: str) -> ir.Kernel:
        name, node = self.names.fresh(name), self.walk.kernel.iterator
        kernel = ir.Kernel(name, ir.AllNodes(), node, body=body, span=self.walk.kernel.span, comment=comment)
        return visitor.with_signature(kernel)

    def _each(self, *then: ir.KernelOp, parallel: bool = False) -> ir.ForNeighbors:
        """For the arcs that pass."""
        return replace(self.walk.loop, body=(ir.KernelIf(self.test, then),), parallel=parallel)

    def _local(self, name: str, element: ir.Element) -> ir.Variable:
        return self.names.inner().variable(name, element)


def _nodes() -> ir.Expression:
    return ir.NumNodes(_LONG)


def _more(number: ir.Expression, by: int) -> ir.Expression:
    return build.plus(number, ir.Const(by, number.element))


def _shifted(number: ir.Expression, by: int) -> ir.Expression:
    return number if by == 0 else build.computed(ir.BinaryOperator.SHIFT_RIGHT, number, build.number(by))


# --- tests ---------------------------------------------------------------------------------------------------------


def _walk_of(kernel: ir.Kernel, module: ir.Module, holds: Callable[[ir.Array | ir.Variable], bool]) -> Iterable[_Walk]:
    """The kernel's loop over its node's arcs that may take them in any order, if it leaves some out by such a test."""
    asks, gathers = asking(kernel), gathering(kernel)
    whole = None if gathers is None or not gathers.total.element.is_integer else gathers.loop
    for loop in (op for op in kernel.body if isinstance(op, ir.ForNeighbors)):
        in_any_order = loop.parallel or (asks is not None and asks.loop is loop) or loop is whole
        plain = replace(loop, body=()) == ir.ForNeighbors(
            loop.direction, kernel.own, loop.neighbor, loop.position, (), loop.parallel
        )
        if in_any_order and plain and (found := _tested(kernel, loop, module, holds)) is not None:
            yield found
            return


def _tested(
    kernel: ir.Kernel, loop: ir.ForNeighbors, module: ir.Module, holds: Callable[[ir.Array | ir.Variable], bool]
) -> _Walk | None:
    match loop.body:
        case (*lets, ir.KernelIf(condition, then, ())) if all(isinstance(op, ir.Let) for op in lets):
            asked = (*lets, ir.KernelIf(condition, ()))
        case _:
            return None
    if visitor.written_arrays(asked) or visitor.assigned_variables(asked):
        return None
    ends = {kernel.index, loop.neighbor}
    if ends & visitor.assigned_variables(kernel.body) or _reads(loop.body, loop.position):
        return None
    ranks = _Ranks(kernel.own, ir.Ref(loop.neighbor), Neighbor(loop.neighbor, loop.direction, holds), module)
    parts = tuple(conditions.conjuncts(condition))
    compared = {part: found for part in parts if (found := ranks.compared(part)) is not None}
    test = conditions.conjunction(compared)
    if test is None:
        return None
    rest = conditions.conjunction(part for part in parts if part not in compared)
    body = (*lets, *(then if rest is None else (ir.KernelIf(rest, then),)))
    meaning, (rank, to_lower) = inlined(test, module), next(iter(compared.values()))
    return _Walk(kernel, loop, test, body, meaning, rank, to_lower)


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Comparisons of one value of both ends of an arc."""

    node: ir.Ref
    other: ir.Ref
    of_other: Neighbor
    module: ir.Module

    def compared(self, condition: ir.Expression) -> tuple[ir.Expression, bool] | None:
        """The value of the other end, and whether it is to be the lower one, if a condition says that one end comes
        before the other, which cannot fail for any arc."""
        match inlined(condition, self.module):
            case ir.Binary(ir.BinaryOperator.LESS | ir.BinaryOperator.GREATER as operator, left, right):
                exchange = Replacer({self.node: self.other, self.other: self.node})
                stands_left = self.other.variable in visitor.variables_read(left)
                value = left if stands_left else right
                same = exchange.expression(left) == right and self.other.variable in visitor.variables_read(value)
                fails = any(map(_divides_by_zero, visitor.walk_expression(value)))
                if same and self.of_other.is_of_it(value) and not fails:
                    return value, stands_left is (operator is ir.BinaryOperator.LESS)
        return None


def _divides_by_zero(part: ir.Expression) -> bool:
    return isinstance(part, ir.Binary) and part.operator.divides and may_be_zero(part)


def _reads(body: tuple[ir.KernelOp, ...], variable: ir.Variable) -> bool:
    return any(variable in visitor.variables_read(e) for e in visitor.all_expressions(body))


def _writes_own(kernel: ir.Kernel, arrays: set[ir.Array]) -> bool:
    """Whether iterations of a kernel write no cells of some arrays but their own."""
    ops = (op for op in visitor.walk_kernel(kernel.body) if not visitor.blocks_of(op) or isinstance(op, ir.ExtremeCell))
    writing = (op for op in ops if not arrays.isdisjoint(visitor.written_arrays((op,))))
    own = None if kernel.iterator is None else kernel.own
    return all(isinstance(op, ir.Store | ir.UpdateCell) and op.index == own for op in writing)
