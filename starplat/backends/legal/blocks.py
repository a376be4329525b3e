"""Loops that keep few numbers: a core tests a block of them at once, side by side in its vectors.

A loop whose body changes what its filter asks of the number itself keeps each number once, and in most rounds few. Then
the test takes most of the time: which of neighboring numbers pass is hard to foretell, and a wrong guess costs more
than the test. So the numbers of a block are tested first, without a branch, and a block of which none passes is left at
once; in the others each number is tested as before.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce

from starplat.backends import statements as st
from starplat.backends.legal.locals import Locals
from starplat.ir import build, conditions, nodes as ir, visitor
from starplat.ir.capabilities import Capabilities

BLOCK = 64
"""Numbers that are tested at once."""


def is_brief(kernel: ir.Kernel) -> bool:
    """Whether it asks a filter of all nodes or arcs, and has no loops in what it does with those that pass."""
    has_filter = kernel.filter is not None and isinstance(kernel.domain, ir.AllNodes | ir.AllArcs)
    return has_filter and not any(isinstance(op, ir.KernelLoop) for op in visitor.walk_kernel(kernel.body))


def tested_in_blocks(kernel: ir.Kernel, loop: st.Count, names: Locals, capabilities: Capabilities) -> st.Count:
    """The loop over a kernel's domain, by blocks where that pays: where a thread is a core, few pass, and a test looks
    at nothing but cells of the number itself, so that it may be asked of all."""
    whole = isinstance(kernel.domain, ir.AllNodes | ir.AllArcs) and kernel.domain.first is kernel.domain.end is None
    if capabilities.lockstep or not (whole and is_brief(kernel) and _keeps_few(kernel)):
        return loop
    number, element = loop.variable, loop.variable.element
    assert kernel.filter is not None
    tests = [test for test in conditions.conjuncts(kernel.filter) if _is_of_own_cells(test, number)]
    if not any(isinstance(part, ir.Load) for test in tests for part in visitor.walk_expression(test)):
        return loop
    block, first, end = (names.fresh(name, element) for name in ("block", "first", "end"))
    some = names.fresh("some", ir.Element.INT)
    blocks = build.divided(loop.end, ir.Const(BLOCK, element), element)
    ahead = build.plus(ir.Ref(first), ir.Const(BLOCK, element), element)
    begin = build.times(ir.Ref(block), ir.Const(BLOCK, element), element)
    inside = replace(loop, first=ir.Ref(first), end=ir.Ref(end))
    test = st.Accumulate(some, ir.Combine.BIT_OR, _without_branches(tests))
    body: st.Body = (
        st.Declare(first, begin, constant=True),
        st.Declare(end, ir.Select(build.less(ir.Ref(block), blocks), ahead, loop.end), constant=True),
        st.Declare(some, build.ZERO, constant=False),
        st.VectorLoop(replace(inside, stride=st.Stride.ONE, body=(test,)), ((ir.Combine.BIT_OR, some),)),
        st.If(build.equal(ir.Ref(some), build.ZERO), (st.Continue(),)),
        replace(inside, stride=st.Stride.ONE),
    )
    return st.Count(block, build.ZERO, build.plus(blocks, ir.Const(1, element), element), loop.stride, body)


def _keeps_few(kernel: ir.Kernel) -> bool:
    """Whether the work on a number always stores to a cell of its own that the filter reads."""
    assert kernel.filter is not None
    tested = {part for part in visitor.walk_expression(kernel.filter) if isinstance(part, ir.Load)}
    return any(isinstance(op, ir.Store) and ir.Load(op.array, op.index) in tested for op in kernel.body)


def _is_of_own_cells(test: ir.Expression, number: ir.Variable) -> bool:
    """Whether it can be asked of any number of the domain, whatever other tests say of it: it reads cells of that
    number and locals of the launch, and calls nothing."""
    return all(_is_plain(part, number) for part in visitor.walk_expression(test))


def _is_plain(part: ir.Expression, number: ir.Variable) -> bool:
    match part:
        case ir.Load(_, index):
            return index == ir.Ref(number)
        case ir.Binary(operator):
            return not operator.divides
        case _:
            return not isinstance(part, ir.CallFunction | ir.FindArc | ir.Apply | ir.Select)


def _without_branches(tests: Iterable[ir.Expression]) -> ir.Expression:
    """All tests, none of which waits for another."""
    return reduce(lambda left, right: ir.Binary(ir.BinaryOperator.BIT_AND, left, right, ir.Element.INT), tests)
