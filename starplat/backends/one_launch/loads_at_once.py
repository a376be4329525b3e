"""Sums of a cluster's rounds, with what they may need read at once.

Few nodes are active in such rounds, so a read waits for the one before it, not for memory to have time. What the value
of an arc needs under a condition is read ahead of it: cells of both ends of the arc are there in any case. What a node
needs behind its sum is read with the values, and there of several arcs at once. Lists, rows, neighbors and cells that
no round changes are read while other groups are still at work on the round before.
"""

from collections.abc import Collection, Container
from dataclasses import replace

from starplat.backends import statements as st
from starplat.ir import build, nodes as ir, visitor
from starplat.ir.fresh_names import FreshNames
from starplat.ir.rewriter import KernelRule, Replacer
from starplat.ir.shapes.gathering import gathering


def loads_at_once(kernel: ir.Kernel, names: FreshNames) -> ir.Kernel:
    """The kernel, whose sum over arcs reads cells of the arc's ends first, and then what its node needs; itself if it
    is no sum."""
    found = gathering(kernel)
    if found is None:
        return kernel

    def at_once(op: ir.KernelOp) -> tuple[ir.KernelOp, ...] | None:
        if not isinstance(op, ir.ForNeighbors) or visitor.written_arrays(op.body):
            return None
        ends = (op.node, ir.Ref(op.neighbor))
        loads = dict.fromkeys(part for part in visitor.walk(op.body) if _is_cell(part, ends))
        return (op if len(loads) < 2 else replace(op, body=_read_first(loads, op.body, names)),)

    before = kernel.body[: len(kernel.body) - len(found.rest) - 1]
    own = _own_first(found.rest, found.loop.node, names)
    return replace(kernel, body=(*before, *KernelRule(at_once).kernel_block((found.loop, *own))))


def _is_cell(part: object, indices: Container[ir.Expression]) -> bool:
    return isinstance(part, ir.Load) and part.index in indices and not part.array.packed


def _read_first(
    loads: Collection[ir.Load], body: tuple[ir.KernelOp, ...], names: FreshNames
) -> tuple[ir.KernelOp, ...]:
    read = {load: names.variable(f"{load.array.name}_there", load.array.element) for load in loads}
    lets = (ir.Let(variable, load) for load, variable in read.items())
    return (*lets, *Replacer({load: ir.Ref(variable) for load, variable in read.items()}).kernel_block(body))


def _own_first(ops: tuple[ir.KernelOp, ...], node: ir.Expression, names: FreshNames) -> tuple[ir.KernelOp, ...]:
    """What a node does behind its sum, with the cells of its own that it reads before it stores there read first."""
    read: dict[ir.Load, ir.Variable] = {}
    done: list[ir.KernelOp] = []
    stored = set[ir.Array]()
    for place, given in enumerate(ops):
        op = _as_store(given, node)
        if not isinstance(op, ir.Let | ir.Store):
            done += ops[place:]
            break
        for load in (part for part in visitor.walk(op) if _is_cell(part, (node,)) and part.array not in stored):
            read.setdefault(load, names.variable(f"{load.array.name}_here", load.array.element))
        known: dict[ir.Expression, ir.Expression] = {
            load: ir.Ref(variable) for load, variable in read.items() if load.array not in stored
        }
        done += Replacer(known).kernel_block((op,))
        stored |= {op.array} if isinstance(op, ir.Store) else set()
    return (*(ir.Let(variable, load) for load, variable in read.items()), *done)


def _as_store(op: ir.KernelOp, node: ir.Expression) -> ir.KernelOp:
    """What adds to the node's own cell as a store."""
    match op:
        case ir.UpdateCell(ir.Combine.ADD, array, index, value, shared=False) if index == node and not array.packed:
            return ir.Store(array, index, build.plus(ir.Load(array, index), value, array.element))
    return op


def read_early(gather: st.Gather) -> st.Gather:
    """The sum, which tells what of its end it reads with the values."""
    own = ir.Ref(gather.node)
    first = next((i for i, one in enumerate(gather.finish) if not _declares(one, own)), len(gather.finish))
    return replace(gather, early=gather.finish[:first], finish=gather.finish[first:])


def _declares(statement: st.Statement, own: ir.Expression) -> bool:
    return isinstance(statement, st.Declare) and _is_cell(statement.value, (own,))


def ahead_of_barriers(body: st.Body, changed: Container[ir.Array]) -> st.Body:
    """The statements of a cluster, with barriers inside the sums behind them, whose lists and rows are not `changed`
    in the launch."""
    made: list[st.Statement] = []
    for statement in body:
        match statement:
            case st.While():
                made.append(replace(statement, body=ahead_of_barriers(statement.body, changed)))
                continue
            case st.Scope(_, (st.Gather() as gather,)) if made and made[-1] == st.GridBarrier():
                if (behind := _behind(gather, changed)) is not None:
                    made[-1] = replace(statement, body=(behind,))
                    continue
        made.append(statement)
    return tuple(made)


def _behind(gather: st.Gather, changed: Container[ir.Array]) -> st.Gather | None:
    listed = gather.listed.array if isinstance(gather.listed, ir.Listed) else None
    first = neighbor_first(gather, changed)
    if first is None or listed is None or listed in changed:
        return None
    neighbor, value = first[0], gather.value[1:]
    ends = (ir.Ref(gather.node), ir.Ref(neighbor.variable))
    known = tuple(one for one in value if _is_kept(one, ends, changed))
    left = tuple(one for one in value if one not in known)
    return replace(read_early(gather), behind=st.Behind(neighbor, known), value=left)


