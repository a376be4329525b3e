"""Finds the push kernels of a module that may pull, and the reasons why others may not.

A kernel that sends cells which it lowers itself may pull only if it is all that a monotone fixed point does: then stale
reads do not matter. A loop that counts its rounds, or reads the cells between two of them, could tell the difference.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from starplat.ir import fresh_names, launches, nodes as ir, points, uses, visitor
from starplat.schedule.direction import join_effects, pulled_joins, restored_filters
from starplat.schedule.direction.joins import Join, NotJoined, join_of, told_too_early
from starplat.schedule.step import Choice


@dataclass(frozen=True, slots=True)
class Pullable:
    """The kernels that may pull, by name, and the reasons why others may not."""

    joins: Mapping[str, Join]
    refused: Mapping[str, str]

    def refusals(self, but: Collection[str]) -> tuple[Choice, ...]:
        """The choices that report kernels that go on pushing and are not among `but`."""
        refused = ((name, why) for name, why in self.refused.items() if name not in but)
        return tuple(Choice(f"{name}: push", f"no pull: {why}") for name, why in refused)


def pullable(module: ir.Module) -> Pullable:
    """Which kernels of a module may pull, and which may not."""
    joins: dict[str, Join] = {}
    refused: dict[str, str] = {}
    before, loops = restored_filters.launched_before(module), _loops_around(module)
    for kernel in module.kernels:
        if points.way_of(kernel) is not points.Way.PUSH:
            continue
        try:
            joins[kernel.name] = _in_its_place(
                join_of(kernel, restored_filters.known_of(kernel, module, before)), loops[kernel.name], module
            )
        except NotJoined as reason:
            refused[kernel.name] = str(reason)
    return Pullable(joins, refused)


def _loops_around(module: ir.Module) -> Mapping[str, list[ir.Loop]]:
    """The loops in whose rounds a kernel is launched, by its name."""
    found: dict[str, list[ir.Loop]] = defaultdict(list)
    for loop in (op for op in visitor.host_ops(module) if isinstance(op, ir.Loop)):
        for op in uses.stream(loop.body):
            if isinstance(op, ir.Launch):
                found[op.kernel].append(loop)
    return found


def _in_its_place(join: Join, loops: list[ir.Loop], module: ir.Module) -> Join:
    """The join, if what it sends is settled or a monotone fixed point settles it."""
    if join.settled:
        return join
    assert isinstance(join.effect, ir.ExtremeCell)
    apart = not any(carry.array in join.flags for carry in join.effect.carried)
    if apart and launches.is_launched_once(join.kernel.name, module) and any(loop.settles for loop in loops):
        return join
    raise NotJoined(told_too_early(join.effect.array))


class Pulls:
    """The pull kernels, made on demand, and the choices reported."""

    def __init__(self, module: ir.Module, taken: fresh_names.FreshNames) -> None:
        self.module = module
        self.found = pullable(module)
        self.taken = taken
        self.made: dict[tuple[str, bool], ir.Kernel] = {}
        self.choices: dict[str, Choice] = {}

    def instead(self, op: ir.Launch, *, in_one_launch: bool, only: bool) -> tuple[ir.HostOp, ...]:
        """The replacement of a launch: the pull kernel, or a choice between both where that is likely to gain: every
        round has fewer searching nodes, and they exit at the first sender."""
        if (join := self.found.joins.get(op.kernel)) is None or not (only or self.gains(join)):
            return (op,)
        if (op.kernel, in_one_launch) not in self.made:
            self.made[op.kernel, in_one_launch] = pulled_joins.pulled(join, self.taken, shares_arcs=in_one_launch)
        return self.way(join, op, self.made[op.kernel, in_one_launch], only=only)

    def gains(self, join: Join) -> bool:
        once = launches.is_launched_once(join.kernel.name, self.module)
        return once and join.members is not None and join.members.packed is not None and join.is_soon_over

    def way(self, join: Join, op: ir.Launch, pull: ir.Kernel, *, only: bool) -> tuple[ir.HostOp, ...]:
        pulls: tuple[ir.HostOp, ...] = (ir.Launch(pull.name), *join.emptied)
        if only or join.members is None:
            self.choices[op.kernel] = Choice(f"{op.kernel}: pull", _why(join))
            return pulls
        what = f"{op.kernel}: push while '{join.members.name}' has few, else pull"
        self.choices[op.kernel] = Choice(what, _why(join))
        return (replace(op, members=join.members, pull=pulls),)


def _why(join: Join) -> str:
    if isinstance(join.effect, join_effects.Marks):
        return "all nodes send the same value, so one sender is enough"
    if join.settled:
        return "what is sent does not change meanwhile, so a node can combine all of it first"
    return f"'{join.effect.array.name}' has the same end in any order of updates"
