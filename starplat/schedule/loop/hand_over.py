"""Step `cluster`: lets one cluster of groups run the rounds of few nodes, and hands the others to the whole grid.

A round of a few hundred nodes costs a persistent kernel its barrier and trips to memory, which both take longer the
more groups there are. One cluster has a barrier of its own, and lists in memory that its groups share. So the host
launches a cluster, which goes on until no round is left or many nodes are active, then the grid, which goes on until
few are, and so on. Sets of nodes stay where they are between launches.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeGuard

from starplat.ir import build, nodes as ir, uses
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import in_one_launch, scalars_read, scalars_set, used_host_arrays
from starplat.ir.module_rewriter import PUSHING
from starplat.ir.rewriter import HostRule
from starplat.ir.shapes.gathering import gathering
from starplat.ir.shapes.listed import known_length
from starplat.ir.shapes.members import membership
from starplat.ir.visitor import host_ops, walk_around, walk_host, walk_outside
from starplat.same import Same
from starplat.schedule.facts import GraphFacts
from starplat.schedule.loop.group_rounds import copied
from starplat.schedule.loop.late_declarations import declared_ahead
from starplat.schedule.schedule import Loop, Schedule
from starplat.schedule.step import Choice, Decided, Decider

MOST, LEAST = 8192, 4096
"""A cluster hands over rounds of more nodes, the grid those of fewer; twice as many where its groups are wide."""

ARCS_OF_A_NODE, MOST_ARCS_OF_A_NODE, NODES = 4, 16, range(2**14, 2**20 + 1)
"""Graphs of which `auto` expects many rounds of few nodes: the mean degree and the largest are at most these. In larger
graphs a cluster runs the rounds of breadth-first levels and of nearest nodes alone."""

MOST_REACHED = 2**24
"""Nodes of which a cluster has bits, beside its lists."""


def rounds_by_one_cluster(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> ir.Module | Decided:
    """The module whose rounds of few nodes one cluster runs, where the schedule or the graph asks for it."""
    asked = schedule.loop is Loop.CLUSTER
    wanted = asked or (schedule.loop is Loop.AUTO and facts is not None and _is_thin(facts))
    if not wanted or not capabilities.clusters:
        return module
    is_large = facts is not None and facts.num_nodes >= NODES.stop
    return _Spreader(module, is_large=is_large, only_thin=not asked and is_large).decided(tells_refused=asked)


def has_rounds(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether a cluster may run rounds of the program."""
    return capabilities.clusters and any(isinstance(op, ir.Loop) for op in host_ops(module))


def has_few_arcs(num_nodes: int, num_arcs: int) -> bool:
    """Whether `auto` may choose a cluster for a graph of this size."""
    return NODES.start <= num_nodes <= MOST_REACHED and num_arcs <= ARCS_OF_A_NODE * num_nodes


def _is_thin(facts: GraphFacts) -> bool:
    return has_few_arcs(facts.num_nodes, facts.num_arcs) and facts.max_degree <= MOST_ARCS_OF_A_NODE


