"""Computes once per node what a loop over neighbors would compute for every arc.

In `inflow += nbr.rank / g.count_outNbrs(nbr)` the quotient depends on the neighbor alone. A kernel launched just before
stores it for every node; the loop then reads one cell instead of three, and divides no more. The value is the same
bit for bit: it is the same expression of the same type.

Left alone are
- values that only some nodes or arcs need (a filter, a condition, an early exit): the new kernel computes all;
- values that might fail for a node that is no neighbor: an index outside its array, an integer divided by zero (unless
  the divisor is a degree that no neighbor has at 0, which is then asked first);
- a real product that is added at once, for a target may round the two only once.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import nodes as ir, visitor
from starplat.ir.fresh_names import FreshNames, names_throughout
from starplat.ir.rewriter import HostRule, KernelRule, Rewriter, map_expression
from starplat.ir.visitor import all_expressions, assigned_variables, walk_host, with_signature, written_arrays
from starplat.passes.factors import Factor, Neighbor, is_product
from starplat.passes.memory import Memory

_SUMS = (ir.BinaryOperator.ADD, ir.BinaryOperator.SUBTRACT)
_SHORT_CIRCUIT = (ir.BinaryOperator.AND, ir.BinaryOperator.OR)


def hoist_factors(module: ir.Module) -> ir.Module:
    """The same program with fewer operations for every arc."""
    memory = Memory(module)
    for function in module.functions:
        names = FreshNames(names_throughout(function, module))
        for name in dict.fromkeys(op.kernel for op in walk_host(function.body) if isinstance(op, ir.Launch)):
            module = _hoisted(module, module.function(function.name), module.kernel(name), names, memory)
    return module


def _hoisted(
    module: ir.Module, function: ir.HostFunction, kernel: ir.Kernel, names: FreshNames, memory: Memory
) -> ir.Module:
    """The module with a kernel's factors worked out before it, wherever `function` launches it."""
    if not isinstance(kernel.domain, ir.AllNodes) or kernel.filter is not None or visitor.breaks_off(kernel.body):
        return module
    hoister = _Hoister(kernel, names, memory)
    body = hoister.kernel_block(kernel.body)
    if not hoister.found:
        return module
    name = FreshNames(other.name for other in module.kernels).fresh(f"{function.name}_set_{_first(hoister.found).name}")
    launch = ir.Launch(kernel.name)
    before = HostRule(lambda op: (ir.Launch(name), op) if op == launch else None)
    arrays = (*function.arrays, *hoister.found.values())
    changed = replace(function, arrays=arrays, body=before.host_block(function.body))
    pair = (
        _giving(kernel, hoister.found, name),
        with_signature(replace(kernel, body=_without_unused(body, hoister.known))),
    )
    return replace(
        module,
        functions=tuple(changed if f == function else f for f in module.functions),
        kernels=tuple(one for old in module.kernels for one in (pair if old == kernel else (old,))),
    )


def _first(found: dict[Factor, ir.Array]) -> ir.Array:
    return next(iter(found.values()))


def _giving(kernel: ir.Kernel, found: dict[Factor, ir.Array], name: str) -> ir.Kernel:
    """The kernel that stores the factors of every node."""
    node = kernel.iterator
    assert node is not None
    stores: list[ir.KernelOp] = []
    for factor, array in found.items():
        here = factor.at(node)
        store = ir.Store(array, ir.Ref(node), here.value)
        stores.append(store if here.guard is None else ir.KernelIf(here.guard, (store,)))
    comment = f"what a node gives to each of its neighbors in '{kernel.name}'"
    return with_signature(ir.Kernel(name, ir.AllNodes(), node, tuple(stores), span=kernel.span, comment=comment))


