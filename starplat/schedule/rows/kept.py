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
walk such rows. Rows of the graph alone belong to the graph, and are made once for it. Of their neighbors those stand
first that come before the node by the least, for these wait the longest, as it does.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from starplat.ir import build, conditions, fresh_names, launches, nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.module_rewriter import ModuleRewriter, with_graph_arrays
from starplat.ir.rewriter import ArrayRule, Replacer
from starplat.ir.shapes.gathering import gathering
from starplat.ir.shapes.searching import asking
from starplat.passes.factors import Neighbor, may_be_zero
from starplat.passes.memory import has_two_names
from starplat.schedule.facts import GraphFacts
from starplat.schedule.rows.prefix_sums import PrefixSums, prefix_sums
from starplat.schedule.schedule import Algebra, Memory, Schedule
from starplat.schedule.step import Decided, for_kernels

_LONG = ir.Element.LONG
_OTHER = {ir.Direction.OUT: ir.Direction.IN, ir.Direction.IN: ir.Direction.OUT}

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
    maker = _Maker(module, capabilities, symmetric=facts is not None and facts.symmetric)
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

    def __init__(self, module: ir.Module, capabilities: Capabilities, *, symmetric: bool = False) -> None:
        super().__init__(module)
        self.takes_places, self.symmetric = capabilities.lockstep, symmetric
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
        for kernel in launches.launched_kernels(visitor.walk_unguarded(loop.body), self.given):
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
            builder = self._built(walk, ir.KEPT, given, in_classes=self.takes_places and walk.rank.element.is_integer)
            self.prepared = ir.Prepared(builder.function.name, ir.KEPT.row_arrays, walk.of_any)
            return ir.KEPT, ()
        kept = ir.Layout(
            self.taken.array("passing_rows", ir.Element.ARC, ir.Extent.NODES_AND_ONE),
            self.taken.array("passing_columns", ir.Element.NODE, walk.loop.layout.slots),
        )
        self.arrays += kept.row_arrays
        builder = self._built(walk, kept, given)
        return kept, (ir.HostCall(builder.function.name, (*kept.row_arrays, *given), None),)

    def _built(
        self, walk: _Walk, kept: ir.Layout, given: tuple[ir.Array, ...], *, in_classes: bool = False
    ) -> "_Builder":
        builder = _Builder(walk, (*kept.row_arrays, *given), self.taken)
        builder.fill(takes_places=self.takes_places, in_classes=in_classes, symmetric=self.symmetric)
        self.kernels += builder.kernels
        self.functions.append(builder.function)
        return builder


