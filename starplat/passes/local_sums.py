"""Accumulates in a local what a loop adds to one cell of its iteration.

`for (w in g.nodes_to(v)) { v.sigma += w.sigma; }` need not go to memory for every arc: the cell is read before the loop
and stored after it. The pass looks at every loop of a kernel, the outermost first. A cell stays where it is if
something in the loop may touch it otherwise, or may touch it by another name. The order of the additions stays. A self
loop makes a node its own neighbor, so `delta[w]` may be `delta[v]`; behind `level[w] == depth + 1` it is not, since
`level[v] == depth` holds for every iteration.

Cells of type ARC stay, because a local holds 64 bits where the cell may have 32.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from starplat.ir import build, conditions, fresh_names, nodes as ir, rewriter, visitor
from starplat.passes import forwarding
from starplat.passes.cells import Access, accesses, expression_accesses, own_cells
from starplat.passes.memory import Memory


def local_sums(module: ir.Module) -> ir.Module:
    """The same program with fewer reads and writes of memory."""
    memory = Memory(module)
    return module.with_each_kernel(lambda kernel: _gathered(kernel, memory))


def _gathered(kernel: ir.Kernel, memory: Memory) -> ir.Kernel:
    gatherer = _Gatherer(kernel, memory)
    body = gatherer.kernel_block(kernel.body)
    return kernel if body == kernel.body else forwarding.forwarded(replace(kernel, body=body), memory)


class _Gatherer(rewriter.Rewriter):
    def __init__(self, kernel: ir.Kernel, memory: Memory) -> None:
        self.memory = memory
        self.own = own_cells(kernel)
        self.names = fresh_names.FreshNames(fresh_names.names_in(kernel))
        self.written = visitor.written_arrays(kernel.body)
        self.assigned = visitor.assigned_variables(kernel.body)
        self.given = () if kernel.filter is None else tuple(conditions.conjuncts(kernel.filter))

    def kernel_op(self, op: ir.KernelOp) -> tuple[ir.KernelOp, ...]:
        if not isinstance(op, ir.KernelLoop):
            return (self.rebuild(op),)
        if not (chosen := self._chosen(op)):
            return (self.rebuild(op),)
        inside = _InLocals(chosen, self)
        before = tuple(ir.Let(local, ir.Load(array, index)) for array, (index, local) in chosen.items())
        after = tuple(ir.Store(array, index, ir.Ref(local)) for array, (index, local) in chosen.items())
        return (*before, self.rebuild(inside.counting(inside.rebuild(op))), *after)

    def _chosen(self, loop: ir.KernelLoop) -> dict[ir.Array, tuple[ir.Expression, ir.Variable]]:
        """The cells that become locals during the loop."""
        touched = list(accesses((loop,)))
        cells = {a.array: a.index for a in touched if a.writes and a.index is not None and self.is_own(a)}
        chosen = {}
        for array, index in cells.items():
            if self._is_gathered(array, loop) and self._may_live_in_a_local(array, index, touched):
                wanted = (
                    f"{array.name}_of_{index.variable.name}" if isinstance(index, ir.Ref) else f"{array.name}_so_far"
                )
                chosen[array] = index, self.names.variable(wanted, array.element)
        return chosen

    def is_own(self, access: Access) -> bool:
        return access.index is not None and self.is_own_cell(access.array, access.index)

    def is_own_cell(self, array: ir.Array, index: ir.Expression) -> bool:
        return array.extent is ir.Extent.ONE or self.own.has(array, index)

    def _is_gathered(self, array: ir.Array, loop: ir.KernelLoop) -> bool:
        """Whether the loop combines with the cell's value, rather than only storing to it."""
        for op in visitor.walk_kernel((loop,)):
            match op:
                case ir.UpdateCell() | ir.ExtremeCell() if op.array == array and self.is_own_cell(array, op.index):
                    return True
                case ir.Store(stored, index, value) if stored == array and self.is_own_cell(array, index):
                    if any(a.array == array and self.is_own(a) for a in expression_accesses(value)):
                        return True
        return False

    def _may_live_in_a_local(self, array: ir.Array, index: ir.Expression, touched: list[Access]) -> bool:
        if array.element is ir.Element.ARC:
            return False
        meeting = [access for access in touched if self.memory.may_be_one(array, access.array)]
        return all(self._is_harmless(access, array, index) for access in meeting)

    def _is_harmless(self, access: Access, array: ir.Array, index: ir.Expression) -> bool:
        """Whether an access is to the cell itself, by this iteration alone, or surely to another."""
        if access.array != array or access.index is None:
            return False
        if self.is_own(access):
            return not access.shared
        known = lasting((*self.given, *access.given), self.written, self.assigned)
        return differ(access.index, index, known)


