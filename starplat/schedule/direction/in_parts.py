"""Push or pull in a run that is divided into parts: all parts do the same in a round.

A launch counts the active nodes and their arcs; as any other sums, those of all parts are added up, so that parts come
to one choice. A pull writes own cells only, so after it parts share what they have found, in place of combining what
each has sent to all nodes.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build, visitor
from starplat.ir import nodes as ir
from starplat.ir.module_rewriter import ModuleRewriter
from starplat.ir.visitor import host_ops
from starplat.schedule.direction.pull_rounds import is_for_pull


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
        nodes = ir.Variable(self.taken.fresh("active_nodes"), ir.Element.INT)
        arcs = ir.Variable(self.taken.fresh("active_arcs"), ir.Element.FLOAT)
        count = self.counting(op, nodes, arcs)
        self.kernels.append(count)
        return (
            ir.DeclareVariable(nodes, build.ZERO),
            ir.DeclareVariable(arcs, ir.Const(0.0, ir.Element.FLOAT)),
            ir.Launch(count.name),
            ir.HostIf(is_for_pull(ir.Ref(nodes), ir.Ref(arcs)), self.host_block(op.pull), (ir.Launch(op.kernel),)),
        )

    def counting(self, op: ir.Launch, nodes: ir.Variable, arcs: ir.Variable) -> ir.Kernel:
        assert op.members is not None
        node = ir.Variable(self.taken.fresh("active_node"), ir.Element.NODE)
        degree = ir.Cast(ir.CSR.degree(ir.Ref(node)), ir.Element.FLOAT)
        kernel = ir.Kernel(
            self.taken.fresh(f"arcs_of_{op.members.name}"),
            ir.AllNodes(),
            node,
            (ir.Contribute(nodes, build.ONE), ir.Contribute(arcs, degree)),
            filter=ir.Load(op.members, ir.Ref(node)),
            reductions=(ir.Reduction(nodes, ir.Combine.ADD), ir.Reduction(arcs, ir.Combine.ADD)),
            span=self.given.kernel(op.kernel).span,
            comment="how many nodes are active, and how many arcs they have",
        )
        return visitor.with_signature(kernel)
