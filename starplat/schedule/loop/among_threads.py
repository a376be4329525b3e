"""Shares the iterations of a loop over sources among threads of the host.

Each thread takes the next source that none has taken, and has its own copy of all that a source changes, as a part of a
run on several devices has (`passes.parts.sources` proves that sources leave each other nothing). What they add up is
combined behind the loop. Inside a source everything is done by one thread.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir import nodes as ir
from starplat.ir.launches import changed, touched
from starplat.ir.visitor import arrays_in, walk_host, walk_outside
from starplat.passes.parts.sources import SourceLoop, combined_by, is_of_source, left_by
from starplat.schedule.step import Choice, Decided, Decider

JOINED = (ir.Combine.ADD, ir.Combine.MIN, ir.Combine.MAX, ir.Combine.OR, ir.Combine.AND)
"""The operators by which copies can be combined."""


def sources_among_threads(module: ir.Module, *, with_reals: bool) -> Decided:
    """The module whose loops over sources may be shared among threads, where that is proved; those that add up
    floating-point numbers only `with_reals`, whose sums then differ from run to run."""
    return _Marker(module, with_reals=with_reals).decided()


class _Marker(Decider):
    def __init__(self, module: ir.Module, *, with_reals: bool) -> None:
        super().__init__(module)
        self.with_reals = with_reals

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        return super().function(function) if function.name == self.given.entry else function

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if not isinstance(op, SourceLoop):
            return (self.rebuild(op),)
        left = left_by(op, self.given)
        if left is not None and (self.with_reals or not any(array.element.is_real for array, _ in left.combined)):
            self.choices.append(Choice("sources shared among threads", "they leave each other only what is combined"))
            return (replace(op, apart=True),)
        return (self.rebuild(op),)


@dataclass(frozen=True, slots=True)
class Shared:
    """How threads share a loop: arrays of which each has a copy, and those whose copies are combined by an operator."""

    copied: tuple[ir.Array, ...]
    joined: tuple[tuple[ir.Array, ir.Combine], ...]


def shared(loop: ir.HostOp, function: ir.HostFunction, module: ir.Module) -> Shared | None:
    """How threads share a scheduled loop whose sources are apart; None if they do not."""
    if not isinstance(loop, SourceLoop) or not loop.apart or _continues(loop):
        return None
    body = tuple(walk_host(loop.body))
    kernels = [module.kernel(op.kernel) for op in body if isinstance(op, ir.Launch)]
    inside = set(map(id, walk_host((loop,))))
    outside = [op for op in walk_host(function.body) if id(op) not in inside]
    copied, joined = list[ir.Array](), list[tuple[ir.Array, ir.Combine]]()
    for array in dict.fromkeys(array for op in body for array in sorted(changed(op, module), key=lambda a: a.name)):
        touching = [op for op in body if not isinstance(op, ir.Launch | ir.OnDevice) and array in arrays_in(op)]
        operator = None if touching else combined_by(array, kernels)
        if operator is not None:
            if operator not in JOINED or (array.element.is_real and operator is not ir.Combine.ADD):
                return None
            joined.append((array, operator))
        elif is_of_source(array, loop, touching, kernels) and array.packed is None:
            continue
        elif array not in function.arrays or any(
            array in touched(op, module) for op in outside if not isinstance(op, ir.Fill)
        ):
            return None
        else:
            copied.append(array)
    return Shared(tuple(copied), tuple(joined))


def _continues(loop: ir.HostLoop) -> bool:
    """Whether a loop's body goes on with the next iteration from its middle."""
    return any(isinstance(op, ir.HostContinue) for op in walk_outside(ir.HostLoop, loop.body))
