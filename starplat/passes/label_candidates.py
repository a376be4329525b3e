"""A host loop of plain operations, and what can be said of it and of what stands around it, operation by operation.

Takes a loop and its function; `label_loops` asks the questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from starplat.ir.nodes import (
    Array,
    CheckCell,
    CompareSwap,
    Const,
    CopyArray,
    DeclareVariable,
    Element,
    Extent,
    ExtremeCell,
    FetchAdd,
    FetchOr,
    Fill,
    HostFunction,
    HostOp,
    HostWhile,
    Kernel,
    Launch,
    Load,
    Module,
    Origin,
    ReadCell,
    Ref,
    SetVariable,
    Store,
    Swap,
    Unary,
    UnaryOperator,
    UpdateCell,
    Variable,
    WriteCell,
)
from starplat.ir.rewriter import map_expression
from starplat.ir.uses import Use, stream, use
from starplat.ir.visitor import (
    all_expressions,
    arrays_in,
    expressions_of,
    walk_expression,
    walk_host,
    walk_kernel,
    written_arrays,
)
from starplat.passes.label_kernels import sets_all, starts_as_itself, stored_everywhere
from starplat.passes.orders import Labels
from starplat.passes.truth import Truths, truth

_ROUND = (DeclareVariable, SetVariable, Launch, Fill, Swap, CopyArray)
_OWN = (Origin.LOCAL, Origin.TEMPORARY)


@dataclass
class Candidate:
    """A loop and what stands before it in its row."""

    module: Module
    function: HostFunction
    before: tuple[HostOp, ...]
    loop: HostWhile
    round: tuple[HostOp, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.round = (*stream(self.loop.body), *stream(self.loop.before))

    def is_plain(self) -> bool:
        """Whether its rounds are made of plain operations, and the first surely runs."""
        if not all(isinstance(op, _ROUND) for op in self.round):
            return False
        runs = truth(self.loop.condition, self.values_before()) is True
        return self.loop.test_last or (runs and not self.loop.before)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        return tuple(self.module.kernel(op.kernel) for op in self.round if isinstance(op, Launch))

    def values_before(self) -> Truths:
        """What is known of host variables when the loop begins."""
        known: Truths = {}
        for op in self.before:
            if isinstance(op, DeclareVariable | SetVariable):
                known[op.variable] = truth(op.value, known)
            elif isinstance(op, Launch):
                known.update(dict.fromkeys((r.variable for r in self.module.kernel(op.kernel).reductions), None))
            elif isinstance(op, ReadCell):
                known[op.variable] = None
            elif not isinstance(op, (*_ROUND, WriteCell, CheckCell)):
                known = {}
        return known

    def starting_as_themselves(self) -> Iterator[Array]:
        """The arrays of nodes that hold every node's own number when the loop begins, and that it writes."""
        for array in self.of_nodes((Element.NODE, Element.INT)):
            kernel = self.last_writer(array)
            if isinstance(kernel, Kernel) and starts_as_itself(kernel, array):
                yield array

    def of_nodes(self, elements: tuple[Element, ...]) -> Iterator[Array]:
        """The arrays with a value of such a type for each node that the loop's kernels write, and nobody else in it."""
        for array in dict.fromkeys(array for kernel in self.kernels for array in sorted_arrays(kernel)):
            touched = any(array in arrays_in(op) for op in self.round)
            if array.element in elements and array.extent is Extent.NODES and not touched:
                yield array

    def judged(self, kernel: Kernel, labels: Labels) -> Kernel:
        """The kernel with its filter as a launch just before judges it. Labels may have become better since, so this is
        for kernels that only let better ones win: whose label has changed is looked at again."""
        stores = [op for op in walk_kernel(kernel.body) if isinstance(op, Store) and op.array == labels.array]
        if any(op.value != labels.best for op in stores):
            return kernel
        place = next(i for i, op in enumerate(self.round) if isinstance(op, Launch) and op.kernel == kernel.name)
        before = self.round[place - 1] if place else None
        if not (isinstance(before, Launch) and isinstance(kernel.filter, Load) and kernel.iterator is not None):
            return kernel
        judge = self.module.kernel(before.kernel)
        chosen = stored_everywhere(judge, kernel.filter.array)
        alone = judge.iterator is not None and written_arrays(judge.body) == {kernel.filter.array}
        if chosen is None or not alone or kernel.filter.index != Ref(kernel.iterator) or judge.iterator is None:
            return kernel
        names = {part.variable for part in walk_expression(chosen) if isinstance(part, Ref)}
        if not names <= {judge.iterator, *judge.scalars}:
            return kernel
        own, mine = Ref(judge.iterator), Ref(kernel.iterator)
        return replace(kernel, filter=map_expression(lambda part: mine if part == own else part, chosen))

    def last_writer(self, array: Array) -> Kernel | Fill | None:
        """What gave the array its contents before the loop; None if that is not plain."""
        for op in reversed(self.before):
            if isinstance(op, Launch):
                kernel = self.module.kernel(op.kernel)
                if array in written_arrays(kernel.body):
                    return kernel
            elif isinstance(op, Fill) and op.array == array:
                return op
            elif use(op, array, self.module) is not Use.NONE:
                return None
        return None

    def own_start(self, array: Array) -> Launch | None:
        """The launch that writes the array last before the loop, if that is all it does and nobody looks in between."""
        for op in reversed(self.before):
            if isinstance(op, Launch) and array in self.module.kernel(op.kernel).arrays:
                kernel = self.module.kernel(op.kernel)
                return op if kernel.arrays == (array,) and not kernel.reductions else None
            if use(op, array, self.module) is not Use.NONE:
                return None
        return None

    def holds_at_first(self, array: Array, value: bool) -> bool:
        """Whether every flag of the array has this value when the loop begins."""
        writer = self.last_writer(array)
        if isinstance(writer, Fill):
            return writer.value == Const(value, Element.BOOL)
        return isinstance(writer, Kernel) and sets_all(writer, array, value)

    def outside(self) -> Iterator[HostOp]:
        """All operations of the function that are no part of the loop."""
        inside = {id(op) for op in walk_host((self.loop,))}
        return (op for op in walk_host(self.function.body) if id(op) not in inside)

    def ends_of_variables(self, quiet: Truths) -> Iterator[HostOp | None]:
        """What sets the variables that are looked at later; None for one of which it is not known what it holds.

        Args:
            quiet: what is known of them at the end of the last round.
        """
        assigned: dict[Variable, None] = {}
        declared = set()
        for op in self.round:
            if isinstance(op, DeclareVariable):
                declared.add(op.variable)
            elif isinstance(op, SetVariable):
                assigned[op.variable] = None
            elif isinstance(op, Launch):
                assigned.update((r.variable, None) for r in self.module.kernel(op.kernel).reductions)
        known = dict(quiet)
        match self.loop.condition:
            case Ref(variable):
                known[variable] = False
            case Unary(UnaryOperator.NOT, Ref(variable)):
                known[variable] = True
        for variable in assigned:
            if variable not in declared and self._is_read_later(variable):
                value = known.get(variable)
                yield None if value is None else SetVariable(variable, Const(value, Element.BOOL))

    def _is_read_later(self, variable: Variable) -> bool:
        if any(p.what == variable and p.by_reference for p in self.function.parameters):
            return True
        for op in self.outside():
            if isinstance(op, Launch):
                kernel = self.module.kernel(op.kernel)
                if variable in kernel.scalars or any(r.variable == variable for r in kernel.reductions):
                    return True
            parts = (part for e in expressions_of(op) for part in walk_expression(e))
            if any(isinstance(part, Ref) and part.variable == variable for part in parts):
                return True
            if variable in getattr(op, "arguments", ()):
                return True
        return False

    def ends_of_arrays(self, labels: Array, marks: tuple[Array, ...]) -> Iterator[HostOp | None]:
        """What fills the arrays that are looked at later: marks, which are gone; None for others."""
        written: dict[Array, None] = {}
        for op in self.round:
            if isinstance(op, Launch):
                written.update(dict.fromkeys(sorted_arrays(self.module.kernel(op.kernel))))
            else:
                written.update(dict.fromkeys(arrays_in(op)))
        for array in written:
            if array != labels and (array.origin not in _OWN or self._is_looked_at(array)):
                gone = marks and array == marks[0]
                yield Fill(array, Const(False, Element.BOOL)) if gone else None

    def _is_looked_at(self, array: Array) -> bool:
        return any(_reads(op, array, self.module) for op in self.outside())


def sorted_arrays(kernel: Kernel) -> list[Array]:
    """What the kernel writes, in the order of its parameters."""
    written = written_arrays(kernel.body)
    return [array for array in kernel.arrays if array in written]


def _reads(op: HostOp, array: Array, module: Module) -> bool:
    """Whether the operation by itself looks at the array's cells."""
    match op:
        case Fill():
            return False
        case CopyArray(_, source):
            return source == array
        case Launch(name):
            kernel = module.kernel(name)
            filters = () if kernel.filter is None else tuple(walk_expression(kernel.filter))
            parts = (*all_expressions(kernel.body), *filters)
            read = any(array in arrays_in(part) for part in parts)
            updates = (UpdateCell, ExtremeCell, FetchAdd, FetchOr, CompareSwap)
            return read or any(isinstance(o, updates) and array in arrays_in(o) for o in walk_kernel(kernel.body))
        case _:
            return array in arrays_in(op) or array in getattr(op, "arguments", ())