def _is_kept(statement: st.Statement, ends: Container[ir.Expression], changed: Container[ir.Array]) -> bool:
    """Whether a statement reads a cell that the launch does not change."""
    return (
        isinstance(statement, st.Declare)
        and isinstance(statement.value, ir.Load)
        and _is_cell(statement.value, ends)
        and statement.value.array not in changed
    )


def rows_at_once(body: st.Body) -> st.Body:
    """The statements of a cluster, whose loops over a node's arcs read cells of several arcs at once, if they change
    nothing but locals."""
    return tuple(map(_at_once, body))


def _at_once(statement: st.Statement) -> st.Statement:
    match statement:
        case st.Gather():
            return replace(statement, finish=rows_at_once(statement.finish))
        case st.AdvanceAndGather(advance, gather):
            return st.AdvanceAndGather(advance, replace(gather, finish=rows_at_once(gather.finish)))
        case st.Count(arc, first, end, st.Stride.ONE, (st.Declare(neighbor, ir.Load(_, ir.Ref(arc_read))), *rest)) if (
            arc_read == arc and neighbor.element is ir.Element.NODE
        ):
            cells = (ir.Ref(neighbor),)
            number = next((i for i, one in enumerate(rest) if not _is_kept(one, cells, ())), len(rest))
            use = tuple(rest[number:])
            locals_set = _locals_set(use)
            if number > 1 and locals_set is not None:
                return st.EachAtOnce(arc, first, end, (statement.body[0], *rest[:number]), use, locals_set)
    return st.with_blocks(statement, rows_at_once, st.While, st.Scope)


_LOCAL = st.If | st.Declare | st.Assign | st.Accumulate
"""Statements that change nothing but locals."""


def _locals_set(body: st.Body) -> tuple[ir.Variable, ...] | None:
    """The variables that the statements set, if they do nothing else."""
    parts = [part for part in visitor.walk(body) if isinstance(part, st.Statement)]
    if not all(isinstance(part, _LOCAL) for part in parts):
        return None
    declared = {part.variable for part in parts if isinstance(part, st.Declare)}
    set_there = dict.fromkeys(part.variable for part in parts if isinstance(part, st.Assign | st.Accumulate))
    return tuple(variable for variable in set_there if variable not in declared)


def kept_of_rows(gather: st.Gather, neighbor: st.Declare, columns: ir.Array, names: FreshNames) -> st.Gather:
    """The sum, of which a thread takes a row and keeps cells of its neighbors, for the value and for loops over the row
    behind the sum."""
    value = gather.value[1:]
    number = next((i for i, one in enumerate(value) if not _is_kept(one, (ir.Ref(neighbor.variable),), ())), len(value))
    own = ir.Ref(gather.node)
    row = ir.Load(gather.rows, own), ir.Load(gather.rows, build.plus(own, ir.Const(1, ir.Element.NODE)))
    parts = [part for part in visitor.walk(gather.finish) if isinstance(part, st.Statement)]
    stores_own = all(
        isinstance(part, _LOCAL | st.EachAtOnce) or (isinstance(part, st.StoreCell) and part.index == own)
        for part in parts
    )
    loops = [part for part in parts if isinstance(part, st.EachAtOnce) and stores_own]
    again = [loop for loop in loops if (loop.first, loop.end) == row and _reads_neighbor(loop, columns)]
    known = (*value[:number], *(one for loop in again for one in loop.known[1:]))
    cells = dict.fromkeys(part.array for one in known for part in visitor.walk(one) if isinstance(part, ir.Load))
    named = (names.variable(name, ir.Element.INT) for name in ("row", "there", "There", "read_there"))
    kept = st.Kept(next(named), next(named), next(named), next(named), tuple(cells))
    finish = _each_kept(gather.finish, again, kept)
    behind = st.Behind(neighbor, value[:number])
    return replace(gather, behind=behind, value=value[number:], finish=finish, kept=kept)


def _reads_neighbor(loop: st.EachAtOnce, columns: ir.Array) -> bool:
    """Whether a loop over a row begins with the neighbor that `columns` has for an arc."""
    first = loop.known[0]
    return isinstance(first, st.Declare) and first.value == ir.Load(columns, ir.Ref(loop.position))


def _each_kept(body: st.Body, again: Collection[st.EachAtOnce], kept: st.Kept) -> st.Body:
    """The statements, whose loops over a row go through what is kept of it."""
    made: list[st.Statement] = []
    for statement in body:
        match statement:
            case st.If(condition, then, otherwise):
                made.append(st.If(condition, _each_kept(then, again, kept), _each_kept(otherwise, again, kept)))
            case st.EachAtOnce() if statement in again:
                made.append(replace(statement, kept=kept))
            case _:
                made.append(statement)
    return tuple(made)


def neighbor_first(gather: st.Gather, changed: Container[ir.Array]) -> tuple[st.Declare, ir.Array] | None:
    """The declaration of an arc's neighbor, with which the value of a sum begins, and where it is read, if that and the
    rows are not `changed` and all arcs have values."""
    match gather.value:
        case (st.Declare(_, ir.Load(columns, ir.Ref(gather.position))) as neighbor, *_) if (
            columns.element is ir.Element.NODE
            and columns not in changed
            and gather.rows not in changed
            and not gather.test
        ):
            return neighbor, columns
    return None
