"""A host loop of plain operations, and what can be said of it and of what stands around it, operation by operation.

Takes a loop and its function; `loops` asks the questions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.launches import scalars_read, set_by
from starplat.ir.rewriter import map_expression
from starplat.ir.uses import Use, stream, use
from starplat.ir.visitor import (
    all_expressions,
    arrays_in,
    declared_by,
    variables_read,
    walk_around,
    walk_expression,
    walk_kernel,
    written_arrays,
)
from starplat.passes.labels.kernels import sets_all, starts_as_itself, stored_everywhere
from starplat.passes.labels.orders import Labels
from starplat.passes.labels.truth import Truths, truth

_ROUND = (ir.DeclareVariable, ir.SetVariable, ir.Launch, ir.Fill, ir.Swap, ir.CopyArray)
_OWN = (ir.Origin.LOCAL, ir.Origin.TEMPORARY)


@dataclass
class Candidate:
    """A loop and what stands before it in its row."""

    module: ir.Module
    function: ir.HostFunction
    before: tuple[ir.HostOp, ...]
    loop: ir.Loop
    round: tuple[ir.HostOp, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.round = (*stream(self.loop.body), *stream(self.loop.step), *stream(self.loop.before))

    def is_plain(self) -> bool:
        """Whether its rounds are made of plain operations, and the first surely runs."""
        if not all(isinstance(op, _ROUND) for op in self.round):
            return False
        runs = truth(self.loop.condition, self.values_before()) is True
        return self.loop.test_last or (runs and not self.loop.before)

    @property
    def kernels(self) -> tuple[ir.Kernel, ...]:
        return tuple(self.module.kernel(op.kernel) for op in self.round if isinstance(op, ir.Launch))

    def values_before(self) -> Truths:
        """What is known of host variables when the loop begins."""
        known: Truths = {}
        for op in self.before:
            if isinstance(op, ir.DeclareVariable | ir.SetVariable):
                known[op.variable] = truth(op.value, known)
            elif isinstance(op, ir.Launch):
                known.update(dict.fromkeys((r.variable for r in self.module.kernel(op.kernel).reductions), None))
            elif isinstance(op, ir.ReadCell):
                known[op.variable] = None
            elif not isinstance(op, (*_ROUND, ir.WriteCell, ir.CheckCell)):
                known = {}
        return known

    def starting_as_themselves(self) -> Iterator[ir.Array]:
        """The arrays of nodes that hold every node's own number when the loop begins, and that it writes."""
        for array in self.of_nodes((ir.Element.NODE, ir.Element.INT)):
            kernel = self.last_writer(array)
            if isinstance(kernel, ir.Kernel) and starts_as_itself(kernel, array):
                yield array

    def of_nodes(self, elements: tuple[ir.Element, ...]) -> Iterator[ir.Array]:
        """The arrays with a value of such a type for each node that only the loop's kernels write in it."""
        for array in dict.fromkeys(array for kernel in self.kernels for array in sorted_arrays(kernel)):
            touched = any(array in arrays_in(op) for op in self.round)
            if array.element in elements and array.extent is ir.Extent.NODES and not touched:
                yield array

    def judged(self, kernel: ir.Kernel, labels: Labels) -> ir.Kernel:
        """The kernel with its filter as a launch just before judges it. Labels may have become better since, so this is
        for kernels that only let better ones win: a node with a changed label is visited again."""
        stores = [op for op in walk_kernel(kernel.body) if isinstance(op, ir.Store) and op.array == labels.array]
        if any(op.value != labels.best for op in stores):
            return kernel
        place = next(i for i, op in enumerate(self.round) if isinstance(op, ir.Launch) and op.kernel == kernel.name)
        before = self.round[place - 1] if place else None
        if not (isinstance(before, ir.Launch) and isinstance(kernel.filter, ir.Load) and kernel.iterator is not None):
            return kernel
        judge = self.module.kernel(before.kernel)
        chosen = stored_everywhere(judge, kernel.filter.array)
        alone = judge.iterator is not None and written_arrays(judge.body) == {kernel.filter.array}
        if chosen is None or not alone or kernel.filter.index != ir.Ref(kernel.iterator) or judge.iterator is None:
            return kernel
        names = variables_read(chosen)
        if not names <= {judge.iterator, *judge.scalars}:
            return kernel
        own, mine = ir.Ref(judge.iterator), ir.Ref(kernel.iterator)
        return replace(kernel, filter=map_expression(lambda part: mine if part == own else part, chosen))

    def last_writer(self, array: ir.Array) -> ir.Kernel | ir.Fill | None:
        """What gave the array its contents before the loop; None if that is not plain."""
        for op in reversed(self.before):
            if isinstance(op, ir.Launch):
                kernel = self.module.kernel(op.kernel)
                if array in written_arrays(kernel.body):
                    return kernel
            elif isinstance(op, ir.Fill) and op.array == array:
                return op
            elif use(op, array, self.module) is not Use.NONE:
                return None
        return None

    def own_start(self, array: ir.Array) -> ir.Launch | None:
        """The launch that writes the array last before the loop, if that is all it does and nothing reads it in
        between."""
        for op in reversed(self.before):
            if isinstance(op, ir.Launch) and array in self.module.kernel(op.kernel).arrays:
                kernel = self.module.kernel(op.kernel)
                return op if kernel.arrays == (array,) and not kernel.reductions else None
            if use(op, array, self.module) is not Use.NONE:
                return None
        return None

    def holds_at_first(self, array: ir.Array, value: bool) -> bool:
        """Whether every flag of the array has this value when the loop begins."""
        writer = self.last_writer(array)
        if isinstance(writer, ir.Fill):
            return writer.value == ir.Const(value, ir.Element.BOOL)
        return isinstance(writer, ir.Kernel) and sets_all(writer, array, value)

    def outside(self) -> Iterator[ir.HostOp]:
        """All operations of the function that are no part of the loop."""
        return walk_around(self.function.body, self.loop)

    def ends_of_variables(self, quiet: Truths) -> Iterator[ir.HostOp | None]:
        """What sets the variables that are looked at later; None for one of which it is not known what it holds.

        Args:
            quiet: what is known of them at the end of the last round.
        """
        declared = {variable for op in self.round for variable in declared_by(op)}
        assigned = dict.fromkeys(variable for op in self.round for variable in set_by(op, self.module))
        known = dict(quiet)
        match self.loop.condition:
            case ir.Ref(variable):
                known[variable] = False
            case ir.Unary(ir.UnaryOperator.NOT, ir.Ref(variable)):
                known[variable] = True
        for variable in assigned:
            if variable not in declared and self._is_read_later(variable):
                value = known.get(variable)
                yield None if value is None else ir.SetVariable(variable, ir.Const(value, ir.Element.BOOL))

    def _is_read_later(self, variable: ir.Variable) -> bool:
        if any(p.what == variable and p.by_reference for p in self.function.parameters):
            return True
        return variable in scalars_read(self.outside(), self.module)

    def ends_of_arrays(self, labels: ir.Array, marks: tuple[ir.Array, ...]) -> Iterator[ir.HostOp | None]:
        """What fills the arrays that are looked at later: marks, which are gone; None for others."""
        written: dict[ir.Array, None] = {}
        for op in self.round:
            if isinstance(op, ir.Launch):
                written.update(dict.fromkeys(sorted_arrays(self.module.kernel(op.kernel))))
            else:
                written.update(dict.fromkeys(arrays_in(op)))
        for array in written:
            if array != labels and (array.origin not in _OWN or self._is_looked_at(array)):
                gone = marks and array == marks[0]
                yield ir.Fill(array, build.FALSE) if gone else None

    def _is_looked_at(self, array: ir.Array) -> bool:
        return any(_reads(op, array, self.module) for op in self.outside())


def sorted_arrays(kernel: ir.Kernel) -> list[ir.Array]:
    """What the kernel writes, in the order of its parameters."""
    written = written_arrays(kernel.body)
    return [array for array in kernel.arrays if array in written]


def _reads(op: ir.HostOp, array: ir.Array, module: ir.Module) -> bool:
    """Whether the operation by itself looks at the array's cells."""
    match op:
        case ir.Fill():
            return False
        case ir.CopyArray(_, source):
            return source == array
        case ir.Launch(name):
            kernel = module.kernel(name)
            filters = () if kernel.filter is None else tuple(walk_expression(kernel.filter))
            parts = (*all_expressions(kernel.body), *filters)
            read = any(array in arrays_in(part) for part in parts)
            updates = (ir.UpdateCell, ir.ExtremeCell, ir.FetchAdd, ir.FetchOr, ir.CompareSwap)
            return read or any(isinstance(o, updates) and array in arrays_in(o) for o in walk_kernel(kernel.body))
        case _:
            return array in arrays_in(op) or array in getattr(op, "arguments", ())