class _Builder:
    """Makes the `function` that fills the rows, the first two of the `given` arrays, and its `kernels`."""

    def __init__(self, walk: _Walk, given: tuple[ir.Array, ...], names: fresh_names.FreshNames) -> None:
        self.walk, self.names, self.own = walk, names, walk.kernel.own
        named = {a: replace(a, name=names.fresh(f"{a.name}_here"), origin=ir.Origin.PARAMETER) for a in given}
        of_parameters = ArrayRule(lambda array: named.get(array, array))
        self.test, self.rank = map(of_parameters.expression, (walk.test, walk.rank))
        self.parameters = tuple(map(ir.Parameter, named.values()))
        self.kept = ir.Layout(named[given[0]], named[given[1]])
        self.filled = names.array("kept_so_far", ir.Element.INT, ir.Extent.NODES)

    def fill(self, *, takes_places: bool, in_classes: bool, symmetric: bool) -> None:
        """Makes them: threads take places in rows, all at once or a class of ranks after the other."""
        cells = build.plus(ir.NumNodes(ir.Element.LONG), ir.Const(1, ir.Element.LONG))
        sums = prefix_sums(self.kept.offsets, cells, self.names)
        count = self._kernel("count_kept_arcs", self._counted(), "how many arcs of a node pass")
        filling = self._by_classes(symmetric=symmetric) if in_classes else self._at_once(takes_places=takes_places)
        self.kernels = (count, *sums.kernels, *filling.kernels)
        ops = (
            ir.Fill(self.kept.offsets, ir.Const(0, ir.Element.ARC)),
            *((ir.Fill(self.filled, build.ZERO),) if takes_places else ()),
            ir.Launch(count.name),
            *sums.ops,
            *filling.ops,
        )
        own, name = (self.filled,) if takes_places else (), self.names.fresh("keep_arcs")
        self.function = ir.HostFunction(name, self.parameters, own, None, ops, span=self.walk.kernel.span)

    def _at_once(self, *, takes_places: bool) -> PrefixSums:
        body = (self._each(*self._placed(in_runs=True), parallel=True),) if takes_places else self._in_order()
        fill = self._kernel("fill_kept_rows", body, "rows of the arcs that pass")
        return PrefixSums((fill,), (ir.Launch(fill.name),))

    def _by_classes(self, *, symmetric: bool) -> PrefixSums:
        """Neighbors append themselves to the rows that they pass for, those first that come before a node by the least.
        A class ends where numbers have grown by a quarter; numbers are halved so that none is beyond a LONG."""
        loop = self.walk.loop
        least, most, low, high = self.names.variables(_LONG, "least", "most", "low", "high")
        rank = build.computed(ir.BinaryOperator.SHIFT_RIGHT, build.converted(self.rank, _LONG), build.ONE)
        number = ir.Unary(ir.UnaryOperator.COMPLEMENT, rank) if self.walk.to_lower else rank
        way = loop.direction if symmetric else _OTHER[loop.direction]
        has_arcs = build.greater(way.layout.degree(ir.Ref(loop.neighbor)), ir.Const(0, ir.Element.ARC))
        bounds = ir.Kernel(
            self.names.fresh("bound_ranks"),
            ir.AllNodes(),
            loop.neighbor,
            filter=has_arcs,
            body=(ir.Contribute(least, number), ir.Contribute(most, number)),
            reductions=(ir.Reduction(least, ir.Combine.MIN), ir.Reduction(most, ir.Combine.MAX)),
            comment="between which numbers ranks lie",
        )
        there = build.both(build.at_least(number, ir.Ref(low)), build.at_most(number, ir.Ref(high)))
        append = ir.Kernel(
            self.names.fresh("append_to_kept_rows"),
            ir.AllNodes(),
            loop.neighbor,
            filter=there,
            body=(
                ir.ForNeighbors(
                    way,
                    ir.Ref(loop.neighbor),
                    self._node(),
                    loop.position,
                    (ir.KernelIf(self.test, self._placed(in_runs=False)),),
                    parallel=True,
                ),
            ),
            span=self.walk.kernel.span,
            comment="nodes of a class of ranks join the rows that they pass for",
        )
        size = ir.Apply(ir.MathFunction.MAX, (ir.Ref(low), ir.Unary(ir.UnaryOperator.COMPLEMENT, ir.Ref(low))), _LONG)
        wide = build.computed(ir.BinaryOperator.SHIFT_RIGHT, size, build.number(2))
        one = ir.Const(1, _LONG)
        ops: tuple[ir.HostOp, ...] = (
            ir.DeclareVariable(least, ir.infinity(_LONG)),
            ir.DeclareVariable(most, build.minus(ir.Const(0, _LONG), ir.infinity(_LONG))),
            ir.Launch(bounds.name),
            ir.DeclareVariable(low, ir.Const(0, _LONG)),
            ir.DeclareVariable(high, build.minus(ir.Ref(least), one)),
            ir.Loop(
                (),
                build.less(ir.Ref(high), ir.Ref(most)),
                body=(
                    ir.SetVariable(low, build.plus(ir.Ref(high), one)),
                    ir.SetVariable(high, build.plus(ir.Ref(low), wide)),
                    ir.Launch(append.name),
                ),
            ),
        )
        return PrefixSums(tuple(map(visitor.with_signature, (bounds, append))), ops)

    def _node(self) -> ir.Variable:
        assert self.walk.kernel.iterator is not None
        return self.walk.kernel.iterator

    def _kernel(self, name: str, body: tuple[ir.KernelOp, ...], comment: str) -> ir.Kernel:
        name, node = self.names.fresh(name), self.walk.kernel.iterator
        kernel = ir.Kernel(name, ir.AllNodes(), node, body=body, span=self.walk.kernel.span, comment=comment)
        return visitor.with_signature(kernel)

    def _each(self, *then: ir.KernelOp, parallel: bool = False) -> ir.ForNeighbors:
        """For the arcs that pass."""
        return replace(self.walk.loop, body=(ir.KernelIf(self.test, then),), parallel=parallel)

    def _counted(self) -> tuple[ir.KernelOp, ...]:
        """The number stands behind the row's cell, where the sum up to it is the end of the row."""
        count, one = self._local("count", ir.Element.ARC), ir.Const(1, ir.Element.ARC)
        behind = build.plus(self.own, ir.Const(1, ir.Element.NODE))
        return (
            ir.Let(count, ir.Const(0, ir.Element.ARC)),
            self._each(ir.SetLocal(count, build.plus(ir.Ref(count), one))),
            ir.Store(self.kept.offsets, behind, ir.Ref(count)),
        )

    def _in_order(self) -> tuple[ir.KernelOp, ...]:
        slot = self._local("slot", ir.Element.ARC)
        store = ir.Store(self.kept.neighbors, ir.Ref(slot), ir.Ref(self.walk.loop.neighbor))
        follow = ir.SetLocal(slot, build.plus(ir.Ref(slot), ir.Const(1, ir.Element.ARC)))
        return (ir.Let(slot, self.kept.first(self.own)), self._each(store, follow))

    def _placed(self, *, in_runs: bool) -> tuple[ir.KernelOp, ...]:
        """The arc takes the next place of its row."""
        place, slot = self._local("place", ir.Element.INT), self._local("slot", ir.Element.ARC)
        return (
            ir.Let(place, build.ZERO),
            ir.FetchAdd(place, self.filled, self.own, build.ONE, in_runs=in_runs),
            ir.Let(slot, build.plus(self.kept.first(self.own), ir.Cast(ir.Ref(place), ir.Element.ARC))),
            ir.Store(self.kept.neighbors, ir.Ref(slot), ir.Ref(self.walk.loop.neighbor)),
        )

    def _local(self, name: str, element: ir.Element) -> ir.Variable:
        return self.names.inner().variable(name, element)


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
    meaning, (rank, to_lower) = ranks.inlined(test), next(iter(compared.values()))
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
        match self.inlined(condition):
            case ir.Binary(ir.BinaryOperator.LESS | ir.BinaryOperator.GREATER as operator, left, right):
                exchange = Replacer({self.node: self.other, self.other: self.node})
                stands_left = self.other.variable in visitor.variables_read(left)
                value = left if stands_left else right
                same = exchange.expression(left) == right and self.other.variable in visitor.variables_read(value)
                fails = any(map(_divides_by_zero, visitor.walk_expression(value)))
                if same and self.of_other.is_of_it(value) and not fails:
                    return value, stands_left is (operator is ir.BinaryOperator.LESS)
        return None

    def inlined(self, expression: ir.Expression) -> ir.Expression:
        """The expression with what the functions return that do nothing else."""
        return _Inlining(self.module).expression(expression)


