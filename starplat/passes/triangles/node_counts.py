"""Recognises kernels that count, for every node, the arcs between its neighbors, however they are spelled.

Takes a kernel over nodes, gives its `NodeCounts`: the body without the loops that count, and what the triangles of a
node add to each of its locals in their place. All of it holds for graphs in which every arc has its reverse and no
other beside it. A count is a local that grows, in a loop over the node's neighbors, by a constant for every third node
that `kernels` proves to make a triangle with the other two, by a loop inside or by a helper. A loop over
neighbors that an arc is asked not to lead to does nothing there, and is left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from starplat.ir import nodes as ir
from starplat.ir.conditions import conjuncts
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import all_expressions, assigned_variables, blocks_of, declared_by, walk_kernel
from starplat.passes.triangles.kernels import IsNone, TripleReader, tested_arc


@dataclass(frozen=True, slots=True)
class NodeCounts:
    """The kernel's `body` without its counting; where a local grew, it now grows by what `added` gives for a number of
    times the triangles of the node. `locals` are those; `loops_count` if loops may make triangles of fewer nodes."""

    body: tuple[ir.KernelOp, ...]
    locals: tuple[ir.Variable, ...]
    loops_count: bool


Added = Callable[[ir.Variable, int], ir.KernelOp]


def node_counts(kernel: ir.Kernel, module: ir.Module, added: Added) -> NodeCounts | None:
    """What the kernel counts, if it counts triangles of its nodes. `added` writes what makes a local grow by a number
    of times the triangles of the node in hand."""
    if not isinstance(kernel.domain, ir.AllNodes) or kernel.iterator is None:
        return None
    reader = _Counting(kernel.iterator, module, added)
    body = reader.block(kernel.body)
    return NodeCounts(body, tuple(reader.locals), reader.loops_count) if reader.locals else None


@dataclass(frozen=True, slots=True)
class _Count:
    """A local that a loop makes grow: by `step`; `parts` are the local and those inside the loop that it is made of."""

    local: ir.Variable
    step: ir.SetLocal
    parts: frozenset[ir.Variable]


class _Counting:
    def __init__(self, node: ir.Variable, module: ir.Module, added: Added) -> None:
        self.node = node
        self.module = module
        self.added = added
        self.locals: list[ir.Variable] = []
        self.loops_count = False

    def block(self, ops: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
        """The operations without what counts."""
        return tuple(new for op in ops for new in self.without_counts(op))

    def without_counts(self, op: ir.KernelOp) -> Iterator[ir.KernelOp]:
        match op:
            case ir.KernelIf(_, then, otherwise):
                yield replace(op, then=self.block(then), otherwise=self.block(otherwise))
            case ir.ForNeighbors(node=ir.Ref(node)) if node == self.node and not _leaves(op):
                if not self.is_idle(op):
                    yield from self.loop(op)
            case _:
                yield op

    def loop(self, loop: ir.ForNeighbors) -> Iterator[ir.KernelOp]:
        rest, counted = [loop], list[ir.KernelOp]()
        for count in _growing(loop):
            times = self.times(loop, count)
            if times is not None:
                rest = [left for part in rest for left in _without(count, part) if isinstance(left, ir.ForNeighbors)]
                counted.append(self.added(count.local, times))
                self.locals.append(count.local)
        yield from (*rest, *counted)

    def is_idle(self, loop: ir.ForNeighbors) -> bool:
        """Whether the loop only does something for neighbors to or from which no arc leads the other way."""
        ends = {ir.Ref(self.node), ir.Ref(loop.neighbor)}
        match loop.body:
            case (ir.KernelIf(condition, _, ()),):
                denied = (c.operand for c in conjuncts(condition) if isinstance(c, ir.Unary) and _is_not(c))
                return any((tested := tested_arc(inner)) is not None and set(tested) == ends for inner in denied)
            case _:
                return False

    def times(self, loop: ir.ForNeighbors, count: _Count) -> int | None:
        """What a triangle of the node adds to the local; None if it is something else that is counted."""
        kept = tuple(_only(count, assigned_variables((loop,)), loop))
        reader = TripleReader()
        reader.nodes.append(ir.Ref(self.node))
        try:
            value = reader.value(_inlined(kept, count.step, self.module), count.local)
            if not reader.is_triangle():
                return None
            times = {number for place in range(3) for number in reader.times(place)}
            loops_count = reader.loops_count()
        except IsNone:
            return None
        if len(times) != 1 or times == {0}:
            return None
        self.loops_count |= loops_count
        return value * times.pop()


def _is_not(expression: ir.Unary) -> bool:
    return expression.operator is ir.UnaryOperator.NOT


def _leaves(loop: ir.ForNeighbors) -> bool:
    """Whether a round may be cut short, or a helper changes what it is given."""
    calls = (e for e in all_expressions(loop.body) if isinstance(e, ir.CallFunction))
    return any(
        isinstance(op, ir.KernelBreak | ir.KernelContinue | ir.KernelReturn) for op in walk_kernel(loop.body)
    ) or any(isinstance(argument, ir.Variable) for call in calls for argument in call.arguments)


# --- what grows -----------------------------------------------------------------------------------------------------


def _growing(loop: ir.ForNeighbors) -> Iterator[_Count]:
    """The whole numbers declared before the loop that it only ever adds to, in one place each."""
    ops = list(walk_kernel(loop.body))
    declared = {variable for op in ops for variable in declared_by(op)}
    read = Counter(e.variable for e in all_expressions(loop.body) if isinstance(e, ir.Ref))
    sets = Counter(op.variable for op in ops if isinstance(op, ir.SetLocal))
    for op in ops:
        match op:
            case ir.SetLocal(local, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(old), more)) if (
                old == local and local not in declared
            ):
                whole = local.element in (ir.Element.INT, ir.Element.LONG)
                if whole and read[local] == sets[local] == 1:
                    inner = more.variable if isinstance(more, ir.Ref) and more.variable in declared else None
                    if inner is None or (read[inner] == 2 and sets[inner] == 1):
                        yield _Count(local, op, frozenset((local, *([] if inner is None else [inner]))))


def _grows(op: ir.KernelOp, count: _Count) -> bool:
    return isinstance(op, ir.Let | ir.SetLocal) and op.variable in count.parts


def _only(count: _Count, changed: frozenset[ir.Variable], *ops: ir.KernelOp) -> Iterator[ir.KernelOp]:
    """The operations, with nothing but what makes the local grow, and locals that may stand for nodes, which are none
    of the `changed`."""
    for op in ops:
        if _grows(op, count):
            yield op
        elif isinstance(op, ir.Let):
            if isinstance(op.value, ir.Ref | ir.Load) and op.variable not in changed:
                yield op
        elif any(_grows(inner, count) for block in blocks_of(op) for inner in walk_kernel(block)):
            yield _with_blocks(op, lambda block: tuple(_only(count, changed, *block)))


def _without(count: _Count, *ops: ir.KernelOp) -> Iterator[ir.KernelOp]:
    """The operations without what makes the local grow, nor what is left with nothing in it."""
    for op in ops:
        if not any(_grows(inner, count) for inner in walk_kernel((op,))):
            yield op
        elif not _grows(op, count):
            left = _with_blocks(op, lambda block: tuple(_without(count, *block)))
            if blocks_of(left):
                yield left


def _with_blocks(op: ir.KernelOp, change: Callable[[tuple[ir.KernelOp, ...]], tuple[ir.KernelOp, ...]]) -> ir.KernelOp:
    """The operation with its blocks changed."""

    class Changed(Rewriter):
        def kernel_block(self, ops: Iterable[ir.KernelOp]) -> tuple[ir.KernelOp, ...]:
            return change(tuple(ops))

    return Changed().rebuild(op)


# --- helpers --------------------------------------------------------------------------------------------------------


def _inlined(ops: tuple[ir.KernelOp, ...], step: ir.SetLocal, module: ir.Module) -> tuple[ir.KernelOp, ...]:
    """The operations with a helper's in place of its call, if the step adds what a helper gives."""
    assert isinstance(step.value, ir.Binary)
    call = step.value.right
    if not isinstance(call, ir.CallFunction):
        return ops
    function = module.helper(call.function)
    if not function.body or not isinstance(function.body[-1], ir.KernelReturn):
        raise IsNone
    *ahead, last = _Inliner(function, call).kernel_block(function.body)
    if not isinstance(last, ir.KernelReturn) or last.value is None:
        raise IsNone
    grown = replace(step, value=replace(step.value, right=last.value))
    return _put((*ahead, grown), step, ops)


