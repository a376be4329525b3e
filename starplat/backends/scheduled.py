"""A module as a target is to get it: scheduled for what the target can do, the same object every time.

Built kernels are kept by the module that they were built of, so a second run under the same schedule finds them; and
modules that come out equal for two schedules or two graphs are one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from starplat.backends import BACKENDS
from starplat.ir.capabilities import INTERPRETER, Capabilities
from starplat.ir.nodes import Module
from starplat.schedule import AUTO, PLAIN, Schedule
from starplat.schedule.apply import scheduled
from starplat.schedule.facts import GraphFacts

REFERENCE = "reference"
"""The interpreter, which has no backend."""

_Request = tuple[str, Schedule, GraphFacts | None]


@dataclass(slots=True)
class _Known:
    """What has been made of one module."""

    module: Module
    made: dict[_Request, Module] = field(default_factory=dict)


_KNOWN: dict[int, _Known] = {}
_MOST_KNOWN = 256


def for_target(
    module: Module, target: str, schedule: Schedule | None = None, facts: GraphFacts | None = None
) -> Module:
    """The module as `target` gets it.

    Args:
        schedule: None is the target's own: `auto`, and `plain` for the interpreter, whose answers are the measure.
        facts: of the graph that it will run on, if it is known and matters.

    Raises:
        DiagnosticError: E06xx, the schedule asks for what is not legal for the program.
    """
    wanted = own_schedule(target) if schedule is None else schedule
    if wanted == PLAIN:
        return module
    known, request = _known(module), (target, wanted, facts)
    if request not in known.made:
        made = scheduled(module, wanted, capabilities_of(target), facts)
        known.made[request] = next((same for same in (module, *known.made.values()) if same == made), made)
    return known.made[request]


def own_schedule(target: str) -> Schedule:
    """The schedule of a run that asks for none."""
    return PLAIN if target == REFERENCE else AUTO


def capabilities_of(target: str) -> Capabilities:
    """What a target can do, the interpreter among them."""
    return INTERPRETER if target == REFERENCE else BACKENDS[target].capabilities


def _known(module: Module) -> _Known:
    """What has been made of this very module; those that were asked for last are at hand."""
    known = _KNOWN.pop(id(module), None) or _Known(module)
    _KNOWN[id(module)] = known
    if len(_KNOWN) > _MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]
    return known
