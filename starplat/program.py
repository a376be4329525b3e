"""The Python API of a program: `compile` makes one, `Program.run` runs it, on one device or on all.

What a run needs (NumPy, the devices) is imported when something runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from starplat.analysis import Facts
from starplat.analysis.forms import forms
from starplat.diagnostics import Diagnostic, Severity, in_a_line, warn
from starplat.frontend import typed
from starplat.pipeline import Checked, artifact, check, is_race, lower, lower_checked, schedule_beside
from starplat.program_text import TEXT_NAME, source_of
from starplat.source import SourceFile

if TYPE_CHECKING:
    from starplat.graph import Graph
    from starplat.ir import nodes as ir
    from starplat.ir.processors import Processor
    from starplat.runtime import Bound, Progress, Result, Session
    from starplat.runtime.everywhere import Everywhere
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
        from starplat.runtime.arguments.bind import form_for

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

    def checked_module(self, function: str) -> ir.Module:
        """The same for a checked run on a device."""
        if function not in self._checked_modules:
            self._checked_modules[function] = lower_checked(self.checked, function)
        return self._checked_modules[function]

    def artifact(
        self,
        target: str,
        function: str | None = None,
        *,
        library: bool = False,
        single_file: bool = False,
        schedule: Schedule | str | None = None,
        processor: Processor | str | None = None,
        mpi: bool = False,
        devices: bool = False,
    ) -> dict[str, str]:
        """The files of a complete program for a target, or of a library with a header for C: names and texts.

        Headers that programs share lie beside it, or, with `single_file`, in it.
        `schedule` is as for `run`. The program runs on every device of the target; it is scheduled for a `processor`,
        "gpu" or "cpu", by default for a GPU where the target runs on GPUs. With `mpi` processes have a part of the
        nodes each, with `devices` the GPUs of a process.
        """
        return artifact(
            self.module(function),
            target,
            self.name,
            library=library,
            single_file=single_file,
            schedule=schedule or self.schedule,
            processor=processor,
            mpi=mpi,
            devices=devices,
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
        in this session until that ends, and the KeyboardInterrupt says so. A run that repeats a short one ends first.

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
        from starplat.program_runs import Asked, run

        asked = Asked(
            target=target, device=device, function=function, schedule=schedule, validate=validate, checked=checked,
            results=results, device_results=device_results, repeat=repeat, trace=trace, max_rounds=max_rounds,
            time_limit=time_limit, device_memory=device_memory, host_memory=host_memory, follow=follow,
            on_batch=on_batch, session=session, comm=comm, devices=devices, arguments=arguments, named=named,
        )  # fmt: skip
        return run(self, graph, asked)

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
        from starplat.program_runs import called
        from starplat.runtime import limits
        from starplat.runtime.everywhere import run_everywhere
        from starplat.runtime.launch import Request
        from starplat.schedule.parse import as_schedule

        call = called(self, graph, function, arguments, named)
        wanted = as_schedule(schedule) or self.schedule
        most = limits(max_rounds, time_limit, follow, device_memory, host_memory)
        asked = Request(
            device_index=device, results=results, repeat=repeat, schedule=wanted, limits=most, session=session
        )
        racy = any(map(is_race, self.warnings))
        return run_everywhere(
            call.module, call.graph, call.given, asked, racy=racy, always_measure=validate, started=started
        )
