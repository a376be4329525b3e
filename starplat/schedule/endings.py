"""Step `ending`: asks a set whether a loop is over, in place of a word that every addition would change.

A loop that goes on as long as a round has added a node to a set, which its program says with a flag that each addition
sets, or by asking for all flags afterwards, is over when the set is empty: how many are in it is known anyway.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import is_launched_once, launched_kernels
from starplat.ir.members import membership
from starplat.ir.nodes import (
    Array,
    Combine,
    Const,
    Contribute,
    Element,
    Expression,
    ExtremeCell,
    HostOp,
    HostWhile,
    Kernel,
    KernelOp,
    Launch,
    Module,
    ReadEmpty,
    Ref,
    SetVariable,
    Store,
    Swap,
    Unary,
    UnaryOperator,
    Variable,
)
from starplat.ir.rewriter import Rewriter
from starplat.ir.uses import stream
from starplat.ir.visitor import all_expressions, walk_expression, walk_host, walk_kernel, with_signature
from starplat.schedule.schedule import Frontier, Schedule
from starplat.schedule.step import Choice, Decided

_TRUE = Const(True, Element.BOOL)


def ends_when_empty(module: Module, schedule: Schedule, capabilities: Capabilities) -> Module | Decided:
    """The module whose loops over sets end by asking them."""
    if schedule.frontier is Frontier.FLAGS:
        return module
    maker = _Maker(module)
    functions = tuple(replace(f, body=maker.host_block(f.body)) for f in module.functions)
    if not maker.choices:
        return module
    kernels = tuple(maker.silent(kernel) for kernel in module.kernels if kernel.name not in maker.dropped)
    return Decided(replace(module, functions=functions, kernels=kernels), tuple(maker.choices))


@dataclass(frozen=True, slots=True)
class Ending:
    """How a loop says that it is over: by `variable`, which a round begins with `begins` and which is asked of the set
    `added` at its end; `check` is the launch that asks, if there is one."""

    variable: Variable
    begins: SetVariable
    added: Array
    check: Launch | None


class _Maker(Rewriter):
    def __init__(self, module: Module) -> None:
        self.given = module
        self.choices: list[Choice] = []
        self.told: dict[str, Variable] = {}
        self.dropped: set[str] = set()

    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        if isinstance(op, HostWhile) and op.test_last and not op.before:
            found = self.ending(op)
            if found is not None:
                return (self.asking(op, found),)
        return (self.rebuild(op),)

    def ending(self, loop: HostWhile) -> Ending | None:
        row = list(stream(loop.body))
        swaps = [op for op in row if isinstance(op, Swap) and op.first.packed]
        said = _said_by(loop.condition)
        if len(swaps) != 1 or said is None:
            return None
        variable, stays = said
        begins = [op for op in walk_host(row) if isinstance(op, SetVariable) and op.variable == variable]
        start = SetVariable(variable, Const(stays, Element.BOOL))
        if begins != [start] or row[0] != start or self.is_read(row, variable):
            return None
        launches = [op for op in walk_host(row) if isinstance(op, Launch)]
        if not all(is_launched_once(op.kernel, self.given) and any(op is one for one in row) for op in launches):
            return None
        return self.told_at_once(row, variable, swaps[0]) or self.told_afterwards(row, variable, swaps[0])

    def told_at_once(self, row: list[HostOp], variable: Variable, swap: Swap) -> Ending | None:
        """Every addition to the set contributes, and nothing else does."""
        kernels = list(launched_kernels(row, self.given))
        tells = [kernel for kernel in kernels if any(r.variable == variable for r in kernel.reductions)]
        for added in (swap.first, swap.second):
            adding = [kernel for kernel in kernels if _adds(kernel.body, added)]
            if adding and adding == tells and all(_tells_what_it_adds(kernel, added, variable) for kernel in adding):
                after = swap.second if added == swap.first else swap.first
                last = row.index(swap)
                later = {op.kernel for op in row[last:] if isinstance(op, Launch)}
                if not later.intersection(kernel.name for kernel in adding):
                    begins = row[0]
                    assert isinstance(begins, SetVariable)
                    return Ending(variable, begins, after, None)
        return None

    def told_afterwards(self, row: list[HostOp], variable: Variable, swap: Swap) -> Ending | None:
        """A kernel at the end contributes for every member."""
        begins, check = row[0], row[-1]
        if not isinstance(check, Launch) or not isinstance(begins, SetVariable):
            return None
        others = launched_kernels(row[:-1], self.given)
        kernel = self.given.kernel(check.kernel)
        found = membership(kernel)
        if any(r.variable == variable for other in others for r in other.reductions) or found is None:
            return None
        plain = found.keep is None and not found.takes and len(kernel.reductions) == 1
        if not plain or found.members not in (swap.first, swap.second):
            return None
        match found.body:
            case (Contribute(told, Const()),) if told == variable:
                return Ending(variable, begins, found.members, check)
            case _:
                return None

    def is_read(self, row: list[HostOp], variable: Variable) -> bool:
        asked = any(
            isinstance(part, Ref) and part.variable == variable
            for expression in all_expressions(row)
            for part in walk_expression(expression)
        )
        return asked or any(variable in kernel.scalars for kernel in launched_kernels(walk_host(row), self.given))

    def asking(self, loop: HostWhile, found: Ending) -> HostWhile:
        row = list(stream(loop.body))
        for op in row:
            if isinstance(op, Launch) and op is not found.check:
                self.told[op.kernel] = found.variable
        if found.check is not None:
            self.dropped.add(found.check.kernel)
        asks = ReadEmpty(found.variable, found.added, found.begins.value == _TRUE)
        kept = [op for op in row if op is not found.begins and op is not found.check]
        self.choices.append(Choice(f"the loop ends when '{found.added.name}' is empty", "each round is told by it"))
        return replace(loop, body=(*kept, asks))

    def silent(self, kernel: Kernel) -> Kernel:
        """The kernel without what it told."""
        if kernel.name not in self.told:
            return kernel
        variable = self.told[kernel.name]
        body = _Silent(variable).kernel_block(kernel.body)
        left = tuple(reduction for reduction in kernel.reductions if reduction.variable != variable)
        return with_signature(replace(kernel, body=body, reductions=left))


class _Silent(Rewriter):
    """Leaves out what is contributed to one variable."""

    def __init__(self, variable: Variable) -> None:
        self.told = variable

    def kernel_op(self, op: KernelOp) -> Iterable[KernelOp]:
        if isinstance(op, Contribute) and op.reduction == self.told:
            return ()
        return (self.rebuild(op),)


def _said_by(condition: Expression) -> tuple[Variable, bool] | None:
    """The variable that ends a loop, and what it is when a round has done nothing."""
    match condition:
        case Unary(UnaryOperator.NOT, Ref(variable)):
            return variable, True
        case Ref(variable):
            return variable, False
        case _:
            return None


def _adds(body: tuple[KernelOp, ...], members: Array) -> bool:
    return any(_adds_itself(op, members) for op in walk_kernel(body))


def _adds_itself(op: KernelOp, members: Array) -> bool:
    match op:
        case Store(array, _, value):
            return array == members and value == _TRUE
        case ExtremeCell():
            return any(carry.array == members for carry in op.carried)
        case _:
            return False


def _tells_what_it_adds(kernel: Kernel, members: Array, variable: Variable) -> bool:
    """Whether nodes are added only where a cell is lowered, and that and nothing else contributes what ends no loop."""
    combine = next(r.combine for r in kernel.reductions if r.variable == variable)
    stop = Const(combine is not Combine.AND, Element.BOOL)
    contributions = [op for op in walk_kernel(kernel.body) if isinstance(op, Contribute) and op.reduction == variable]
    additions = [op for op in walk_kernel(kernel.body) if _adds_itself(op, members)]
    beside = [op for op in additions if isinstance(op, ExtremeCell) and Contribute(variable, stop) in op.also]
    return len(contributions) == len(additions) == len(beside) and combine in (Combine.AND, Combine.OR)
