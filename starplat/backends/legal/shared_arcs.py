"""Statements of kernels whose threads share arcs: independent arcs, reductions, searches."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial, reduce
from typing import Any, TypeVar

from starplat.backends import statements as st
from starplat.backends.legal.grouped import begun, by_groups, repeated, visited
from starplat.backends.legal.histograms import count_by_groups, count_rows
from starplat.backends.legal.inside import replace_continue, without_unread
from starplat.backends.legal.operations import Operations
from starplat.backends.uses import variables_in
from starplat.ir import build, conditions, nodes as ir, visitor
from starplat.ir.conditions import negated
from starplat.ir.harmless_writes import fails_for_good
from starplat.ir.inlining import inlined
from starplat.ir.python.arithmetic import identity
from starplat.ir.rewriter import KernelRule, map_expression
from starplat.ir.shapes.collecting import Collecting, collecting
from starplat.ir.shapes.following import becomes_true, following
from starplat.ir.shapes.gathering import Gathering, gathering, giving, repeatable
from starplat.ir.shapes.histograms import histogram
from starplat.ir.shapes.members import Membership
from starplat.ir.shapes.rows_of_arcs import RowOfArc, row_of_arc, tested_apart
from starplat.ir.shapes.searching import Asking, Searching, asking, searching
from starplat.ir.shapes.visiting import passes_arrays


def over_arcs(operations: Operations, kernel: ir.Kernel, members: Membership | None) -> st.Body:
    """A thread for every few arcs of a kernel's nodes; the node's values are computed per arc."""
    if kernel.follows:
        return (_follow(operations, kernel),)
    if (row := row_of_arc(kernel)) is not None:
        return (_advance_rows(operations, kernel, row),)
    if (counts := histogram(kernel, operations.module)) is not None:
        return ((count_rows if operations.capabilities.shared_arcs else count_by_groups)(operations, kernel, counts),)
    if not operations.capabilities.shared_arcs:
        return (by_groups(operations, kernel),)
    if (searches := searching(kernel)) is not None:
        return (_of_part(operations, kernel, _search(operations, kernel, searches)),)
    if (collects := collecting(kernel)) is not None:
        return (_collect(operations, kernel, collects),)
    if (asks := asking(kernel)) is not None:
        return (_of_part(operations, kernel, _ask(operations, kernel, asks)),)
    if (gathers := gathering(kernel)) is not None:
        return (_of_part(operations, kernel, _gather(operations, kernel, members, gathers)),)
    return (_of_part(operations, kernel, _advance(operations, kernel, members)),)


_Shared = TypeVar("_Shared", st.Advance, st.Ask, st.Gather, st.Search)


def _of_part(operations: Operations, kernel: ir.Kernel, loop: _Shared) -> _Shared:
    """The loop over the nodes of the kernel's part, if it has only these: threads count them from the first on."""
    part = kernel.domain
    if not isinstance(part, ir.AllNodes) or part.first is None:
        return loop
    node, place = loop.node, operations.locals.fresh("place", ir.Element.NODE)
    known = build.plus(part.first, ir.Ref(place))
    declared = st.Declare(node, known, node not in operations.locals.changing)
    keep = loop.keep and map_expression(lambda e: known if e == ir.Ref(node) else e, loop.keep)

    def knowing(body: st.Body) -> st.Body:
        return (declared, *body) if node in variables_in(body) else body

    bodies: dict[str, Any] = {name: knowing(getattr(loop, name)) for name in _BODIES[type(loop)]}
    return replace(loop, node=place, keep=keep, part=part, **bodies)


_BODIES: dict[type, tuple[str, ...]] = {
    st.Advance: ("body", "visit", "test"),
    st.Gather: ("value", "finish", "test"),
    st.Ask: ("test", "finish"),
    st.Search: ("test", "reach"),
}
"""The bodies of each kind of loop that know the node."""


