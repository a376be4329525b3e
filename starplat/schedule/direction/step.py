"""Step `direction`: pulls, or chooses push or pull in each round, where either is legal.

Loops over levels may pull as proved in `waves`. In a persistent kernel threads count the members of a set and choose;
where the host drives the rounds it knows the length of a list (step `queue`). Other kernels that combine into their
neighbors' cells pull if the schedule asks for it, or if they are likely to gain (`pulling`).
"""

from collections.abc import Iterable
from dataclasses import replace

from starplat.ir import build, launches, nodes as ir, rewriter, uses, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.module_rewriter import PUSHING, with_arrays, with_graph_arrays
from starplat.ir.shapes.gathering import gathering
from starplat.ir.shapes.members import membership
from starplat.same import Same
from starplat.schedule.direction.added import MANY_ARCS, MANY_NODES, Added, added
from starplat.schedule.direction.pull_kernels import from_other_end, without_the_unused
from starplat.schedule.direction.pulling import Pulls
from starplat.schedule.direction.waves import Wave, wave_in, wave_of
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Direction as Wanted, Schedule
from starplat.schedule.step import Choice, Decided, Decider


def push_or_pull(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None
) -> ir.Module | Decided:
    """The module whose loops over levels may pull, where the schedule and the target let them."""
    if schedule.direction is Wanted.PUSH:
        return _only_pushing(module)
    only_pull = schedule.direction is Wanted.PULL
    adds = not only_pull and facts is not None and adds_where(facts.num_nodes, facts.num_arcs)
    adds = adds and adds_up(module, capabilities)
    maker = _Maker(module, only_pull=only_pull, sets_in_one_launch=capabilities.shared_arcs, adds=adds)
    made = maker.module()
    refusals = maker.pulls.found.refusals(maker.walking) if only_pull else ()
    choices = (*maker.choices, *maker.pulls.choices.values(), *refusals)
    if not maker.choices and not maker.pulls.made:
        return Decided(module, choices)
    kept = tuple(maker.adding(maker.plainly(kernel)) for kernel in module.kernels)
    made = replace(made, kernels=(*kept, *maker.kernels, *maker.pulls.made.values()))
    changed = without_the_unused(made, module, maker.walking)
    return Decided(with_graph_arrays(changed), choices)


def adds_up(module: ir.Module, capabilities: Capabilities) -> bool:
    """Whether kernels may add to cells of reals, and some kernel adds up what neighbors have."""
    sums = (gathering(kernel) for kernel in module.kernels)
    able = capabilities.shared_arcs and capabilities.has_atomic(ir.Combine.ADD, ir.Element.DOUBLE)
    return able and any(sum is not None and sum.combine is ir.Combine.ADD for sum in sums)


def adds_where(num_nodes: int, num_arcs: int) -> bool:
    """Whether a barrier more in each round is little beside the arcs that are not walked again."""
    return num_nodes >= MANY_NODES and num_arcs >= MANY_ARCS * num_nodes


def _only_pushing(module: ir.Module) -> ir.Module:
    """The module whose launches do not pull."""
    if not any(isinstance(op, ir.Launch) and op.pull for op in visitor.host_ops(module)):
        return module
    pushing = with_arrays(replace(module, functions=PUSHING.functions_of(module)))
    return with_graph_arrays(without_the_unused(pushing, module))


