"""Modules whose launches tell of their rounds.

Rounds that one group would run by itself are launched one by one by the host, who then sees what each begins with.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir.nodes import HostIf, HostOp, Module, OnDevice
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import loops_of

_MADE: dict[int, tuple[Module, Module]] = {}
_MOST_MADE = 64


def traced(module: Module) -> Module:
    """The module with all its `OnDevice` operations traced: itself if it has none, the same object every time."""
    if not loops_of(module):
        return module
    if id(module) not in _MADE:
        if len(_MADE) >= _MOST_MADE:
            del _MADE[next(iter(_MADE))]
        functions = tuple(replace(f, body=_Traced().host_block(f.body)) for f in module.functions)
        _MADE[id(module)] = (module, replace(module, functions=functions))
    return _MADE[id(module)][1]


class _Traced(Rewriter):
    def host_op(self, op: HostOp) -> Iterable[HostOp]:
        match op:
            case OnDevice():
                return (replace(op, traced=True),)
            case HostIf(_, then, otherwise) if any(isinstance(inner, OnDevice) and inner.one_group for inner in then):
                return self.host_block(otherwise)
            case _:
                return (self.rebuild(op),)
