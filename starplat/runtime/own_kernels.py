"""Modules of kernels that the runtime itself launches, on every target: they change a graph, or copy heads of rows."""

from starplat.ir import build, nodes as ir, visitor
from starplat.source import SourceFile

COUNT = ir.Variable("count", ir.Element.INT)
"""How many updates there are, or copies."""


def module_of(*kernels: ir.Kernel, scalars: tuple[ir.Variable, ...] = (), name: str = "changing.sp") -> ir.Module:
    """A module that launches kernels one after another; all that they use are parameters."""
    arrays = {array: None for kernel in kernels for array in kernel.arrays}
    parameters = (*map(ir.Parameter, arrays), *map(ir.Parameter, (COUNT, *scalars)))
    body = tuple(ir.Launch(kernel.name) for kernel in kernels)
    return ir.Module(
        source=SourceFile(name, ""),
        entry="change",
        functions=(ir.HostFunction("change", parameters, (), None, body),),
        kernels=kernels,
        helpers=(),
        arguments=(),
        inputs=(),
        results=(),
        result_types=(),
        graph_arrays=(),
    )


def kernel_of(
    name: str, domain: ir.Domain, iterator: ir.Variable, body: tuple[ir.KernelOp, ...], comment: str
) -> ir.Kernel:
    """A kernel with its signature derived."""
    return visitor.with_signature(ir.Kernel(name, domain, iterator, body=body, comment=comment))


def first_that(low: ir.Variable, high: ir.Variable, middle: ir.Variable, too_low: ir.Expression) -> ir.KernelWhile:
    """Moves `low` to the first number up to `high` of which `too_low`, said of `middle`, does not hold."""
    one = ir.Const(1, low.element)
    half = build.divided(build.minus(ir.Ref(high), ir.Ref(low)), ir.Const(2, low.element))
    return ir.KernelWhile(
        build.less(ir.Ref(low), ir.Ref(high)),
        (
            ir.Let(middle, build.plus(ir.Ref(low), half)),
            ir.KernelIf(
                too_low, (ir.SetLocal(low, build.plus(ir.Ref(middle), one)),), (ir.SetLocal(high, ir.Ref(middle)),)
            ),
        ),
    )
