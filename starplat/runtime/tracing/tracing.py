"""Makes modules whose launches record their rounds.

Rounds that one group would run by itself are launched one by one, so that the host sees the beginning of each; of
rounds launched ahead it waits for each, so that only rounds that took place are recorded.
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import nodes as ir
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import walk_host
from starplat.same import remembered


@remembered(64)
def traced(module: ir.Module) -> ir.Module:
    """The module with all its `OnDevice` operations traced: itself if it has none, nor rounds launched ahead; the same
    object every time."""
    if not any(isinstance(op, ir.OnDevice) or _is_ahead(op) for f in module.functions for op in walk_host(f.body)):
        return module
    return replace(module, functions=tuple(replace(f, body=_Traced().host_block(f.body)) for f in module.functions))


def taken_apart(module: ir.Module) -> bool:
    """Whether rounds that otherwise share a launch, or are launched ahead, are launched one by one in `traced`."""
    ops = (op for function in module.functions for op in walk_host(function.body))
    return any(_is_ahead(op) or (isinstance(op, ir.OnDevice) and op.one_group) for op in ops)


def _is_ahead(op: ir.HostOp) -> bool:
    return isinstance(op, ir.Loop) and isinstance(op.driver, ir.Ahead)


class _Traced(Rewriter):
    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        match op:
            case ir.OnDevice():
                return (replace(op, traced=True),)
            case ir.Loop(driver=ir.Ahead(goes_on)):
                return (replace(op, driver=ir.Ahead(goes_on, 1)),)
            case ir.HostIf(_, then, otherwise) if any(
                isinstance(inner, ir.OnDevice) and inner.one_group for inner in then
            ):
                return self.host_block(otherwise)
            case _:
                return (self.rebuild(op),)
