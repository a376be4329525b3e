"""Push or pull in a run that is divided into parts: all parts do the same in a round.

A launch counts the active nodes, and another their arcs where that decides; as any other sums, those of all parts are
added up, so that parts come to one choice. A pull writes own cells only, so after it parts share what they have found,
in place of combining what each has sent to all nodes.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build, nodes as ir, visitor
from starplat.ir.module_rewriter import ModuleRewriter
from starplat.ir.visitor import host_ops
from starplat.schedule.direction.pull_rounds import ActiveNodes, Choices
from starplat.source import Span


def choosing_in_parts(module: ir.Module) -> ir.Module:
    """The module whose launches that may pull choose by what is counted, with flags in place of sets; the same object
    if it has none."""
    launches = [op for op in host_ops(module) if isinstance(op, ir.Launch) and op.members is not None]
    return _Choosing(module).module() if launches else module


class _Choosing(ModuleRewriter):
    def module(self) -> ir.Module:
        made = super().module()
        functions = tuple(replace(f, arrays=tuple(map(self.array, f.arrays))) for f in made.functions)
        return replace(made, functions=functions, kernels=tuple(map(self.kernel, made.kernels)))

    def array(self, array: ir.Array) -> ir.Array:
        return replace(array, packed=None)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if not isinstance(op, ir.Launch) or op.members is None:
            return (self.rebuild(op),)
        number, span = self.taken.variable("active_nodes", ir.Element.INT), self.given.kernel(op.kernel).span
        count = self.counting(op.members, number, span)
        self.kernels.append(count)
        active = ActiveNodes(op.members.name, ir.Ref(number), ir.AllNodes(), op.members)
        chosen = Choices(self.taken, self.kernels).choose(
            op, active, (ir.Launch(op.kernel),), tuple(self.host_block(op.pull)), span
        )
        return (ir.DeclareVariable(number, build.ZERO), ir.Launch(count.name), *chosen)

    def counting(self, members: ir.Array, number: ir.Variable, span: Span) -> ir.Kernel:
        node = self.taken.variable("active_node", ir.Element.NODE)
        kernel = ir.Kernel(
            self.taken.fresh(f"size_of_{members.name}"),
            ir.AllNodes(),
            node,
            (ir.Contribute(number, build.ONE),),
            filter=ir.Load(members, ir.Ref(node)),
            reductions=(ir.Reduction(number, ir.Combine.ADD),),
            span=span,
            comment="how many nodes are active",
        )
        return visitor.with_signature(kernel)
