"""Step `quotients`: the host divides reals that are the same for all iterations, once for each launch.

  kernel: rank[v] = (1.0 - damping) / n + …      quotient = (1.0 - damping) / n;
                                                 kernel: rank[v] = quotient + …

A compiler must not do so itself: a division may raise a flag that an iteration which is not run would not. The value is
the same bit for bit, as it is the same expression of the same type.
"""

from collections.abc import Iterable, Iterator

from starplat.ir import launches, nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.module_rewriter import ModuleRewriter
from starplat.ir.rewriter import Replacer
from starplat.schedule.schedule import Schedule
from starplat.schedule.step import Decided, for_kernels


def quotients_by_host(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> Decided:
    """The module whose kernels get such quotients as scalars, if threads are cores."""
    if capabilities.lockstep:
        return Decided(module)
    maker = _Maker(module)
    made = maker.module()
    why = "they are the same for all iterations"
    return for_kernels(module, made, maker.changed, "the host works out quotients", why)


class _Maker(ModuleRewriter):
    """Puts the quotients of a kernel before its launch, if it has only one."""

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.Launch(name) if launches.is_launched_once(name, self.given):
                return (*self.declared(self.given.kernel(name)), self.rebuild(op))
            case ir.OnDevice() | ir.Loop(driver=ir.Ahead() | ir.NearestFirst()):
                return (op,)
        return (self.rebuild(op),)

    def declared(self, kernel: ir.Kernel) -> tuple[ir.HostOp, ...]:
        """The quotients, which the kernel gets as scalars from now on."""
        found = dict.fromkeys(_quotients(kernel))
        named = {quotient: self.taken.variable("quotient", quotient.element) for quotient in found}
        if named:
            replacer = Replacer({quotient: ir.Ref(variable) for quotient, variable in named.items()})
            self.changed[kernel.name] = visitor.with_signature(replacer.rebuild(kernel))
        return tuple(ir.DeclareVariable(variable, quotient) for quotient, variable in named.items())


def _quotients(kernel: ir.Kernel) -> Iterator[ir.Expression]:
    """The largest expressions of the kernel's scalars that hold a division of reals."""
    known = set(kernel.scalars) - visitor.assigned_variables(kernel.body)
    if isinstance(kernel.domain, ir.Once):
        return
    for op in visitor.walk_kernel(kernel.body):
        for expression in visitor.expressions_of(op):
            yield from _inside(expression, known)


def _inside(expression: ir.Expression, known: set[ir.Variable]) -> Iterator[ir.Expression]:
    parts = tuple(visitor.walk_expression(expression))
    divisions = [part for part in parts if _divides(part)]
    if divisions and all(_is_known(part, known) for part in parts) and any(isinstance(p, ir.Ref) for p in parts):
        yield expression
    elif divisions:
        for operand in visitor.operands(expression):
            yield from _inside(operand, known)


def _divides(part: ir.Expression) -> bool:
    return isinstance(part, ir.Binary) and part.operator is ir.BinaryOperator.DIVIDE and part.element.is_real


def _is_known(part: ir.Expression, known: set[ir.Variable]) -> bool:
    """Whether a value that is not made of others is the same for all iterations, and no operation may fail."""
    match part:
        case ir.Ref(variable):
            return variable in known
        case ir.Const() | ir.NumNodes() | ir.NumArcs():
            return True
        case ir.Binary():
            return part.element.is_real
        case ir.Cast():
            return part.element.is_real
    return False
