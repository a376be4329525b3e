"""Finds the arrays whose cells are always numbers of nodes or -1, so that they can be indices of other arrays.

A program may give a `node` any number. What the caller gives is a node, or none: that was tested. So it is enough to
look at all that the program writes.
"""

from collections import defaultdict
from collections.abc import Iterator

from starplat.ir import launches, nodes as ir, visitor
from starplat.same import remembered

_FIRST_OR_NONE = (0, -1)


@remembered(16)
def arrays_of_nodes(module: ir.Module) -> frozenset[ir.Array]:
    """The arrays of the module whose cells are nodes or -1 all the time."""
    used = {array for kernel in module.kernels for array in kernel.arrays}
    used |= {array for op in visitor.host_ops(module) for array in visitor.arrays_in(op)}
    found = {array for array in used if array.element is ir.Element.NODE}
    while spoiled := found & set(_spoiled(module, found)):
        found -= spoiled
    return frozenset(found)


def is_node(value: ir.Expression, kernel: ir.Kernel, module: ir.Module) -> bool:
    """Whether a value in the kernel is a node or -1."""
    return _Values(kernel, module, set(arrays_of_nodes(module))).is_node(value)


def _spoiled(module: ir.Module, holding: set[ir.Array]) -> Iterator[ir.Array]:
    """The arrays to which other values are written, as long as those that are `holding` nodes do so."""
    for function in module.functions:
        if function.name != module.entry:
            yield from function.given_arrays
    for op in visitor.host_ops(module):
        match op:
            case ir.Fill(_, ir.Const(value)) if value in _FIRST_OR_NONE:
                pass
            case ir.CopyArray(destination, source):
                yield from (destination,) * (source not in holding)
            case ir.Swap(first, second):
                yield from (first, second) * (not {first, second} <= holding)
            case ir.HostCall(_, arguments):
                yield from (argument for argument in arguments if isinstance(argument, ir.Array))
            case _:
                yield from launches.changed_by(op)
    for kernel in module.kernels:
        yield from _spoiled_by_kernel(kernel, _Values(kernel, module, holding))


def _spoiled_by_kernel(kernel: ir.Kernel, values: "_Values") -> Iterator[ir.Array]:
    for op in visitor.walk_kernel(kernel.body):
        if isinstance(op, ir.Store):
            yield from (op.array,) * (not values.is_node(op.value))
        elif isinstance(op, ir.ExtremeCell) or not visitor.blocks_of(op):
            yield from visitor.written_arrays((op,))
    for part in visitor.all_expressions(kernel.body):
        if isinstance(part, ir.CallFunction):
            yield from (argument for argument in part.arguments if isinstance(argument, ir.Array))


class _Values:
    """Values in a kernel, as far as arrays that are `holding` nodes tell."""

    def __init__(self, kernel: ir.Kernel, module: ir.Module, holding: set[ir.Array]) -> None:
        self.module, self.holding = module, holding
        self.nodes = {kernel.iterator}
        self.given: dict[ir.Variable, list[ir.Expression | None]] = defaultdict(list)
        self.keys: dict[ir.Array, list[ir.Expression]] = defaultdict(list)
        for op in visitor.walk_kernel(kernel.body):
            match op:
                case ir.ForNeighbors():
                    self.nodes.add(op.neighbor)
                case ir.Let(variable, value) | ir.SetLocal(variable, value):
                    self.given[variable].append(value)
                case ir.FetchAdd() | ir.FetchOr() | ir.CompareSwap():
                    self.given[op.variable].append(None)
                case _:
                    for variable in visitor.declared_by(op):
                        self.given[variable].append(None)
        for part in visitor.all_expressions(kernel.body):
            if isinstance(part, ir.CallFunction):
                self._note(part)

    def _note(self, call: ir.CallFunction) -> None:
        """Notes the key of an addition to a map, and what a function may change."""
        match call.arguments:
            case (ir.Array() as keys, _, _, _, key, _) if not isinstance(key, ir.Array | ir.Variable):
                if self.module.helper(call.function).of_map is ir.MapPart.ADD:
                    self.keys[keys].append(key)
        for argument in call.arguments:
            if isinstance(argument, ir.Variable):
                self.given[argument].append(None)

    def is_node(self, value: ir.Expression | None, asked: frozenset[ir.Variable] = frozenset()) -> bool:
        """Whether it is a node or -1; what depends on itself is `asked` for already."""
        match value:
            case ir.Const(number):
                return number in _FIRST_OR_NONE
            case ir.Ref(variable):
                known = variable in self.nodes or variable in asked
                given = self.given.get(variable, (None,))
                return known or all(self.is_node(one, asked | {variable}) for one in given)
            case ir.Load(array):
                return array in self.holding
            case ir.Select(_, then, otherwise):
                return self.is_node(then, asked) and self.is_node(otherwise, asked)
            case ir.CallFunction(name, (ir.Array() as keys, *_)):
                best = self.module.helper(name).of_map is ir.MapPart.BEST
                return best and all(self.is_node(key, asked) for key in self.keys[keys])
        return False
