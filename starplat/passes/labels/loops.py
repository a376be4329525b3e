"""Recognises host loops that let the best label of each component win, however they are spelled.

Takes a module's host function, gives its `LabelLoop`s. What is proved for each of them, from the operations alone:

- every node's label is the node itself when the loop begins, or labels are any values, truths among them;
- a kernel of the loop changes labels only for better ones of the same component (`kernels`);
- if the loop ends, then no arc has a better label at its one end than at its other. Either a kernel that looks at every
  arc signals what it finds and the loop goes on after a signal, or every change marks a node, only marked nodes need to
  be looked at, and the loop goes on while there are marks; nodes without a mark at first have the worst label;
- nothing else that the loop leaves behind is looked at later, or it is known (`ends`).

If arcs are followed one way only (`both_ways` is False), the best label of a component wins if its node reaches all
others along arcs, and the replacement has to ensure that.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.uses import rows
from starplat.ir.visitor import written_arrays
from starplat.passes.labels.candidates import Candidate
from starplat.passes.labels.kernels import clears_its_own, flattens, sets_all, summary
from starplat.passes.labels.orders import Labels
from starplat.passes.labels.proofs import Ways, marked_ways, quiet_ways, told_of_changes
from starplat.passes.labels.starts import Start, covers, start_of
from starplat.passes.labels.truth import Truths, truth
from starplat.passes.memory import has_two_names


@dataclass(frozen=True, slots=True)
class LabelLoop:
    """A loop, the labels that it works on, and what else it leaves behind.

    `start` is how labels begin, `begun_by` the launch that gives nodes themselves, if it is for nothing else.
    """

    loop: ir.Loop
    labels: Labels
    start: Start
    both_ways: bool
    ends: tuple[ir.HostOp, ...]
    kernels: tuple[ir.Kernel, ...]
    begun_by: ir.Launch | None


def label_loops(module: ir.Module, function: ir.HostFunction) -> tuple[LabelLoop, ...]:
    """The loops of a function that are proved to be such."""
    if has_two_names(module):
        return ()
    found = []
    for row in rows(function.body):
        for place, op in enumerate(row):
            if isinstance(op, ir.Loop):
                found += _proved(Candidate(module, function, row[:place], op))
    return tuple(found)


def _proved(candidate: Candidate) -> list[LabelLoop]:
    if not candidate.is_plain():
        return []
    for labels, start in _suspected(candidate):
        proof = _Proof(candidate, labels, start)
        found = proof.by_marks()
        if found is None or not found.both_ways:
            found = proof.by_signals() or found
        if found is not None:
            return [found]
    return []


def _suspected(candidate: Candidate) -> Iterator[tuple[Labels, Start]]:
    """Candidates for labels in a loop, those that are nodes first."""
    for array in candidate.starting_as_themselves():
        for extreme in (ir.Combine.MIN, ir.Combine.MAX):
            yield Labels(array, extreme), Start.NODES
    for array in candidate.of_nodes((ir.Element.NODE, ir.Element.INT, ir.Element.LONG, ir.Element.BOOL)):
        for extreme in (ir.Combine.MIN, ir.Combine.MAX):
            yield Labels(array, extreme, values=True), start_of(candidate, array)


class _Proof:
    """The proof that a loop lets the best label win."""

    def __init__(self, candidate: Candidate, labels: Labels, start: Start) -> None:
        assert labels.array is not None
        self.candidate, self.labels, self.array, self.start = candidate, labels, labels.array, start
        self.summaries = {
            kernel.name: summary(candidate.judged(kernel, labels), labels) for kernel in candidate.kernels
        }
        self.changing = [kernel for kernel in candidate.kernels if self.array in written_arrays(kernel.body)]
        self.is_sound = all(self.summaries[kernel.name] is not None for kernel in self.changing)

    # --- signals ---

    def by_signals(self) -> LabelLoop | None:
        """Kernels look at every arc and signal if there is anything to do."""
        if not self.is_sound:
            return None
        testers = {k.name: way for k in self.changing if (way := self.tested(k)) is not None}
        if not testers:
            return None
        alone = len(testers) == len(self.changing)
        ways = [(any(w.onward for w in testers.values()), any(w.back for w in testers.values()))] if alone else []
        ways += [(way.onward, way.back) for way in testers.values()]
        onward, back = max(ways, key=lambda way: way[0] + way[1])
        return self.found(onward and back, marks=()) if onward or back else None

    def tested(self, kernel: ir.Kernel) -> Ways | None:
        """What holds for all arcs if the loop ends after this kernel has run."""
        found = self.summaries[kernel.name]
        assert found is not None
        found = replace(found, labels=replace(self.labels, flat=self.is_flat_before(kernel)))
        for variable in dict.fromkeys(signal.to for signal in found.signals if isinstance(signal.to, ir.Variable)):
            if self.goes_on(kernel, {variable}, frozenset()):
                ways = quiet_ways(found, [signal for signal in found.signals if signal.to == variable])
                if ways is not None:
                    return ways
        return None

    def is_flat_before(self, kernel: ir.Kernel) -> bool:
        """Whether labels are their own labels whenever the kernel begins: the one before it sees to that."""
        before = self.summaries[self.changing[self.changing.index(kernel) - 1].name]
        return len(self.changing) > 1 and self.changing.count(kernel) == 1 and before is not None and flattens(before)

    # --- marks ---

    def by_marks(self) -> LabelLoop | None:
        """Every change marks a node, and marked nodes are looked at in the next round."""
        if not self.is_sound or len(self.changing) != 1:
            return None
        kernel = self.changing[0]
        found = self.summaries[kernel.name]
        assert found is not None
        marks = [s.to for s in found.signals if isinstance(s.to, ir.Array) and s.to.extent is ir.Extent.NODES]
        flags = [
            array for array in kernel.arrays if array.element is ir.Element.BOOL and array.extent is ir.Extent.NODES
        ]
        for marked in dict.fromkeys(marks):
            for active in flags:
                if active != marked and self.takes_turns(kernel, active, marked):
                    ways = marked_ways(found, active, marked)
                    told = told_of_changes(found)
                    if ways is not None and self.goes_on(kernel, told, frozenset((marked,))):
                        return self.found(ways.onward and ways.back, marks=(active, marked))
        return None

    def takes_turns(self, kernel: ir.Kernel, active: ir.Array, marked: ir.Array) -> bool:
        """Whether all nodes are active at first, and those that a round marks in the next one."""
        cleared = self.candidate.holds_at_first(marked, False)
        for clear_at_first in (True, False) if cleared else (False,):
            holds = {active: "active", **({marked: "clear"} if clear_at_first else {})}
            if not self._round_of_flags(holds, kernel, active, marked):
                continue
            if holds.get(active) == "marked" and (not clear_at_first or holds.get(marked) == "clear"):
                return covers(self.candidate, active, self.labels)
        return False

    def _round_of_flags(
        self, holds: dict[ir.Array, str], kernel: ir.Kernel, active: ir.Array, marked: ir.Array
    ) -> bool:
        """Follows what the flags hold through a round; False if the kernel does not find them as it must."""
        for op in self.candidate.round:
            match op:
                case ir.Fill(array, value):
                    holds[array] = "clear" if value == build.FALSE else "?"
                case ir.Swap(first, second):
                    holds[first], holds[second] = holds.get(second, "?"), holds.get(first, "?")
                case ir.CopyArray(destination, source):
                    holds[destination] = holds.get(source, "?")
                case ir.Launch(name):
                    launched = self.candidate.module.kernel(name)
                    found = self.summaries[kernel.name]
                    assert found is not None
                    clear = holds.get(marked) == "clear" or clears_its_own(kernel, found, marked)
                    if launched == kernel and not (clear and holds.get(active) == "active"):
                        return False
                    for array in written_arrays(launched.body):
                        holds[array] = "clear" if sets_all(launched, array, False) else "?"
                    if launched == kernel:
                        holds[marked] = "marked"
        return True

    # --- the end of the loop ---

    def goes_on(self, kernel: ir.Kernel, told: set[ir.Variable], marked: frozenset[ir.Array]) -> bool:
        """Whether the loop surely goes on after a round in which the kernel has told variables and marked nodes."""
        return truth(self.candidate.loop.condition, self.after_round(kernel, told, marked)) is True

    def after_round(self, kernel: ir.Kernel | None, told: set[ir.Variable], marked: frozenset[ir.Array]) -> Truths:
        """What is known of host variables at the end of such a round; with no kernel, of a round without any news."""
        known: Truths = {}
        for op in self.candidate.round:
            match op:
                case ir.DeclareVariable(variable, value) | ir.SetVariable(variable, value):
                    known[variable] = truth(value, known)
                case ir.Fill(array):
                    marked -= {array}
                case ir.Swap(first, second):
                    exchanged = {first: second, second: first}
                    marked = frozenset(exchanged.get(array, array) for array in marked)
                case ir.CopyArray(destination, source):
                    marked = marked - {destination} | ({destination} if source in marked else frozenset())
                case ir.Launch(name):
                    launched = self.candidate.module.kernel(name)
                    mine = launched == kernel
                    self._told_by(launched, told if mine else self._told_of(launched, marked), known)
                    marked -= frozenset() if mine else written_arrays(launched.body)
        return known

    def _told_by(self, kernel: ir.Kernel, told: set[ir.Variable], known: Truths) -> None:
        for reduction in kernel.reductions:
            combined = {ir.Combine.OR: True, ir.Combine.AND: False}.get(reduction.combine)
            if combined is None or not (reduction.variable in told or known.get(reduction.variable) is combined):
                known[reduction.variable] = None
            else:
                known[reduction.variable] = combined

    def _told_of(self, kernel: ir.Kernel, marked: frozenset[ir.Array]) -> set[ir.Variable]:
        """The variables that a kernel surely tells that there are marks."""
        found = self.summaries[kernel.name]
        if found is None or found.own is None:
            return set()
        seen = [ir.Load(array, found.own) for array in marked]
        signals = [signal for signal in found.signals if isinstance(signal.to, ir.Variable)]
        return {
            signal.to
            for signal in signals
            if isinstance(signal.to, ir.Variable) and any(self.labels.always(signal.condition, (one,)) for one in seen)
        }

    def found(self, both_ways: bool, marks: tuple[ir.Array, ...]) -> LabelLoop | None:
        """The loop, if all its other live results are known."""
        ends = [
            *self.candidate.ends_of_variables(self.after_round(None, set(), frozenset())),
            *self.candidate.ends_of_arrays(self.array, marks),
        ]
        known = [op for op in ends if op is not None]
        if len(known) < len(ends):
            return None
        begun_by = self.candidate.own_start(self.array) if self.start is Start.NODES else None
        return LabelLoop(
            self.candidate.loop, self.labels, self.start, both_ways, tuple(known), tuple(self.changing), begun_by
        )
