"""Finds the knobs of a schedule that nothing in a program follows, and the reason.

A value is followed if the resulting module differs from the one under the knob's value in `plain`, or if the program is
written so already. That is tried, not predicted: so steps need not declare what they read, and conflicts between knobs
and missing capabilities are found too.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeVar

from starplat.diagnostics import DiagnosticError
from starplat.ir import nodes as ir, visitor
from starplat.ir.capabilities import Capabilities
from starplat.ir.launches import is_ahead
from starplat.schedule.apply import STEPS, decided
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import AUTO, KNOBS, PLAIN, Algebra, Direction, Loop, Memory, Schedule

SOUGHT: Mapping[str, str] = {
    "direction": "no kernel pulls, and none was found that only combines values into neighbors' cells in a way that "
    "can be pulled",
    "frontier": "no loop was found that walks the nodes whose flag is set and otherwise only sets flags one by one or"
    " clears all",
    "balance": "no kernel was found that ends with a forall over its node's arcs, or with one value gathered from "
    "them, or with int sums of a map of which only the best key is asked, and may repeat what comes before",
    "loop": "no loop that launches kernels was found whose rounds do not need the host",
    "priority": "no loop was found that walks a set of nodes, only lowers their neighbors' cells, by what arcs add to "
    "the node's own, and ends when none can be lowered",
    "algebra": "no loop was found that spreads the best label of each component until no arc changes one, no kernel "
    "that counts triangles, and no rounds that ask for neighbors of a higher rank, until a node has its turn",
    "order": "no kernel was found that walks a node's arcs until it finds any one that passes a test and then leaves, "
    "with the same effect whichever it is, and none that adds up reals of all neighbors, found by them alone",
    "memory": "no kernel reads columns, sources of arcs, weights or an edge property that nothing changes, or, for "
    "chunks, some kernel does so otherwise than along the rows of its own nodes",
    "sources": "no loop over nodes or a set was found that searches breadth-first from each and leaves nothing but "
    "sums of whole numbers, Min, Max, or, and of what depends on a node and on its level",
    "updates": "no graph changes whose program asks of edges only which nodes they join and what their properties are",
}
"""What is sought, by the knob that asks for it."""

_SOUGHT_BY_VALUE: Mapping[str, str] = {
    "sources=threads": "no loop over nodes or a set was found whose iterations leave each other nothing but sums, "
    "Min, Max, or, and, or the cell of their node"
}
"""The same where a value of a knob seeks something of its own."""

LACKING: Mapping[str, str] = {
    "grid_barrier": "grid barrier",
    "clusters": "clusters of groups that have a barrier of their own",
    "group_loops": "groups of threads that can run rounds alone",
    "batches": "in-order queue of launches whose reductions stay on the device",
    "group_rows": "groups whose threads share arcs",
    "shared_arcs": "sub-groups whose threads share arcs and sets of nodes",
    "mapped_memory": "page-locked host memory that its kernels read",
    "compiled_loops": "loops of the host that are compiled with its kernels",
    "managed_memory": "managed memory, whose pages its driver moves",
    "rows_with_room": "kernels that pass over room in rows",
}
"""What a target may lack, by the capability that says so."""

_REFUSING: Mapping[str, tuple[str, ...]] = {
    "direction": ("direction",),
    "loop": ("loop", "group", "batch"),
    "memory": ("chunks",),
    "sources": ("sources",),
    "updates": ("room",),
}
"""The steps that tell what they refuse, by the knob that they follow."""

Member = TypeVar("Member")


@dataclass(frozen=True, slots=True)
class Unfollowed:
    """A setting such as `loop=device`, and why nothing follows it: what the target `lacks`, or `instead`, how other
    knobs would have to be set, or else that the program has none of what was `sought`."""

    setting: str
    sought: str
    lacks: tuple[str, ...] = ()
    instead: str = ""


def unfollowed(
    module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None, made: ir.Module
) -> tuple[Unfollowed, ...]:
    """The settings without effect on the program; `made` is the scheduled module."""
    trial = _Trial(module, capabilities, facts)
    return tuple(trial.why(name, schedule) for name in _asking(schedule) if not trial.is_followed(name, schedule, made))


def _asking(schedule: Schedule) -> Iterator[str]:
    """The knobs that are neither `auto` nor at their value in `plain`."""
    for name, value in schedule.values.items():
        if value not in (AUTO.values[name], PLAIN.values[name]):
            yield name


@dataclass(frozen=True, slots=True)
class _Trial:
    module: ir.Module
    capabilities: Capabilities
    facts: GraphFacts | None

    def is_followed(self, name: str, schedule: Schedule, made: ir.Module | None = None) -> bool:
        made = self.made(schedule) if made is None else made
        if made is None:
            return True  # it is refused for a reason of its own
        if schedule.values[name] is Loop.BATCH:
            return _has_batches(made)  # flags are kept for it in any case
        if schedule.values[name] is Memory.CHUNKS:  # which other knobs give way to
            return any(kernel.chunks is not None for kernel in made.kernels)
        return _is_written_so(made, schedule.values[name]) or made != self.made(_with(schedule, name, PLAIN))

    def made(self, schedule: Schedule) -> ir.Module | None:
        """The module under a schedule; None if that is not legal. All steps are taken under `plain` too: what no knob
        asks for makes no difference between two schedules."""
        try:
            return decided(self.module, schedule, self.capabilities, self.facts, STEPS).module
        except DiagnosticError:
            return None

    def why(self, name: str, schedule: Schedule) -> Unfollowed:
        setting = f"{name}={schedule.values[name]}"
        alone = _with(AUTO, name, schedule)
        if name != "algebra":
            alone = replace(alone, algebra=Algebra.PLAIN)
        if not self.is_followed(name, alone):
            return Unfollowed(setting, self.sought(name, alone), lacks=self.lacking(name, alone))
        return Unfollowed(setting, self.sought(name, alone), instead=self.instead(name, schedule))

    def sought(self, name: str, alone: Schedule) -> str:
        """What is sought, and why the nearest parts of the program do not qualify."""
        choices = decided(self.module, alone, self.capabilities, self.facts).choices
        refused = [f"{choice.what} ({choice.why})" for choice in choices if choice.step in _REFUSING.get(name, ())]
        return "; ".join((_SOUGHT_BY_VALUE.get(f"{name}={alone.values[name]}", SOUGHT[name]), *refused))

    def lacking(self, name: str, alone: Schedule) -> tuple[str, ...]:
        """The capabilities that the target lacks for it; empty if nothing would help."""

        def helps(given: tuple[str, ...]) -> bool:
            granted: dict[str, Any] = dict.fromkeys(given, True)
            return replace(self, capabilities=replace(self.capabilities, **granted)).is_followed(name, alone)

        return _needed(tuple(one for one in LACKING if not getattr(self.capabilities, one)), helps)

    def instead(self, name: str, schedule: Schedule) -> str:
        """A small change of the other knobs under which this one is followed."""

        def helps(some: tuple[tuple[str, Schedule], ...]) -> bool:
            return self.is_followed(name, reduce(lambda changed, change: _with(changed, *change), some, schedule))

        others = [other for other in KNOBS if other != name]
        changes = [(other, base) for base in (AUTO, PLAIN) for other in others if base is AUTO or other == "algebra"]
        changes = [(other, base) for other, base in changes if base.values[other] != schedule.values[other]]
        return ",".join(f"{other}={base.values[other]}" for other, base in _needed(tuple(changes), helps))


def _with(schedule: Schedule, name: str, other: Schedule) -> Schedule:
    """The schedule with one knob as another has it."""
    changed: dict[str, Any] = {name: other.values[name]}
    return replace(schedule, **changed)


def _needed(members: tuple[Member, ...], help: Callable[[tuple[Member, ...]], bool]) -> tuple[Member, ...]:
    """The first that helps alone, or those of all of which none can be left out; empty if all together do not help."""
    for one in members:
        if help((one,)):
            return (one,)
    if not help(members):
        return ()
    for one in reversed(members):
        fewer = tuple(other for other in members if other != one)
        members = fewer if help(fewer) else members
    return members


def _has_batches(module: ir.Module) -> bool:
    """Whether the host launches any rounds ahead."""
    return any(map(is_ahead, visitor.host_ops(module)))


def _is_written_so(module: ir.Module, value: object) -> bool:
    """Whether the program is already written as a value asks."""
    return value is Direction.PULL and any(
        isinstance(op, ir.ForNeighbors) and op.direction is ir.Direction.IN
        for k in module.kernels
        for op in visitor.walk_kernel(k.body)
    )
