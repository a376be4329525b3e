"""Step `filters`: rounds that ask all nodes whether a filter holds only ask those for which it has become true.

  loop                                        whole := True; passing := {}
    forall (v with state[v] == c              loop
                   && count[v] <= k)            if (whole) { passing := {}; forall (v with the filter) … }
      state[v] = k; …                           else { forall (v in passing) { leave passing; if (the filter) … } }
    …: count[w] -= 1                            whole = k == c
    k += 1                                      …: old = count[w]; count[w] -= 1;
                                                   if (old > k && old - 1 <= k) { passing += {w} }
                                                k += 1; whole = True

After a walk the filter holds for no node: each for which it held has stored what makes it false, unless k is c. From
then on, while the scalars of the filter are as they were, it becomes true for a node only by an addition to one of its
cells. Additions to a cell follow each other, so one of them finds the conditions on the cell false and leaves them
true, and that one adds the node.

Worth it where kernels are functions of the host: a round then takes as long as its changes, not as all nodes. Elsewhere
a round has one readback more, the number of nodes in the set, which takes about as long as asking all nodes.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir import build, conditions, nodes as ir, uses
from starplat.ir.capabilities import Capabilities
from starplat.ir.fresh_names import FreshNames
from starplat.ir.launches import changed, given_by, is_launched_once
from starplat.ir.module_rewriter import ModuleRewriter
from starplat.ir.rewriter import HostRule, KernelRule, Replacer, Rewriter
from starplat.ir.shapes.following import becomes_true
from starplat.ir.visitor import arrays_in, continues, walk_expression, walk_host, with_signature, written_arrays
from starplat.passes.memory import has_two_names
from starplat.schedule.queues.step import has_queues
from starplat.schedule.schedule import Frontier, Schedule
from starplat.schedule.step import Decided, for_kernels

_ASKED = (ir.Load, ir.Ref, ir.Const, ir.Binary, ir.Unary, ir.Cast)
"""What a filter may be made of."""


def only_newly_passing(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose rounds ask only such nodes, where the host calls kernels and these can keep lists of nodes."""
    lists = schedule.frontier in (Frontier.AUTO, Frontier.QUEUE) and has_queues(capabilities)
    if not capabilities.compiled_loops or not lists or schedule.keeps_flags(batches=capabilities.batches):
        return module
    if has_two_names(module):
        return module
    maker = _Maker(module)
    made = maker.module()
    why = "its filter becomes true only where a cell is added to, while its scalars stay"
    return for_kernels(module, made, maker.asked, "only nodes for which its filter has become true", why)


@dataclass(frozen=True)
class _Filter:
    """A kernel whose filter a round asks of all nodes.

    Attributes:
        scalars: those of the filter.
        counted: the arrays that are only added to, by their conditions.
        spoiled: when the kernel's own store does not make the filter false.
    """

    kernel: ir.Kernel
    scalars: frozenset[ir.Variable]
    counted: dict[ir.Array, ir.Expression]
    spoiled: ir.Expression


class _Maker(ModuleRewriter):
    """Rewrites loops; `asked` are the kernels that ask fewer nodes then."""

    def __init__(self, module: ir.Module) -> None:
        super().__init__(module)
        self.asked: list[str] = []

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.Loop) and op.driver is None:
            for launch in uses.stream(op.body):
                if isinstance(launch, ir.Launch) and (found := self._filter(launch, op)) is not None:
                    return self._rounds(op, launch, found)
        return (self.rebuild(op),)

    def _filter(self, launch: ir.Launch, loop: ir.Loop) -> _Filter | None:
        kernel = self.given.kernel(launch.kernel)
        found = _filter_of(kernel) if launch == ir.Launch(launch.kernel) else None
        if found is None or not is_launched_once(kernel.name, self.given):
            return None
        others = [op for op in walk_host((loop,)) if op is not launch]
        adds = any(isinstance(op, ir.Launch) and changed(op, self.given) & found.counted.keys() for op in others)
        return found if adds and all(self._keeps(op, found) for op in others) else None

    def _keeps(self, op: ir.HostOp, found: _Filter) -> bool:
        """Whether an operation of the loop changes the filter's value only as is provided for."""
        if isinstance(op, ir.OnDevice | ir.ChangeGraph):
            return False
        if set(given_by(op, self.given)) & found.scalars and not isinstance(op, ir.SetVariable):
            return False
        assert found.kernel.filter is not None
        touched = changed(op, self.given) & set(arrays_in(found.kernel.filter))
        if not touched:
            return True
        return isinstance(op, ir.Launch) and touched <= found.counted.keys() and self._only_adds(op, touched)

    def _only_adds(self, launch: ir.Launch, arrays: frozenset[ir.Array]) -> bool:
        kernel = self.given.kernel(launch.kernel)
        once = is_launched_once(kernel.name, self.given) and not launch.pull
        others = KernelRule(lambda op: () if _adds(op) else None).kernel_block(kernel.body)
        return once and kernel.name not in self.changed and not arrays & written_arrays(others)

    def _rounds(self, loop: ir.Loop, launch: ir.Launch, found: _Filter) -> tuple[ir.HostOp, ...]:
        """The loop, and what stands before it."""
        kernel = found.kernel
        assert kernel.filter is not None
        node, names = kernel.own, self.taken
        passing = names.array("passing", ir.Element.BOOL, ir.Extent.NODES)
        whole = names.variable("whole", ir.Element.BOOL)
        self.arrays.append(passing)
        self.asked.append(kernel.name)
        body = (ir.Store(passing, node, build.FALSE), ir.KernelIf(kernel.filter, kernel.body))
        listed = replace(kernel, name=names.fresh(f"{kernel.name}_passing"), filter=ir.Load(passing, node), body=body)
        self.kernels.append(with_signature(listed))
        for op in walk_host((loop,)):
            if isinstance(op, ir.Launch) and changed(op, self.given) & found.counted.keys():
                adding = self.given.kernel(op.kernel)
                self.changed[op.kernel] = _Adding(found, passing, adding, self.taken.inner()).kernel_now()
        all_of_them = (ir.Fill(passing, build.FALSE), launch)
        asking = (
            ir.HostIf(ir.Ref(whole), all_of_them, (ir.Launch(listed.name),)),
            ir.SetVariable(whole, found.spoiled),
        )
        behind = ir.SetVariable(whole, build.TRUE)

        def in_place(op: ir.HostOp) -> tuple[ir.HostOp, ...] | None:
            """What asks in place of the launch, and a note behind whatever sets a scalar of the filter."""
            if op is launch:
                return asking
            return (op, behind) if isinstance(op, ir.SetVariable) and op.variable in found.scalars else None

        made = HostRule(in_place).rebuild(loop)
        return ir.DeclareVariable(whole, build.TRUE), ir.Fill(passing, build.FALSE), made


