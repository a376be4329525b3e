"""What is done with triangles as they are found: one sum grows, or the counts of their nodes."""

from dataclasses import dataclass

from starplat.ir import build, nodes as ir


@dataclass(frozen=True, slots=True)
class Sum:
    """Every triangle adds the same to one sum."""

    reduction: ir.Reduction
    value: int

    @property
    def reductions(self) -> tuple[ir.Reduction, ...]:
        """What the kernel brings back."""
        return (self.reduction,)

    def begin(self) -> tuple[ir.KernelOp, ...]:
        """Before the first triangle."""
        return ()

    def found(self, third: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """For each."""
        variable = self.reduction.variable
        return (ir.Contribute(variable, ir.Const(self.value, variable.element)),)

    def end(self, one: ir.Variable, other: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """After the last, which may be none."""
        return ()

    @property
    def of_each(self) -> bool:
        """Whether all nodes of a triangle are told of it, or one is enough."""
        return False

    def several(self, node: ir.Variable, number: ir.Variable) -> ir.KernelOp:
        """For a number of triangles, of a node if each is told."""
        variable = self.reduction.variable
        added = _as(variable.element, number)
        if self.value != 1:
            added = build.times(ir.Const(self.value, variable.element), added)
        return ir.Contribute(variable, added)


@dataclass(frozen=True, slots=True)
class OfNodes:
    """Every triangle adds `value` to the `counts` of its three nodes; `here` are the triangles of the two that all have
    in common."""

    counts: ir.Array
    here: ir.Variable
    value: int = 1

    @property
    def reductions(self) -> tuple[ir.Reduction, ...]:
        return ()

    def begin(self) -> tuple[ir.KernelOp, ...]:
        return (ir.Let(self.here, ir.Const(0, self.here.element)),)

    def found(self, third: ir.Variable) -> tuple[ir.KernelOp, ...]:
        more = build.plus(ir.Ref(self.here), self._one())
        return (ir.SetLocal(self.here, more), self._add(third, self._one()))

    def end(self, one: ir.Variable, other: ir.Variable) -> tuple[ir.KernelOp, ...]:
        some = build.greater(ir.Ref(self.here), ir.Const(0, self.here.element))
        return (ir.KernelIf(some, (self._add(one, ir.Ref(self.here)), self._add(other, ir.Ref(self.here)))),)

    @property
    def of_each(self) -> bool:
        return True

    def several(self, node: ir.Variable, number: ir.Variable) -> ir.KernelOp:
        return self._add(node, _as(self.here.element, number))

    def _one(self) -> ir.Const:
        return ir.Const(1, self.here.element)

    def _add(self, node: ir.Variable, value: ir.Expression) -> ir.KernelOp:
        if self.value != 1:
            value = build.times(ir.Const(self.value, self.counts.element), value)
        return ir.UpdateCell(ir.Combine.ADD, self.counts, ir.Ref(node), value, shared=True)


Tally = Sum | OfNodes
"""What is done with the triangles that a thread finds, all of which have two nodes in common."""


def _as(element: ir.Element, number: ir.Variable) -> ir.Expression:
    return ir.Ref(number) if number.element is element else ir.Cast(ir.Ref(number), element)
