"""Step `ending`: ends a loop when a set is empty, in place of a flag that every addition would set.

A program says that a round has added a node by a flag that each addition sets, or by testing all flags afterwards. The
size of the set is known anyway.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from starplat.ir import build, nodes as ir, rewriter, uses, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import is_launched_once, launched_kernels, read_by
from starplat.ir.shapes.members import membership
from starplat.schedule.schedule import Frontier, Schedule
from starplat.schedule.step import Choice, Decided


def ends_when_empty(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose loops over sets end when the set is empty."""
    if schedule.frontier is Frontier.FLAGS:
        return module
    maker = _Maker(module)
    functions = maker.functions_of(module)
    if not maker.choices:
        return module
    kernels = tuple(maker.silent(kernel) for kernel in module.kernels if kernel.name not in maker.dropped)
    return Decided(replace(module, functions=functions, kernels=kernels), tuple(maker.choices))


@dataclass(frozen=True, slots=True)
class Ending:
    """How a loop says that it is over: by `variable`, which a round begins with `begins` and which is tested against
    the set `added` at its end; `check` is the launch that tests, if there is one."""

    variable: ir.Variable
    begins: ir.SetVariable
    added: ir.Array
    check: ir.Launch | None


class _Maker(rewriter.Rewriter):
    def __init__(self, module: ir.Module) -> None:
        self.given = module
        self.choices: list[Choice] = []
        self.told: dict[str, ir.Variable] = {}
        self.dropped: set[str] = set()

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.Loop) and op.test_last and not op.before:
            found = self.ending(op)
            if found is not None:
                return (self.asking(op, found),)
        return (self.rebuild(op),)

    def ending(self, loop: ir.Loop) -> Ending | None:
        row = list(uses.stream(loop.body))
        swaps = [op for op in row if isinstance(op, ir.Swap) and op.first.packed]
        said = _said_by(loop.condition)
        if len(swaps) != 1 or said is None:
            return None
        variable, stays = said
        begins = [op for op in visitor.walk_host(row) if isinstance(op, ir.SetVariable) and op.variable == variable]
        start = ir.SetVariable(variable, ir.Const(stays, ir.Element.BOOL))
        if begins != [start] or row[0] != start or self.is_read(row, variable):
            return None
        launches = [op for op in visitor.walk_host(row) if isinstance(op, ir.Launch)]
        if not all(is_launched_once(op.kernel, self.given) and any(op is one for one in row) for op in launches):
            return None
        return self.told_at_once(row, variable, swaps[0]) or self.told_afterwards(row, variable, swaps[0])

    def told_at_once(self, row: list[ir.HostOp], variable: ir.Variable, swap: ir.Swap) -> Ending | None:
        """Every addition to the set contributes, and nothing else does."""
        kernels = list(launched_kernels(row, self.given))
        tells = [kernel for kernel in kernels if any(r.variable == variable for r in kernel.reductions)]
        for added in (swap.first, swap.second):
            adding = [kernel for kernel in kernels if _adds(kernel.body, added)]
            if adding and adding == tells and all(_tells_what_it_adds(kernel, added, variable) for kernel in adding):
                after = swap.second if added == swap.first else swap.first
                last = row.index(swap)
                later = {op.kernel for op in row[last:] if isinstance(op, ir.Launch)}
                if not later.intersection(kernel.name for kernel in adding):
                    begins = row[0]
                    assert isinstance(begins, ir.SetVariable)
                    return Ending(variable, begins, after, None)
        return None

    def told_afterwards(self, row: list[ir.HostOp], variable: ir.Variable, swap: ir.Swap) -> Ending | None:
        """A kernel at the end contributes for every member."""
        begins, check = row[0], row[-1]
        if not isinstance(check, ir.Launch) or not isinstance(begins, ir.SetVariable):
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
            case (ir.Contribute(told, ir.Const()),) if told == variable:
                return Ending(variable, begins, found.members, check)
        return None

    def is_read(self, row: list[ir.HostOp], variable: ir.Variable) -> bool:
        return any(variable in read_by(op, self.given) for op in visitor.walk_host(row))

    def asking(self, loop: ir.Loop, found: Ending) -> ir.Loop:
        row = list(uses.stream(loop.body))
        for op in row:
            if isinstance(op, ir.Launch) and op is not found.check:
                self.told[op.kernel] = found.variable
        if found.check is not None:
            self.dropped.add(found.check.kernel)
        asks = ir.ReadEmpty(found.variable, found.added, found.begins.value == build.TRUE)
        kept = [op for op in row if op is not found.begins and op is not found.check]
        self.choices.append(
            Choice(f"the loop ends when '{found.added.name}' is empty", "its size is known in every round")
        )
        return replace(loop, body=(*kept, asks))

    def silent(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel without its contributions."""
        if kernel.name not in self.told:
            return kernel
        variable = self.told[kernel.name]
        drops = rewriter.KernelRule(
            lambda op: () if isinstance(op, ir.Contribute) and op.reduction == variable else None
        )
        body = drops.kernel_block(kernel.body)
        left = tuple(reduction for reduction in kernel.reductions if reduction.variable != variable)
        return visitor.with_signature(replace(kernel, body=body, reductions=left))


def _said_by(condition: ir.Expression) -> tuple[ir.Variable, bool] | None:
    """The variable that ends a loop, and its value when a round has done nothing."""
    match condition:
        case ir.Unary(ir.UnaryOperator.NOT, ir.Ref(variable)):
            return variable, True
        case ir.Ref(variable):
            return variable, False
    return None


def _adds(body: tuple[ir.KernelOp, ...], members: ir.Array) -> bool:
    return any(_adds_itself(op, members) for op in visitor.walk_kernel(body))


def _adds_itself(op: ir.KernelOp, members: ir.Array) -> bool:
    match op:
        case ir.Store(array, _, value):
            return array == members and value == build.TRUE
        case ir.ExtremeCell():
            return any(carry.array == members for carry in op.carried)
    return False


def _tells_what_it_adds(kernel: ir.Kernel, members: ir.Array, variable: ir.Variable) -> bool:
    """Whether nodes are added only where a cell is lowered, and only that contributes to going on."""
    combine = next(r.combine for r in kernel.reductions if r.variable == variable)
    stop = ir.Const(combine is not ir.Combine.AND, ir.Element.BOOL)
    contributions = [
        op for op in visitor.walk_kernel(kernel.body) if isinstance(op, ir.Contribute) and op.reduction == variable
    ]
    additions = [op for op in visitor.walk_kernel(kernel.body) if _adds_itself(op, members)]
    beside = [op for op in additions if isinstance(op, ir.ExtremeCell) and ir.Contribute(variable, stop) in op.also]
    return len(contributions) == len(additions) == len(beside) and combine in (ir.Combine.AND, ir.Combine.OR)
