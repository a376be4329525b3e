"""Delta-stepping in a persistent kernel: the rounds of a loop with the driver `NearestFirst`.

A node whose cell was lowered joins the next frontier if its value is below a limit, else the far pile. When the near
frontier is empty, the limit rises by a step and far nodes below it come next; the step doubles as long as there are
none, so that a gap in the values costs few rounds. An entry below the old limit is stale: the node is settled already.

In a cluster it is rounds that cost, more than nodes in them. So the limit rises while there still are near nodes, where
these are few, and by less at once. Rounds wait for memory there: a cell is lowered without reading it first, and a node
is put in without asking whether it is in already. One that is lowered twice in a round is listed twice then, and walked
to no effect the second time.

Where steps begin with a least one, they double once the far pile shrinks: nodes with many arcs are settled by then, and
what is walked again has few.
"""

from dataclasses import replace
from typing import NamedTuple

from starplat.backends import statements as st
from starplat.backends.one_launch.device_operations import DeviceOperations, given
from starplat.ir import build, nodes as ir
from starplat.ir.shapes.gathering import raised
from starplat.ir.shapes.members import SetRounds, set_rounds


def nearest_first(loop: ir.Loop, driver: ir.NearestFirst, maker: DeviceOperations) -> st.Body:
    """The rounds as statements; before and after them stands a barrier, or nothing was touched."""
    rounds = set_rounds(loop)
    assert rounds is not None
    element, hand_over = driver.values.compared, driver.hand_over
    limit = ir.Variable(maker.fresh("limit"), element) if hand_over is None else hand_over.limit
    step = ir.Variable(maker.fresh("rise"), element)
    steps = _steps(driver, maker, step)
    near, far = (_handed_over(members, hand_over, maker) for members in (rounds.now, driver.later))
    alone = _alone(rounds, driver, maker)
    walk = (
        _walk(rounds, driver, maker, limit)
        if rounds.exchange is None
        else _in_parts(rounds, driver, maker, limit, alone)
    )
    goes_on: st.Body = (st.IfEmpty(rounds.now, (), (*near, st.Continue())),)
    if driver.alone is None:  # else the far piles of some parts may have nodes that are settled by now
        goes_on = (*goes_on, st.IfEmpty(driver.later, (st.Break(),)))
    kept: st.Body = ()
    if maker.op.cluster:
        goes_on = _while_near_are_many(rounds, driver, maker, near, far)
    elif driver.enough is not None and rounds.exchange is None:
        enough = ir.Variable(maker.fresh(f"{driver.enough.name}_near"), ir.Element.INT)
        kept = (st.DeclareForGroup(enough, ir.Ref(driver.enough)),)
        goes_on = _while_near_are_enough(rounds, driver, maker, enough)
    one_round = (
        *maker.points.new_round(loop),
        *maker.points.before(rounds.walk),
        *walk,
        *goes_on,
        *alone.settled,
        *steps.asked,
        *_next_ones(rounds, driver, maker, limit, step, steps.next),
        *near,
        *alone.decided,
    )
    return (
        *((st.Declare(limit, ir.Ref(driver.first), constant=False),) if hand_over is None else ()),
        *kept,
        st.Declare(step, steps.first, constant=False),
        *steps.declared,
        *alone.declared,
        st.While(build.TRUE, one_round),
        *maker.points.over(loop),
        st.Assign(rounds.done.variable, rounds.done.value),
    )


def _while_near_are_enough(
    rounds: SetRounds, driver: ir.NearestFirst, maker: DeviceOperations, enough: ir.Variable
) -> st.Body:
    """Goes on with the near nodes while they are enough; sorts the far pile, even an empty one, else."""
    size = ir.Variable(maker.fresh(f"{rounds.now.name}_size"), ir.Element.INT)
    return (
        st.Declare(size, build.ZERO, constant=False),
        st.AskSize(size, rounds.now),
        st.If(build.at_least(ir.Ref(size), ir.Ref(enough)), (st.Continue(),)),
        st.IfEmpty(rounds.now, (st.IfEmpty(driver.later, (st.Break(),)),)),
    )