def _advance(operations: Operations, kernel: ir.Kernel, members: Membership | None) -> st.Advance:
    """Independent work on arcs."""
    *ahead, loop = kernel.body if members is None else members.body
    assert isinstance(loop, ir.ForNeighbors)
    of_all = members is None and isinstance(kernel.domain, ir.AllNodes) and kernel.filter is not None
    long_rows = any(rows.kept is not None for rows in operations.module.prepared)  # else the test alone takes longer
    short_rows = _takes_whole_rows(operations, kernel, loop)
    asks = (of_all and (long_rows or short_rows)) or kernel.long_rows
    asked, work = _tested(kernel, loop) if asks else ((), loop.body)
    known = visitor.all_expressions((*repeated(ahead), *asked))
    if short_rows and not _holds_for_any(known, kernel, loop, operations.module):
        asked, work = (), loop.body
    needed = operations.block(repeated(ahead))
    body = replace_continue((*needed, *operations.along(loop, operations.block(work))), (st.Leave(),))
    test: st.Body = ()
    if asked:
        body = without_unread(body)
        test = without_unread((*needed, *operations.along(loop, operations.block(asked))))
    short_rows = short_rows and _names(loop.neighbor, body)
    keep = kernel.filter if members is None else members.keep
    whose, takes = (None, False) if members is None else (members.members, members.takes)
    listed = kernel.domain if isinstance(kernel.domain, ir.Listed | ir.InWords) else None
    visit = visited(operations, tuple(ahead))
    rows, place = loop.layout.offsets, loop.position
    return st.Advance(
        *(whose, takes, kernel.index, keep, rows, place, body, listed, visit), test=test, short_rows=short_rows
    )


def _takes_whole_rows(operations: Operations, kernel: ir.Kernel, loop: ir.ForNeighbors) -> bool:
    """Whether a thread takes all arcs of several nodes: of all nodes, without room between arcs, on the device."""
    module = operations.module
    on_device = loop.layout.neighbors not in module.mapped and not module.room
    return kernel.short_rows and on_device and not kernel.is_of_part


def _tested(kernel: ir.Kernel, loop: ir.ForNeighbors) -> tuple[tuple[ir.KernelOp, ...], tuple[ir.KernelOp, ...]]:
    """The test of cells that an arc must pass, and the work on one that does, if the kernel changes nothing that it
    asks, or no arc that has failed may pass later, when others may have failed too: then arcs may be asked ahead. Else
    no test, and all the work."""
    match loop.body:
        case (*ahead, ir.KernelIf(condition, then, ())):
            lets = tuple(op for op in ahead if isinstance(op, ir.Let))
            asked: tuple[ir.KernelOp, ...] = (*_needed(lets, condition), ir.KernelReturn(condition))
            parts = tuple(visitor.all_expressions(asked))
            read = {part.variable for part in parts if isinstance(part, ir.Ref)}
            alone = read.isdisjoint(visitor.assigned_variables(kernel.body)) and not passes_arrays(asked)
            reads = len(lets) == len(ahead) and any(isinstance(part, ir.Load) for part in parts)
            if reads and alone and repeatable(asked, kernel):
                return asked, (*lets, *then)
            if len(lets) == len(ahead) and alone and fails_for_good(kernel, lets, condition):
                return asked, loop.body
    return (), loop.body


def _follow(operations: Operations, kernel: ir.Kernel) -> st.Advance:
    """Work on the arcs of nodes that pass, and of those that come to pass by it."""
    parts = following(kernel)
    assert parts is not None
    claim, loop, add = parts.claim, parts.loop, parts.add
    found, old = (operations.locals.receiver(f"old_{op.array.name}", op.array.element) for op in (claim, add))
    passes = becomes_true(parts.bound, ir.Load(add.array, kernel.own), ir.Ref(old), add.value)
    followed: tuple[ir.KernelOp, ...] = (
        ir.Let(old, ir.Const(0, old.element)),
        ir.FetchAdd(old, add.array, add.index, add.value),
        ir.KernelIf(passes, (ir.KernelReturn(ir.Ref(loop.neighbor)),)),
    )
    arcs = KernelRule(lambda op: followed if op == add else None).kernel_block(loop.body)
    claimed: tuple[ir.KernelOp, ...] = (
        ir.Let(found, parts.free),
        ir.CompareSwap(found, claim.array, claim.index, parts.free, claim.value),
        ir.KernelIf(
            build.compared(ir.BinaryOperator.NOT_EQUAL, ir.Ref(found), parts.free), (ir.KernelReturn(build.FALSE),)
        ),
        *parts.rest,
        ir.KernelReturn(build.TRUE),
    )
    body = (*operations.along(loop, operations.block(arcs)), st.Leave(ir.Const(-1, ir.Element.NODE)))
    rows, visit = loop.layout.offsets, operations.block(claimed)
    told = operations.contributions.parts[parts.left_out]
    return st.Advance(None, False, kernel.index, kernel.filter, rows, loop.position, body, visit=visit, follows=told)