class _InLocals(rewriter.Rewriter):
    """Rewrites a loop with locals for the chosen cells."""

    def __init__(self, chosen: dict[ir.Array, tuple[ir.Expression, ir.Variable]], gatherer: _Gatherer) -> None:
        self.chosen, self.gatherer = chosen, gatherer

    def local(self, array: ir.Array, index: ir.Expression) -> ir.Variable | None:
        if array in self.chosen and self.gatherer.is_own_cell(array, index):
            return self.chosen[array][1]
        return None

    def counting(self, loop: ir.KernelLoop) -> ir.KernelLoop:
        """The loop with locals for the cells that it counts triangles in."""
        if not isinstance(loop, ir.ForNeighbors):
            return loop
        locals_: dict[ir.Variable | ir.Array, ir.Variable] = {a: local for a, (_, local) in self.chosen.items()}
        return replace(loop, counts=tuple(replace(c, target=locals_.get(c.target, c.target)) for c in loop.counts))

    def expression(self, expression: ir.Expression) -> ir.Expression:
        if isinstance(expression, ir.Load):
            local = self.local(expression.array, expression.index)
            if local is not None:
                return ir.Ref(local)
        return self.rebuild(expression)

    def kernel_op(self, op: ir.KernelOp) -> tuple[ir.KernelOp, ...]:
        if isinstance(op, ir.Store | ir.UpdateCell | ir.ExtremeCell):
            local = self.local(op.array, op.index)
            if local is not None:
                return self._in_local(op, local)
        return (self.rebuild(op),)

    def _in_local(self, op: ir.Store | ir.UpdateCell | ir.ExtremeCell, local: ir.Variable) -> tuple[ir.KernelOp, ...]:
        match op:
            case ir.Store():
                return (ir.SetLocal(local, self.expression(op.value)),)
            case ir.UpdateCell(ir.Combine.MIN | ir.Combine.MAX as extreme, array, index, value):
                return self._extreme(ir.ExtremeCell(extreme, array, index, value, (), shared=False), local)
            case ir.UpdateCell():
                return _updated(op.combine, local, self.expression(op.value))
            case ir.ExtremeCell():
                return self._extreme(op, local)

    def _extreme(self, op: ir.ExtremeCell, local: ir.Variable) -> tuple[ir.KernelOp, ...]:
        """The winner's stores are evaluated before, as the operation says."""
        before: list[ir.KernelOp] = []

        def early(value: ir.Expression, name: str) -> ir.Expression:
            if isinstance(value, ir.Const) or (
                isinstance(value, ir.Ref) and value.variable not in self.gatherer.assigned
            ):
                return value
            value = self.expression(value)
            held = self.gatherer.names.variable(name, value.element)
            before.append(ir.Let(held, value))
            return ir.Ref(held)

        candidate = early(op.candidate, "candidate")
        stores: list[ir.KernelOp] = []
        for carry in op.carried:
            index = carry.index if carry.index == op.index else early(carry.index, f"{carry.array.name}_cell")
            value = early(carry.value, f"new_{carry.array.name}")
            stores += self.kernel_op(ir.Store(carry.array, index, value))
        wins = build.beyond(op.extreme, candidate, ir.Ref(local))
        also = self.kernel_block(op.also)
        return (*before, ir.KernelIf(wins, (ir.SetLocal(local, candidate), *stores, *also)))