_ENOUGH = 256
"""Near nodes that keep a cluster busy. With a quarter of the step New York's roads take 2.90 ms on an NVIDIA H200; in
place of these, 3.07 with 64 near nodes, 3.01 with half a step, 3.05 with an eighth, 3.48 with a step and any. Wide
clusters have three times as many, and a twelfth of the step: grid4096 takes 37.0 ms; with four times as many, 38.6 with
an eighth and 37.4 with a sixteenth of the step."""


def _while_near_are_many(
    rounds: SetRounds, driver: ir.NearestFirst, maker: DeviceOperations, near: st.Body, far: st.Body
) -> st.Body:
    """Goes on with the near nodes of a cluster while they are enough, and with fewer if there are none to add, or too
    many far ones to sort here."""
    size = ir.Variable(maker.fresh(f"{rounds.now.name}_size"), ir.Element.INT)
    some = build.greater(ir.Ref(size), build.ZERO)
    on = (st.GridBarrier(), st.Continue())  # others may still ask for the far pile, to which a walk adds
    many = build.at_least(ir.Ref(size), build.number(_ENOUGH * (3 if maker.op.wide else 1)))
    leave = tuple(replace(one, then=(st.If(some, on), *one.then)) if isinstance(one, st.If) else one for one in far)
    return (
        st.Declare(size, build.ZERO, constant=False),
        st.AskSize(size, rounds.now),
        st.If(many, (*near, st.Continue())),
        st.IfEmpty(driver.later, (st.If(some, on), st.Break())),
        *leave,
    )


def _part(step: ir.Variable, parts: int) -> ir.Expression:
    part = build.divided(ir.Ref(step), ir.Const(parts, step.element), step.element)
    one = ir.Const(1, step.element)
    return part if step.element.is_real else ir.Apply(ir.MathFunction.MAX, (part, one), step.element)


class _Steps(NamedTuple):
    """By how much the limit rises: at first, and statements ahead of the loop, before far nodes are sorted, and
    after."""

    first: ir.Expression
    declared: st.Body
    asked: st.Body
    next: st.Body


def _steps(driver: ir.NearestFirst, maker: DeviceOperations, rise: ir.Variable) -> _Steps:
    if maker.op.cluster or driver.least is None or driver.alone is not None:  # parts alone sort different far piles
        same = _part(driver.step, 12 if maker.op.wide else 4) if maker.op.cluster else ir.Ref(driver.step)
        return _Steps(same, (), (), (st.Assign(rise, same),))
    element, far = driver.values.compared, driver.later.name
    now = ir.Variable(maker.fresh("stride"), element)
    waiting, before = (ir.Variable(maker.fresh(f"{far}_{when}"), ir.Element.INT) for when in ("size", "before"))
    doubled = ir.Apply(ir.MathFunction.MIN, (raised(now, now), ir.Ref(driver.step)), element)
    shrinks = build.less(ir.Ref(waiting), ir.Ref(before))
    return _Steps(
        ir.Ref(driver.least),
        (
            st.Declare(now, ir.Ref(driver.least), constant=False),
            st.Declare(waiting, build.ZERO, constant=False),
            st.Declare(before, build.ZERO, constant=False),
        ),
        (st.AskSize(waiting, driver.later),),
        (
            st.Assign(now, ir.Select(shrinks, doubled, ir.Ref(driver.least))),
            st.Assign(rise, ir.Ref(now)),
            st.Assign(before, ir.Ref(waiting)),
        ),
    )


