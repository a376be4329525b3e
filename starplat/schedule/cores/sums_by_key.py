"""Step `keys`: a thread that adds up a row's values by node does so in an array of its own, with a cell for each node.

  clear a map;                              int best = -1, most = 0;
  for (u of row) {                          for (u of row) {
    add_to_map(label[u], 2);                  sum_of[label[u]] += 2; if that is beyond `most`, it is, and label[u] best;
  }                                         }
  best = best_of_map();                     for (u of row) sum_of[label[u]] = 0;

Keys are nodes or -1 (`ir.node_cells`), so nothing is hashed, and a thread's array stays in its cache, while maps are
somewhere else for every row. Sums only grow, so the best key so far is the best of all at the end. That is so unless a
sum passes 2^31: graphs with so many arcs keep their maps. Where rows are short, nothing is added up in those
without equal keys (`keys_that_differ`).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir import build, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.fresh_names import FreshNames, names_in
from starplat.ir.node_cells import is_node
from starplat.ir.rewriter import KernelRule, Renamer, Replacer, Rewriter
from starplat.ir.shapes.histograms import Histogram, histogram
from starplat.ir.visitor import all_expressions, declared_by, walk_kernel, with_signature, written_arrays
from starplat.passes.rewritten import tidied
from starplat.schedule.cores.keys_that_differ import MOST_ARCS_IN_MEAN, smallest_of_few
from starplat.schedule.facts import MOST_OWN_CELLS, GraphFacts
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Decided, for_kernels

_MOST = ir.limits(ir.Element.INT)[1]


def has_sums_by_key(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether rows are added up by key, so that the graph's size matters."""
    return capabilities.own_cells and any(helper.of_map is ir.MapPart.BEST for helper in module.helpers)


def sums_by_key(module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None) -> Decided:
    """The module whose threads have arrays of their own in place of maps, where keys are nodes."""
    nodes, arcs = (0, 1) if facts is None else (facts.num_nodes, max(facts.num_arcs, 1))
    if not has_sums_by_key(module, capabilities) or nodes > MOST_OWN_CELLS:
        return Decided(module)
    short = facts is not None and facts.mean_degree <= MOST_ARCS_IN_MEAN and not module.room
    kernels = tuple(_Maker(kernel, module, _MOST // arcs, short).made() for kernel in module.kernels)
    changed = [new.name for old, new in zip(module.kernels, kernels, strict=True) if new is not old]
    made = tidied(replace(module, kernels=kernels)) if changed else module
    why = "keys are nodes, so that a thread's own cells for all nodes need no search"
    return for_kernels(module, made, changed, "values are added up in an array of the thread, not in a map", why)


@dataclass
class _Maker(Rewriter):
    """Rewrites the blocks of one kernel that fill a map, with values up to `most`, and ask for its best key; `short`
    tells that many rows are so short that their keys are compared first."""

    given: ir.Kernel
    module: ir.Module
    most: int
    short: bool

    def made(self) -> ir.Kernel:
        body = self.kernel_block(self.given.body)
        return self.given if body == self.given.body else with_signature(replace(self.given, body=body))

    def kernel_block(self, ops: Iterable[ir.KernelOp]) -> tuple[ir.KernelOp, ...]:
        block = tuple(ops)
        for place in range(len(block)):
            found = histogram(replace(self.given, body=block[place:]), self.module)
            if found is not None and self.suits(found):
                return (*block[:place], *self.with_own_cells(found))
        return super().kernel_block(block)

    def suits(self, found: Histogram) -> bool:
        """Whether keys are nodes, sums only grow, and a second walk along the row sees the same keys."""
        key, value = _added(found)
        grows = 0 < _number(value) <= self.most
        read = {part.array for part in all_expressions((found.loop,)) if isinstance(part, ir.Load)}
        return grows and is_node(key, self.given, self.module) and not read & written_arrays(self.given.body)

    def with_own_cells(self, found: Histogram) -> tuple[ir.KernelOp, ...]:
        names = FreshNames(names_in(self.given))
        sums = ir.Array(names.fresh("sum_of"), ir.Element.INT, ir.Extent.NODES, ir.Origin.THREAD)
        most, key, total = names.variables(ir.Element.INT, "most", "key", "sum")
        best, rest = _named(found, names)
        given, value = _added(found)
        beyond = build.either(
            build.greater(ir.Ref(total), ir.Ref(most)),
            build.both(build.equal(ir.Ref(total), ir.Ref(most)), build.less(ir.Ref(key), ir.Ref(best))),
        )
        add = (
            ir.Let(total, build.plus(ir.Load(sums, ir.Ref(key)), value)),
            ir.Store(sums, ir.Ref(key), ir.Ref(total)),
            ir.KernelIf(beyond, (ir.SetLocal(best, ir.Ref(key)), ir.SetLocal(most, ir.Ref(total)))),
        )
        clear = (ir.Store(sums, ir.Ref(key), build.ZERO),)
        adding: tuple[ir.KernelOp, ...] = (
            ir.Let(most, build.ZERO),
            _with(found.loop, ir.Let(key, given), add),
            _renamed(_with(found.loop, ir.Let(key, given), clear), names),
        )
        if self.short and (few := smallest_of_few(found.loop, given, best, names)):
            adding = (*few, ir.KernelIf(build.less(ir.Ref(best), build.ZERO), adding))
        return (*found.ahead, ir.Let(best, ir.Const(-1, best.element)), *adding, *rest)


def _named(found: Histogram, names: FreshNames) -> tuple[ir.Variable, tuple[ir.KernelOp, ...]]:
    """The local for the best key, and the rest, which asks that; a local that only takes it is the one."""
    first, *more = found.rest
    if isinstance(first, ir.Let) and first.value == found.best:
        best, rest = first.variable, tuple(more)
    else:
        best, rest = names.variable("best", ir.Element.NODE), found.rest
    return best, Replacer({found.best: ir.Ref(best)}).kernel_block(rest)


def _added(found: Histogram) -> tuple[ir.Expression, ir.Expression]:
    """The key and the value that are added for an arc."""
    (call,) = (op.call for op in walk_kernel((found.loop,)) if isinstance(op, ir.KernelCall))
    key, value = call.arguments[4:]
    assert not isinstance(key, ir.Array | ir.Variable)
    assert not isinstance(value, ir.Array | ir.Variable)
    return key, value


def _number(value: ir.Expression) -> float:
    """The value, if it is a number known here; else 0. What counts for both ways is twice a number."""
    match value:
        case ir.Const(number):
            return number
        case ir.Binary(ir.BinaryOperator.MULTIPLY, ir.Const(one), ir.Const(other)):
            return one * other
    return 0


def _with(loop: ir.KernelOp, key: ir.Let, ops: tuple[ir.KernelOp, ...]) -> ir.KernelOp:
    """The loop with these operations in place of the addition, for keys that are nodes."""
    there = build.at_least(ir.Ref(key.variable), build.ZERO)
    put = (key, ir.KernelIf(there, ops))
    (made,) = KernelRule(lambda op: put if isinstance(op, ir.KernelCall) else None).kernel_op(loop)
    return made


def _renamed(op: ir.KernelOp, names: FreshNames) -> ir.KernelOp:
    """The operation with other names for what it declares."""
    declared = (variable for inner in walk_kernel((op,)) for variable in declared_by(inner))
    fresh = {variable: names.variable(variable.name, variable.element) for variable in declared}
    (made,) = Renamer(fresh).kernel_op(op)
    return made
