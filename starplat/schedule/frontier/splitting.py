"""Classifies a kernel's operations by part: cleared flags, nodes that leave, and the rest.

A part tests again what the kernel tested once: that is the same if no part in between has written it.
"""

from collections.abc import Iterable, Sequence, Set as AbstractSet
from dataclasses import dataclass, replace
from functools import reduce

from starplat.ir import build, nodes as ir, rewriter
from starplat.ir.conditions import conjunction, conjuncts, disjuncts, negated
from starplat.ir.shapes.members import flag_of
from starplat.ir.visitor import all_expressions, arrays_in, assigned_variables, blocks_of, walk_kernel, written_arrays
from starplat.schedule.frontier.filters import when_it_counts
from starplat.schedule.loop.drivers import is_safe

Conditions = tuple[ir.Expression, ...]


@dataclass(frozen=True, slots=True)
class Cleared:
    """All members leave the set."""

    array: ir.Array


@dataclass(frozen=True, slots=True)
class Lost:
    """Members for which all conditions hold leave the set, and do something unrelated to it."""

    array: ir.Array
    conditions: Conditions
    body: tuple[ir.KernelOp, ...] = ()


@dataclass(frozen=True, slots=True)
class Done:
    """The work of nodes for which all conditions hold."""

    conditions: Conditions
    body: tuple[ir.KernelOp, ...]


Part = Cleared | Lost | Done


class WholeError(Exception):
    """The kernel cannot be split."""


Given = tuple[tuple[ir.Expression, int], ...]
"""Conditions that hold, each with how much had been done when it was tested."""