class _Inlining(Replacer):
    def __init__(self, module: ir.Module) -> None:
        super().__init__({})
        self.module = module

    def expression(self, expression: ir.Expression) -> ir.Expression:
        match expression:
            case ir.CallFunction(name, arguments):
                helper = self.module.helper(name)
                match helper.body:
                    case (ir.KernelReturn(value),) if value is not None and not helper.references:
                        given = dict(zip((p.what for p in helper.parameters), arguments, strict=True))
                        arrays = {one: other for one, other in given.items() if isinstance(other, ir.Array)}
                        values: dict[ir.Expression, ir.Expression] = {
                            ir.Ref(one): other
                            for one, other in given.items()
                            if isinstance(one, ir.Variable) and not isinstance(other, ir.Array | ir.Variable)
                        }
                        own = ArrayRule(lambda array: arrays.get(array, array)).expression(value)
                        return self.expression(Replacer(values).expression(own))
        return self.rebuild(expression)


def _divides_by_zero(part: ir.Expression) -> bool:
    return isinstance(part, ir.Binary) and part.operator.divides and may_be_zero(part)


def _reads(body: tuple[ir.KernelOp, ...], variable: ir.Variable) -> bool:
    return any(variable in visitor.variables_read(e) for e in visitor.all_expressions(body))


def _writes_own(kernel: ir.Kernel, arrays: set[ir.Array]) -> bool:
    """Whether iterations of a kernel write no cells of some arrays but their own."""
    ops = (op for op in visitor.walk_kernel(kernel.body) if not visitor.blocks_of(op) or isinstance(op, ir.ExtremeCell))
    writing = (op for op in ops if not arrays.isdisjoint(visitor.written_arrays((op,))))
    return all(isinstance(op, ir.Store | ir.UpdateCell) and op.index == kernel.own for op in writing)
