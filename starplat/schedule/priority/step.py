"""Step `priority`: delta-stepping, for loops that relax arcs until no cell can be lowered any more.

Such a loop is a monotone fixed point, insensitive to the order of updates. Nodes with low values come first, because
what they send will not change again.

The step that a limit rises by is 1,024 times the mean addition, divided by the square of the mean degree: the fewer
arcs a node has, the more nodes it takes to keep a device busy. Where degrees are even, near nodes are found again and
again; there it is divided by the root of the mean degree as well. Where the host drives the rounds, each of which costs
it some time, it is 96 times the mean addition, divided by the mean degree: rounds are many where nodes have few arcs.
One pass over the nodes finds the longest row, and the mean of one arc's addition for each node.

Without being asked for, the step leaves loops that repair: they lower values which the function was given, beginning
with nodes that kernels of the function have found. Most values are right by then, few nodes are walked twice, and a
pile of far nodes makes more rounds of them (decision 0098).
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build, launches, nodes as ir
from starplat.ir.capabilities import Capabilities
from starplat.ir.visitor import walk_host, with_signature, written_arrays
from starplat.schedule import edge_effects, facts
from starplat.schedule.priority.nearest_rounds import near_rounds
from starplat.schedule.priority.relaxing import Relaxing, relaxing
from starplat.schedule.schedule import Delta, Direction, Memory, Priority, Schedule
from starplat.schedule.step import Choice, Decided, Decider

_LOOKS = 65536
"""Arcs, evenly spaced, whose additions are looked at; each may lie in another line of the host's memory."""

_BUSY = 1024.0
_BUSY_BY_HOST = 96.0

_NARROW_FROM, _NARROWEST = 2.0**15, 32.0
"""Arcs of a graph from which on the first steps are narrower where some rows are much longer than others: by the root
of how many times as many there are, up to so much. Nodes with many arcs are near everything: in one wide step they are
found again and again, each time a little nearer (decision 0125)."""

_THIN, _MANY_ARCS, _NEAR = 8.0, 2.0**24, 200.0
_ARCS_OF_A_NEAR_NODE, _ARCS_OF_ONE_BESIDE_HUBS = 65536.0, 8192.0
"""The limit rises while fewer nodes are near than keep a device busy: one for so many arcs of the graph, where rows are
even and not thin. Where they are not even, rounds of small graphs wait for barriers: one for fewer arcs then, up to so
many nodes. In larger ones few nodes have arcs to many, and far ones would be walked too early (decision 0132)."""

_NARROWER = 32.0
"""How many times narrower steps are where arcs are read in the host's memory: rounds cost less there than arcs that are
walked again. R-MAT 24 with weights from 1 to 255 and room for 40 % of its arcs takes 91 ms in steps of 8, 70 in steps
of 4, 76 in steps of 2 and of 6, 111 in steps of 16 on an NVIDIA H100."""

_FAR = (Memory.MAPPED, Memory.ONDEMAND)