def _advance_rows(operations: Operations, kernel: ir.Kernel, row: RowOfArc) -> st.AdvanceRows:
    """Independent work on the rows that arcs lead to."""
    assert isinstance(kernel.domain, ir.AllArcs)
    loop, (keep, then) = row.loop, tested_apart(kernel)
    none = st.Leave(ir.Const(-1, ir.Element.NODE))
    kept = tuple(st.If(negated(condition), (none,)) for condition in then)
    tested = () if row.condition is None else (st.If(negated(row.condition), (none,)),)
    body = operations.along(loop, operations.block(loop.body))
    return st.AdvanceRows(
        kernel.domain.first or build.ZERO,
        kernel.domain.end or ir.NumArcs(),
        kernel.index,
        keep,
        without_unread((*kept, *operations.block(row.lets), *tested, st.Leave(loop.node))),
        loop.layout.offsets,
        loop.position,
        without_unread(replace_continue((*operations.block(row.lets), *body), (st.Leave(),))),
    )


def _search(operations: Operations, kernel: ir.Kernel, parts: Searching) -> st.Search:
    """A test of arcs, and the work on one that passes."""
    loop, ahead = parts.loop, operations.block(parts.ahead)
    test = operations.along(loop, (*ahead, st.Leave(parts.condition)))
    reach = operations.along(loop, (*ahead, *operations.block(parts.found)))
    return st.Search(kernel.index, kernel.filter, loop.layout.offsets, loop.position, test, reach)


def _ask(operations: Operations, kernel: ir.Kernel, parts: Asking) -> st.Ask:
    """A test of arcs, and the work on a node that knows whether one passes."""
    loop, of_arc = parts.loop, (*visitor.all_expressions((*parts.ahead, *parts.of_arc)), parts.condition)
    short_rows = _takes_whole_rows(operations, kernel, loop) and _holds_for_any(of_arc, kernel, loop, operations.module)
    condition = _at_once(parts.condition, operations.module) if short_rows else parts.condition
    asked = (*operations.block((*parts.ahead, *parts.of_arc)), st.Leave(condition))
    test = operations.along(loop, without_unread(asked))
    ahead, answer = operations.block(parts.ahead), parts.answer
    if parts.otherwise:
        answer = operations.locals.fresh(f"not_{answer.name}", ir.Element.BOOL)
        ahead = (*ahead, st.Declare(parts.answer, build.denied(ir.Ref(answer)), constant=False))
    finish = without_unread(replace_continue((*ahead, *operations.block(parts.rest)), (st.Leave(),)))
    rows, short_rows = loop.layout.offsets, short_rows and _names(loop.neighbor, test)
    return st.Ask(kernel.index, kernel.filter, rows, loop.position, test, answer, finish, short_rows=short_rows)


def _holds_for_any(asked: Iterable[ir.Expression], kernel: ir.Kernel, loop: ir.ForNeighbors, module: ir.Module) -> bool:
    """Whether a test may be asked of any two nodes: it reads no cells but theirs, and has no loop that may not end. So
    it is asked of nodes that are not kept, with themselves for the neighbors that they lack."""
    nodes = (kernel.own, ir.Ref(loop.neighbor))
    near = {*nodes, *(build.plus(node, ir.Const(1, ir.Element.NODE)) for node in nodes)}
    for part in (part for one in asked for part in visitor.walk_expression(inlined(one, module))):
        match part:
            case ir.Load(array, index) if index not in (near if array in ir.GRAPH_ARRAYS else nodes):
                return False
            case ir.CallFunction():
                return False
    return True