def _put(new: tuple[ir.KernelOp, ...], old: ir.KernelOp, ops: tuple[ir.KernelOp, ...]) -> tuple[ir.KernelOp, ...]:
    class Putting(Rewriter):
        def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
            return new if op is old else (self.rebuild(op),)

    return Putting().kernel_block(ops)


class _Inliner(Rewriter):
    """Writes a helper's body with a call's arguments, its locals under names of their own."""

    def __init__(self, function: ir.Function, call: ir.CallFunction) -> None:
        self.function = function.name
        pairs = list(zip(function.parameters, call.arguments, strict=True))
        self.values = {p.what: a for p, a in pairs if isinstance(p.what, ir.Variable)}
        self.arrays = {p.what: a for p, a in pairs if isinstance(p.what, ir.Array) and isinstance(a, ir.Array)}
        plain = all(isinstance(value, ir.Ref | ir.Const) for value in self.values.values())
        if not plain or assigned_variables(function.body) & set(self.values):
            raise IsNone

    def variable(self, variable: ir.Variable) -> ir.Variable:
        return replace(variable, name=f"{variable.name}'{self.function}")

    def array(self, array: ir.Array) -> ir.Array:
        return self.arrays.get(array, array)

    def expression(self, expression: ir.Expression) -> ir.Expression:
        if isinstance(expression, ir.Ref) and expression.variable in self.values:
            value = self.values[expression.variable]
            assert isinstance(value, ir.Ref | ir.Const)
            return value
        return self.rebuild(expression)
