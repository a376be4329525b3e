"""Runs a program as the caller of `Program.run` asks: on one device, in parts, or checked.

It imports what runs need (NumPy, the devices), and is imported when something runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from os import PathLike
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol

from starplat.analysis import node_numbers
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode, Label, Severity, in_a_line, warn
from starplat.frontend import typed
from starplat.graph import Graph, from_object
from starplat.ir import nodes as ir
from starplat.pipeline import Checked, is_race
from starplat.progress_listener import of_run
from starplat.runtime import Bound, Limits, Progress, Result, Session, bind, limits, validate
from starplat.runtime.launch import Request, run_as_asked
from starplat.runtime.targets import automatic, count_devices
from starplat.schedule import PLAIN, Schedule
from starplat.schedule.parse import as_schedule

if TYPE_CHECKING:
    from starplat.runtime.parts.communicator import Communicator


class Program(Protocol):
    """What runs: a `starplat.Program`."""

    @property
    def name(self) -> str: ...

    @property
    def checked(self) -> Checked: ...

    @property
    def schedule(self) -> Schedule | None: ...

    def form_on(self, *graphs: Graph, given: Mapping[str, object]) -> str | None: ...

    def module(self, function: str | None = None) -> ir.Module: ...

    def checked_module(self, function: str) -> ir.Module: ...


def run(program: Program, graph: Any, asked: Asked) -> Result:
    """The result; `Program.run` says of what."""
    if asked.comm is not None or (asked.devices is not None and asked.parts > 1):
        return _in_parts(program, graph, asked)
    if asked.checked or (program.checked.remarks and _is_reference(asked.target)):
        return _checked(program, graph, asked)
    limits, schedule = asked.limits(program.name), as_schedule(asked.schedule) or program.schedule
    call = called(program, graph, asked.function, asked.arguments, asked.named)
    before = call.given.on_host(call.graph) if asked.validate else call.given
    request = asked.request(limits, schedule=schedule, compile_seconds=call.seconds)
    result = run_as_asked(call.module, call.graph, call.given, request)
    for doubtful in (*result.warnings, *_unsaid(program, result.target)):
        warn(in_a_line(doubtful), doubtful)
    return _validated(program, result, call.module, before, request) if asked.validate else result


def _in_parts(program: Program, graph: Any, asked: Asked) -> Result:
    """A run in parts, on so many devices or among the ranks of a communicator; what is wrong on one rank is raised on
    all."""
    from starplat.runtime.divided.among_ranks import communicator_of, require_divisible, run_in_parts
    from starplat.runtime.divided.on_devices import run_on_devices
    from starplat.runtime.parts.agreeing import agreed

    def prepared() -> tuple[Call, Request]:
        require_divisible(asked.beside_parts())
        call = called(program, taken, asked.function, asked.arguments, asked.named)
        return call, asked.request(asked.limits(), compile_seconds=call.seconds)

    if asked.comm is not None:
        communicator = communicator_of(asked.comm)
        taken = _taken_by_ranks(graph, communicator)
        call, request = agreed(communicator, prepared)
        return run_in_parts(call.module, call.graph, communicator, call.given.on_host(call.graph), request)
    taken = graph
    call, request = prepared()
    given, pays = call.given.on_host(call.graph), asked.devices == "auto"
    return run_on_devices(call.module, call.graph, asked.parts, given, request, only_if_it_pays=pays)


def _checked(program: Program, graph: Any, asked: Asked) -> Result:
    """A checked run: interpreted, or on a device, of the program as it is written."""
    from starplat.runtime.checked import run_checked

    interpreted = asked.target in ("auto", "reference", "all")
    _refuse_beside_checked(program, asked.beside_checked(interpreted=interpreted))
    call = called(program, graph, asked.function, asked.arguments, asked.named)
    entry = call.module.entry
    if interpreted:
        given = call.given.on_host(call.graph)
        return run_checked(program.checked.whole_facts, entry, call.graph, given, asked.results, asked.on_batch)
    request = asked.request(asked.limits(program.name), schedule=PLAIN, compile_seconds=call.seconds)
    return run_as_asked(program.checked_module(entry), call.graph, call.given, request)


def _refuse_beside_checked(program: Program, beside: Mapping[str, object]) -> None:
    """Raises E0718 where a checked run is asked for what it does not have."""
    if besides := [name for name, is_asked in beside.items() if is_asked]:
        message = f"a checked run goes without {', '.join(besides)}"
        help = "it runs the program as it is written, on one target: leave the rest out"
        if program.checked.remarks:
            help += "; a program with 'print' or 'assert' always runs so on reference"
        raise DiagnosticError(Diagnostic("E0718", message, help=help))


def _unsaid(program: Program, target: str) -> tuple[Diagnostic, ...]:
    """W0702, if the program prints: the run on a target said nothing of it."""
    prints = [s for s in program.checked.remarks if isinstance(s, typed.Print)]
    if not prints:
        return ()
    place = Label(prints[0].span, "not carried out")
    help = "--checked or --target reference (checked=True, target='reference') carries it out"
    message = f"a run on {target} prints nothing"
    return (Diagnostic("W0702", message, program.checked.source, place, help=help, severity=Severity.WARNING),)


def _is_reference(target: str) -> bool:
    return (automatic() if target == "auto" else target) == "reference"


@dataclass(frozen=True, slots=True)
class Call:
    """A module on a graph with the arguments of its entry; `seconds` is what lowering took."""

    graph: Graph
    module: ir.Module
    given: Bound
    seconds: float


def called(
    program: Program,
    graph: Any,
    function: str | None,
    arguments: Mapping[str, object] | Bound | None,
    named: Mapping[str, object],
) -> Call:
    """What is run: the graph that was given, the module for it, and its arguments.

    Raises:
        DiagnosticError: an argument is missing or wrong.
    """
    taken = _taken(graph)
    started = perf_counter()
    given = {} if isinstance(arguments, Bound) else {**(arguments or {}), **named}
    module = program.module(function or program.form_on(taken, given={**given, **named}))
    seconds = perf_counter() - started
    bound = arguments if isinstance(arguments, Bound) else bind(module, taken, given, OPTIONS)
    _warn_of_numbers(program, module.entry, taken, bound)
    return Call(taken, module, bound, seconds)


def _taken(graph: Any) -> Graph:
    """The graph that was given: itself, in a file, or in what another library holds."""
    if isinstance(graph, (str, PathLike)):
        from starplat.graph_files import read

        return read(graph)
    return from_object(graph)


def _taken_by_ranks(graph: Any, communicator: Communicator) -> Any:
    """The same for the ranks of a run in parts: of a file each reads its piece."""
    from starplat.graph_files import read_by_ranks

    if not all(communicator.gather(isinstance(graph, (str, PathLike)))):
        return graph
    return read_by_ranks(graph, communicator)


def _warn_of_numbers(program: Program, function: str, graph: Graph, given: Bound) -> None:
    """Says of an int that the program takes for a node which node it is, where the input calls that otherwise."""
    for name in node_numbers.ints_taken_for_nodes(program.checked.tree, function):
        number = given.scalars.get(name)
        if number is None or not 0 <= number < graph.num_nodes or graph.original_id(int(number)) == number:
            continue
        called_so = graph.original_id(int(number))
        warn(
            f"'{name}' is a number that the program takes for a node: {number} is the node that {graph.name} calls "
            f"{called_so!r}; declared as 'node {name}' it would be given by that"
        )


def _validated(program: Program, result: Result, module: ir.Module, given: Bound, asked: Request) -> Result:
    racy = any(map(is_race, program.checked.warnings))
    compared, verdict = validate(result, module, given, racy=racy, limits=asked.limits, session=asked.session)
    if verdict.difference is not None:
        raise _differs(result, str(verdict.difference))
    return compared


def _differs(result: Result, difference: str) -> DiagnosticError:
    """E0795: a target's answer is not the interpreter's: our mistake, or the device's."""
    message = f"{result.program} on {result.target}, {result.device}: {difference}"
    help = "this is a mistake of starplat or of the device's compiler; please report it with the program and the graph"
    return DiagnosticError(Diagnostic("E0795", message, help=help), exit_code=ExitCode.BUILD_FAILED)