class _Hoister(Rewriter):
    """Replaces factors in the loops that every node runs through; `found` says where their values lie."""

    def __init__(self, kernel: ir.Kernel, names: FreshNames, memory: Memory) -> None:
        self.iterator = kernel.iterator
        self.names, self.memory = names, memory
        self.scalars = frozenset(kernel.scalars)
        self.written = written_arrays(kernel.body)
        self.assigned = assigned_variables(kernel.body)
        self.found: dict[Factor, ir.Array] = {}
        self.known: dict[ir.Variable, ir.Expression] = {}

    def kernel_op(self, op: ir.KernelOp) -> tuple[ir.KernelOp, ...]:
        return (self.loop(op, ()) if isinstance(op, ir.ForNeighbors) else op,)

    def holds(self, what: ir.Array | ir.Variable) -> bool:
        if isinstance(what, ir.Variable):
            return what in self.scalars
        return not any(self.memory.may_be_one(what, written) for written in self.written)

    def loop(self, op: ir.ForNeighbors, around: tuple[Neighbor, ...]) -> ir.ForNeighbors:
        if op.neighbor in self.assigned or visitor.breaks_off(op.body, ir.KernelBreak):
            return op
        neighbor = Neighbor(op.neighbor, op.direction, self.holds)
        return replace(op, body=tuple(self.in_loop(op.body, (*around, neighbor))))

    def in_loop(self, body: tuple[ir.KernelOp, ...], neighbors: tuple[Neighbor, ...]) -> Iterable[ir.KernelOp]:
        """The operations that every arc runs through, with their factors replaced, and the others as they are."""
        for place, op in enumerate(body):
            yield self.op(op, neighbors)
            if visitor.breaks_off((op,)) and not self.is_for_loops(op):
                yield from body[place + 1 :]
                return

    def op(self, op: ir.KernelOp, neighbors: tuple[Neighbor, ...]) -> ir.KernelOp:
        match op:
            case ir.Let(variable, value):
                return self.let(op, variable, value, neighbors)
            case ir.SetLocal() | ir.Store() | ir.UpdateCell() | ir.Contribute():
                return replace(op, value=self.value(op.value, neighbors))
            case ir.ExtremeCell():
                return replace(op, candidate=self.value(op.candidate, neighbors))
            case ir.KernelIf(_, then) if self.is_for_others(op):
                return replace(op, then=tuple(self.in_loop(then, neighbors)))
            case ir.KernelIf():
                return replace(op, condition=self.value(op.condition, neighbors))
            case ir.ForNeighbors():
                return self.loop(op, neighbors)
        return op

    def let(self, op: ir.Let, variable: ir.Variable, value: ir.Expression, neighbors: tuple[Neighbor, ...]) -> ir.Let:
        """A local that is no factor may be part of one."""
        new = self.value(value, neighbors)
        meant = self.meaning(value)
        if new == value and variable not in self.assigned and any(n.is_of_it(meant) for n in neighbors):
            self.known[variable] = meant
        return replace(op, value=new)

    def is_for_others(self, op: ir.KernelOp) -> bool:
        """Whether nearly every arc passes the test: all but those from a node to itself."""
        return isinstance(op, ir.KernelIf) and self.compares(op.condition, ir.BinaryOperator.NOT_EQUAL)

    def is_for_loops(self, op: ir.KernelOp) -> bool:
        """Whether only arcs from a node to itself pass the test."""
        return isinstance(op, ir.KernelIf) and self.compares(op.condition, ir.BinaryOperator.EQUAL) and not op.otherwise

    def compares(self, condition: ir.Expression, operator: ir.BinaryOperator) -> bool:
        match condition:
            case ir.Binary(found, ir.Ref(left), ir.Ref(right)):
                return found is operator and self.iterator in (left, right)
        return False

    # --- expressions -----------------------------------------------------------------------------------------------

    def meaning(self, expression: ir.Expression) -> ir.Expression:
        """The expression with the locals that stand for other expressions replaced by them."""
        return map_expression(lambda e: self.known.get(e.variable, e) if isinstance(e, ir.Ref) else e, expression)

    def value(self, expression: ir.Expression, neighbors: tuple[Neighbor, ...], *, added: bool = True) -> ir.Expression:
        """The expression with its largest factors replaced. `added`: it may be an operand of a sum."""
        meant = self.meaning(expression)
        for neighbor in neighbors:
            factor = None if added and is_product(meant) else neighbor.factor(meant)
            if factor is not None:
                return ir.Load(self.place(factor), ir.Ref(neighbor.variable))
        match expression:
            case ir.Binary(operator, left, right) if operator in _SHORT_CIRCUIT:
                return replace(expression, left=self.value(left, neighbors, added=False))
            case ir.Binary(operator, left, right):
                sums = operator in _SUMS
                left, right = (self.value(side, neighbors, added=sums) for side in (left, right))
                return replace(expression, left=left, right=right)
            case ir.Unary(operator, operand):
                sums = added and operator is ir.UnaryOperator.NEGATE
                return replace(expression, operand=self.value(operand, neighbors, added=sums))
            case ir.Select(condition):
                return replace(expression, condition=self.value(condition, neighbors, added=False))
            case ir.CallFunction() | ir.FindArc():
                return expression
        return _Inside(self, neighbors).rebuild(expression)

    def place(self, factor: Factor) -> ir.Array:
        if factor not in self.found:
            name = self.names.fresh("contribution")
            self.found[factor] = ir.Array(name, factor.value.element, ir.Extent.NODES, ir.Origin.TEMPORARY)
        return self.found[factor]


class _Inside(Rewriter):
    """Goes on with the operands of an expression that always evaluates all of them."""

    def __init__(self, hoister: _Hoister, neighbors: tuple[Neighbor, ...]) -> None:
        self.hoister, self.neighbors = hoister, neighbors

    def expression(self, expression: ir.Expression) -> ir.Expression:
        return self.hoister.value(expression, self.neighbors, added=False)


def _without_unused(body: tuple[ir.KernelOp, ...], candidates: Iterable[ir.Variable]) -> tuple[ir.KernelOp, ...]:
    """The operations without unused locals."""
    read = {e.variable for e in all_expressions(body) if isinstance(e, ir.Ref)}
    unused = frozenset(candidates) - read
    if not unused:
        return body
    drops = KernelRule(lambda op: () if isinstance(op, ir.Let) and op.variable in unused else None)
    return _without_unused(drops.kernel_block(body), frozenset(candidates) - unused)
