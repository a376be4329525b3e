"""The result of a rewrite that needs a proof, and the clean-up after it."""

from dataclasses import dataclass, replace

from starplat.ir import launches, module_rewriter, nodes as ir, rewriter, visitor
from starplat.same import Same

_OWN = (ir.Origin.LOCAL, ir.Origin.TEMPORARY)


@dataclass(frozen=True, slots=True)
class Found:
    """What was replaced by what, how far if not all of it, and why that is right."""

    what: str
    why: str
    how_far: str = ""

    def __str__(self) -> str:
        """What was done."""
        return f"{self.what}, {self.how_far}" if self.how_far else self.what


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The module, the same object if nothing was found, and all replacements."""

    module: ir.Module
    found: tuple[Found, ...] = ()


def replaced(
    body: tuple[ir.HostOp, ...], *changes: tuple[ir.HostOp | None, tuple[ir.HostOp, ...]], empties: bool = True
) -> tuple[ir.HostOp, ...]:
    """The operations with some replaced, which may stand inside others; `empties` are blocks that have become empty."""
    return _Replacer({Same(old): new for old, new in changes if old is not None}, empties).host_block(body)


class _Replacer(rewriter.Rewriter):
    def __init__(self, changes: dict[Same, tuple[ir.HostOp, ...]], empties: bool) -> None:
        self.changes, self.empties = changes, empties

    def host_op(self, op: ir.HostOp) -> tuple[ir.HostOp, ...]:
        if Same(op) in self.changes:
            return self.changes[Same(op)]
        made = self.rebuild(op)
        return () if made == ir.HostBlock(()) and not self.empties else (made,)


def tidied(module: ir.Module) -> ir.Module:
    """The module without kernels that nothing launches, and with the graph's arrays that the others use."""
    launched = launches.launched_names(module.functions)
    kernels = tuple(kernel for kernel in module.kernels if kernel.name in launched)
    functions = tuple(_without_idle_arrays(function, module) for function in module.functions)
    return module_rewriter.with_graph_arrays(replace(module, functions=functions, kernels=kernels))


def _without_idle_arrays(function: ir.HostFunction, module: ir.Module) -> ir.HostFunction:
    """The function without arrays that it does not touch, or only fills."""
    ops = list(visitor.walk_host(function.body))
    used = {array for op in ops if not isinstance(op, ir.Fill) for array in launches.touched(op, module)}
    used |= {op.array for op in ops if isinstance(op, ir.Fill) and op.array.origin not in _OWN}
    idle = ((op, ()) for op in ops if isinstance(op, ir.Fill) and op.array not in used)
    body = replaced(function.body, *idle)
    return replace(function, body=body, arrays=tuple(array for array in function.arrays if array in used))
