"""Step `kept`: rounds that look at the neighbors that come first walk rows of these alone.

  loop                                        forall (v): rows of the u with rank(u) > rank(v)
    forall (v with waits[v])                  loop
      for (u of v)                              forall (v with waits[v])
        if (a[u] == a[v]                          for (u of v's row of these)
            && rank(u) > rank(v)) …                 if (a[u] == a[v]) …

The test compares the same value of both ends, made of what the loop does not change, so that of two arcs between two
nodes at most one passes. It pays where a node is asked again and again: until it has itself made its filter false, for
which it waits for those that come first. Where others may do so, few rounds ask most nodes.

A launch counts the arcs of each node that pass, prefix sums tell where rows begin, and another launch fills them. Where
threads share arcs they take places as they come by, so the order of a row is lost: only loops that may take arcs in any
order walk such rows.
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
from starplat.schedule.rows.prefix_sums import prefix_sums
from starplat.schedule.schedule import Algebra, Memory, Schedule
from starplat.schedule.step import Decided, for_kernels

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

    @property
    def of_any(self) -> tuple[ir.Direction, ir.Expression]:
        """The test in the words of one node and one neighbor, which other kernels may share."""
        names = Replacer({self.kernel.own: ir.Ref(_NODE), ir.Ref(self.loop.neighbor): ir.Ref(_NEIGHBOR)})
        return self.loop.direction, names.expression(self.test)


_NODE, _NEIGHBOR = ir.Variable("node", ir.Element.NODE), ir.Variable("neighbor", ir.Element.NODE)


class _Maker(ModuleRewriter):
    """Makes rows before the outermost loops that do not change what a test says; each test has its own."""

    def __init__(self, module: ir.Module, capabilities: Capabilities) -> None:
        super().__init__(module)
        self.takes_places = capabilities.lockstep
        self.two_names = has_two_names(module)
        self.functions: list[ir.HostFunction] = []

    def module(self) -> ir.Module:
        made = super().module()
        return replace(made, functions=(*made.functions, *self.functions))

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        """Rows of the graph alone are made first of all, so that what stands ahead of a loop stays beside it."""
        self.first: list[ir.HostOp] = []
        self.outermost = function.body
        made = super().function(function)
        return replace(made, body=(*self.first, *made.body))

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if not isinstance(op, ir.Loop) or op.driver is not None or self.two_names:
            return (self.rebuild(op),)
        before: list[ir.HostOp] = []
        rows: dict[tuple[ir.Direction, ir.Expression], ir.Layout] = {}
        for walk in self._walks(op):
            if walk.of_any not in rows:
                rows[walk.of_any], call = self._rows(walk)
                early = len(call.arguments) == len(rows[walk.of_any].row_arrays) and op in self.outermost
                (self.first if early else before).append(call)
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

    def _rows(self, walk: _Walk) -> tuple[ir.Layout, ir.HostCall]:
        """The rows, and the call that makes them."""
        kept = ir.Layout(
            self.taken.array("kept_rows", ir.Element.ARC, ir.Extent.NODES_AND_ONE),
            self.taken.array("kept_columns", ir.Element.NODE, walk.loop.layout.slots),
        )
        read = (array for part in visitor.walk_expression(walk.test) for array in visitor.arrays_in(part))
        given = (*kept.row_arrays, *(array for array in dict.fromkeys(read) if array not in ir.GRAPH_ARRAYS))
        self.arrays += kept.row_arrays
        builder = _Builder(walk, given, self.taken, takes_places=self.takes_places)
        self.kernels += builder.kernels
        self.functions.append(builder.function)
        return kept, ir.HostCall(builder.function.name, given, None)


class _Builder:
    """Makes the function that fills the rows, the first two of the `given` arrays, and its kernels."""

    def __init__(
        self, walk: _Walk, given: tuple[ir.Array, ...], names: fresh_names.FreshNames, *, takes_places: bool
    ) -> None:
        self.walk, self.names, self.own = walk, names, walk.kernel.own
        named = {a: replace(a, name=names.fresh(f"{a.name}_here"), origin=ir.Origin.PARAMETER) for a in given}
        self.test = ArrayRule(lambda array: named.get(array, array)).expression(walk.test)
        self.kept = ir.Layout(named[given[0]], named[given[1]])
        cells = build.plus(ir.NumNodes(ir.Element.LONG), ir.Const(1, ir.Element.LONG))
        sums = prefix_sums(self.kept.offsets, cells, names)
        self.filled = names.array("kept_so_far", ir.Element.INT, ir.Extent.NODES)
        count = self._kernel("count_kept_arcs", self._counted(), "how many arcs of a node pass")
        body = self._shared() if takes_places else self._in_order()
        fill = self._kernel("fill_kept_rows", body, "rows of the arcs that pass")
        self.kernels = (count, *sums.kernels, fill)
        ops = (
            ir.Fill(self.kept.offsets, ir.Const(0, ir.Element.ARC)),
            *((ir.Fill(self.filled, build.ZERO),) if takes_places else ()),
            ir.Launch(count.name),
            *sums.ops,
            ir.Launch(fill.name),
        )
        own = (self.filled,) if takes_places else ()
        self.function = ir.HostFunction(
            names.fresh("keep_arcs"), tuple(map(ir.Parameter, named.values())), own, None, ops, span=walk.kernel.span
        )

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

    def _shared(self) -> tuple[ir.KernelOp, ...]:
        """Each arc takes the next place of its row."""
        place, slot = self._local("place", ir.Element.INT), self._local("slot", ir.Element.ARC)
        take = (
            ir.Let(place, build.ZERO),
            ir.FetchAdd(place, self.filled, self.own, build.ONE, in_runs=True),
            ir.Let(slot, build.plus(self.kept.first(self.own), ir.Cast(ir.Ref(place), ir.Element.ARC))),
            ir.Store(self.kept.neighbors, ir.Ref(slot), ir.Ref(self.walk.loop.neighbor)),
        )
        return (self._each(*take, parallel=True),)

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
    test = conditions.conjunction(part for part in parts if ranks.compares(part))
    if test is None:
        return None
    rest = conditions.conjunction(part for part in parts if not ranks.compares(part))
    return _Walk(kernel, loop, test, (*lets, *(then if rest is None else (ir.KernelIf(rest, then),))))


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Comparisons of one value of both ends of an arc."""

    node: ir.Ref
    other: ir.Ref
    of_other: Neighbor
    module: ir.Module

    def compares(self, condition: ir.Expression) -> bool:
        """Whether a condition says that one end comes before the other, which cannot fail for any arc."""
        match self._inlined(condition):
            case ir.Binary(ir.BinaryOperator.LESS | ir.BinaryOperator.GREATER, left, right):
                exchange = Replacer({self.node: self.other, self.other: self.node})
                value = left if self.other.variable in visitor.variables_read(left) else right
                same = exchange.expression(left) == right and self.other.variable in visitor.variables_read(value)
                fails = any(map(_divides_by_zero, visitor.walk_expression(value)))
                return same and self.of_other.is_of_it(value) and not fails
        return False

    def _inlined(self, expression: ir.Expression) -> ir.Expression:
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
