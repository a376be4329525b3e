"""Base class of rewrites: rebuilds the intermediate form.

Everything is derived from the fields of the dataclasses in `nodes`, so a new node needs no change here.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from operator import is_
from typing import Any, ClassVar, TypeVar, get_args

from starplat.ir import nodes as ir
from starplat.ir.visitor import EXPRESSIONS, HOST_OPS, KERNEL_OPS, with_signature
from starplat.records import fields_of_records

Op = TypeVar("Op")

_EXPRESSIONS, _KERNEL_OPS, _HOST_OPS = frozenset(EXPRESSIONS), frozenset(KERNEL_OPS), frozenset(HOST_OPS)
_RECORDS = frozenset(
    (
        *get_args(ir.Domain),
        *(ir.Reduction, ir.Carry, ir.Ahead, ir.NearestFirst, ir.HandOver, ir.Crossing),
        *(ir.PerTriangle, ir.Spreading, ir.Searches),
    )
)
"""Parts of operations and kernels that have parts."""


def map_expression(change: Callable[[ir.Expression], ir.Expression], expression: ir.Expression) -> ir.Expression:
    """The expression with `change` applied to every part of it, innermost first."""

    return _Mapped(change).expression(expression)


class Rewriter:
    """Rebuilds expressions and operations; by default every node becomes itself.

    Override `expression`, `kernel_op`, `host_op` (these give any number of operations), `array` or `variable`;
    call `rebuild(node)` for the node with its parts rewritten. What does not change is not copied, and what no
    overridden method sees is not looked into.
    """

    def __init_subclass__(cls) -> None:
        own = [kind for kind in cls.__mro__ if kind is not Rewriter]
        of_expressions = any(name in vars(kind) for kind in own for name in ("expression", "array", "variable"))
        cls._looks_into = _EXPRESSIONS if of_expressions else frozenset()

    _looks_into: ClassVar[frozenset[type]] = frozenset()

    def expression(self, expression: ir.Expression) -> ir.Expression:
        return self.rebuild(expression)

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        return (self.rebuild(op),)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        return (self.rebuild(op),)

    def array(self, array: ir.Array) -> ir.Array:
        return array

    def variable(self, variable: ir.Variable) -> ir.Variable:
        return variable

    def kernel_block(self, ops: Iterable[ir.KernelOp]) -> tuple[ir.KernelOp, ...]:
        return tuple(new for op in ops for new in self.kernel_op(op))

    def host_block(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        return tuple(new for op in ops for new in self.host_op(op))

    def functions_of(self, module: ir.Module) -> tuple[ir.HostFunction, ...]:
        """The module's functions with their bodies rewritten."""
        return tuple(replace(f, body=self.host_block(f.body)) for f in module.functions)

    def kernel(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel with its domain, filter and body rewritten, its signature derived again if that changed any."""
        rebuilt = self.rebuild(kernel)
        return kernel if rebuilt is kernel else with_signature(rebuilt)

    def rebuild(self, node: Op) -> Op:
        """The node with its parts rewritten; itself if none changed."""
        changes = {}
        for name in fields_of_records(type(node)):  # type: ignore[arg-type]
            old = getattr(node, name)
            if old is not None and (new := self._part(old)) is not old:
                changes[name] = new
        return replace(node, **changes) if changes else node  # type: ignore[type-var]

    def _part(self, part: Any) -> Any:
        if (kind := type(part)) is tuple:
            return self._items(part)
        if kind in self._looks_into:
            return self.expression(part)
        if kind is ir.Variable:
            return self.variable(part)
        if kind is ir.Array:
            return self.array(part)
        return self.rebuild(part) if kind in _RECORDS else part

    def _items(self, items: tuple[Any, ...]) -> tuple[Any, ...]:
        kind = type(items[0]) if items else None
        if kind in _KERNEL_OPS:
            new = self.kernel_block(items)
        elif kind in _HOST_OPS:
            new = self.host_block(items)  # type: ignore[assignment]
        else:
            new = tuple(map(self._part, items))
        return items if len(new) == len(items) and all(map(is_, new, items)) else new


class _Mapped(Rewriter):
    def __init__(self, change: Callable[[ir.Expression], ir.Expression]) -> None:
        self.change = change

    def expression(self, expression: ir.Expression) -> ir.Expression:
        return self.change(self.rebuild(expression))


class Replacer(Rewriter):
    """Puts other expressions in the place of some."""

    def __init__(self, values: Mapping[ir.Expression, ir.Expression]) -> None:
        self.values = values

    def expression(self, expression: ir.Expression) -> ir.Expression:
        found = self.values.get(expression)
        return self.rebuild(expression) if found is None else found


class KernelRule(Rewriter):
    """Rewrites the operations of kernels for which `change` gives others; None leaves one, and looks inside it."""

    def __init__(self, change: Callable[[ir.KernelOp], Iterable[ir.KernelOp] | None]) -> None:
        self.change = change

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        found = self.change(op)
        return (self.rebuild(op),) if found is None else found


class HostRule(Rewriter):
    """The same for operations of the host."""

    def __init__(self, change: Callable[[ir.HostOp], Iterable[ir.HostOp] | None]) -> None:
        self.change = change

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        found = self.change(op)
        return (self.rebuild(op),) if found is None else found


class ArrayRule(Rewriter):
    """Puts what `change` gives in the place of every array."""

    def __init__(self, change: Callable[[ir.Array], ir.Array]) -> None:
        self.change = change

    def array(self, array: ir.Array) -> ir.Array:
        return self.change(array)


class Renamer(Rewriter):
    """Gives variables other names."""

    def __init__(self, names: Mapping[ir.Variable, ir.Variable]) -> None:
        self.names = names

    def variable(self, variable: ir.Variable) -> ir.Variable:
        return self.names.get(variable, variable)