class _Spreader(Decider):
    """Spreads persistent kernels over several launches, of which two take turns in a loop; `only_thin` where loops are
    to have few active nodes on large graphs. Those of a graph that `is_large` have more."""

    def __init__(self, given: ir.Module, *, is_large: bool, only_thin: bool) -> None:
        super().__init__(given)
        self.is_large = is_large
        self.only_thin = only_thin

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        """The function, with the cells that its launches leave their sets in."""
        made = super().function(function)
        cells = {op.crossing.cells: None for op in walk_host(made.body) if isinstance(op, ir.OnDevice) and op.crossing}
        return replace(made, arrays=(*made.arrays, *cells))

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if not isinstance(op, ir.OnDevice):
            return (self.rebuild(op),)
        whole = _in_whole_steps(op)
        loops = tuple(inner for inner in _by_branches(whole.body) if self.fits(inner))
        if loops and self.can_part(whole, loops):
            return _Spread(self, whole, loops).row(whole.body)
        why = "its rounds do more than walk sets and lists of nodes, or stand in those of another loop"
        self.refused.append(Choice(f"{op.name}: the whole grid runs all rounds", why))
        return (op,)

    def can_part(self, op: ir.OnDevice, loops: Sequence[ir.Loop]) -> bool:
        """Whether several launches can do it: nothing but sets changes places, and sets of the loops begin ahead."""
        inside = tuple(walk_host(op.body))
        swapped = (array for inner in inside if isinstance(inner, ir.Swap) for array in (inner.first, inner.second))
        cleared = {inner.array for inner in walk_around(op.body, *loops) if isinstance(inner, ir.Fill)}
        sets = filter(_is_switched, used_host_arrays(walk_host(loops), self.given))
        return all(map(_is_switched, swapped)) and cleared.issuperset(sets)

    def fits(self, op: ir.HostOp) -> TypeGuard[ir.Loop]:
        """Whether an operation is a loop that does nothing in a round but walk sets and lists, and can be left and gone
        on with where a round begins."""
        if (
            not isinstance(op, ir.Loop)
            or op.step
            or not all(isinstance(i, ir.ReadEmpty | ir.ReadSize) for i in op.before)
        ):
            return False
        inside = tuple(walk_outside(ir.Launch, op.body))
        plain = not any(isinstance(inner, _NOT_IN_A_ROUND) for inner in inside)
        walks = [inner for inner in inside if isinstance(inner, ir.Launch)]
        fits = plain and bool(walks) and all(map(self.walks_few, walks))
        return fits and (not self.only_thin or self.is_thin(op))

    def is_thin(self, op: ir.Loop) -> bool:
        """Whether few nodes are active in most rounds on a large graph too, if its nodes have few arcs: the nearest
        ones, or those of one breadth-first level, which are reached or summed up for."""
        if isinstance(op.driver, ir.NearestFirst):
            return True
        walks = [one for one in walk_outside(ir.Launch, _of_few(op.body)) if isinstance(one, ir.Launch)]
        kernels = [self.given.kernel(walk.kernel) for walk in walks if walk.reaches is None]
        listed = all(isinstance(kernel.domain, ir.Listed) for kernel in kernels)
        return (listed or len(kernels) < len(walks)) and all(gathering(kernel) is not None for kernel in kernels)

    def walks_few(self, op: ir.Launch) -> bool:
        """Whether a launch walks a set or a list of known length."""
        kernel = self.given.kernel(op.kernel)
        walked = membership(kernel)
        listed = isinstance(kernel.domain, ir.Listed) and known_length(kernel.domain) is not None
        return not kernel.reductions and (listed or (walked is not None and _is_switched(walked.members)))


def _in_whole_steps(op: ir.OnDevice) -> ir.OnDevice:
    """The kernel without narrow steps at first, which are for graphs with long rows; a cluster is for those without."""
    drivers = [inner.driver for inner in walk_host(op.body) if isinstance(inner, ir.Loop)]
    narrow = [v for driver in drivers if isinstance(driver, ir.NearestFirst) for v in (driver.least, driver.enough)]

    def whole(inner: ir.HostOp) -> tuple[ir.HostOp, ...] | None:
        match inner:
            case ir.DeclareVariable(variable) if variable in narrow:
                return ()
            case ir.Loop(driver=ir.NearestFirst() as driver):
                return (replace(inner, driver=replace(driver, least=None, enough=None)),)
        return None

    return replace(op, body=HostRule(whole).host_block(op.body))


_NOT_IN_A_ROUND = ir.Fill | ir.CopyArray | ir.Loop | ir.HostForRange


def _of_few(body: tuple[ir.HostOp, ...]) -> tuple[ir.HostOp, ...]:
    """What is left of a round of few nodes: nothing is done ahead that pays with many."""
    told = {op.variable for op in walk_host(body) if isinstance(op, ir.SetVariable) and op.for_many}

    def left(op: ir.HostOp) -> tuple[ir.HostOp, ...] | None:
        match op:
            case ir.SetVariable(variable) if variable in told:
                return (ir.SetVariable(variable, build.FALSE),)
            case ir.HostIf(ir.Ref(variable), _, ()) if variable in told:
                return ()
        return None

    return HostRule(left).host_block(body) if told else body


def _is_switched(array: ir.Array) -> bool:
    return array.packed is ir.Packing.SWITCHED


def _by_branches(ops: Iterable[ir.HostOp]) -> Iterator[ir.HostOp]:
    """The operations to which the host comes by branches alone."""
    for op in uses.stream(ops):
        yield op
        if isinstance(op, ir.HostIf):
            yield from _by_branches((*op.then, *op.otherwise))


