"""Fresh names, and the names that modules, host functions and kernels have."""

from collections.abc import Iterable

from starplat.ir import nodes as ir
from starplat.ir.visitor import arrays_in, declared_by, walk_host, walk_kernel
from starplat.same import remembered


class FreshNames:
    """Gives unique names: the wanted one if it is free, else with a number; `taken` are the used ones."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)
        self._next: dict[str, int] = {}  # the number to try for each name that was wanted: all below are taken
        self._inside: list[FreshNames] = []

    def free(self, wanted: str) -> str:
        """An unused name, as similar to `wanted` as possible, which stays unused."""
        if wanted not in self.taken:
            return wanted
        number = self._next.get(wanted, 2)
        while (name := f"{wanted}_{number}") in self.taken:
            number += 1
        self._next[wanted] = number
        return name

    def fresh(self, wanted: str) -> str:
        """An unused name, which is taken from now on."""
        name = self.free(wanted)
        self.taken.add(name)
        return name

    def variable(self, wanted: str, element: ir.Element) -> ir.Variable:
        return ir.Variable(self.fresh(wanted), element)

    def variables(self, element: ir.Element, *wanted: str) -> tuple[ir.Variable, ...]:
        """Variables of unused names, all of one type."""
        return tuple(self.variable(name, element) for name in wanted)

    def array(self, wanted: str, element: ir.Element, extent: ir.Extent) -> ir.Array:
        """A temporary array of an unused name."""
        return ir.Array(self.fresh(wanted), element, extent, ir.Origin.TEMPORARY)

    def inner(self) -> "FreshNames":
        """Names for a kernel of this function: they avoid all that are taken here, and take none away."""
        names = FreshNames(self.taken)
        self._inside.append(names)
        return names

    def fresh_throughout(self, wanted: str) -> str:
        """As `fresh`, and no kernel made so far has it: for arrays that are needed while a kernel is being made."""
        name = self.fresh(wanted)
        while any(name in inner.taken for inner in self._inside):
            name = self.fresh(wanted)
        for inner in self._inside:
            inner.taken.add(name)
        return name


def names_of(module: ir.Module) -> FreshNames:
    """Names that nothing in a module has."""
    return FreshNames(_names_of(module))


@remembered(16)
def _names_of(module: ir.Module) -> set[str]:
    """Everything that has a name in a module; most steps ask."""
    names = {function.name for function in module.functions} | {helper.name for helper in module.helpers}
    for function in module.functions:
        names |= {array.name for array in function.arrays} | _parameters(function)
        for op in walk_host(function.body):
            names |= {array.name for array in arrays_in(op)} | {v.name for v in declared_by(op)} | _list_names(op)
            if isinstance(op, ir.HostForRange | ir.HostForMembers) and op.searches is not None:
                inside = walk_kernel((*op.searches.reached, *op.searches.behind))
                names |= {array.name for array in op.searches.kept} | {v.name for i in inside for v in declared_by(i)}
    for helper in module.helpers:
        names |= _parameters(helper)
        names |= {variable.name for op in walk_kernel(helper.body) for variable in declared_by(op)}
    return names.union(*(names_in(kernel) | {kernel.name} for kernel in module.kernels))


def names_in(kernel: ir.Kernel) -> set[str]:
    found = {variable.name for op in walk_kernel(kernel.body) for variable in declared_by(op)}
    if kernel.iterator is not None:
        found.add(kernel.iterator.name)
    found |= {variable.name for variable in declared_by(kernel.domain)}
    found |= {variable.name for variable in (*kernel.scalars, *(reduction.variable for reduction in kernel.reductions))}
    return found | {array.name for array in kernel.arrays}


def names_throughout(function: ir.HostFunction, module: ir.Module) -> set[str]:
    """Everything that has a name in a host function or in a kernel that it launches."""
    taken = _parameters(function) | {array.name for array in (*function.arrays, *module.graph_arrays)}
    for op in walk_host(function.body):
        taken |= {variable.name for variable in declared_by(op)} | _list_names(op)
        if isinstance(op, ir.Launch):
            taken |= names_in(module.kernel(op.kernel))
    return taken


def _list_names(op: ir.HostOp) -> set[str]:
    return {op.items.name} if isinstance(op, ir.DeclareList) else set()


def _parameters(function: ir.Function | ir.HostFunction) -> set[str]:
    lists = function.lists if isinstance(function, ir.HostFunction) else ()
    return {parameter.what.name for parameter in function.parameters} | {items.name for items in lists}
