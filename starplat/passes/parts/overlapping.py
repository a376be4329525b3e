"""Lets parts share an array while they add up what their own nodes have in it.

Sums that are gathered from one part of the nodes after the other (see `schedule.parts`) begin with those parts of which
all nodes are this part's own: their cells need not be shared. What others have is under way meanwhile. Takes a module
as `placing` makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from starplat.ir import build
from starplat.ir import nodes as ir
from starplat.ir.fresh_names import names_of
from starplat.ir.rewriter import Rewriter
from starplat.ir.visitor import all_expressions, arrays_in, walk_expression, walk_kernel

_STANDS_BESIDE = ir.DeclareVariable | ir.SetVariable | ir.Fill | ir.ShareParts


def shared_meanwhile(module: ir.Module) -> ir.Module:
    """The module whose loops over parts of sums begin with own ones; the same object if there is none."""
    functions = tuple(_Overlapping(module, function).function() for function in module.functions)
    return module if functions == module.functions else replace(module, functions=functions)


@dataclass(frozen=True, slots=True)
class _Walk:
    """A loop over the parts of sums: the variable that says how many rows lie ahead, the end of it, how many rows a
    part has, in how many parts the nodes are, and the arrays of which only cells of neighbors are read in it."""

    ahead: ir.Variable
    end: ir.Expression
    rows: ir.Expression
    parts: int
    of_neighbors: frozenset[ir.Array]


class _Overlapping(Rewriter):
    def __init__(self, module: ir.Module, function: ir.HostFunction) -> None:
        self.module, self.given = module, function
        self.names = names_of(module)
        self.part = next((op for op in function.body if isinstance(op, ir.TakePart)), None)

    def function(self) -> ir.HostFunction:
        body = self.given.body if self.part is None else self.host_block(self.given.body)
        return self.given if body == self.given.body else replace(self.given, body=body)

    def host_block(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        made: list[ir.HostOp] = []
        for op in super().host_block(ops):
            walk = self.walk(op) if isinstance(op, ir.Loop) else None
            first = len(made)
            while first and isinstance(made[first - 1], _STANDS_BESIDE):
                first -= 1
            beside = made[first:]
            shared = [one for one in beside if isinstance(one, ir.ShareParts)]
            if walk is None or not shared or not {one.array for one in shared} <= walk.of_neighbors:
                made.append(op)
                continue
            assert isinstance(op, ir.Loop)
            begun = [ir.BeginShare(one.array) if isinstance(one, ir.ShareParts) else one for one in beside]
            made[first:] = self.own_first(op, walk, begun, shared)
        return tuple(made)

    def own_first(
        self, loop: ir.Loop, walk: _Walk, begun: Sequence[ir.HostOp], shared: list[ir.ShareParts]
    ) -> Iterable[ir.HostOp]:
        """The loop over own parts, the exchange, and the loops over those before and behind."""
        first, end = (ir.Variable(self.names.fresh(f"own_{word}"), ir.Element.LONG) for word in ("rows", "rows_end"))
        yield ir.DeclareVariable(first, build.times(self.first_own(walk), walk.rows))
        yield ir.DeclareVariable(end, _most(ir.Ref(first), build.times(self.end_own(walk), walk.rows)))
        yield from begun
        yield ir.SetVariable(walk.ahead, ir.Ref(first))
        yield replace(loop, condition=build.less(ir.Ref(walk.ahead), ir.Ref(end)))
        yield from shared
        yield ir.SetVariable(walk.ahead, ir.Const(0, walk.ahead.element))
        yield replace(loop, condition=build.less(ir.Ref(walk.ahead), ir.Ref(first)))
        yield ir.SetVariable(walk.ahead, ir.Ref(end))
        yield replace(loop, condition=build.less(ir.Ref(walk.ahead), walk.end))

    def first_own(self, walk: _Walk) -> ir.Expression:
        """The first part whose nodes all are this part's, or one behind."""
        assert self.part is not None
        size = _size(walk)
        return build.divided(build.plus(_long(self.part.first), build.minus(size, _number(1))), size)

    def end_own(self, walk: _Walk) -> ir.Expression:
        """The part behind the last whose nodes all are this part's."""
        assert self.part is not None
        return build.divided(_long(self.part.end), _size(walk))

    def walk(self, loop: ir.Loop) -> _Walk | None:
        """What a loop goes over, if that is the parts of sums."""
        match loop:
            case ir.Loop(
                before=(),
                condition=ir.Binary(ir.BinaryOperator.LESS, ir.Ref(ahead), end),
                body=(ir.Launch(name),),
                step=(ir.SetVariable(stepped, ir.Binary(ir.BinaryOperator.ADD, ir.Ref(again), rows)),),
            ) if ahead == stepped == again:
                pass
            case _:
                return None
        kernel = self.module.kernel(name)
        loops = [op for op in walk_kernel(kernel.body) if isinstance(op, ir.ForNeighbors)]
        if len(loops) != 1 or loops[0].ahead != ir.Ref(ahead) or kernel.filter is not None:
            return None
        neighbor, parts = ir.Ref(loops[0].neighbor), loops[0].parts
        if end != build.times(rows, _number(parts)):
            return None
        loads = [e for top in all_expressions(kernel.body) for e in walk_expression(top) if isinstance(e, ir.Load)]
        elsewhere = {load.array for load in loads if load.index != neighbor}
        written = {a for op in walk_kernel(kernel.body) if not isinstance(op, ir.ForNeighbors) for a in _targets(op)}
        read = {load.array for load in loads} - elsewhere - written
        return _Walk(ahead, end, rows, parts, frozenset(read))


def _targets(op: ir.KernelOp) -> tuple[ir.Array, ...]:
    """The arrays that an operation names itself, beside those that its expressions load."""
    loaded = {e.array for top in all_expressions((op,)) for e in walk_expression(top) if isinstance(e, ir.Load)}
    return tuple(array for array in arrays_in(op) if array not in loaded)


def _number(value: int) -> ir.Const:
    return ir.Const(value, ir.Element.LONG)


def _long(variable: ir.Variable) -> ir.Expression:
    return ir.Cast(ir.Ref(variable), ir.Element.LONG)


def _most(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return ir.Apply(ir.MathFunction.MAX, (left, right), ir.Element.LONG)


def _size(walk: _Walk) -> ir.Expression:
    """How many nodes a part of sums has, the last one left out, which may have fewer; 1 of no nodes."""
    rounded_up = build.plus(ir.NumNodes(ir.Element.LONG), _number(walk.parts - 1))
    return _most(_number(1), build.divided(rounded_up, _number(walk.parts)))