class _Adding(Rewriter):
    """Lets a kernel's additions tell for which nodes they make the conditions on their cell true."""

    def __init__(self, found: _Filter, passing: ir.Array, kernel: ir.Kernel, names: FreshNames) -> None:
        self.found, self.passing, self.given, self.names = found, passing, kernel, names

    def kernel_now(self) -> ir.Kernel:
        return with_signature(replace(self.given, body=self.kernel_block(self.given.body)))

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        if not isinstance(op, ir.UpdateCell) or op.array not in self.found.counted:
            return (self.rebuild(op),)
        old = self.names.variable(f"old_{op.array.name}", op.array.element)
        holds, cell = self.found.counted[op.array], ir.Load(op.array, self.found.kernel.own)
        add = ir.Store(self.passing, op.index, build.TRUE, shared=True)
        return (
            ir.Let(old, ir.Const(0, old.element)),
            ir.FetchAdd(old, op.array, op.index, op.value),
            ir.KernelIf(becomes_true(holds, cell, ir.Ref(old), op.value), (add,)),
        )


def _filter_of(kernel: ir.Kernel) -> _Filter | None:
    """The kernel's filter, if it asks only for a node's own cells and scalars, and the kernel makes it false itself."""
    if kernel.domain != ir.AllNodes() or kernel.filter is None or kernel.iterator is None or kernel.guard is not None:
        return None
    node, parts = kernel.own, tuple(walk_expression(kernel.filter))
    if not all(isinstance(part, _ASKED) and (not isinstance(part, ir.Load) or part.index == node) for part in parts):
        return None
    scalars = frozenset(part.variable for part in parts if isinstance(part, ir.Ref) and part != node)
    by_array: dict[ir.Array, list[ir.Expression]] = {}
    for condition in conditions.conjuncts(kernel.filter):
        if len(arrays := set(arrays_in(condition))) == 1:
            by_array.setdefault(arrays.pop(), []).append(condition)
    written = written_arrays(kernel.body)
    if len(stored := written & set(arrays_in(kernel.filter))) != 1 or continues(kernel.body):
        return None
    spoiled = _still_holds(kernel, by_array.get(next(iter(stored)), []), next(iter(stored)))
    counted = {array: build.both(*asked) for array, asked in by_array.items() if array.element.is_integer}
    counted = {array: asked for array, asked in counted.items() if array not in stored}
    return None if spoiled is None or not counted else _Filter(kernel, scalars, counted, spoiled)


def _still_holds(kernel: ir.Kernel, asked: Iterable[ir.Expression], array: ir.Array) -> ir.Expression | None:
    """What the scalars must be for a condition on a cell of the array to hold after the kernel's only store to it; None
    if that store is not made for every node, or the host cannot tell."""
    cell = ir.Load(array, kernel.own)
    rest = [op for op in kernel.body if not _stores(op, cell)]
    stores = [op for op in kernel.body if isinstance(op, ir.Store) and _stores(op, cell)]
    if len(stores) != 1 or array in written_arrays(tuple(rest)):
        return None
    value = stores[0].value
    if not isinstance(value, ir.Const) and not (isinstance(value, ir.Ref) and value.variable in kernel.scalars):
        return None
    for condition in (Replacer({cell: value}).expression(condition) for condition in asked):
        match condition:
            case ir.Const(False) | ir.Unary(ir.UnaryOperator.NOT, ir.Const(True)):
                return build.FALSE
            case ir.Binary(ir.BinaryOperator.EQUAL, ir.Const(one), ir.Const(other)) if one != other:
                return build.FALSE
            case ir.Binary(ir.BinaryOperator.EQUAL, ir.Ref(), ir.Const()):
                return condition
    return None


def _stores(op: ir.KernelOp, cell: ir.Load) -> bool:
    return isinstance(op, ir.Store) and (op.array, op.index) == (cell.array, cell.index) and not op.shared


def _adds(op: ir.KernelOp) -> bool:
    """Whether an operation adds to an integer of some cell a number that is at hand."""
    return (
        isinstance(op, ir.UpdateCell)
        and op.combine is ir.Combine.ADD
        and isinstance(op.value, ir.Const | ir.Ref)
        and op.value.element is op.array.element
    )
