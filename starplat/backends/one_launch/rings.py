"""Reduction cells of a persistent kernel, triple-buffered.

A ring has three cells: one is added to, one is read, one is reset for the next turn. So the reset needs no barrier.
"""

from dataclasses import dataclass

from starplat.backends import statements as st, uses
from starplat.backends.legal.operations import Operations
from starplat.ir import build, fresh_names, launches, nodes as ir, visitor
from starplat.ir.python.arithmetic import identity

RING = 3
"""Cells of a ring."""


@dataclass(frozen=True, slots=True)
class Ring:
    """The cells of a reduction; `turn` says which one is in use."""

    cells: ir.Array
    turn: ir.Variable
    reduction: ir.Reduction


class Rings:
    """The rings of all reductions of an operation, by kernel and variable."""

    def __init__(self, op: ir.OnDevice, module: ir.Module, names: fresh_names.FreshNames) -> None:
        self.module, self.names = module, names
        self.found: dict[tuple[str, ir.Variable], Ring] = {}
        for kernel in launched_in(op, module):
            for reduction in kernel.reductions:
                self.found[kernel.name, reduction.variable] = self._ring(reduction)
        for either in (inner for inner in visitor.walk_host(op.body) if isinstance(inner, ir.Launch)):
            self._share(either)

    def of(self, kernel: ir.Kernel) -> list[Ring]:
        """Those of a kernel, in the order of its reductions."""
        return [self.found[kernel.name, reduction.variable] for reduction in kernel.reductions]

    def used(self, body: st.Body) -> list[Ring]:
        """Those that the statements mention, each once."""
        arrays = uses.arrays_in(body)
        return [ring for ring in dict.fromkeys(self.found.values()) if ring.cells in arrays]

    def _share(self, op: ir.Launch) -> None:
        """Push and pull contribute to the same ring: only one of them runs at a time."""
        for kernel in launches.launched_kernels(op.pull, self.module):
            for reduction in kernel.reductions:
                if (op.kernel, reduction.variable) in self.found:
                    self.found[kernel.name, reduction.variable] = self.found[op.kernel, reduction.variable]

    def _ring(self, reduction: ir.Reduction) -> Ring:
        name, element = reduction.variable.name, st.result_element(reduction.variable.element)
        cells = ir.Array(self.names.fresh(f"{name}_found"), element, ir.Extent.ONE, ir.Origin.TEMPORARY)
        return Ring(cells, ir.Variable(self.names.fresh(f"{name}_turn"), ir.Element.INT), reduction)


def launched_in(op: ir.OnDevice, module: ir.Module) -> list[ir.Kernel]:
    """The kernels that an operation launches, each once."""
    names = dict.fromkeys(inner.kernel for inner in visitor.walk_host(op.body) if isinstance(inner, ir.Launch))
    return list(map(module.kernel, names))


def start_of(ring: Ring) -> ir.Const:
    """The initial value of a ring's cells."""
    start = identity(ring.reduction.combine, ring.reduction.variable.element)
    return build.number(int(start.value)) if start.element is ir.Element.BOOL else start


def following(turn: ir.Variable) -> ir.Expression:
    """The cell of a ring after the one in use."""
    last = build.equal(ir.Ref(turn), build.number(RING - 1))
    return ir.Select(last, build.ZERO, build.plus(ir.Ref(turn), build.ONE, ir.Element.INT))


def added(part: ir.Variable, ring: Ring, operations: Operations, threads: int, *, many: bool) -> st.Body:
    """Adds a thread's result to the ring, in a group of so many; `many` of them may have found a flag."""
    combine, here = ring.reduction.combine, ir.Ref(ring.turn)
    is_flag = part.element is ir.Element.BOOL and combine is not ir.Combine.BIT_XOR
    if is_flag and not many:
        found = ir.Ref(part) if combine.is_any else build.denied(ir.Ref(part))
        return (st.If(found, (st.StoreCell(ring.cells, here, build.number(int(combine.is_any))),)),)
    if threads == 1:
        return (st.CombineCell(combine, ring.cells, here, ir.Ref(part)),)
    method = st.Method.NATIVE if is_flag else operations.methods.method(combine, ring.cells.element)
    scratch = operations.locals.fresh(f"{part.name}_scratch", ring.cells.element)
    return (st.CombineGroup(combine, part, ring.cells, scratch, method, threads, here),)


def collected(ring: Ring) -> st.Body:
    """The combined result of all threads and the variable's old value; the ring turns."""
    variable, combine = ring.reduction.variable, ring.reduction.combine
    found: ir.Expression = ir.Load(ring.cells, ir.Ref(ring.turn))
    if variable.element is ir.Element.BOOL:
        found = build.differs(found, build.ZERO)
    return st.Accumulate(variable, combine, found), st.Assign(ring.turn, following(ring.turn))
