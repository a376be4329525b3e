"""Moves a filter that was evaluated before its loop back into the loop, where it is unchanged while the loop runs.

The filter is evaluated when the loop is entered. Where the loop changes what its filter reads, a kernel of its own
evaluates the filter first and stores flags. In a loop over levels the filter tests for the current level's number, and
the loop only changes cells from INF to the next number: so the flags are not needed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from starplat.ir import conditions, nodes as ir, uses, visitor
from starplat.ir.launches import is_launched_once, launches
from starplat.ir.rewriter import HostRule, map_expression


@dataclass(frozen=True, slots=True)
class Judged:
    """A launch that evaluates a filter, the loop that tests the flags, and the filter as that loop would have it."""

    judge: ir.Launch
    kernel: ir.Kernel
    flags: ir.Array
    filter: ir.Expression

    def unjudged(self, module: ir.Module) -> ir.Module:
        """The module where the loop evaluates its filter itself."""
        drops = HostRule(lambda op: () if op is self.judge else None)
        functions = tuple(
            replace(f, arrays=tuple(a for a in f.arrays if a != self.flags), body=drops.host_block(f.body))
            for f in module.functions
        )
        kernels = tuple(
            visitor.with_signature(replace(kernel, filter=self.filter)) if kernel is self.kernel else kernel
            for kernel in module.kernels
            if kernel.name != self.judge.kernel
        )
        return replace(module, functions=functions, kernels=kernels)


def judged_filters(function: ir.HostFunction, module: ir.Module) -> Iterator[Judged]:
    """The filters that are evaluated right before the only loop that tests their flags."""
    for row in uses.rows(function.body):
        for judge, asking in pairwise(row):
            if isinstance(judge, ir.Launch) and isinstance(asking, ir.Launch):
                found = _judged(judge, asking, module)
                if found is not None and found.flags in function.arrays:
                    yield found


def launched_before(module: ir.Module) -> Mapping[str, str]:
    """For every kernel the one launched right before it, by name; the last one of several."""
    pairs = (pair for function in module.functions for row in uses.rows(function.body) for pair in pairwise(row))
    return {b.kernel: a.kernel for a, b in pairs if isinstance(a, ir.Launch) and isinstance(b, ir.Launch)}


def known_of(kernel: ir.Kernel, module: ir.Module, before: Mapping[str, str]) -> tuple[ir.Expression, ...]:
    """What holds for every node of a kernel when it begins, because the launch right `before` it set the node's flag
    under that condition."""
    judge = before.get(kernel.name)
    if judge is None or kernel.iterator is None or kernel.filter is None or not is_launched_once(kernel.name, module):
        return ()
    return tuple(_said_by(module.kernel(judge), kernel.filter, kernel.iterator))


def _said_by(judge: ir.Kernel, filter: ir.Expression, node: ir.Variable) -> Iterator[ir.Expression]:
    """The conditions under which a kernel has set the flags that a filter tests."""
    if not isinstance(judge.domain, ir.AllNodes) or judge.filter is not None or judge.iterator is None:
        return
    own, here = ir.Ref(judge.iterator), ir.Ref(node)
    written = [array for op in judge.body for array in visitor.written_arrays((op,))]
    asked = set(conditions.conjuncts(filter))
    for op in judge.body:
        match op:
            case ir.Store(flags, index, value) if (
                index == own and ir.Load(flags, here) in asked and written.count(flags) == 1
            ):
                if not set(written).intersection(visitor.arrays_in(value)):
                    said = map_expression(lambda part: here if part == own else part, value)
                    yield from conditions.conjuncts(said)


def _judged(judge: ir.Launch, asking: ir.Launch, module: ir.Module) -> Judged | None:
    kernel = module.kernel(asking.kernel)
    match module.kernel(judge.kernel):
        case ir.Kernel(
            domain=ir.AllNodes(),
            iterator=ir.Variable() as own,
            filter=None,
            body=(ir.Store(flags, ir.Ref(node), value),),
        ):
            if node != own or not isinstance(kernel.domain, ir.AllNodes) or kernel.iterator is None:
                return None
        case _:
            return None
    asked = [] if kernel.filter is None else list(conditions.conjuncts(kernel.filter))
    flag, here = ir.Load(flags, kernel.own), kernel.own
    once = _mentions(flags, module) == 2 and asked.count(flag) == 1
    ops = (op for op in visitor.host_ops(module) if not isinstance(op, ir.OnDevice))
    if not once or any(flags in visitor.arrays_in(op) for op in ops):
        return None
    taken = map_expression(lambda part: here if part == ir.Ref(own) else part, value)
    filter = map_expression(lambda part: taken if part == flag else part, kernel.filter) if kernel.filter else taken
    return Judged(judge, kernel, flags, filter)


def _mentions(flags: ir.Array, module: ir.Module) -> int:
    """How many launches use the flags."""
    return sum(flags in module.kernel(launch.kernel).arrays for launch in launches(module.functions))
