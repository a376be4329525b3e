"""Exchanges cells while sums over slabs of nodes are added up, in launches on several devices.

Takes the operations of a block, gives them anew. Where sums are gathered from one slab of the nodes after the other
(`schedule.parts`), only slabs of other parts' nodes need what these parts have. So each part begins with the slabs that
hold own nodes only, and the threads of each of these launches give a share of the own cells to the others: they leave
the device while its threads wait for memory. Then parts meet, and go on with all other slabs.

Parts may give as soon as no other part reads the cells as they were before: an exchange of a scalar on the way to the
sums is a meeting of all. Without one, and in all other loops, cells are exchanged ahead of the loop.
"""

from collections.abc import Mapping
from dataclasses import replace

from starplat.ir import build, fresh_names, nodes as ir, visitor
from starplat.ir.uses import stream

_LONG = ir.Element.LONG


def exchanged_beside(
    block: tuple[ir.HostOp, ...], divided: Mapping[str, ir.Kernel], names: fresh_names.FreshNames
) -> tuple[ir.HostOp, ...]:
    """The operations, with exchanges inside of the sums that read what is exchanged; `divided` are the kernels that a
    part runs for its own nodes."""
    ops = tuple(stream(block))
    for place, op in enumerate(ops):
        if isinstance(op, ir.ExchangeCells) and op.among is None and op.by is None:
            end = next((at for at, one in enumerate(ops) if at > place and not _may_stand_between(one, op)), place)
            made = _looped(op, ops[place + 1 : end], ops[end], divided, names)
            if made is not None:
                rest = exchanged_beside(ops[end + 1 :], divided, names)
                return (*ops[:place], *ops[place + 1 : end], *made, *rest)
    return block


def _looped(
    exchange: ir.ExchangeCells,
    between: tuple[ir.HostOp, ...],
    loop: ir.HostOp,
    divided: Mapping[str, ir.Kernel],
    names: fresh_names.FreshNames,
) -> tuple[ir.HostOp, ...] | None:
    """The exchange and the loop in one, if the loop adds up slab by slab what is exchanged, and parts meet before."""
    if not isinstance(loop, ir.Loop) or not any(isinstance(op, ir.Together) for op in between):
        return None
    match tuple(stream(loop.body)):
        case (ir.Launch() as launch, *rest) if all(isinstance(op, ir.KeepOwn) for op in rest):
            kernel = divided.get(launch.kernel)
            slabs = None if kernel is None else _slabs(loop, kernel)
            if kernel is not None and slabs is not None and _reads_of_neighbors(exchange.arrays, kernel):
                return _own_first(exchange, slabs, launch, tuple(rest), names)
    return None


def _may_stand_between(op: ir.HostOp, exchange: ir.ExchangeCells) -> bool:
    """Whether an operation leaves the exchanged cells alone, and all parts come to it."""
    if isinstance(op, ir.Fill):
        return op.array not in exchange.arrays
    return isinstance(op, ir.Together | ir.DeclareVariable | ir.SetVariable)


def _slabs(loop: ir.Loop, kernel: ir.Kernel) -> tuple[ir.Variable, int] | None:
    """How many rows lie ahead of a slab, and how many slabs there are, if the loop goes over all of them."""
    walks = [part for part in visitor.walk_kernel(kernel.body) if isinstance(part, ir.ForNeighbors)]
    if len(walks) != 1 or not kernel.shares_arcs or not isinstance(walks[0].ahead, ir.Ref) or walks[0].parts == 1:
        return None
    ahead, nodes = walks[0].ahead, ir.NumNodes(_LONG)
    all_rows = build.less(ahead, build.times(nodes, ir.Const(walks[0].parts, _LONG)))
    step = (ir.SetVariable(ahead.variable, build.plus(ahead, nodes)),)
    whole = (loop.condition, loop.step, loop.before, loop.driver, loop.test_last) == (all_rows, step, (), None, False)
    return (ahead.variable, walks[0].parts) if whole else None


def _reads_of_neighbors(arrays: tuple[ir.Array, ...], kernel: ir.Kernel) -> bool:
    """Whether a kernel reads these arrays for the neighbors it goes over, and for its own node."""
    walk = next(part for part in visitor.walk_kernel(kernel.body) if isinstance(part, ir.ForNeighbors))
    loads = [part for part in visitor.all_expressions(kernel.body) if isinstance(part, ir.Load)]
    written = visitor.written_arrays(kernel.body)
    near = (ir.Ref(walk.neighbor), kernel.own)
    return not written & set(arrays) and all(load.index in near for load in loads if load.array in arrays)


def _own_first(
    exchange: ir.ExchangeCells,
    slabs: tuple[ir.Variable, int],
    launch: ir.Launch,
    rest: tuple[ir.HostOp, ...],
    names: fresh_names.FreshNames,
) -> tuple[ir.HostOp, ...]:
    """The loop over all slabs from the first one of own nodes on; where those of other nodes begin, parts meet."""
    ahead, count = slabs
    nodes, one, none = ir.NumNodes(_LONG), _long(1), ir.Const(0, ir.Element.INT)
    size = names.variable("nodes_of_slab", _LONG)
    first, own, turn = names.variables(ir.Element.INT, "first_slab", "own_slabs", "turn")
    begin = build.plus(ir.Cast(ir.Ref(exchange.first), _LONG), build.minus(ir.Ref(size), one))
    whole = build.minus(
        build.divided(ir.Cast(ir.Ref(exchange.end), _LONG), ir.Ref(size)), ir.Cast(ir.Ref(first), _LONG)
    )
    share = build.divided(build.plus(nodes, _long(count - 1)), _long(count))
    slab = build.computed(ir.BinaryOperator.REMAINDER, build.plus(ir.Ref(first), ir.Ref(turn)), build.number(count))
    to_others = build.equal(ir.Ref(turn), ir.Ref(own))
    body = (
        ir.HostIf(to_others, (replace(exchange, turns=ir.Ref(own)),)),
        ir.SetVariable(ahead, build.times(ir.Cast(slab, _LONG), nodes)),
        replace(launch, gives=exchange.arrays, turn=ir.Ref(turn), turns=ir.Ref(own)),
        *rest,
    )
    return (
        ir.DeclareVariable(size, _most(share, one)),  # a graph may have no node
        ir.DeclareVariable(first, ir.Cast(build.divided(begin, ir.Ref(size)), ir.Element.INT)),
        ir.DeclareVariable(own, ir.Cast(_least(_most(whole, _long(0)), _long(count - 1)), ir.Element.INT)),
        ir.DeclareVariable(turn, none),
        ir.Loop(
            (),
            build.less(ir.Ref(turn), build.number(count)),
            body=body,
            step=(ir.SetVariable(turn, build.plus(ir.Ref(turn), build.ONE)),),
        ),
    )


def _long(value: int) -> ir.Const:
    return ir.Const(value, _LONG)


def _least(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return ir.Apply(ir.MathFunction.MIN, (left, right), _LONG)


def _most(left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return ir.Apply(ir.MathFunction.MAX, (left, right), _LONG)