class _Spread:
    """Spreads one persistent kernel; `left` are the sets that launches have left so far, `turned` whether some have
    taken turns."""

    def __init__(self, spreader: _Spreader, op: ir.OnDevice, loops: Sequence[ir.HostOp]) -> None:
        self.spreader = spreader
        self.module = spreader.given
        self.taken = spreader.taken
        self.op = op
        self.loops = tuple(map(Same, loops))
        self.sets = tuple(filter(_is_switched, op.arrays))
        size = ir.Extent.ONE * max(2 * len(self.sets), 1)
        self.cells = self.taken.array("sets_left", ir.Element.LONG, size)
        self.left: frozenset[ir.Array] = frozenset()
        self.turned = False

    def row(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        """Operations in a row: each loop by two launches in turn, what stands between loops by one."""
        result: list[ir.HostOp] = []
        piece: list[ir.HostOp] = []
        for op in uses.stream(ops):
            if not any(Same(inner) in self.loops for inner in walk_host((op,))):
                piece.append(op)
                continue
            result += self.turns(piece, op) if isinstance(op, ir.Loop) else (*self.piece(piece), *self.branch(op))
            piece = []
        return (*result, *self.piece(piece))

    def branch(self, op: ir.HostOp) -> Iterator[ir.HostOp]:
        assert isinstance(op, ir.HostIf), "the host comes to such loops by branches alone"
        before = self.left
        then, left = self.row(op.then), self.left
        self.left = before
        otherwise = self.row(op.otherwise)
        self.left &= left
        yield replace(op, then=then, otherwise=otherwise)

    def piece(self, ops: Sequence[ir.HostOp]) -> Iterator[ir.HostOp]:
        """Operations between loops: in one launch, unless the host does as well."""
        if not self.needs_launch(ops):
            yield from ops
            return
        declarations, body, mentioned = self.declared(ops)
        yield from declarations
        yield self.launch("after" if self.turned else "begin", body, mentioned)

    def needs_launch(self, ops: Sequence[ir.HostOp]) -> bool:
        """Whether the host cannot do operations as well as one launch can."""
        inside = tuple(walk_host(ops))
        return any(isinstance(inner, _IN_A_LAUNCH) for inner in inside) or any(
            array in self.sets for array in used_host_arrays(inside, self.module)
        )

    def declared(
        self, ops: Sequence[ir.HostOp]
    ) -> tuple[tuple[ir.DeclareVariable, ...], tuple[ir.HostOp, ...], set[ir.Variable]]:
        """The declarations ahead of a launch of the operations, what is left of these, and what others mention."""
        changed = frozenset(scalars_set(walk_host(ops), self.module))
        constant = tuple(op for op in ops if isinstance(op, ir.DeclareVariable) and _is_constant(op, changed))
        ops = [op for op in ops if not any(op is one for one in constant)]
        outside = tuple(walk_around(self.op.body, *ops))
        mentioned = {*scalars_read(outside, self.module), *scalars_set(outside, self.module), *self.op.outcomes}
        declarations, body = declared_ahead(ops, mentioned)
        return (*constant, *declarations), body, mentioned

    def launch(
        self,
        part: str,
        body: tuple[ir.HostOp, ...],
        asked: Container[ir.Variable] | None,
        *,
        cluster: bool = False,
        first: ir.Variable | None = None,
    ) -> ir.OnDevice:
        """One launch of the operations, which leaves its sets; where it may be the `first`, it begins with none."""
        name = self.taken.fresh(f"{self.op.name.removesuffix('_loop')}_{part}")
        used = used_host_arrays(walk_host(body), self.module)
        self.left |= {array for array in self.sets if array in used} if first is not None else set()
        resumed = tuple(array for array in self.sets if array in used and array in self.left)
        crossing = ir.Crossing(self.cells, self.sets, resumed, first) if set(self.sets) & set(used) else None
        self.left |= {array for array in self.sets if array in used}
        made = ir.OnDevice(name, body, span=self.op.span, cluster=cluster, crossing=crossing)
        return in_one_launch(made, self.module, asked)

    def turns(self, ahead: Sequence[ir.HostOp], loop: ir.Loop) -> Iterator[ir.HostOp]:
        """The loop by the cluster and the grid in turn; the first launch does what stands ahead of it as well, unless
        that launches something and groups are wide, which have memory of their own for rounds alone."""
        begin: tuple[ir.HostOp, ...] = ()
        launches = any(isinstance(op, ir.Launch) for op in walk_host(ahead))
        if self.left or not self.needs_launch(ahead) or (launches and self.is_wide(loop)):
            yield from self.piece(ahead)
        else:
            declarations, begin, _ = self.declared(ahead)
            yield from declarations
        goes_on = self.taken.variable("goes_on", ir.Element.BOOL)
        limit = None
        if isinstance(loop.driver, ir.NearestFirst):
            limit = self.taken.variable("limit", loop.driver.step.element)
            from_step = ir.Ref(loop.driver.step)
            yield ir.DeclareVariable(limit, from_step)
            begin = (*begin, ir.SetVariable(limit, from_step)) if begin else ()
        self.turned = True
        first = self.taken.variable("first", ir.Element.BOOL) if begin else None
        rounds = self.rounds(loop, goes_on, limit, few=True)
        if first is not None:
            yield ir.DeclareVariable(first, build.TRUE)
            rounds = (ir.HostIf(ir.Ref(first), begin), *rounds)
        few = self.launch("few", rounds, None, cluster=True, first=first)
        few = replace(few, wide=self.is_wide(loop))
        many = self.launch("many", self.rounds(loop, goes_on, limit, few=False), None)
        what = f"{few.name}: one cluster runs rounds of up to {MOST << few.wide:,} nodes by itself"
        self.spreader.choices.append(Choice(what, "its barrier and its lists are nearer than the whole grid's"))
        later = () if first is None else (ir.SetVariable(first, build.FALSE),)
        yield ir.DeclareVariable(goes_on, build.TRUE)
        yield ir.Loop((), ir.Ref(goes_on), (few, *later, ir.HostIf(ir.Ref(goes_on), (many,))))

    def is_wide(self, loop: ir.Loop) -> bool:
        """Whether the cluster's groups have many threads in rounds of a loop."""
        return self.spreader.is_large and self.spreader.is_thin(loop)

    def rounds(
        self, loop: ir.Loop, goes_on: ir.Variable, limit: ir.Variable | None, *, few: bool
    ) -> tuple[ir.HostOp, ...]:
        made = replace(loop, before=copied(loop.before), body=copied(loop.body))
        made = replace(made, body=_of_few(PUSHING.host_block(made.body))) if few else made
        nodes = (MOST if few else LEAST) << self.is_wide(loop)
        if isinstance(loop.driver, ir.NearestFirst):
            assert limit is not None
            made = replace(made, driver=replace(loop.driver, hand_over=ir.HandOver(goes_on, few, nodes, limit)))
        else:
            leaves = (ir.SetVariable(goes_on, build.TRUE), ir.HostBreak())
            made = replace(made, body=(*self.asked(loop, leaves, nodes, few=few), *made.body))
        return (ir.SetVariable(goes_on, build.FALSE), made)

    def asked(self, loop: ir.Loop, leaves: tuple[ir.HostOp, ...], nodes: int, *, few: bool) -> Iterator[ir.HostOp]:
        """What stands at the beginning of a round: the loop is left if the first set or list that a round walks, as it
        is then, has more nodes than the cluster takes, or fewer than the grid."""
        always, all_walks = uses.stream(loop.body), walk_outside(ir.Launch, loop.body)
        walk = next(inner for inner in (*always, *all_walks) if isinstance(inner, ir.Launch))
        kernel = self.module.kernel(walk.kernel)
        walked = membership(kernel)
        if walked is None:
            assert isinstance(kernel.domain, ir.Listed)
            size = known_length(kernel.domain)
            assert size is not None
        else:
            variable = self.taken.variable(f"{walked.members.name}_size", ir.Element.INT)
            yield ir.DeclareVariable(variable, build.ZERO)
            yield ir.ReadSize(variable, walked.members)
            size = ir.Ref(variable)
        other = build.greater(size, build.number(nodes)) if few else build.less(size, build.number(nodes))
        yield ir.HostIf(other, copied(leaves))


def _is_constant(op: ir.DeclareVariable, changed: frozenset[ir.Variable]) -> bool:
    """Whether the host declares a variable as well, since it is not `changed` soon."""
    return isinstance(op.value, ir.Const) and op.variable not in changed


_IN_A_LAUNCH = ir.Launch | ir.Fill | ir.CopyArray
"""Operations that need a launch in any case; the host does others as well."""
