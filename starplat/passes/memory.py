"""Aliasing: which arrays of a kernel may be the same memory.

A caller that passes one device array twice is refused if the program changes it (E0713), and arrays of the program's
own are apart. What is left is a program that passes one property to two parameters of its own function: then, in all of
the module, any two arrays of one kind may be one.
"""

from starplat.ir import nodes as ir, visitor
from starplat.same import remembered


class Memory:
    """The arrays of one module."""

    def __init__(self, module: ir.Module) -> None:
        self._handed_twice = has_two_names(module)

    def may_be_one(self, one: ir.Array, other: ir.Array) -> bool:
        """Whether a cell of one may be a cell of the other."""
        if one == other:
            return True
        alike = (one.element, one.extent) == (other.element, other.extent)
        return self._handed_twice and alike and ir.Origin.GRAPH not in (one.origin, other.origin)


@remembered(16)
def has_two_names(module: ir.Module) -> bool:
    """Whether some function is called with one array for two of its parameters."""
    calls = (op for op in visitor.host_ops(module) if isinstance(op, ir.HostCall))
    lent = ([argument for argument in call.arguments if isinstance(argument, ir.Array)] for call in calls)
    return any(len(set(arrays)) < len(arrays) for arrays in lent)