def nearest_first(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """The module whose relaxations take near nodes first, where the schedule and the target permit it."""
    pulls = schedule.direction is Direction.PULL and schedule.priority is Priority.AUTO
    if schedule.priority is Priority.NONE or pulls:  # near nodes push
        return module
    if schedule.priority is Priority.AUTO and not capabilities.double:  # the mean of what arcs add is a double
        return module
    narrower = _NARROWER if capabilities.mapped_memory and schedule.memory in _FAR else 1.0
    return _Maker(module, schedule.priority, narrower, sets_in_one_launch=capabilities.shared_arcs).decided()


class _Maker(Decider):
    """Puts near nodes first in the loops that relax."""

    def __init__(
        self, module: ir.Module, priority: Priority | Delta, narrower: float, *, sets_in_one_launch: bool
    ) -> None:
        super().__init__(module)
        self.narrower = narrower
        self.sets_in_one_launch = sets_in_one_launch
        self.priority = priority
        self.in_one_launch = False

    def function(self, function: ir.HostFunction) -> ir.HostFunction:
        self.inside = function
        return super().function(function)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.OnDevice):
            before = len(self.choices)
            self.in_one_launch = True
            inner = replace(op, body=self.host_block(op.body))
            self.in_one_launch = False
            if len(self.choices) == before:
                return (op,)
            return (launches.with_own_arrays(inner, self.given, self.kernels),)
        found = relaxing(op, self.given) if isinstance(op, ir.Loop) else None
        if isinstance(op, ir.Loop) and found and (self.priority is not Priority.AUTO or not self.repairs(found)):
            return self.ordered(op, found)
        return (self.rebuild(op),)

    def ordered(self, loop: ir.Loop, found: Relaxing) -> Iterable[ir.HostOp]:
        later = replace(found.following, name=self.taken.fresh(f"{found.now.name}_later"), origin=ir.Origin.TEMPORARY)
        step = self.taken.variable("width", found.values.element)
        self.arrays.append(later)
        in_sets = self.in_one_launch and self.sets_in_one_launch
        grows = in_sets and self.narrower == 1.0 and not isinstance(self.priority, Delta)
        least = self.taken.variable("least_width", step.element) if grows else None
        enough = self.taken.variable("enough", ir.Element.INT) if grows else None
        choose = tuple(self.chosen(step, least, enough, found))
        why = f"'{found.values.name}' only goes down, in any order of updates"
        self.choices.append(Choice(f"{found.walk.name}: near nodes first, {self.how(found)}", why))
        if in_sets:
            driver = ir.NearestFirst(later, found.values, step, least, enough)
            return (*choose, ir.Fill(later, build.FALSE), replace(loop, driver=driver))
        rounds = near_rounds(loop, found, later, step, self.taken.fresh)
        self.changed[found.walk.name] = rounds.walk
        self.kernels.append(rounds.sort)
        return (*choose, ir.Fill(later, build.FALSE), *rounds.ops)

    def repairs(self, found: Relaxing) -> bool:
        """Whether the loop begins with nodes that other kernels of the function have found, among values from before:
        nothing that the function is given is made anew as a whole."""
        body = self.inside.body
        filled = {op.array for op in walk_host(body) if isinstance(op, ir.Fill)}
        others = tuple(map(self.given.kernel, launches.launched_names([self.inside]) - {found.walk.name}))
        for kernel in others:
            stores = () if kernel.filter else (op.array for op in kernel.body if isinstance(op, ir.Store))
            filled |= {array for array in stores if array == found.values or found.values not in kernel.arrays}
        if found.now.origin is not ir.Origin.LOCAL or any(array.origin is ir.Origin.PARAMETER for array in filled):
            return False
        return any(found.now in written_arrays(kernel.body) for kernel in others)

    def how(self, found: Relaxing) -> str:
        if isinstance(self.priority, Delta):
            return f"in steps of {self.priority.width}"
        return f"in steps from the mean of '{found.added}' and from degrees"

    def chosen(
        self, step: ir.Variable, least: ir.Variable | None, enough: ir.Variable | None, found: Relaxing
    ) -> Iterable[ir.HostOp]:
        if isinstance(self.priority, Delta):
            width = self.priority.width
            value: ir.Expression = ir.Const(float(width) if step.element.is_real else max(int(width), 1), step.element)
            yield ir.DeclareVariable(step, value)
            return
        name = found.added.replace(" ", "_")
        total = self.taken.variable(f"{name}_total", ir.Element.DOUBLE)
        longest = self.taken.variable("longest_row", ir.Element.ARC) if self.in_one_launch else None
        kernel = self.looking(found, name, total, longest)
        self.kernels.append(kernel)
        yield ir.DeclareVariable(total, ir.Const(0.0, ir.Element.DOUBLE))
        if longest is not None:
            yield ir.DeclareVariable(longest, ir.Const(0, ir.Element.ARC))
        yield ir.Launch(kernel.name)
        mean = self.taken.variable(f"mean_{name}", ir.Element.DOUBLE)
        degree = self.taken.variable("mean_degree", ir.Element.DOUBLE)
        yield ir.DeclareVariable(mean, _mean(total))
        yield ir.DeclareVariable(degree, build.divided(_number_of(ir.NumArcs()), _number_of(ir.NumNodes())))
        known = ir.Ref(mean), ir.Ref(degree)
        rise = _width_by_host(*known) if longest is None else _width(*known, ir.Ref(longest))
        if self.narrower != 1.0:
            rise = build.divided(rise, ir.Const(self.narrower, ir.Element.DOUBLE))
        yield ir.DeclareVariable(step, _as_step(rise, step.element))
        if least is not None and enough is not None and longest is not None:
            even, wide = _is_even(ir.Ref(degree), ir.Ref(longest)), ir.Cast(ir.Ref(step), ir.Element.DOUBLE)
            root = ir.Apply(ir.MathFunction.SQRT, (_arcs_over(_NARROW_FROM),), ir.Element.DOUBLE)
            rise = ir.Select(even, wide, build.divided(wide, _one_or_more(root, _NARROWEST)))
            yield ir.DeclareVariable(least, _as_step(rise, least.element))
            thin = build.less(ir.Ref(degree), ir.Const(_THIN, ir.Element.DOUBLE))
            few = build.less(_number_of(ir.NumArcs()), ir.Const(_MANY_ARCS, ir.Element.DOUBLE))
            beside_hubs = ir.Select(few, _one_or_more(_arcs_over(_ARCS_OF_ONE_BESIDE_HUBS), _NEAR), _ONE)
            among_even = ir.Select(thin, _ONE, _one_or_more(_arcs_over(_ARCS_OF_A_NEAR_NODE)))
            near = ir.Select(even, among_even, beside_hubs)
            yield ir.DeclareVariable(enough, ir.Cast(near, ir.Element.INT))

    def looking(self, found: Relaxing, what: str, total: ir.Variable, longest: ir.Variable | None) -> ir.Kernel:
        """Sums up the additions of some arcs, evenly spaced, and finds the longest row."""
        v = self.taken.variable("node", ir.Element.NODE)
        arcs, number = ir.NumArcs(ir.Element.ARC), ir.Cast(ir.Ref(v), ir.Element.ARC)
        one, most = ir.Const(1, ir.Element.ARC), ir.Const(_LOOKS, ir.Element.ARC)
        looks = ir.Apply(ir.MathFunction.MIN, (ir.Cast(ir.NumNodes(), ir.Element.ARC), most), ir.Element.ARC)
        apart = ir.Apply(ir.MathFunction.MAX, (build.divided(arcs, looks, ir.Element.ARC), one), ir.Element.ARC)
        place = build.times(number, apart, ir.Element.ARC)
        added = edge_effects.unfolded(found.addition, {found.position: place})
        value = added if added.element is ir.Element.DOUBLE else ir.Cast(added, ir.Element.DOUBLE)
        there = build.both(build.less(number, arcs), build.less(number, most))
        summed, reductions = ir.KernelIf(there, (ir.Contribute(total, value),)), [ir.Reduction(total, ir.Combine.ADD)]
        body: tuple[ir.KernelOp, ...] = (summed,)
        if longest is not None:
            body = (summed, ir.Contribute(longest, ir.CSR.degree(ir.Ref(v))))
            reductions.append(ir.Reduction(longest, ir.Combine.MAX))
        comment = f"the mean of some {what}s says how far apart near and far are"
        name = self.taken.fresh(f"sample_{what}")
        return with_signature(ir.Kernel(name, ir.AllNodes(), v, body, reductions=tuple(reductions), comment=comment))


