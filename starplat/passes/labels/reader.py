"""Reads a kernel's operations as changes of labels and signals, each with its condition.

Takes a kernel and the array of labels, fills a `Summary`. What it does not follow raises `NotFollowed`.
"""

from collections.abc import Iterable

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.visitor import all_expressions, arrays_in, assigned_variables, walk_expression, walk_kernel
from starplat.passes.labels.changes import Arc, Change, Fact, NotFollowed, Signal, Summary
from starplat.passes.labels.orders import Labels, all_of
from starplat.passes.labels.terms import Terms


class Reader:
    """Reads a kernel's operations in order."""

    def __init__(self, kernel: ir.Kernel, labels: Labels) -> None:
        assert labels.array is not None
        self.kernel = kernel
        self.labels = labels
        self.label: ir.Array = labels.array
        self.stores = False
        self.since = 0
        own = (
            ir.Ref(kernel.iterator) if isinstance(kernel.domain, ir.AllNodes) and kernel.iterator is not None else None
        )
        self.found = Summary(labels, own)
        self.ordered = {ir.Element.INT, ir.Element.NODE, labels.array.element}
        self.terms = Terms(labels)

    def read(self) -> None:
        self._refuse_what_changes_while_it_is_read()
        changing = [op for op in walk_kernel(self.kernel.body) if self.label in written_by(op)]
        self.stores = any(isinstance(op, ir.Store) and op.value != self.labels.best for op in changing)
        if self.stores and len(changing) > 1:
            raise NotFollowed  # a label that was read before the one may be worse than it is at the other
        match self.kernel.domain:
            case ir.AllNodes():
                assert self.found.own is not None
                self.terms.members.add(self.found.own)
            case ir.AllArcs():
                assert self.kernel.iterator is not None
                arc = ir.Ref(self.kernel.iterator)
                source, end = ir.Load(ir.SOURCES, arc), ir.CSR.neighbor(arc)
                self.terms.members.update((source, end))
                self.found.arcs.append(Arc(source, end))
            case _:
                raise NotFollowed
        condition = build.TRUE if self.kernel.filter is None else self.terms.of(self.kernel.filter)
        self.block(self.kernel.body, condition)

    def _refuse_what_changes_while_it_is_read(self) -> None:
        """Of what a kernel writes it may read the labels only; what other functions do is not followed."""
        expressions = list(all_expressions(self.kernel.body))
        read = {e.array for e in expressions if isinstance(e, ir.Load)} - set(ir.GRAPH_ARRAYS) - {self.label}
        if self.kernel.filter is not None:
            read |= set(arrays_in(self.kernel.filter)) - set(ir.GRAPH_ARRAYS) - {self.label}
        written = {array for op in walk_kernel(self.kernel.body) for array in written_by(op)}
        if read & written or any(isinstance(e, ir.CallFunction) for e in expressions):
            raise NotFollowed

    # --- operations ---

    def block(self, ops: Iterable[ir.KernelOp], condition: ir.Expression) -> None:
        for op in ops:
            self.op(op, condition)

    def op(self, op: ir.KernelOp, condition: ir.Expression) -> None:
        match op:
            case ir.Let(variable, value) | ir.SetLocal(variable, value):
                self.terms.known[variable] = self.terms.of(value)
            case ir.Store(array, index, value):
                if array == self.label:
                    wins = value == self.labels.best
                    self.found.changes.append(Change(self.terms.of(index), self.terms.of(value), condition, wins))
                elif value == build.TRUE:
                    self.found.signals.append(Signal(array, self.terms.of(index), condition, self.since))
                else:
                    self.found.others.add(array)
            case ir.UpdateCell(combine, array, index, value):
                self.update(combine, array, self.terms.of(index), self.terms.of(value), condition)
            case ir.ExtremeCell():
                self.extreme(op, condition)
            case ir.Contribute(reduction, value):
                self.contribute(reduction, self.terms.of(value), condition)
            case ir.KernelIf(test, then, otherwise):
                self.branch(self.terms.of(test), then, otherwise, condition)
            case ir.ForNeighbors():
                self.neighbors(op, condition)
            case ir.KernelWhile():
                self.loop(op, condition)
            case _:
                raise NotFollowed

    def update(
        self, combine: ir.Combine, array: ir.Array, node: ir.Expression, value: ir.Expression, condition: ir.Expression
    ) -> None:
        if array == self.label:
            if not self.labels.is_joined_by(combine):
                raise NotFollowed
            if (best := self.labels.best) is not None:
                condition, value = all_of((condition, value if best.value else build.denied(value))), best
            self.found.changes.append(Change(node, value, condition, wins=True))
        elif combine is ir.Combine.OR and array.element is ir.Element.BOOL:
            self.found.signals.append(Signal(array, node, all_of((condition, value)), self.now))
        else:
            self.found.others.add(array)

    def extreme(self, op: ir.ExtremeCell, condition: ir.Expression) -> None:
        node, value = self.terms.of(op.index), self.terms.of(op.candidate)
        won, at = all_of((condition, self.labels.beyond(value, ir.Load(op.array, node)))), self.now
        if op.array == self.label:
            if op.extreme is not self.labels.extreme:
                raise NotFollowed
            self.found.changes.append(Change(node, value, condition, wins=True))
        else:
            won = all_of((condition, self.terms.unknown(ir.Variable("won", ir.Element.BOOL))))
            self.found.others.add(op.array)
        for carry in op.carried:
            if carry.array == self.label:
                raise NotFollowed
            if carry.value == build.TRUE:
                self.found.signals.append(Signal(carry.array, self.terms.of(carry.index), won, at))
            else:
                self.found.others.add(carry.array)
        self.tested(at, op.also, won)

    def contribute(self, reduction: ir.Variable, value: ir.Expression, condition: ir.Expression) -> None:
        combine = next(r.combine for r in self.kernel.reductions if r.variable == reduction)
        after = self.since if isinstance(value, ir.Const) else self.now
        match combine:
            case ir.Combine.OR:
                self.found.signals.append(Signal(reduction, None, all_of((condition, value)), after))
            case ir.Combine.AND:
                denied = build.TRUE if value == build.FALSE else build.denied(value)
                self.found.signals.append(Signal(reduction, None, all_of((condition, denied)), after))
            case _:
                self.found.others.add(reduction)

    def branch(
        self,
        test: ir.Expression,
        then: tuple[ir.KernelOp, ...],
        otherwise: tuple[ir.KernelOp, ...],
        condition: ir.Expression,
    ) -> None:
        before, at = dict(self.terms.known), self.now
        self.tested(at, then, all_of((condition, test)))
        after_then, self.terms.known = self.terms.known, before
        self.tested(at, otherwise, all_of((condition, build.denied(test))))
        for variable, value in after_then.items():
            other = self.terms.known.get(variable, value)
            self.terms.known[variable] = value if value == other else ir.Select(test, value, other)

    @property
    def now(self) -> int:
        """The number of changes that the iteration has made."""
        return len(self.found.changes)

    def tested(self, at: int, ops: tuple[ir.KernelOp, ...], condition: ir.Expression) -> None:
        """Reads operations under a condition that is read after that many changes."""
        outside, self.since = self.since, at
        self.block(ops, condition)
        self.since = outside

    # --- loops ---

    def neighbors(self, op: ir.ForNeighbors, condition: ir.Expression) -> None:
        node, neighbor = self.terms.of(op.node), ir.Ref(op.neighbor)
        if not self.terms.is_member(node):
            raise NotFollowed
        out = op.direction is ir.Direction.OUT
        self.terms.aliases[op.direction.layout.neighbor(ir.Ref(op.position))] = neighbor
        self.terms.members.add(neighbor)
        if node == self.found.own:
            self.found.arcs.append(Arc(node, neighbor) if out else Arc(neighbor, node))
        condition = self._repeated(op.body, condition)
        before = self._unsettled(op.body)
        olds = {variable: self.terms.known[variable] for variable in before}
        self.block(op.body, condition)
        for variable, old in before.items():
            self._leave(variable, old, olds[variable], condition, build.TRUE, bound=ir.Load(self.label, neighbor))

    def loop(self, op: ir.KernelWhile, condition: ir.Expression) -> None:
        condition = self._repeated(op.body, condition)
        before = self._unsettled(op.body)
        first = self._before_loop(op, before)
        test = self.terms.of(op.condition)
        entered = build.TRUE if op.test_last else test
        olds = {variable: self.terms.known[variable] for variable in before}
        self.tested(self.now, op.body, all_of((condition, entered)))
        for variable, old in before.items():
            self._leave(variable, old, olds[variable], condition, entered, bound=None)
            unchanged = build.equal(self.terms.known[variable], old)
            self.fact(condition, build.either(first, unchanged))
        self.fact(condition, build.denied(self.terms.of(op.condition)))

    def _before_loop(self, op: ir.KernelWhile, before: dict[ir.Variable, ir.Expression]) -> ir.Expression:
        """Whether the loop's body runs at all, in terms of what its variables hold before."""
        if op.test_last:
            return build.TRUE
        inside, self.terms.known = self.terms.known, {**self.terms.known, **before}
        test = self.terms.of(op.condition)
        self.terms.known = inside
        return test

    def _repeated(self, body: tuple[ir.KernelOp, ...], condition: ir.Expression) -> ir.Expression:
        """What still holds in every round of a loop that stores labels: of labels that were read before it, nothing."""
        if not (self.stores and any(self.label in written_by(op) for op in walk_kernel(body))):
            return condition
        for variable, value in self.terms.known.items():
            if any(isinstance(part, ir.Load) and part.array == self.label for part in walk_expression(value)):
                self.terms.known[variable] = self.terms.renamed(variable, value)
        return condition if condition == build.TRUE else self.terms.unknown(ir.Variable("entered", ir.Element.BOOL))

    def _unsettled(self, body: tuple[ir.KernelOp, ...]) -> dict[ir.Variable, ir.Expression]:
        """Gives the variables that a loop's body changes names for what they hold in any round; returns what they held
        before the first."""
        changed = [v for v in assigned_variables(body) if v in self.terms.known]
        before = {variable: self.terms.known[variable] for variable in sorted(changed, key=lambda v: v.name)}
        for variable, value in before.items():
            self.terms.known[variable] = self.terms.renamed(variable, value)
        return before

    def _leave(
        self,
        variable: ir.Variable,
        before: ir.Expression,
        inside: ir.Expression,
        condition: ir.Expression,
        entered: ir.Expression,
        bound: ir.Expression | None,
    ) -> None:
        """What is known of a variable after a loop, one round of which makes of `inside` what is known now."""
        after = self.terms.known[variable]
        if not self.terms.is_as_own(after, inside):
            raise NotFollowed  # what was concluded from its being the component's own does not hold
        left = self.terms.known[variable] = self.terms.renamed(variable, inside)
        if variable.element not in self.ordered:
            return
        if not self.labels.always(self.labels.reaches(after, inside), (entered, *self.found.facts)):
            return
        self.fact(condition, self.labels.reaches(left, before))
        if bound is not None and self.labels.always(self.labels.reaches(after, bound), self.found.facts):
            self.fact(condition, self.labels.reaches(left, bound))

    def fact(self, condition: ir.Expression, holds: ir.Expression) -> None:
        """Notes what holds after a loop that runs under a condition."""
        told = holds if condition == build.TRUE else build.either(build.denied(condition), holds)
        self.found.noted.append(Fact(told, self.now))


def written_by(op: ir.KernelOp) -> tuple[ir.Array, ...]:
    """The arrays that an operation itself writes."""
    match op:
        case ir.ExtremeCell():
            return (op.array, *(carry.array for carry in op.carried))
        case _:
            array = getattr(op, "array", None)
            return (array,) if isinstance(array, ir.Array) else ()