class Splitter:
    """Goes through a kernel's operations and collects its `parts`; `written` says what each operation has written."""

    def __init__(self, kernel: ir.Kernel, flags: AbstractSet[ir.Array]) -> None:
        self.iterator, self.own = kernel.index, kernel.own
        self.flags = flags
        self.reductions = {reduction.variable: reduction.combine for reduction in kernel.reductions}
        self.assigned = assigned_variables(kernel.body)
        self.parts: list[Part] = []
        self.written: list[frozenset[ir.Array]] = []
        self.lets: dict[ir.Variable, tuple[ir.Expression, int]] = {}
        self.open: Given | None = None  # the conditions of the last part, if more can be done in it

    def block(self, ops: Iterable[ir.KernelOp], given: Given) -> None:
        for op in self.with_leaving_last(tuple(ops)):
            if isinstance(op, ir.Let) and self.is_own_cell(op):
                self.lets[op.variable] = self.plain(op.value), len(self.written)
            elif isinstance(op, ir.KernelIf):
                self.op(replace(op, condition=self.plain(op.condition)), given)
            else:
                self.op(self.all_plain(op), given)

    def with_leaving_last(self, ops: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
        """The operations, where a node leaves a set at the end if what comes after is unrelated to the set."""
        staying, leaving = list[ir.KernelOp](), list[ir.KernelOp]()
        for place, op in enumerate(ops):
            match op:
                case ir.Store(array, index, value) if (
                    array in self.flags and index == self.own and value == build.FALSE
                ):
                    alone = not any(array in arrays_in(later) for later in walk_kernel(ops[place + 1 :]))
                    (leaving if alone else staying).append(op)
                case _:
                    staying.append(op)
        return (*staying, *leaving)

    def is_own_cell(self, op: ir.Let) -> bool:
        """Whether a local is a cell of the node's own."""
        return self.is_own(op.value) and op.variable not in self.assigned

    def may_be_asked_anyway(self, condition: ir.Expression) -> bool:
        """Whether a condition can be evaluated where an earlier one has decided already: it reads only the node's own
        cells, which exist."""
        return is_safe(rewriter.map_expression(lambda e: ir.Const(1, e.element) if self.is_own(e) else e, condition))

    def is_own(self, expression: ir.Expression) -> bool:
        """Whether it is a cell of the node's own."""
        match expression:
            case ir.Load(array, index):
                return index == self.own and array.extent is ir.Extent.NODES
        return False

    def op(self, op: ir.KernelOp, given: Given) -> None:
        match op:
            case ir.Store(array, index, value) if array in self.flags and index == self.own and value != build.TRUE:
                self.stored(array, value, given)
            case ir.UpdateCell(ir.Combine.OR, array, index, value) if array in self.flags and index == self.own:
                self.add_any(array, list(disjuncts(value)), given)
            case ir.UpdateCell(ir.Combine.AND, array, index, value) if array in self.flags and index == self.own:
                self.lose(array, negated(value), given)
            case ir.KernelIf(condition, (ir.Store(array, index, ir.Const() as said),), (ir.Store() as other,)) if (
                array in self.flags
                and index == self.own
                and other == ir.Store(array, index, build.FALSE if said == build.TRUE else build.TRUE)
            ):
                self.stored(array, condition if said == build.TRUE else negated(condition), given)
            case ir.KernelIf(condition, then, otherwise) if self.concerns(op):
                now = len(self.written)
                self.block(then, (*given, *((c, now) for c in conjuncts(condition))))
                if otherwise:
                    self.block(otherwise, (*given, (negated(condition), now)))
            case ir.Contribute(variable, value):
                self.told(op, variable, value, given)
            case ir.KernelIf():
                self.rest(self.all_plain(op), given)
            case _:
                self.rest(op, given)

    def concerns(self, op: ir.KernelIf) -> bool:
        """Whether an `if` tests or changes flags."""
        return bool(self.flags & (_arrays_of(op.condition) | written_arrays((op,))))

    # --- parts -------------------------------------------------------------------------------------------------------

    def stored(self, array: ir.Array, value: ir.Expression, given: Given) -> None:
        """A flag becomes false, or what a condition says."""
        one_of = [c for c in conjuncts(value) if flag_of(c, self.iterator) != array]
        any_of = [c for c in disjuncts(value) if flag_of(c, self.iterator) != array]
        if value == build.FALSE:
            self.lose(array, None, given)
        elif array not in _arrays_of(value):
            if not any(flag_of(c, self.iterator) in self.flags for c in (*any_of, *one_of, *(g for g, _ in given))):
                raise WholeError  # all nodes have to be looked at anyway
            self.lose(array, negated(value) if given else None, given)
            self.add_any(array, list(disjuncts(value)), given)
        elif len(one_of) < len(list(conjuncts(value))):
            if (kept := conjunction(one_of)) is not None:
                self.lose(array, negated(kept), given)
        elif len(any_of) < len(list(disjuncts(value))) and all(map(self.may_be_asked_anyway, any_of)):
            self.add_any(array, any_of, given)
        else:
            raise WholeError

    def lose(self, array: ir.Array, condition: ir.Expression | None, given: Given) -> None:
        """The node is removed, if a condition holds."""
        last = self.parts[-1] if self.parts else None
        body: tuple[ir.KernelOp, ...] = ()
        if condition is None and isinstance(last, Done) and self.open is given and _is_beside(array, last.body):
            conditions, body = last.conditions, last.body
            self.parts.pop()
        else:
            conditions = (*self.still(given), *(() if condition is None else conjuncts(condition)))
        left = tuple(c for c in conditions if flag_of(c, self.iterator) != array)
        if any(array in _arrays_of(c) for c in left):
            raise WholeError
        if body and not left:
            self.part(Done(conditions, body), written_arrays(body))
        self.part(Lost(array, left, body) if left else Cleared(array), frozenset({array}))

    def add_any(self, array: ir.Array, conditions: Sequence[ir.Expression], given: Given) -> None:
        """The node is added, if any of the conditions holds: by a walk for each where they are sets, else at once."""
        walks = all(flag_of(condition, self.iterator) in self.flags for condition in conditions)
        for each in [[c] for c in conditions] if walks else [conditions]:
            asked = conjuncts(reduce(build.either, each))
            self.part(Done((*self.still(given), *asked), (ir.Store(array, self.own, build.TRUE),)), frozenset({array}))

    def told(self, op: ir.Contribute, variable: ir.Variable, value: ir.Expression, given: Given) -> None:
        """A value is contributed; one that makes no difference where a flag is not set is contributed by the flag's
        members."""
        combine = self.reductions[variable]
        match combine, value:
            case ir.Combine.ADD, ir.Select(condition, one, ir.Const(0)) if (
                flag_of(condition, self.iterator) in self.flags
            ):
                counts: ir.Expression | None = condition
                told = ir.Contribute(variable, one)
            case _:
                counts = when_it_counts(combine, value)
                told = ir.Contribute(variable, ir.Const(combine is ir.Combine.OR, ir.Element.BOOL))
        if counts is None or flag_of(counts, self.iterator) not in self.flags:
            self.rest(op, given)
        else:
            self.part(Done((*self.still(given), counts), (told,)), frozenset())

    def rest(self, op: ir.KernelOp, given: Given) -> None:
        """Something else, merged with the part before if it has the same conditions."""
        last = self.parts[-1] if self.parts else None
        if isinstance(last, Done) and self.open is given:
            self.parts[-1] = replace(last, body=(*last.body, op))
            self.written.append(written_arrays((op,)))
        else:
            self.part(Done(self.still(given), (op,)), written_arrays((op,)))
            self.open = given

    def part(self, part: Part, written: frozenset[ir.Array]) -> None:
        self.parts.append(part)
        self.written.append(written)
        self.open = None

    # --- what has been asked before ----------------------------------------------------------------------------------

    def still(self, given: Given) -> Conditions:
        """The conditions, whose value is still what it was when they were tested."""
        for condition, when in given:
            self.require_same(condition, when)
        return tuple(condition for condition, _ in given)

    def require_same(self, expression: ir.Expression, when: int) -> None:
        if any(_arrays_of(expression) & written for written in self.written[when:]):
            raise WholeError

    def plain(self, expression: ir.Expression) -> ir.Expression:
        """The expression with cells in place of the locals that hold them."""
        return _Plain(self).expression(expression)

    def all_plain(self, op: ir.KernelOp) -> ir.KernelOp:
        """The operation with cells in place of the locals that hold them; it must not write these cells before."""
        used = {e.variable for e in all_expressions((op,)) if isinstance(e, ir.Ref)} & set(self.lets)
        changed = written_arrays((op,)) if blocks_of(op) else frozenset()
        if any(changed & _arrays_of(self.lets[variable][0]) for variable in used):
            raise WholeError
        (plain,) = _Plain(self).kernel_block((op,))
        return plain


class _Plain(rewriter.Rewriter):
    def __init__(self, splitter: Splitter) -> None:
        self.splitter = splitter

    def expression(self, expression: ir.Expression) -> ir.Expression:
        if isinstance(expression, ir.Ref) and expression.variable in self.splitter.lets:
            value, when = self.splitter.lets[expression.variable]
            self.splitter.require_same(value, when)
            return value
        return self.rebuild(expression)


def _arrays_of(expression: ir.Expression) -> frozenset[ir.Array]:
    return frozenset(arrays_in(expression))


def _is_beside(array: ir.Array, ops: tuple[ir.KernelOp, ...]) -> bool:
    """Whether operations have nothing to do with a set, and go over no arcs, which threads could share elsewhere."""
    return not any(isinstance(op, ir.ForNeighbors) or array in arrays_in(op) for op in walk_kernel(ops))
