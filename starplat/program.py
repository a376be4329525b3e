"""The Python API of a program: `compile` makes one, `Program.run` runs it, on one device or on all.

What a run needs (NumPy, the devices) is imported when something runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from inspect import signature
from os import PathLike
from pathlib import Path
from time import perf_counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from starplat.analysis import Facts, node_numbers
from starplat.analysis.forms import forms
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode, Label, Severity, in_a_line, warn
from starplat.frontend import typed
from starplat.pipeline import Checked, artifact, check, is_race, lower, lower_checked, schedule_beside
from starplat.program_options import Asked
from starplat.program_text import TEXT_NAME, source_of
from starplat.source import SourceFile

if TYPE_CHECKING:
    from starplat.graph import Graph
    from starplat.ir import nodes as ir
    from starplat.ir.processors import Processor
    from starplat.runtime import Bound, Progress, Result, Session
    from starplat.runtime.everywhere import Everywhere
    from starplat.runtime.parts.communicator import Communicator
    from starplat.runtime.request import Request
    from starplat.schedule import Schedule
    from starplat.toolchain.description import DeviceDescription


def compile(program: str | Path | SourceFile, *, strict: bool = False) -> Program:
    """Checks a program and makes it ready to run. Warnings go to Python's `warnings`, as `StarplatWarning`.

    Args:
        program: text, the path of a file, or, where no such file is, the name of a program that comes with starplat
            ("pagerank"; `starplat show` lists them). A `str` that holds a newline or a `{` is text.
        strict: makes races errors.

    Raises:
        DiagnosticError: the program is wrong; `str()` of it is what the command line prints.
    """
    source = source_of(program)
    checked = check(source, strict=strict)
    for doubtful in checked.warnings:
        if doubtful.severity is Severity.WARNING:
            warn(in_a_line(doubtful), doubtful)
    is_file = program is not source and source.name != TEXT_NAME
    return Program(checked, schedule_beside(Path(source.name)) if is_file else None)


@dataclass(frozen=True)
class Program:
    """A checked program, ready to be run on graphs. Lowered modules are kept, one for every entry asked for.

    `schedule` is what the file beside it says, if there is one.
    """

    checked: Checked
    schedule: Schedule | None = None
    _modules: dict[str | None, ir.Module] = field(default_factory=dict, repr=False, compare=False)
    _checked_modules: dict[str, ir.Module] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Program {self.name}: {', '.join(self.functions)}>"

    @property
    def source(self) -> SourceFile:
        """The text and its name."""
        return self.checked.source

    @cached_property
    def name(self) -> str:
        """The file's name without its ending."""
        return Path(self.source.name).stem

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions, in the order of the text."""
        return tuple(function.name for function in self.checked.tree.functions)

    def form_on(self, *graphs: Graph, given: Mapping[str, object] = MappingProxyType({})) -> str | None:
        """The function that runs on graphs enter, where the program has forms of one for different numbers: the
        first whose integers meet no fraction in the graphs' weights and the arguments `given`. Else None."""
        from starplat.runtime.arguments.forms import form_for

        return form_for(self.forms, graphs, given).name if self.forms else None

    @property
    def forms(self) -> tuple[typed.FunctionDefinition, ...]:
        """The functions that no other calls, where they are forms of one: all differ only in their types of numbers."""
        return forms(self.checked.tree)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is doubtful in the program."""
        return self.checked.warnings

    @property
    def facts(self) -> Facts:
        """What the analyses found out."""
        return self.checked.facts

    def module(self, function: str | None = None) -> ir.Module:
        """The intermediate form with `function` as its entry, by default the function that no other calls; as it is
        before any schedule.

        Raises:
            DiagnosticError: E0654 or E0655, which function is meant is not clear; E065x, it uses what cannot run yet.
        """
        if function not in self._modules:
            self._modules[function] = lower(self.checked, function)
        return self._modules[function]

    def artifact(
        self,
        target: str,
        function: str | None = None,
        *,
        library: bool = False,
        single_file: bool = False,
        schedule: Schedule | str | None = None,
        processor: Processor | str | None = None,
    ) -> dict[str, str]:
        """The files of a complete program for a target, or of a library with a header for C: names and texts.

        Headers that programs share lie beside it, or, with `single_file`, in it.
        `schedule` is as for `run`. The program runs on every device of the target; it is scheduled for a `processor`,
        "gpu" or "cpu", by default for a GPU where the target runs on GPUs.
        """
        return artifact(
            self.module(function),
            target,
            self.name,
            library=library,
            single_file=single_file,
            schedule=schedule or self.schedule,
            processor=processor,
        )

    def __call__(self, graph: Any, **options: Any) -> Result:
        """The same as `run`."""
        return self.run(graph, **options)

    def run(
        self,
        graph: Any,
        *,
        target: str = "auto",
        device: int | None = None,
        function: str | None = None,
        schedule: Schedule | str | None = None,
        validate: bool = False,
        checked: bool = False,
        results: Sequence[str] | None = None,
        device_results: bool = False,
        repeat: int = 1,
        trace: bool = False,
        max_rounds: int | None = None,
        time_limit: float | None = None,
        device_memory: int | str | None = None,
        host_memory: int | str | None = None,
        follow: Callable[[Progress], None] | None = None,
        on_batch: Callable[[int, Result], None] | None = None,
        session: Session | None = None,
        comm: Any = None,
        devices: int | str | None = None,
        arguments: Mapping[str, object] | Bound | None = None,
        **named: object,
    ) -> Result:
        """Runs the program on a graph. Ctrl-C stops the run; where a kernel cannot be stopped, its device is closed
        in this session until that ends, and the KeyboardInterrupt says so.

        Args:
            graph: a `starplat.Graph`, the path of a file, or anything that can be taken for a graph: a SciPy sparse
                array, a NetworkX graph, a data frame or a list of edges, a pair of arrays.
            target: its name, or "auto" for the best that is here; `Result.target` says which it was.
            device: the number of the target's device, as `starplat devices` counts them.
            function: the entry, by default the function that no other calls, or the form of it for the graph's weights.
            schedule: how to run: a `starplat.Schedule`, words such as "direction=pull,balance=edge", or the path of a
                `.toml` file. By default what the file beside the program says; where there is none, devices run under
                "auto", and the interpreter, whose answers are the measure, under "plain".
            validate: compares the answers with the interpreter's. `Result.validated` stays None if the program has a
                race.
            checked: stops at the first integer that overflows, division by zero, index that is no node, NaN made of
                numbers or `assert` that does not hold, and prints. On "auto" and "reference" the program is interpreted
                statement by statement, which also finds reads of what was never written; other targets run it as it is
                written, with checks. A program with `print` or `assert` always runs so on "reference".
            results: the properties to bring back, by default all.
            device_results: leaves them on the device, as its arrays: `Result` says which. Nothing comes down then.
            repeat: how often to run; `Result.seconds.run` has a time for each.
            trace: runs once more, watched: `Result.trace` has for every round of the program's loops how many nodes
                were active, how many arcs they have, whether it pushed or pulled, how its nodes were held, its time.
            max_rounds: the most rounds that a loop without a known end may take, each time it runs; the host drives
                all loops then. The rounds are those of the loops as they are run, which a schedule may have changed.
            time_limit: seconds after which the run is ended.
            device_memory: how much of the device's memory the arrays of the run may take: bytes, or words such as
                "12G". Of a larger graph a part of the arcs is left in the host's memory ("memory=ondemand").
            host_memory: how much of the host's memory these arcs may take.
            follow: is told some times a second how far the run has come: seconds, rounds, active nodes.
            on_batch: of a program whose graph changes, is given the number of every batch of updates that is done, from
                1 on, and a `Result` with the properties and the graph as they are then; of `repeat` runs in the first.
            session: the `starplat.Session` whose devices it runs on, by default one that all such runs share.
            comm: runs the program in parts: a communicator of mpi4py, all of whose ranks call this with the same. Each
                does the iterations of its nodes, all get the whole result; `Result.parts` says what crossed.
            devices: runs the program in so many parts, each on a device of the target, or, where the host is the
                device, beside the others there; "auto" is all GPUs, where that may be expected to be faster than one.
                `Result.parts` says what crossed.
            arguments: values by parameter, for parameters that are called as one of these.
            **named: values by parameter. Nodes go by what the input calls them: numbers, names. A property is
                one value for all, an array with a value for every node (or edge), or a dictionary by id (or by pairs
                of ids), where the others start at 0 or False. An array on the run's device (of pyopencl, CuPy, dpnp, or
                any with `__cuda_array_interface__`, `__sycl_usm_array_interface__` or `__dlpack__`) that has the
                property's type is used where it lies, and holds the property's contents at the end if the program
                changes it; nodes in it are numbers 0..n-1. Other arrays are only read.

        Raises:
            DiagnosticError: an argument, a device or the schedule is missing or wrong, (E0730, E0731) the run takes
                more than it may, (E0795) an answer is not the interpreter's, or a checked run found what is wrong.
        """
        asked = Asked(
            target=target, device=device, function=function, schedule=schedule, validate=validate, checked=checked,
            results=results, device_results=device_results, repeat=repeat, trace=trace, max_rounds=max_rounds,
            time_limit=time_limit, device_memory=device_memory, host_memory=host_memory, follow=follow,
            on_batch=on_batch, session=session, comm=comm, devices=devices, arguments=arguments, named=named,
        )  # fmt: skip
        if comm is not None or asked.parts > 1:
            return self._in_parts(graph, asked)
        if checked or (self.checked.remarks and _is_reference(target)):
            return self._checked(graph, asked)
        return self._as_scheduled(graph, asked)

    def _as_scheduled(self, graph: Any, asked: Asked) -> Result:
        """A run on one device."""
        from starplat.runtime.launch import run_as_asked
        from starplat.schedule.parse import as_schedule

        limits, schedule = asked.limits(self.name), as_schedule(asked.schedule) or self.schedule
        call = self._call(graph, asked.function, asked.arguments, asked.named)
        before = call.given.on_host(call.graph) if asked.validate else call.given
        request = asked.request(limits, schedule=schedule, compile_seconds=call.seconds)
        result = run_as_asked(call.module, call.graph, call.given, request)
        for doubtful in (*result.warnings, *self._unsaid(result.target)):
            warn(in_a_line(doubtful), doubtful)
        return self._validated(result, call.module, before, request) if asked.validate else result

    def _in_parts(self, graph: Any, asked: Asked) -> Result:
        """A run in parts, on so many devices or among the ranks of a communicator; what is wrong on one rank is raised
        on all."""
        from starplat.runtime.divided.among_ranks import communicator_of, require_divisible, run_in_parts
        from starplat.runtime.divided.on_devices import run_on_devices
        from starplat.runtime.parts.agreeing import agreed

        def prepared() -> tuple[_Call, Request]:
            require_divisible(asked.beside_parts())
            call = self._call(taken, asked.function, asked.arguments, asked.named)
            return call, asked.request(asked.limits(), compile_seconds=call.seconds)

        if asked.devices is None:
            communicator = communicator_of(asked.comm)
            taken = _taken_by_ranks(graph, communicator)
            call, request = agreed(communicator, prepared)
            return run_in_parts(call.module, call.graph, communicator, call.given.on_host(call.graph), request)
        taken = graph
        call, request = prepared()
        given, pays = call.given.on_host(call.graph), asked.devices == "auto"
        return run_on_devices(call.module, call.graph, asked.parts, given, request, only_if_it_pays=pays)

    def _checked(self, graph: Any, asked: Asked) -> Result:
        """A checked run: interpreted, or on a device, of the program as it is written."""
        from starplat.runtime.checked import run_checked
        from starplat.runtime.launch import run_as_asked
        from starplat.schedule import PLAIN

        interpreted = asked.target in ("auto", "reference", "all")
        self._refuse_beside_checked(asked.beside_checked(interpreted=interpreted))
        call = self._call(graph, asked.function, asked.arguments, asked.named)
        entry = call.module.entry
        if interpreted:
            given = call.given.on_host(call.graph)
            return run_checked(self.checked.whole_facts, entry, call.graph, given, asked.results, asked.on_batch)
        if entry not in self._checked_modules:
            self._checked_modules[entry] = lower_checked(self.checked, entry)
        request = asked.request(asked.limits(self.name), schedule=PLAIN, compile_seconds=call.seconds)
        return run_as_asked(self._checked_modules[entry], call.graph, call.given, request)

    def _refuse_beside_checked(self, beside: Mapping[str, object]) -> None:
        """Raises E0718 where a checked run is asked for what it does not have."""
        if besides := [name for name, is_asked in beside.items() if is_asked]:
            message = f"a checked run goes without {', '.join(besides)}"
            help = "it runs the program as it is written, on one target: leave the rest out"
            if self.checked.remarks:
                help += "; a program with 'print' or 'assert' always runs so on reference"
            raise DiagnosticError(Diagnostic("E0718", message, help=help))

    def _unsaid(self, target: str) -> tuple[Diagnostic, ...]:
        """W0702, if the program prints: the run on a target said nothing of it."""
        prints = [s for s in self.checked.remarks if isinstance(s, typed.Print)]
        if not prints:
            return ()
        place = Label(prints[0].span, "not carried out")
        help = "--checked or --target reference (checked=True, target='reference') carries it out"
        message = f"a run on {target} prints nothing"
        return (Diagnostic("W0702", message, self.source, place, help=help, severity=Severity.WARNING),)

    def run_everywhere(
        self,
        graph: Any,
        *,
        device: int | None = None,
        function: str | None = None,
        schedule: Schedule | str | None = None,
        validate: bool = False,
        results: Sequence[str] | None = None,
        repeat: int = 1,
        max_rounds: int | None = None,
        time_limit: float | None = None,
        device_memory: int | str | None = None,
        host_memory: int | str | None = None,
        follow: Callable[[Progress], None] | None = None,
        session: Session | None = None,
        arguments: Mapping[str, object] | Bound | None = None,
        started: Callable[[DeviceDescription], None] = lambda device: None,
        **named: object,
    ) -> Everywhere:
        """Runs the program on every device of every target that is here, and compares the answers. What is not said
        here is as for `run`; limits are of the run on each device.

        Args:
            device: only the devices of this number.
            schedule: for all devices but the interpreter's, whose answer is the measure.
            validate: the interpreter, whose answer is the measure, runs even where it takes long.
            started: is told which device is about to run.

        Raises:
            DiagnosticError: an argument is wrong. What goes wrong on a device is part of the answer.
        """
        from starplat.runtime import limits
        from starplat.runtime.everywhere import run_everywhere
        from starplat.schedule.parse import as_schedule

        call = self._call(graph, function, arguments, named)
        return run_everywhere(
            call.module,
            call.graph,
            call.given,
            device_index=device,
            results=results,
            repeat=repeat,
            schedule=as_schedule(schedule) or self.schedule,
            racy=any(map(is_race, self.warnings)),
            always_measure=validate,
            limits=limits(max_rounds, time_limit, follow, device_memory, host_memory),
            session=session,
            started=started,
        )

    def _call(
        self,
        graph: Any,
        function: str | None,
        arguments: Mapping[str, object] | Bound | None,
        named: Mapping[str, object],
    ) -> _Call:
        """What is run: the graph that was given, the module for it, and its arguments."""
        from starplat.runtime import Bound, bind

        taken = _taken(graph)
        started = perf_counter()
        given = {} if isinstance(arguments, Bound) else {**(arguments or {}), **named}
        module = self.module(function or self.form_on(taken, given={**given, **named}))
        seconds = perf_counter() - started
        bound = arguments if isinstance(arguments, Bound) else bind(module, taken, given, _options())
        self._warn_of_numbers(module.entry, taken, bound)
        return _Call(taken, module, bound, seconds)

    def _warn_of_numbers(self, function: str, graph: Graph, given: Bound) -> None:
        """Says of an int that the program takes for a node which node it is, where the input calls that otherwise."""
        for name in node_numbers.ints_taken_for_nodes(self.checked.tree, function):
            number = given.scalars.get(name)
            if number is None or not 0 <= number < graph.num_nodes or graph.original_id(int(number)) == number:
                continue
            called = graph.original_id(int(number))
            warn(
                f"'{name}' is a number that the program takes for a node: {number} is the node that {graph.name} calls "
                f"{called!r}; declared as 'node {name}' it would be given by that"
            )

    def _validated(self, result: Result, module: ir.Module, given: Bound, asked: Request) -> Result:
        from starplat.runtime import validate

        racy = any(map(is_race, self.warnings))
        compared, verdict = validate(result, module, given, racy=racy, limits=asked.limits, session=asked.session)
        if verdict.difference is not None:
            raise _differs(result, str(verdict.difference))
        return compared


def _is_reference(target: str) -> bool:
    from starplat.runtime.targets import automatic

    return (automatic() if target == "auto" else target) == "reference"


@dataclass(frozen=True)
class _Call:
    """A module on a graph with the arguments of its entry; `seconds` is what lowering took."""

    graph: Graph
    module: ir.Module
    given: Bound
    seconds: float


def _taken(graph: Any) -> Graph:
    """The graph that was given: itself, in a file, or in what another library holds."""
    from starplat.graph import from_object
    from starplat.graph_files import read

    return read(graph) if isinstance(graph, (str, PathLike)) else from_object(graph)


def _taken_by_ranks(graph: Any, communicator: Communicator) -> Any:
    """The same for the ranks of a run in parts: of a file each reads its piece."""
    from starplat.graph_files import read_by_ranks

    if not all(communicator.gather(isinstance(graph, (str, PathLike)))):
        return graph
    return read_by_ranks(graph, communicator)


@cache
def _options() -> tuple[str, ...]:
    """What `Program.run` takes beside the program's own parameters."""
    parameters = signature(Program.run).parameters.values()
    return tuple(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)


def _differs(result: Result, difference: str) -> DiagnosticError:
    """E0795: a target's answer is not the interpreter's: our mistake, or the device's."""
    message = f"{result.program} on {result.target}, {result.device}: {difference}"
    help = "this is a mistake of starplat or of the device's compiler; please report it with the program and the graph"
    return DiagnosticError(Diagnostic("E0795", message, help=help), exit_code=ExitCode.BUILD_FAILED)
