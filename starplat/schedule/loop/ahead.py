"""Step `ahead`: the last kernel of a round does what the next round begins with, where both look at a node alone.

  loop                                        forall (v) { sum_next += …; given[v] = f(value[v]) }
    sum := 0                                  loop
    forall (v) { sum += …;                      sum := sum_next; sum_next := 0
                 given[v] = f(value[v]) }       forall (v) { value[v] = … given[w] …;
    forall (v) { value[v] = … given[w] … }                   sum_next += …; given_next[v] = f(value[v]) }
                                                swap given, given_next

A round of a persistent kernel has a barrier and a pass over the nodes less then. The first kernel runs once more,
so a loop inside another one, which may have few rounds, stays as it is; and what it leaves must be looked at in rounds
alone, and it must not fail. Where the host drives rounds, it waits for other things, and nothing is changed. A kernel
that sums rows takes registers for what it does besides, so that fewer blocks have room: it begins the next round only
on small graphs, which have few blocks anyway, where rows are so short that a thread has several at once, and where it
adds up the last part of its sums.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from starplat.ir import nodes as ir, uses, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import given_by, is_launched_once, read_by, set_by, touched
from starplat.ir.rewriter import ArrayRule, Renamer
from starplat.passes.cells import kernel_accesses, own_cells
from starplat.passes.forwarding import forwarded
from starplat.passes.joining import has_loop, joined
from starplat.passes.memory import Memory, has_two_names
from starplat.schedule.facts import GraphFacts
from starplat.schedule.loop.copies import make_persistent, overwrites
from starplat.schedule.loop.drivers import Grid
from starplat.schedule.loop.step import is_small
from starplat.schedule.parts import adds_a_part, gathered
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Choice, Decided, Decider

_SIMPLE = (ir.DeclareVariable, ir.SetVariable)


def begun_ahead(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> ir.Module | Decided:
    """The module whose rounds begin at the end of those before, where loops become persistent kernels."""
    small = facts is not None and is_small(facts.num_nodes, facts.num_arcs)
    persistent = make_persistent(module, schedule, capabilities)
    short = facts is not None and facts.has_short_rows
    return _Turner(module, small=small, short=short).decided() if persistent else module


def may_begin_ahead(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether it may make a difference that a graph is small."""
    return (
        capabilities.grid_barrier and not has_two_names(module) and bool(_Turner(module, small=True).decided().choices)
    )