def _names(neighbor: ir.Variable, body: st.Body) -> bool:
    return any(isinstance(part, st.Declare) and part.variable == neighbor for part in body)


def _at_once(condition: ir.Expression, module: ir.Module) -> ir.Expression:
    """The condition with all its parts evaluated, so that their loads are under way together, where none can fail."""
    for part in visitor.walk_expression(inlined(condition, module)):
        match part:
            case ir.FindArc():
                return condition
            case ir.Binary(operator, _, ir.Const(value)) if operator.divides and value != 0:
                continue
            case ir.Binary(operator) if operator.divides:
                return condition
    both = partial(ir.Binary, ir.BinaryOperator.BIT_AND, element=ir.Element.BOOL)
    return reduce(both, conditions.conjuncts(condition))


def _collect(operations: Operations, kernel: ir.Kernel, parts: Collecting) -> st.Collect:
    """What a word lacks, where neighbors have theirs, and the work on what was found."""
    assert isinstance(kernel.domain, ir.Numbers)
    (word,), layout = parts.words, parts.loop.layout  # where warps share rows
    assert isinstance(word.value, ir.Load), "a neighbor offers the same word of its own"
    assert parts.condition == build.TRUE, "every neighbor offers it"
    return st.Collect(
        _words_of_a_node(kernel.domain.count),
        kernel.index,
        (layout.offsets, layout.neighbors, word.value.array),
        wanted=operations.block((*_needed(parts.ahead, word.wanted), ir.KernelReturn(word.wanted))),
        found=word.found,
        take=operations.block((*_needed(parts.ahead, *parts.taken), *parts.taken)),
    )


def _words_of_a_node(count: ir.Expression) -> int:
    """How many words a node has, of which there are so many."""
    match count:
        case ir.Binary(ir.BinaryOperator.MULTIPLY, ir.NumNodes(), ir.Const(int() as words)):
            return words
        case _:
            return 1


def _needed(lets: tuple[ir.Let, ...], *users: object) -> tuple[ir.Let, ...]:
    """Those of the declarations that something uses, or one of them."""
    kept: tuple[ir.Let, ...] = ()
    for let in reversed(lets):
        if any(let.variable in variables_in(user) for user in (*users, *kept)):
            kept = (let, *kept)
    return kept


def _gather(operations: Operations, kernel: ir.Kernel, members: Membership | None, parts: Gathering) -> st.Gather:
    """A reduction over a node's arcs that threads share, and the work on its result."""
    layout = parts.loop.layout
    ahead = operations.block(parts.ahead)
    nothing = identity(parts.combine, parts.total.element)
    asks = kernel.long_rows and parts.combine is ir.Combine.ADD
    asked, work = _tested(kernel, parts.loop) if asks else ((), parts.loop.body)
    value = operations.along(parts.loop, operations.block(giving(work, parts.total, ir.KernelReturn)))
    test: st.Body = ()
    if asked:
        value = without_unread(value)
        test = without_unread((*ahead, *operations.along(parts.loop, operations.block(asked))))
    if not isinstance(value[-1], st.Leave):
        value = (*value, st.Leave(nothing))
    joined, begin = begun(operations, parts)
    rest = operations.block(parts.rest)
    finish = replace_continue((*ahead, *begin, *rest), (st.Leave(),))
    whose, takes = (None, False) if members is None else (members.members, members.takes)
    return st.Gather(
        whose,
        takes,
        kernel.index,
        kernel.filter if members is None else members.keep,
        layout.offsets,
        parts.loop.position,
        combine=parts.combine,
        start=nothing,
        value=(*ahead, *value),
        total=joined,
        finish=finish,
        listed=kernel.domain if isinstance(kernel.domain, ir.Listed) else None,
        ahead=layout.ahead,
        short_rows=kernel.short_rows,
        streams=kernel.streams,
        test=test,
        in_pieces=kernel.in_pieces_of_rows,
    )
