"""Step `stores`: a real is stored without a test whether the cell holds it already.

  if (old != new || new == 0.0) rank[v] = new;   becomes   rank[v] = new;

Pass `changed_cells` makes stores conditional, so that a GPU's loads need not wait for them. Cores wait for no store,
and the test takes longer. Numbers that are whole keep it: they often stay as they are, and their lines of memory then
stay with all threads.
"""

from dataclasses import replace

from starplat.ir import nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.rewriter import KernelRule
from starplat.schedule.schedule import Schedule


def stores_without_test(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module:
    """The module whose reals are stored so, if threads are cores."""
    return module if capabilities.lockstep else module.with_each_kernel(_without_test)


def _without_test(kernel: ir.Kernel) -> ir.Kernel:
    held = {op.variable: op.value for op in visitor.walk_kernel(kernel.body) if isinstance(op, ir.Let)}
    for variable in visitor.assigned_variables(kernel.body):
        held.pop(variable, None)

    def stored(op: ir.KernelOp) -> tuple[ir.KernelOp, ...] | None:
        """The store alone, where the test compares its value with what the cell held, and with zero of either sign."""
        match op:
            case ir.KernelIf(
                ir.Binary(
                    ir.BinaryOperator.OR,
                    ir.Binary(ir.BinaryOperator.NOT_EQUAL, ir.Ref(old), new),
                    ir.Binary(ir.BinaryOperator.EQUAL, other, ir.Const(0.0)),
                ),
                (ir.Store(array, index, value) as store,),
                (),
            ) if new == other == value and value.element.is_real and held.get(old) == ir.Load(array, index):
                return (store,)
        return None

    return replace(kernel, body=KernelRule(stored).kernel_block(kernel.body))
