"""Fresh names for the arrays, variables and functions that steps add."""

from starplat.ir import nodes as ir
from starplat.ir.visitor import arrays_in, declared_by, walk_host, walk_kernel


class Taken:
    """All names of a module, and those given since."""

    def __init__(self, module: ir.Module) -> None:
        self._names = {function.name for function in module.functions} | {helper.name for helper in module.helpers}
        for function in module.functions:
            self._names |= {array.name for array in function.arrays} | _parameters(function.parameters)
            for op in walk_host(function.body):
                self._names |= {array.name for array in arrays_in(op)} | {v.name for v in declared_by(op)}
        for kernel in module.kernels:
            self._names |= {kernel.name} | _names_in(kernel)
        for helper in module.helpers:
            self._names |= _parameters(helper.parameters)
            self._names |= {variable.name for op in walk_kernel(helper.body) for variable in declared_by(op)}

    def free(self, name: str) -> str:
        """`name`, or with the first number behind it that makes it a new one; it is taken from now on."""
        number, free = 2, name
        while free in self._names:
            free, number = f"{name}_{number}", number + 1
        self._names.add(free)
        return free


def _names_in(kernel: ir.Kernel) -> set[str]:
    found = {v.name for op in walk_kernel(kernel.body) for v in declared_by(op)}
    found |= {array.name for array in kernel.arrays} | {scalar.name for scalar in kernel.scalars}
    found |= {reduction.variable.name for reduction in kernel.reductions}
    return found if kernel.iterator is None else found | {kernel.iterator.name}


def _parameters(parameters: tuple[ir.Parameter, ...]) -> set[str]:
    return {parameter.what.name for parameter in parameters}