def _width(mean: ir.Expression, degree: ir.Expression, longest: ir.Expression) -> ir.Expression:
    """1,024 mean / degree^2, and over the root of the degree if no row is much longer than that."""
    square = build.times(degree, degree)
    busy = build.divided(build.times(ir.Const(_BUSY, ir.Element.DOUBLE), mean), square)
    root = ir.Apply(ir.MathFunction.SQRT, (degree,), ir.Element.DOUBLE)
    return build.divided(busy, ir.Select(_is_even(degree, longest), root, ir.Const(1.0, ir.Element.DOUBLE)))


def _is_even(degree: ir.Expression, longest: ir.Expression) -> ir.Expression:
    """Whether no row is much longer than the mean."""
    return build.at_most(_number_of(longest), build.times(ir.Const(float(facts.EVEN), ir.Element.DOUBLE), degree))


def _width_by_host(mean: ir.Expression, degree: ir.Expression) -> ir.Expression:
    """96 mean / degree."""
    busy = build.times(ir.Const(_BUSY_BY_HOST, ir.Element.DOUBLE), mean)
    return build.divided(busy, degree)


def _mean(total: ir.Variable) -> ir.Expression:
    """The mean of as many additions as were looked at: one for each node, or arc where these are fewer, up to a
    number."""
    few = ir.Apply(ir.MathFunction.MIN, (_number_of(ir.NumNodes()), _number_of(ir.NumArcs())), ir.Element.DOUBLE)
    looks = ir.Apply(ir.MathFunction.MIN, (few, ir.Const(float(_LOOKS), ir.Element.DOUBLE)), ir.Element.DOUBLE)
    return build.divided(ir.Ref(total), looks)


def _number_of(count: ir.Expression) -> ir.Expression:
    return ir.Cast(count, ir.Element.DOUBLE)


_ONE = ir.Const(1.0, ir.Element.DOUBLE)


def _arcs_over(number: float) -> ir.Expression:
    return build.divided(_number_of(ir.NumArcs()), ir.Const(number, ir.Element.DOUBLE))


def _one_or_more(number: ir.Expression, most: float | None = None) -> ir.Expression:
    at_least = ir.Apply(ir.MathFunction.MAX, (number, _ONE), ir.Element.DOUBLE)
    if most is None:
        return at_least
    return ir.Apply(ir.MathFunction.MIN, (at_least, ir.Const(most, ir.Element.DOUBLE)), ir.Element.DOUBLE)


def _as_step(width: ir.Expression, element: ir.Element) -> ir.Expression:
    """The width as a number above zero of the cells' type; without arcs any will do."""
    least = ir.Const(1.0 if not element.is_real else 1e-30, ir.Element.DOUBLE)
    above = ir.Apply(ir.MathFunction.MAX, (width, least), ir.Element.DOUBLE)
    return above if element is ir.Element.DOUBLE else ir.Cast(above, element)