@dataclass(eq=False, kw_only=True)
class Asked:
    """What the caller of `Program.run` said, which see."""

    target: str
    device: int | None
    function: str | None
    schedule: Schedule | str | None
    validate: bool
    checked: bool
    results: Sequence[str] | None
    device_results: bool
    repeat: int
    trace: bool
    max_rounds: int | None
    time_limit: float | None
    device_memory: int | str | None
    host_memory: int | str | None
    follow: Callable[[Progress], None] | None
    on_batch: Callable[[int, Result], None] | None
    session: Session | None
    comm: Any
    devices: int | str | None
    arguments: Mapping[str, object] | Bound | None
    named: Mapping[str, object]

    @cached_property
    def parts(self) -> int:
        """How many devices take a part of the run: `auto` is as many as the target has GPUs, one if it has none. Raises
        E0902, the target has not so many devices; E0712, it is no number of devices."""
        if self.devices is None:
            return 1
        return count_devices(self.target, self.devices)

    def limits(self, program: str | None = None) -> Limits:
        """What the run may take, and who follows it, by default what attends to runs of the program. Raises E0732: one
        is no limit."""
        follow = self.follow or (None if program is None else of_run(program))
        return limits(self.max_rounds, self.time_limit, follow, self.device_memory, self.host_memory)

    def request(self, limits: Limits, *, schedule: Schedule | None = None, compile_seconds: float) -> Request:
        """The request for a run that may take so much."""
        return Request(
            target=self.target,
            device_index=self.device,
            results=self.results,
            device_results=self.device_results,
            repeat=self.repeat,
            schedule=schedule,
            trace=self.trace,
            limits=limits,
            session=self.session,
            on_batch=self.on_batch,
            compile_seconds=compile_seconds,
        )

    def beside_parts(self) -> Mapping[str, object]:
        """Whether something is asked for that runs in parts go without, by its name."""
        return {
            "a schedule": self.schedule not in (None, PLAIN, "plain"),
            "validate": self.validate,
            "checked": self.checked,
            "device results": self.device_results,
            "on_batch": self.on_batch,
            "target all": self.target == "all",
            "comm and devices at once": self.comm is not None and self.devices is not None,
            "a number of a device": self.comm is None and self.device is not None,
        }

    def beside_checked(self, *, interpreted: bool) -> Mapping[str, object]:
        """The same of checked runs, which may be interpreted."""
        return {
            "target all": self.target == "all",
            "a schedule": self.schedule,
            "--validate": self.validate,
            "--trace": self.trace,
            "device results": interpreted and self.device_results,
            "--repeat": interpreted and self.repeat > 1,
            "--max-rounds": interpreted and self.max_rounds,
            "--time-limit": interpreted and self.time_limit,
            "--device-memory": interpreted and self.device_memory,
            "--host-memory": interpreted and self.host_memory,
        }


OPTIONS = tuple(each.name for each in fields(Asked) if each.name != "named")
"""The names of the options."""