class _Turner(Decider):
    """Rewrites the loops of host functions that are in no other loop."""

    at: ir.HostFunction

    def __init__(self, module: ir.Module, *, small: bool, short: bool = False) -> None:
        super().__init__(module)
        self.small, self.short = small, short

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        self.at = function
        return super().function(function)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if not isinstance(op, ir.HostLoop):
            return (self.rebuild(op),)
        if not isinstance(op, ir.Loop | ir.HostForRange) or (isinstance(op, ir.Loop) and (op.settles or op.spreading)):
            return (op,)
        return self.turned(op, tuple(uses.stream(op.body))) or (op,)

    def turned(self, loop: ir.Loop | ir.HostForRange, row: Sequence[ir.HostOp]) -> tuple[ir.HostOp, ...] | None:
        """The loop with its first kernel at the end, and what stands before it; None if that may not be."""
        launches = [place for place, op in enumerate(row) if isinstance(op, ir.Launch)]
        if len(launches) < 2:
            return None
        start, end, inside = launches[0], launches[-1], tuple(visitor.walk_host((loop,)))
        begin, last = self.launched(row[start]), self.launched(row[end])
        around = loop.before + loop.step if isinstance(loop, ir.Loop) else ()
        starts = {op.variable: op.value for op in row[:start] if isinstance(op, ir.DeclareVariable)}
        sums = {reduction.variable for reduction in begin.reductions}
        if (
            all(isinstance(op, _SIMPLE) for op in (*row[:start], *around))
            and all(isinstance(op, (*_SIMPLE, ir.Swap)) for op in row[end + 1 :])
            and not any(isinstance(op, ir.HostReturn | ir.HostBreak | ir.HostContinue) for op in inside)
            and all(isinstance(starts.get(variable), ir.Const) for variable in sums)
            and not any(sums & {*read_by(op, self.given), *set_by(op, self.given)} for op in row[:start])
            and not any(set(given_by(op, self.given)) & set(begin.scalars) for op in inside)
            and last.filter is None
            and (self.small or not has_loop(last) or adds_a_part(last) or (self.short and gathered(last) is not None))
            and self.is_spare(begin, loop)
            and Grid(self.given, frozenset()).obstacle(loop) is None
            and all(is_launched_once(kernel.name, self.given) for kernel in (begin, last))
        ):
            return self.with_turn(loop, row, start, end)
        return None

    def launched(self, op: ir.HostOp) -> ir.Kernel:
        assert isinstance(op, ir.Launch)
        return self.given.kernel(op.kernel)

    def is_spare(self, begin: ir.Kernel, loop: ir.Loop | ir.HostForRange) -> bool:
        """Whether it makes no difference that a kernel runs once more: it cannot fail, and all cells that it writes it
        overwrites, in arrays that rounds alone look at."""
        written, own, ends = visitor.written_arrays(begin.body), own_cells(begin), _ends_of_rows(begin)
        expressions = [e for op in visitor.walk_kernel(begin.body) for e in visitor.expressions_of(op)]
        expressions += () if begin.filter is None else (begin.filter,)
        parts = [part for expression in expressions for part in visitor.walk_expression(expression)]
        swapped = {array for op in uses.stream(loop.body) if isinstance(op, ir.Swap) for array in (op.first, op.second)}
        around = [op for op in visitor.walk_around(self.at.body, loop) if written & set(touched(op, self.given))]
        return (
            not has_loop(begin)
            and not any(_may_fail(part) for part in parts)
            and not any(isinstance(part, ir.Load) and part.array.element is ir.Element.BOOL for part in parts)
            and all(own.has(a.array, a.index) or (a.array, a.index) in ends for a in kernel_accesses(begin))
            and all(array in self.at.arrays and overwrites(begin, array) for array in written)
            and not any(array.element is ir.Element.BOOL for array in written)
            and not written & swapped
            and all(isinstance(op, ir.Fill) for op in around)
        )

    def with_turn(
        self, loop: ir.Loop | ir.HostForRange, row: Sequence[ir.HostOp], start: int, end: int
    ) -> tuple[ir.HostOp, ...] | None:
        begin, last = self.launched(row[start]), self.launched(row[end])
        met = sorted(visitor.written_arrays(begin.body) & set(last.arrays), key=lambda array: array.name)
        both = {array: self.taken.array(f"{array.name}_next", array.element, array.extent) for array in met}
        sums = [reduction.variable for reduction in begin.reductions]
        later = {variable: self.taken.variable(f"{variable.name}_next", variable.element) for variable in sums}
        first, memory = Renamer(later).kernel(begin), Memory(self.given)
        again = ArrayRule(lambda array: both.get(array, array)).kernel(first)
        for op in reversed(row[end + 1 :]):
            if isinstance(op, ir.Swap):
                again = _exchanged(again, op)
        made = joined(last, again, memory)
        if made is None:
            return None
        self.arrays += both.values()
        self.changed[begin.name] = first
        comment = "; ".join((*filter(None, (last.comment,)), f"then '{begin.name}' for the next round"))
        self.changed[last.name] = replace(forwarded(made, memory), comment=comment)
        declared = [op for op in row[:start] if isinstance(op, ir.DeclareVariable) and op.variable in later]
        anew = [ir.DeclareVariable(later[op.variable], op.value) for op in declared]
        found = [ir.SetVariable(variable, ir.Ref(other)) for variable, other in later.items()]
        found += [ir.SetVariable(op.variable, op.value) for op in anew]
        swaps = (ir.Swap(array, other) for array, other in both.items())
        body = (*row[:start], *found, *row[start + 1 : end + 1], *swaps, *row[end + 1 :])
        what, why = f"{last.name}: begins the next round", f"'{begin.name}' looks at the same nodes alone"
        self.choices.append(Choice(what, why))
        return (*anew, row[start], replace(loop, body=body))


def _exchanged(kernel: ir.Kernel, swap: ir.Swap) -> ir.Kernel:
    """What a kernel is ahead of the swap that it comes behind."""
    names = {swap.first: swap.second, swap.second: swap.first}
    return ArrayRule(lambda array: names.get(array, array)).kernel(kernel)


def _ends_of_rows(kernel: ir.Kernel) -> set[tuple[ir.Array, ir.Expression]]:
    """Where the rows of a kernel's own nodes begin and end: cells that each node has, whatever others say."""
    if not isinstance(kernel.domain, ir.AllNodes):
        return set()
    loads = (load for layout in ir.ENDS for load in (layout.first(kernel.own), layout.end(kernel.own)))
    return {(load.array, load.index) for load in loads}


def _may_fail(part: ir.Expression) -> bool:
    """Whether a part of an expression is a division of whole numbers or a search for an arc, or may be one."""
    match part:
        case ir.CallFunction() | ir.FindArc():
            return True
        case ir.Binary():
            known = isinstance(part.right, ir.Const) and part.right.value not in (0, -1)
            return part.operator.divides and part.element.is_integer and not known
    return False
