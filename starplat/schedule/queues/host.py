"""Host-driven rounds over sets: the host's part of step `queue`.

The host must know the length of a list before it launches a walk over it. It reads the length when it has changed, once
in a round: what it has read when a loop ends or goes on is still known when the next round begins. Of two layers it
reads the number of non-zero words, right after the launch that gathers them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from starplat.ir import build, fresh_names, nodes as ir, rewriter
from starplat.ir.launches import touched, with_own_arrays
from starplat.ir.shapes.members import Membership, membership
from starplat.ir.visitor import walk_host, written_arrays
from starplat.schedule.direction.pull_rounds import Choices, pulls_if_many_words
from starplat.schedule.queues import bit_sets, kept_sets, kernels
from starplat.schedule.queues.queue import Queue
from starplat.source import NOWHERE, Span

_MANY = build.divided(ir.NumNodes(), build.number(8))
"""Above so many nodes a list's random order costs more than testing the bits of all nodes."""


class ListRounds:
    """Rewrites host functions; `kernels` are those that it adds. In `module` the kernels still walk sets, in `made`
    they walk their arrays. Of bits that are counted a round pulls if one node in `share` seems active."""

    def __init__(
        self,
        module: ir.Module,
        made: ir.Module,
        walks: kernels.ListKernels,
        queues: Mapping[ir.Array, kept_sets.KeptSet],
        insert: ir.Function,
        taken: fresh_names.FreshNames,
        share: int,
    ) -> None:
        self.module, self.made, self.share, self.walks = module, made, share, walks
        self.together = False
        self._few = False
        self._over_all: dict[str, str] = {}
        self.queues, self.taken = queues, taken
        self.kernels: list[ir.Kernel] = []
        self.words = bit_sets.WordKernels(taken, self.kernels)
        self.first = kept_sets.FirstMembers(taken, insert, self.kernels)
        self.choices = Choices(taken, self.kernels)
        self._span: Span = NOWHERE

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        """The function, with lists for its sets."""
        arrays = tuple(new for array in function.arrays for new in self.arrays(array))
        return replace(function, arrays=arrays, body=self.with_counts(self.block(function.body, set())))

    def with_counts(self, body: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
        """The operations, after the declarations of the counts that they read."""
        declared = {op.variable for op in walk_host(body) if isinstance(op, ir.DeclareVariable)}
        read = {op.variable for op in walk_host(body) if isinstance(op, ir.ReadCell)} - declared
        return (*(ir.DeclareVariable(q.count, build.ZERO) for q in self.queues.values() if q.count in read), *body)

    def in_one_launch(self, op: ir.OnDevice) -> ir.OnDevice:
        """The operation, whose threads read the counts themselves; its cells are checked ahead of it."""
        if not any(array in self.queues for array in op.arrays):
            return op
        self.together = True
        body = self.block(op.body, set())
        self.together = False
        body = self.with_counts(_WITHOUT_CHECKS.host_block(body))
        return with_own_arrays(replace(op, body=body), self.made, self.kernels)

    def arrays(self, array: ir.Array) -> tuple[ir.Array, ...]:
        return self.queues[array].arrays if array in self.queues else (array,)

    # --- operations; `known` are the sets whose count is the number on the device ------------------------------------

    def block(self, ops: Iterable[ir.HostOp], known: set[ir.Array]) -> tuple[ir.HostOp, ...]:
        return tuple(new for op in ops for new in self.op(op, known))

    def op(self, op: ir.HostOp, known: set[ir.Array]) -> Iterator[ir.HostOp]:
        match op:
            case ir.HostBlock(body, span):
                before, self._span = self._span, span
                yield replace(op, body=self.block(body, known))
                self._span = before
            case ir.HostIf(_, then, otherwise):
                yield from self.branch(op, then, otherwise, known)
            case ir.Loop() | ir.HostForRange() | ir.HostForNeighbors() | ir.HostForMembers() | ir.HostForItems():
                yield from self.loop(op, known)
            case ir.Launch(_, None):
                yield from self.launch(op, known)
            case ir.Launch(_, ir.Array() as members, pull):
                yield from self.push_or_pull(op, members, pull, known)
            case ir.OnDevice():
                yield self.in_one_launch(op)
            case _:
                yield from self.plain(op, known)

    def plain(self, op: ir.HostOp, known: set[ir.Array]) -> Iterator[ir.HostOp]:
        match op:
            case ir.Fill(array) if array in self.queues:
                known.discard(array)
                yield from kept_sets.cleared(self.queues[array])
            case ir.WriteCell(array, index) if array in self.queues:
                known.discard(array)
                yield from self.first.put_in(op, array, self.queues[array], index, self._span)
            case ir.CheckCell(array, index) if array in self.queues:
                yield ir.CheckCell(kept_sets.checked(array, self.queues[array]), index)
            case ir.Swap(first, second) if first in self.queues:
                known -= {first, second}
                pairs = zip(self.queues[first].arrays, self.queues[second].arrays, strict=True)
                yield from (ir.Swap(one, other) for one, other in pairs)
            case ir.ReadEmpty(variable, array, when_empty) if array in self.queues:
                yield from self.counted(array, known)
                sign = ir.BinaryOperator.EQUAL if when_empty else ir.BinaryOperator.NOT_EQUAL
                yield ir.SetVariable(variable, build.compared(sign, ir.Ref(self.queues[array].count), build.ZERO))
            case _:
                yield op

    def counted(self, array: ir.Array, known: set[ir.Array]) -> Iterator[ir.HostOp]:
        """Reads a count, unless it is known: members of a list, non-zero words of bits."""
        if array not in known:
            known.add(array)
            kept = self.queues[array]
            if isinstance(kept, bit_sets.Layers):
                yield ir.Fill(kept.size, build.ZERO)
                yield self.words.gather(kept, self._span)
            yield ir.ReadCell(kept.count, kept.size, build.ZERO)

    def launch(self, op: ir.Launch, known: set[ir.Array]) -> Iterator[ir.HostOp]:
        kernel = self.module.kernel(op.kernel)
        found = membership(kernel, self.queues.__contains__)
        walked = None if found is None else found.members
        if walked is None or found is None:
            yield op
        else:
            if not isinstance(self.queues[walked], bit_sets.Bitmap):
                yield from self.counted(walked, known)
            yield from self.walk(op, kernel, found)
        known -= written_arrays(kernel.body) - {walked}
        if found is not None and found.takes:
            known.discard(found.members)
            yield from self.emptied(self.queues[found.members])

    def emptied(self, kept: kept_sets.KeptSet) -> Iterator[ir.HostOp]:
        """What is left to clear where a walk removes all members."""
        match kept:
            case Queue():
                yield ir.Fill(kept.size, build.ZERO)
            case bit_sets.Bitmap():
                yield from kept_sets.cleared(kept)
            case bit_sets.Layers():
                yield self.words.clear(kept, self._span)
            case _:
                assert_never(kept)

    def walk(self, op: ir.Launch, kernel: ir.Kernel, found: Membership) -> Iterator[ir.HostOp]:
        """A walk over the list; over all nodes where it has many of them, whose arcs lie side by side in that order."""
        queue = self.queues[found.members]
        if self.together or self._few or not isinstance(queue, Queue):
            yield op
            return
        if kernel.name not in self._over_all:
            name = self.taken.fresh(f"{kernel.name}_of_many")
            self._over_all[kernel.name] = name
            self.kernels.append(self.walks.over_all(kernel, name))
        emptied = (ir.Fill(queue.bits, build.ZERO),) if found.takes else ()
        many = build.greater(ir.Ref(queue.count), _MANY)
        yield ir.HostIf(many, (ir.Launch(self._over_all[kernel.name]), *emptied), (op,))

    def push_or_pull(
        self, op: ir.Launch, members: ir.Array, pull: tuple[ir.HostOp, ...], known: set[ir.Array]
    ) -> Iterator[ir.HostOp]:
        """The choice by how many are active; a push has only few to walk then."""
        yield from self.counted(members, known)
        one, other = set(known), set(known)
        self._few = True
        few = tuple(self.launch(ir.Launch(op.kernel), one))
        self._few = False
        kept, many = self.queues[members], self.block(pull, other)
        if isinstance(kept, Queue):
            yield from self.choices.choose_by_list(op, kept.walked, few, many, self.module.kernel(op.kernel).span)
        else:
            yield pulls_if_many_words(ir.Ref(kept.count), self.share, few, many)
        known.intersection_update(one, other)

    # --- structure --------------------------------------------------------------------------------------------------

    def branch(
        self, op: ir.HostIf, then: tuple[ir.HostOp, ...], otherwise: tuple[ir.HostOp, ...], known: set[ir.Array]
    ) -> Iterator[ir.HostOp]:
        """What is known afterwards is known on both ways."""
        one, other = set(known), set(known)
        yield replace(op, then=self.block(then, one), otherwise=self.block(otherwise, other))
        known.intersection_update(one, other)

    def loop(self, op: ir.HostLoop, known: set[ir.Array]) -> Iterator[ir.HostOp]:
        """What is known when a round begins must be known before the first one and at the end of each."""
        lasting = self.lasting(op)
        for array in sorted(lasting, key=lambda array: array.name):
            yield from self.counted(array, known)
        touched = {array for inner in walk_host((op,)) for array in self.touched(inner)}
        inside = (known - touched) | lasting
        yield self.rounds(op, inside)
        known -= touched

    def lasting(self, op: ir.HostLoop) -> set[ir.Array]:
        """The sets whose count is known at the end of each round if it was at its beginning, and which saves the round
        a read."""
        if any(isinstance(inner, ir.HostContinue) for inner in walk_host((op,))):
            return set()
        wanted = self.walked_in(op)
        at_the_end = set(wanted)
        self.rounds(op, at_the_end)
        lasting = wanted & at_the_end
        again = set(lasting)
        self.rounds(op, again)
        if not lasting <= again:
            return set()
        return {array for array in lasting if self.reads(op, array, lasting) < self.reads(op, array, lasting - {array})}

    def reads(self, op: ir.HostLoop, array: ir.Array, known: set[ir.Array]) -> int:
        """How often a round reads the count of a set."""
        ops = walk_host((self.rounds(op, set(known)),))
        return sum(isinstance(inner, ir.ReadCell) and inner.variable == self.queues[array].count for inner in ops)

    def walked_in(self, op: ir.HostLoop) -> set[ir.Array]:
        launches = (self.module.kernel(inner.kernel) for inner in walk_host((op,)) if isinstance(inner, ir.Launch))
        found = (membership(kernel, self.queues.__contains__) for kernel in launches)
        return {m.members for m in found if m is not None}

    def rounds(self, op: ir.HostLoop, known: set[ir.Array]) -> ir.HostOp:
        """The loop; `known` becomes what is known at the end of a round."""
        match op:
            case ir.Loop(test_last=True):
                body, step = self.block(op.body, known), self.block(op.step, known)
                return replace(op, body=body, step=step, before=self.block(op.before, known))
            case ir.Loop():
                before, body = self.block(op.before, known), self.block(op.body, known)
                return replace(op, before=before, body=body, step=self.block(op.step, known))
            case ir.HostForRange() | ir.HostForNeighbors() | ir.HostForMembers() | ir.HostForItems():
                return replace(op, body=self.block(op.body, known))

    def touched(self, op: ir.HostOp) -> set[ir.Array]:
        return {array for array in touched(op, self.module) if array in self.queues}


_WITHOUT_CHECKS = rewriter.HostRule(lambda op: () if isinstance(op, ir.CheckCell) else None)
