"""Schedules a module for one target (memoised).

Built kernels are cached by their module, so a second run under the same schedule finds them; modules that are equal for
two schedules or two graphs are one.
"""

from dataclasses import dataclass, field

from starplat.backends import BACKENDS
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.ir import nodes as ir
from starplat.ir.capabilities import INTERPRETER, Capabilities
from starplat.ir.processors import Processor
from starplat.same import Same
from starplat.schedule import AUTO, PLAIN, Schedule
from starplat.schedule.apply import scheduled
from starplat.schedule.facts import GraphFacts
from starplat.schedule.memoised_steps import Taking
from starplat.schedule.unfollowed import LACKING, Unfollowed, unfollowed

REFERENCE = "reference"
"""The interpreter, which has no backend."""

_Request = tuple[str, Schedule, GraphFacts | None, Capabilities | None]


@dataclass(slots=True)
class _Known:
    """What schedules made of one module, equal results as one object, and the requests for which every setting is
    followed."""

    made: dict[_Request, ir.Module] = field(default_factory=dict)
    differing: dict[Same, ir.Module] = field(default_factory=dict)
    followed: set[_Request] = field(default_factory=set)

    def as_one(self, made: ir.Module) -> ir.Module:
        """The module itself, or the equal one that came first."""
        if Same(made) not in self.differing:
            equal = next((other for other in self.differing.values() if other == made), None)
            if equal is not None:
                return equal
            self.differing[Same(made)] = made
        return made


_KNOWN: dict[Same, _Known] = {}
_MOST_KNOWN = 256


def for_target(
    module: ir.Module,
    target: str,
    schedule: Schedule | None = None,
    facts: GraphFacts | None = None,
    capabilities: Capabilities | None = None,
    taking: Taking | None = None,
) -> ir.Module:
    """The module scheduled for `target`.

    Args:
        schedule: None is the target's own: `auto`, and `plain` for the interpreter, whose answers are the measure.
        facts: of the graph that it will run on, if it is known and matters.
        capabilities: of the device that it will run on, where they are not those of the target in general.
        taking: how steps are taken, for these capabilities and facts.

    Raises:
        DiagnosticError: E06xx, the schedule asks for what is not legal for the program; E0665, for what nothing
            follows.
    """
    wanted = own_schedule(target) if schedule is None else schedule
    if wanted == PLAIN:
        return module
    made = made_for_target(module, target, wanted, facts, capabilities, taking)
    followed, request = _known(module).followed, (target, wanted, facts, capabilities)
    if request not in followed:
        require_followed(module, target, wanted, facts, made, capabilities)
        followed.add(request)
    return made


def made_for_target(
    module: ir.Module,
    target: str,
    schedule: Schedule,
    facts: GraphFacts | None = None,
    capabilities: Capabilities | None = None,
    taking: Taking | None = None,
) -> ir.Module:
    """The same, whether or not everything that the schedule asks for is followed; `taking` runs the steps."""
    if schedule == PLAIN:
        return module
    known, request = _known(module), (target, schedule, facts, capabilities)
    if request not in known.made:
        made = scheduled(module, schedule, capabilities or capabilities_of(target), facts, taking)
        known.made[request] = known.as_one(made)
    return known.made[request]


def require_followed(
    module: ir.Module,
    target: str,
    schedule: Schedule,
    facts: GraphFacts | None,
    made: ir.Module,
    capabilities: Capabilities | None = None,
) -> None:
    """Refuses a schedule with a setting that has no effect on the program, which it has `made` so. Raises E0665: once
    for each such setting."""
    found = unfollowed(module, schedule, capabilities or capabilities_of(target), facts, made)
    if found:
        raise DiagnosticError(*(_not_followed(one, module, target) for one in found), exit_code=ExitCode.USAGE)


def _not_followed(one: Unfollowed, module: ir.Module, target: str) -> Diagnostic:
    """E0665."""
    if one.lacks:
        lacks = " and no ".join(LACKING[name] for name in one.lacks)
        message = f"target '{target}' cannot follow '{one.setting}': it has no {lacks}"
        help = "leave it out, or choose a target that has: `starplat explain FILE -t TARGET` says what is chosen there"
    elif one.instead:
        message = f"nothing in '{module.entry}' can follow '{one.setting}' under the rest of the schedule"
        help = f"leave it out; with '{one.instead}' it is followed"
    else:
        message = f"nothing in '{module.entry}' can follow '{one.setting}': {one.sought}"
        help = "leave it out; `starplat explain FILE -t TARGET` says what is chosen then"
    return Diagnostic("E0665", message, help=help)


def own_schedule(target: str) -> Schedule:
    """The schedule of a run that asks for none."""
    return PLAIN if target == REFERENCE else AUTO


def capabilities_of(target: str) -> Capabilities:
    """The capabilities of a target, the interpreter included."""
    return INTERPRETER if target == REFERENCE else BACKENDS[target].capabilities


def capabilities_on(target: str, processor: Processor) -> Capabilities:
    """The capabilities of a target on such a device. Raises E0666: it runs on none."""
    on_host = INTERPRETER if processor is Processor.CPU else None
    found = on_host if target == REFERENCE else BACKENDS[target].capabilities_on(processor)
    if found is None:
        others = " and ".join(f"{other.name}s" for other in processors_of(target))
        message = f"target '{target}' does not run on {processor.name}s"
        raise DiagnosticError(Diagnostic("E0666", message, help=f"it runs on {others}"), exit_code=ExitCode.USAGE)
    return found


def processors_of(target: str) -> tuple[Processor, ...]:
    """The kinds of device that run a target's kernels; the first is the default."""
    if target == REFERENCE:
        return (Processor.CPU,)
    return tuple(each for each in Processor if BACKENDS[target].capabilities_on(each) is not None)


def as_processor(given: Processor | str) -> Processor:
    """The kind of device, also by its word. Raises E0666: there is no such kind."""
    if isinstance(given, Processor):
        return given
    found = next((kind for kind in Processor if kind.value == given), None)
    if found is None:
        kinds = " and ".join(f"'{kind.value}'" for kind in Processor)
        message = f"programs are scheduled for no kind of device that is called '{given}'"
        raise DiagnosticError(Diagnostic("E0666", message, help=f"there are {kinds}"), exit_code=ExitCode.USAGE)
    return found


def _known(module: ir.Module) -> _Known:
    """The cache entry of this very module; the most recent ones are kept."""
    known = _KNOWN.pop(Same(module), None) or _Known(differing={Same(module): module})
    _KNOWN[Same(module)] = known
    if len(_KNOWN) > _MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]
    return known