class _Maker(Decider):
    """Gives the walks of waves a pull kernel."""

    def __init__(self, module: ir.Module, *, only_pull: bool, sets_in_one_launch: bool, adds: bool) -> None:
        super().__init__(module)
        self.only_pull, self.sets_in_one_launch, self.adds = only_pull, sets_in_one_launch, adds
        self.in_one_launch = False
        self.waves: dict[Same, Wave] = {}
        self.counters: dict[Same, ir.Variable] = {}
        self.counted: dict[str, Wave] = {}
        self.walking: set[str] = set()
        self.added: dict[str, Added] = {}  # by the kernel that pushes
        self.flags: dict[Same, ir.Variable] = {}
        self.pushes: set[str] = set()
        self.pulls = Pulls(module, self.taken)

    def host_op(self, op: ir.HostOp) -> Iterable[ir.HostOp]:
        if isinstance(op, ir.OnDevice):
            if not self.sets_in_one_launch:
                return (op,)
            self.in_one_launch = True
            inner = replace(op, body=self.host_block(op.body))
            self.in_one_launch = False
            if inner == op:
                return (op,)
            return (launches.with_own_arrays(inner, self.given, (*self.kernels, *self.pulls.made.values())),)
        if isinstance(op, ir.Loop) and op.driver is not None:
            return (op,)  # near nodes push
        if Same(op) in self.counters:
            return (ir.DeclareVariable(self.counters[Same(op)], build.ZERO), self.rebuild(op))
        if Same(op) in self.flags:
            return (ir.DeclareVariable(self.flags[Same(op)], build.TRUE), self.rebuild(op))
        if any(op is found.visit for found in self.added.values()):
            return ()  # it stands ahead of the push
        if isinstance(op, ir.Launch) and op.members is not None:
            return self.as_wanted(op, op.members)
        if isinstance(op, ir.Launch) and Same(op) in self.waves:
            return self.either(op, self.waves[Same(op)])
        if isinstance(op, ir.Launch):
            return self.pulls.instead(op, in_one_launch=self.in_one_launch, only=self.only_pull)
        return (self.rebuild(op),)

    def host_block(self, ops: Iterable[ir.HostOp]) -> tuple[ir.HostOp, ...]:
        row = tuple(ops)
        flat = list(uses.stream(row))
        for place, op in enumerate(flat):
            if isinstance(op, ir.Loop) and op.driver is None:
                found = wave_in(op, flat[:place], self.given)
                if found is not None:
                    launch, wave = found
                    if self.in_one_launch and wave.counts_rounds:
                        counter = self.counters[Same(op)] = self.taken.variable("depth", ir.Element.INT)
                        wave = self.counted[launch.kernel] = wave.counted_by(counter)
                    sums = added(op, launch, wave, self.given, self.taken) if self.adds and self.in_one_launch else None
                    if sums is not None:
                        self.added[launch.kernel], self.flags[Same(op)] = sums, sums.flag
                        self.kernels += () if sums.rest is None else (sums.rest,)
                        wave = replace(wave, takes=True)
                    self.waves[Same(launch)] = wave
                    self.walking.add(launch.kernel)
        return super().host_block(row)

    def as_wanted(self, op: ir.Launch, members: ir.Array) -> tuple[ir.HostOp, ...]:
        """A launch that may pull already. It chooses where its members can be counted."""
        why = "either gives every node the same bits"
        if self.only_pull:
            self.choices.append(Choice(f"{op.kernel}: pull", why))
            return op.pull
        if members.packed is None:
            self.choices.append(Choice(f"{op.kernel}: push", f"how many nodes '{members.name}' has is not counted"))
            return (ir.Launch(op.kernel),)
        self.choices.append(Choice(f"{op.kernel}: push while '{members.name}' has few, else pull", why))
        return (op,)

    # --- rewriting ------------------------------------------------------------------------------------------------

    def either(self, push: ir.Launch, wave: Wave) -> tuple[ir.HostOp, ...]:
        kernel = self.given.kernel(push.kernel)
        pull = self.pulling(kernel, wave)
        self.kernels.append(pull)
        why = "all active nodes send the same value, so one sender is enough"
        emptied = (ir.Fill(wave.now, build.FALSE),) if wave.takes else ()
        behind: tuple[ir.HostOp, ...] = ()
        if kernel.name in self.counted and wave.counter is not None:
            behind = (ir.SetVariable(wave.counter, build.plus(ir.Ref(wave.counter), build.ONE)),)
        if self.only_pull:
            self.choices.append(Choice(f"{kernel.name}: pull", why))
            return (ir.Launch(pull.name), *emptied, *behind)
        if self.in_one_launch:
            self.pushes.add(kernel.name)
        self.choices.append(Choice(f"{kernel.name}: push while '{wave.now.name}' has few, else pull", why))
        pulling = (ir.Launch(pull.name), *emptied)
        ahead: tuple[ir.HostOp, ...] = ()
        if (sums := self.added.get(kernel.name)) is not None:
            what = f"{kernel.name}: adds to '{sums.sums.name}' where it pushes"
            self.choices.append(Choice(what, "it goes along the arcs that lead on, and no others"))
            ahead, pulling = sums.visited(), (*pulling, ir.SetVariable(sums.flag, build.FALSE))
        return (*ahead, replace(push, members=wave.now, pull=pulling, reaches=wave.values), *behind)

    def adding(self, kernel: ir.Kernel) -> ir.Kernel:
        """The kernel, where sums are added by what pushes."""
        if kernel.name in self.added:
            return self.added[kernel.name].pushing(kernel)
        visits = (sums.gathers for sums in self.added.values() if sums.visit.kernel == kernel.name)
        return next(visits, kernel)

    def plainly(self, kernel: ir.Kernel) -> ir.Kernel:
        """The push kernel: all threads that lower a cell store the same, so that no update need be atomic."""
        wave = self.counted.get(kernel.name, wave_of(kernel)) if kernel.name in self.walking else None
        if wave is None:
            return kernel
        if kernel.name not in self.pushes or wave.spread.lowering.also or wave.spread.guards:
            return _Unlocked().kernel(kernel) if wave.data else kernel
        spread, lowering = wave.spread, wave.spread.lowering
        found = membership(kernel)
        assert found is not None
        value = self.taken.variable(f"{wave.values.name}_of_next", wave.values.element)
        lowers = build.less(ir.Ref(value), ir.Load(wave.values, lowering.index))
        told = tuple(ir.Store(carry.array, carry.index, carry.value, shared=True) for carry in lowering.carried)
        store = ir.Store(wave.values, lowering.index, ir.Ref(value), shared=True)
        loop = replace(spread.loop, body=(ir.Let(value, spread.candidate), ir.KernelIf(lowers, (store, *told))))
        return visitor.with_signature(replace(kernel, body=(*kernel.body[: len(kernel.body) - len(found.body)], loop)))

    def pulling(self, kernel: ir.Kernel, wave: Wave) -> ir.Kernel:
        """The pull kernel: every unreached node searches its in-neighbors for a member."""
        joins = ir.Store(wave.following, ir.Ref(wave.spread.loop.neighbor), build.TRUE)
        data = (ir.Store(carry.array, ir.Ref(wave.spread.loop.neighbor), carry.value) for carry in wave.data)
        told = (*data, joins, *wave.spread.lowering.also)
        chosen = ir.Load(wave.now, kernel.own)
        return from_other_end(kernel, wave.spread, self.taken, chosen, told, shares_arcs=self.in_one_launch)


class _Unlocked(rewriter.Rewriter):
    """Lowers cells without a lock: of candidates that are all the same one wins, whose data stays."""

    def kernel_op(self, op: ir.KernelOp) -> Iterable[ir.KernelOp]:
        inner = self.rebuild(op)
        return (replace(inner, lock=None) if isinstance(inner, ir.ExtremeCell) else inner,)