def _handed_over(members: ir.Array, hand_over: ir.HandOver | None, maker: DeviceOperations) -> st.Body:
    """Leaves the loop where another launch goes on with so many members, which is asked after a round and, of the far
    pile, before it is sorted; to walk no near node, which the other launch does then, changes nothing."""
    if hand_over is None:
        return ()
    size = ir.Variable(maker.fresh(f"{members.name}_size"), ir.Element.INT)
    compare = build.greater if hand_over.few else build.less
    leave: st.Body = (st.Assign(hand_over.goes_on, build.TRUE), st.Break())
    return (
        st.Declare(size, build.ZERO, constant=False),
        st.AskSize(size, members),
        st.If(compare(ir.Ref(size), build.number(hand_over.nodes)), leave),
    )


def _walk(rounds: SetRounds, driver: ir.NearestFirst, maker: DeviceOperations, limit: ir.Variable) -> st.Body:
    """The walk over near nodes, which puts nodes of lowered cells into the near or the far set."""
    kernel = maker.module.kernel(rounds.walk.kernel)
    body = maker.walk(kernel)
    few = driver.hand_over is None
    sorted_out = _SortedOut(rounds.following, driver.later, limit, in_cluster=maker.op.cluster, few=few).block(body)
    ends = maker.inserted(sorted_out, rounds.following, driver.later)
    walked = st.Scope(maker.comments(kernel), (*sorted_out, *ends))
    next = st.NearNodes(rounds.following, driver.values)
    return walked, st.GridBarrier(next=next), st.SwapPointers(rounds.now, rounds.following)


def _in_parts(
    rounds: SetRounds, driver: ir.NearestFirst, maker: DeviceOperations, limit: ir.Variable, by_itself: "_Alone"
) -> st.Body:
    """The walk over near nodes of this part. All parts get what it has lowered, and put these nodes into the near or
    the far set alike."""
    assert rounds.exchange is not None
    kernel, now, found = maker.module.kernel(rounds.walk.kernel), rounds.now, rounds.following
    walk, alone = maker.walk(kernel), driver.alone
    if alone is not None:
        walk = _SortedOut(found, driver.later, limit, in_cluster=False, where=ir.Ref(alone)).block(walk)
    node = ir.Variable(maker.fresh("lowered"), ir.Element.NODE)
    near = build.less(build.cell(driver.values, ir.Ref(node)), ir.Ref(limit))
    sort = st.If(near, (st.Insert(now, ir.Ref(node)),), (st.Insert(driver.later, ir.Ref(node)),))
    ends = (st.Inserted(found), *(() if alone is None else (st.Inserted(driver.later),)))
    walked = st.Scope(maker.comments(kernel), (*walk, *ends))
    together: st.Body = (
        st.MeetPeers(),
        *given(rounds.exchange),
        st.Clear(now),
        st.MeetPeers(),
        st.EachMember(found, True, node, (sort,)),
        st.Inserted(now),
        st.Inserted(driver.later),
        st.GridBarrier(),
    )
    if alone is None:
        return (walked, *together)
    return walked, st.If(ir.Ref(alone), by_itself.round, together)


class _Alone(NamedTuple):
    """How parts walk few near nodes by themselves: statements ahead of the loop, behind a walk in place of an exchange,
    when no node is near any more, and when the limit has risen."""

    declared: st.Body = ()
    round: st.Body = ()
    settled: st.Body = ()
    decided: st.Body = ()


ALONE = 2**14
"""Near nodes up to which parts are sooner done with all of them than two meetings take, where these lead to few."""