def _updated(combine: ir.Combine, local: ir.Variable, value: ir.Expression) -> tuple[ir.KernelOp, ...]:
    """`local combine= value`; the value is evaluated even where the local decides alone."""
    match combine:
        case ir.Combine.OR:
            return _set_if(value, local, True)
        case ir.Combine.AND:
            return _set_if(build.denied(value), local, False)
        case _:
            operator = ir.BinaryOperator(combine.value)
            return (ir.SetLocal(local, ir.Binary(operator, ir.Ref(local), value, local.element)),)


def _set_if(condition: ir.Expression, local: ir.Variable, value: bool) -> tuple[ir.KernelOp, ...]:
    stored = ir.SetLocal(local, ir.Const(value, ir.Element.BOOL))
    match condition:
        case ir.Const(True) | ir.Unary(ir.UnaryOperator.NOT, ir.Const(False)):
            return (stored,)
        case ir.Const(False) | ir.Unary(ir.UnaryOperator.NOT, ir.Const(True)):
            return ()
    return (ir.KernelIf(condition, (stored,)),)


_APART = (ir.BinaryOperator.NOT_EQUAL, ir.BinaryOperator.LESS, ir.BinaryOperator.GREATER)

Said = tuple[ir.Array, bool, ir.Expression]
"""Whether the cell of the array is (True) or is not (False) equal to the value."""


def lasting(
    conditions: Iterable[ir.Expression], written: Collection[ir.Array], assigned: Collection[ir.Variable]
) -> tuple[ir.Expression, ...]:
    """The conditions that no write to these arrays and variables changes."""

    def may_change(e: ir.Expression) -> bool:
        match e:
            case ir.Load(array, _):
                return array in written
            case ir.Ref(variable):
                return variable in assigned
        return isinstance(e, ir.CallFunction)

    return tuple(c for c in conditions if not any(map(may_change, visitor.walk_expression(c))))


def differ(one: ir.Expression, other: ir.Expression, conditions: Iterable[ir.Expression]) -> bool:
    """Whether the indices are surely not the same where all of the conditions hold."""
    known = tuple(conditions)
    for condition in known:
        match condition:
            case ir.Binary(operator, left, right) if operator in _APART and (left, right) in (
                (one, other),
                (other, one),
            ):
                return True
    ones = [said for condition in known for said in _said_of(one, condition)]
    others = [said for condition in known for said in _said_of(other, condition)]
    return any(_contradict(a, b) for a in ones for b in others)


def _said_of(index: ir.Expression, condition: ir.Expression) -> Iterator[Said]:
    """What a condition says of the cell of some array at `index`."""
    match condition:
        case ir.Load(array, at) if at == index:
            yield array, True, build.TRUE
        case ir.Unary(ir.UnaryOperator.NOT, ir.Load(array, at)) if at == index:
            yield array, True, build.FALSE
        case ir.Binary(ir.BinaryOperator.EQUAL | ir.BinaryOperator.NOT_EQUAL as operator, left, right):
            for cell, value in ((left, right), (right, left)):
                if isinstance(cell, ir.Load) and cell.index == index:
                    yield cell.array, operator is ir.BinaryOperator.EQUAL, value


def _contradict(one: Said, other: Said) -> bool:
    """Whether one cell cannot be both."""
    (array, equals, value), (other_array, other_equals, other_value) = one, other
    if array != other_array or not (equals or other_equals):
        return False
    return _unequal(value, other_value) if equals and other_equals else value == other_value


def _unequal(one: ir.Expression, other: ir.Expression) -> bool:
    """Whether two values are surely different."""
    if isinstance(one, ir.Const) and isinstance(other, ir.Const):
        return one.value != other.value
    (base, step), (other_base, other_step) = _with_step(one), _with_step(other)
    return base == other_base and 0 < abs(step - other_step) < 2**31


def _with_step(value: ir.Expression) -> tuple[ir.Expression, int]:
    """An integer as another one and a constant that is added."""
    match value:
        case ir.Binary(ir.BinaryOperator.ADD, base, ir.Const(int(step))) if not value.element.is_real:
            return base, step
        case ir.Binary(ir.BinaryOperator.SUBTRACT, base, ir.Const(int(step))) if not value.element.is_real:
            return base, -step
    return value, 0
