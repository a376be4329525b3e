"""Runs one module on every device of every target present, and compares the answers.

The interpreter's answer is the measure. On graphs where it would take too long the first device's is, and that is
said. A target that is missing is an entry too, with the reason: nothing is left out in silence.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.launch import Request, run_as_asked
from starplat.runtime.results.result import Result
from starplat.runtime.validate import judged
from starplat.same import Same
from starplat.schedule import PLAIN
from starplat.toolchain.description import DeviceDescription
from starplat.toolchain.devices import REPORTS, report

REFERENCE = "reference"
LARGE_GRAPH = 4_000_000
"""Nodes and arcs above which the interpreter stands aside, unless it is asked for."""

REFUSALS = ("E06",)
"""Codes of what a device lacks; such a device is left out, and no answer is wrong."""


class Agreement(Enum):
    """What is known about one device's answer."""

    MEASURE = "the measure"
    AGREES = "agrees"
    DIFFERS = "differs"
    UNDEFINED = "not defined"  # a race: several answers are right
    FAILED = "failed"
    REFUSED = "refused"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """One device, and what came of it. `reason` says why there is no agreement, `fault` is what was raised. Only the
    measure's `result` has its properties."""

    device: DeviceDescription
    agreement: Agreement
    result: Result | None = None
    reason: str = ""
    fault: DiagnosticError | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Everywhere:
    """All attempts, in the order of targets. `measure` is the one that the others are compared with, if any;
    `remark` says why that is not the interpreter."""

    attempts: tuple[Attempt, ...]
    measure: Attempt | None
    remark: str = ""

    @property
    def exit_code(self) -> ExitCode:
        """The process's exit code: a wrong answer weighs most, then a failure."""
        if any(attempt.agreement is Agreement.DIFFERS for attempt in self.attempts):
            return ExitCode.BUILD_FAILED
        faults = [a.fault for a in self.attempts if a.fault is not None and a.agreement is Agreement.FAILED]
        return faults[0].exit_code if faults else ExitCode.FINE


def run_everywhere(
    module: ir.Module,
    graph: Graph,
    bound: Bound,
    asked: Request,
    *,
    racy: bool = False,
    always_measure: bool = False,
    started: Callable[[DeviceDescription], None] = lambda device: None,
) -> Everywhere:
    """Runs a module's entry once on each device, as asked but for the target.

    Args:
        asked: with a number of a device, only those of this number run; the interpreter takes the program as it is.
        racy: the program has a race, so that answers are not compared.
        always_measure: the interpreter runs on large graphs too.
        started: is told which device is about to run.
    """
    device_index = asked.device_index
    found = [device for target in REPORTS for device in report(target)]
    chosen = [d for d in found if device_index is None or d.target == REFERENCE or d.index == device_index]
    present = [device for device in chosen if device.usable]
    large = graph.num_nodes + graph.num_arcs > LARGE_GRAPH and not always_measure
    others = [device for device in present if device.target != REFERENCE]
    stands_aside = large and bool(others)
    order = others if stands_aside else sorted(present, key=lambda d: d.target != REFERENCE)
    done: dict[Same, Attempt] = {}
    measure: Attempt | None = None
    for device in order:
        started(device)
        attempt = _attempt(device, module, graph, bound, asked)
        if attempt.result is not None and racy:
            attempt = replace(attempt, agreement=Agreement.UNDEFINED, reason="the program has a race")
        elif attempt.result is not None and measure is None:
            measure = attempt = replace(attempt, agreement=Agreement.MEASURE)
        elif attempt.result is not None and measure is not None:
            attempt = _compared(attempt, measure, module, bound, asked)
        done[Same(device)] = attempt if attempt is measure else _without_cells(attempt)
    attempts = tuple(done.get(Same(d)) or _not_run(d) for d in _once_each(found, device_index, present))
    return Everywhere(attempts, measure, _remark(racy, measure, large))


def _attempt(device: DeviceDescription, module: ir.Module, graph: Graph, bound: Bound, asked: Request) -> Attempt:
    here = replace(asked, target=device.target, device_index=device.index)
    if device.target == REFERENCE:
        here = replace(here, repeat=1, schedule=PLAIN)
    try:
        result = run_as_asked(module, graph, bound, here)
    except DiagnosticError as error:
        diagnostic = error.diagnostics[0]
        refused = diagnostic.code.startswith(REFUSALS)
        agreement = Agreement.REFUSED if refused else Agreement.FAILED
        return Attempt(device, agreement, reason=diagnostic.message, fault=error)
    return Attempt(device, Agreement.AGREES, result)


def _compared(attempt: Attempt, measure: Attempt, module: ir.Module, bound: Bound, asked: Request) -> Attempt:
    assert attempt.result is not None
    assert measure.result is not None
    verdict = judged(attempt.result, measure.result, module, bound, asked.limits, asked.session)
    if verdict.valid is None:
        return replace(attempt, agreement=Agreement.UNDEFINED, reason=verdict.reason)
    difference = verdict.difference
    if difference is None:
        by_interpreter = measure.device.target == REFERENCE
        return replace(attempt, result=replace(attempt.result, validated=True if by_interpreter else None))
    what = f"{difference.name}{difference.where} is {difference.got}, not {difference.expected}{difference.more}"
    return replace(
        attempt,
        agreement=Agreement.DIFFERS,
        reason=what,
        result=replace(attempt.result, validated=False),
        fault=_differs(attempt, measure, what),
    )


def _differs(attempt: Attempt, measure: Attempt, what: str) -> DiagnosticError:
    """E0795, as for a validated run."""
    ours, theirs = attempt.device, measure.device
    said = "the interpreter" if theirs.target == REFERENCE else f"{theirs.target}, {theirs.name}"
    message = f"{attempt.device.target}, {ours.name}: {what} as {said} has it"
    help = "this is a mistake of starplat or of a device's compiler; please report it with the program and the graph"
    return DiagnosticError(Diagnostic("E0795", message, help=help), exit_code=ExitCode.BUILD_FAILED)


def _without_cells(attempt: Attempt) -> Attempt:
    """The attempt without its properties, for all devices' together may be more than there is room for."""
    result = attempt.result
    return attempt if result is None else replace(attempt, result=replace(result, properties={}, types={}))


def _once_each(
    found: Iterable[DeviceDescription], device_index: int | None, present: Sequence[DeviceDescription]
) -> list[DeviceDescription]:
    """Every device that ran or might have, and a row for each target that has none of that number."""
    shown = [d for d in found if not d.usable or d in present]
    targets = {d.target for d in shown}
    lacking = [t for t in REPORTS if t not in targets]
    lacks = "no device here" if device_index is None else f"no device {device_index}"
    rows = [DeviceDescription(target, None, "-", "-", 0, 0, f"it has {lacks}") for target in lacking]
    return sorted([*shown, *rows], key=lambda d: list(REPORTS).index(d.target))


def _not_run(device: DeviceDescription) -> Attempt:
    if not device.usable:
        return Attempt(device, Agreement.ABSENT, reason=device.status)
    return Attempt(device, Agreement.ABSENT, reason="left out: it would take long on a graph of this size")


def _remark(racy: bool, measure: Attempt | None, large: bool) -> str:
    if racy:
        return "the program has a race (class f), so that several answers are right: they are not compared"
    if measure is None:
        return "nothing ran, so that nothing is compared"
    if measure.device.target != REFERENCE:
        why = "would take long on a graph of this size" if large else "failed"
        return (
            f"the interpreter {why}: answers are compared with those of {measure.device.target} {measure.device.index}"
        )
    return ""