def _alone(rounds: SetRounds, driver: ir.NearestFirst, maker: DeviceOperations) -> _Alone:
    """Parts decide alike whether they walk what is near by themselves, until the limit rises again: all have the same
    near nodes then, for a limit leaves one distance to each node below it, and one to what these lead to. That need not
    hold before it has risen once, since the loop may begin with nodes beyond it. They take different numbers of rounds,
    but the sets that they give each other later are to lie alike."""
    if driver.alone is None:
        return _Alone()
    turned = ir.Variable(maker.fresh("turned"), ir.Element.BOOL)
    size = ir.Variable(maker.fresh(f"{rounds.now.name}_size"), ir.Element.INT)
    swapped = st.SwapPointers(rounds.now, rounds.following)
    few = build.at_most(ir.Ref(size), build.number(ALONE))
    return _Alone(
        (st.Declare(turned, build.FALSE, constant=False), st.Declare(size, build.ZERO, constant=False)),
        (
            st.GridBarrier(),
            st.Clear(rounds.now),
            swapped,
            st.Assign(turned, build.denied(ir.Ref(turned))),
            st.GridBarrier(),
        ),
        (st.If(ir.Ref(turned), (swapped, st.Assign(turned, build.FALSE))),),
        (st.AskSize(size, rounds.now), st.Assign(driver.alone, few)),
    )


class _SortedOut:
    """Rewrites the insertion of a node, whose cell was lowered to a candidate, by the candidate's place; elsewhere than
    `where` all are near for now."""

    def __init__(
        self,
        following: ir.Array,
        later: ir.Array,
        limit: ir.Variable,
        *,
        in_cluster: bool,
        few: bool = False,
        where: ir.Expression = build.TRUE,
    ) -> None:
        self.where = where
        self.following = following
        self.later = later
        self.limit = limit
        self.in_cluster = in_cluster
        self.few = few

    def block(self, body: st.Body) -> st.Body:
        return tuple(map(self.statement, body))

    def statement(self, statement: st.Statement) -> st.Statement:
        match statement:
            case st.Advance():
                return replace(statement, body=self.block(statement.body), few=self.few)
            case st.IfBeyond(candidate=candidate, body=body):
                body = tuple(self.insertion(inner, candidate) for inner in body)
                return replace(statement, body=body, at_once=self.in_cluster)
            case st.WhileBeyondLocked(candidate=candidate, body=body):
                return replace(statement, body=tuple(self.insertion(inner, candidate) for inner in body))
        return st.with_blocks(statement, self.block, st.GroupAdvance, st.EachMember, st.Scope, st.Count)

    def insertion(self, statement: st.Statement, candidate: ir.Expression) -> st.Statement:
        match statement:
            case st.Insert(members, node) if members == self.following:
                near = build.less(candidate, ir.Ref(self.limit))
                near = near if self.where == build.TRUE else build.either(build.denied(self.where), near)
                either = (st.Insert(one, node, new=self.in_cluster) for one in (members, self.later))
                return st.If(near, *((inserted,) for inserted in either))
        return statement


def _next_ones(
    rounds: SetRounds,
    driver: ir.NearestFirst,
    maker: DeviceOperations,
    limit: ir.Variable,
    step: ir.Variable,
    next_step: st.Body,
) -> st.Body:
    """Raises the limit until a node is below it."""
    now, following, later = rounds.now, rounds.following, driver.later
    element, node = driver.values.compared, ir.Variable(maker.fresh("node"), ir.Element.NODE)
    settled = ir.Variable(maker.fresh("settled"), element)
    value = build.cell(driver.values, ir.Ref(node))
    sort: st.Body = (
        st.If(build.less(value, ir.Ref(settled)), (st.Leave(),)),
        st.If(build.less(value, ir.Ref(limit)), (st.Insert(now, ir.Ref(node)),), (st.Insert(following, ir.Ref(node)),)),
    )
    rising: st.Body = (
        st.GridBarrier(),  # all threads have seen how many near nodes there are
        st.Declare(settled, ir.Ref(limit), constant=True),
        st.Assign(limit, raised(limit, step)),
        st.Assign(step, raised(step, step)),
        st.EachMember(later, True, node, sort),
        st.Inserted(now),
        st.Inserted(following),
        st.GridBarrier(next=st.NearNodes(now, driver.values)),
        st.SwapPointers(later, following),
        st.IfEmpty(now, (), (st.Break(),)),
        st.IfEmpty(later, (st.Break(),)),
    )
    return (st.While(build.TRUE, rising), *next_step, st.IfEmpty(now, (st.Break(),)))
