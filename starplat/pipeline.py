"""The whole path, one function for every step: text → tree → checked program → facts → module → artifact, and its run.

`Program` is the path as Python users see it: `compile` makes one, `Program.run` runs it. The command line calls the
same functions. What a run needs (NumPy, the devices) is imported when something runs, so that checking a program stays
quick.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from starplat.analysis import Facts, analyse
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode, Severity, sort
from starplat.frontend import ast, typed
from starplat.frontend.check import check as check_tree
from starplat.frontend.parser import parse as parse_text
from starplat.frontend.sequence import sequenced
from starplat.frontend.suggest import did_you_mean
from starplat.frontend.tables import Keeper, keep_tables_with
from starplat.source import SourceFile

if TYPE_CHECKING:
    from os import PathLike

    from starplat.backends.base import Backend
    from starplat.graph import Graph, GraphCache, Progress
    from starplat.ir.nodes import Module
    from starplat.runtime import Bound, Result
    from starplat.runtime.everywhere import Everywhere
    from starplat.schedule import Schedule
    from starplat.schedule.describe import Plan
    from starplat.toolchain.description import DeviceDescription

TEXT_NAME = "program.sp"
"""What messages call a program that came as text."""


def read_program(path: str | Path) -> SourceFile:
    """The text of a program file.

    Raises:
        DiagnosticError: E0790, the file cannot be read; E0791, it is not text.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        message = f"{path}: cannot be read: {reason}"
        raise DiagnosticError(Diagnostic("E0790", message, help=_near(Path(path)))) from error
    return SourceFile(str(path), decoded(str(path), data))


def decoded(name: str, data: bytes) -> str:
    """The text of a program; a byte order mark is dropped.

    Raises:
        DiagnosticError: E0791, it is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{name}:{line}: byte {error.start} of the file is not UTF-8 text"
        raise DiagnosticError(Diagnostic("E0791", message, help="programs are UTF-8 text files")) from error


def source_of(program: str | Path | SourceFile) -> SourceFile:
    """A program given as text or as the path of a file: a `str` that holds a newline or a `{` is text, any other is a
    path."""
    match program:
        case SourceFile():
            return program
        case str() if "\n" in program or "{" in program:
            return SourceFile(TEXT_NAME, program)
        case _:
            return read_program(program)


def parse(source: SourceFile) -> ast.Program:
    """The syntax tree.

    Raises:
        DiagnosticError: E01xx.
    """
    keep_tables_with(_kept_tables)
    return parse_text(source)


def _kept_tables() -> Keeper | None:
    """The cache, where its folder is safe; parsing works without, so an unsafe one is no mistake here."""
    from starplat.toolchain.cache import Cache, fault_of, wanted_folder

    folder = wanted_folder()
    return Cache(folder / "grammar") if fault_of(folder) is None else None


@dataclass(frozen=True, slots=True)
class Checked:
    """A program without errors: its tree, what is known about it, and what is doubtful in it, in the order of the
    text."""

    source: SourceFile
    tree: typed.Program
    facts: Facts
    warnings: tuple[Diagnostic, ...]


def check(source: SourceFile, *, strict: bool = False) -> Checked:
    """The checked program and the facts about it; with `strict` a race is an error.

    Raises:
        DiagnosticError: everything that is wrong, and the warnings beside it.
    """
    tree = check_tree(parse(source), source)
    facts = analyse(sequenced(tree))
    warnings = tuple(sort(dict.fromkeys((*tree.warnings, *facts.warnings))))
    if strict and any(map(is_race, warnings)):
        raise DiagnosticError(*(replace(w, severity=Severity.ERROR) if is_race(w) else w for w in warnings))
    return Checked(source, tree, facts, warnings)


def is_race(diagnostic: Diagnostic) -> bool:
    """Whether it speaks of a race, class (f)."""
    return diagnostic.code == "W0501"


def lower(checked: Checked, entry: str | None = None) -> Module:
    """The module whose entry is `entry`, or the function that no other calls.

    Raises:
        DiagnosticError: E0654 or E0655, which function is meant is not clear; E065x, it uses what cannot run yet.
    """
    from starplat.ir.lower import lower as lower_tree
    from starplat.ir.verify import verify
    from starplat.passes import run as run_passes

    module = run_passes(lower_tree(checked.facts.program, entry, checked.facts))
    verify(module)
    return module


def scheduled(module: Module, target: str, schedule: Schedule | str | None = None) -> Module:
    """The module as a target is to get it; by default everything is left to the compiler.

    Raises:
        DiagnosticError: E0660 to E0664, the schedule is wrong; E06xx, it is not legal for the program, or nothing
            in it follows it; E0796, no such target.
    """
    from starplat.backends.scheduled import REFERENCE, for_target
    from starplat.schedule.parse import as_schedule

    if target != REFERENCE:
        _backend(target)
    return for_target(module, target, as_schedule(schedule))


def plan(module: Module, target: str, schedule: Schedule | str | None = None, graph: Graph | None = None) -> Plan:
    """What the schedule chooses for a target, on a graph if one is given, and why.

    Raises:
        DiagnosticError: as for `scheduled`.
    """
    from starplat.backends.scheduled import REFERENCE, capabilities_of, own_schedule, require_followed
    from starplat.schedule.apply import decided
    from starplat.schedule.describe import Plan
    from starplat.schedule.parse import as_schedule

    if target != REFERENCE:
        _backend(target)
    facts = None
    if graph is not None:
        from starplat.runtime.facts import facts_of

        facts = facts_of(graph)
    wanted = as_schedule(schedule) or own_schedule(target)
    found = decided(module, wanted, capabilities_of(target), facts)
    require_followed(module, target, wanted, facts, found.module)
    return Plan(target, wanted, found.choices, facts)


def artifact(
    module: Module, target: str, stem: str, *, library: bool = False, schedule: Schedule | str | None = None
) -> dict[str, str]:
    """The files that `compile` writes for a target, a program or a `library` for C: their names and texts.

    They are called after `stem`, with `_` for what a command line would have to quote.

    Raises:
        DiagnosticError: E0796, no such target; E06xx, the target cannot do what the program asks; as for `scheduled`.
    """
    from starplat.backends.artifact import header_text
    from starplat.backends.comments import plain_stem

    backend, stem = _backend(target), plain_stem(stem)
    module = scheduled(module, target, schedule)
    header = {f"{stem}.h": header_text(module, stem, backend.capabilities)} if library else {}
    return {**header, **backend.artifact(module, stem, library=library)}


def kernels_text(module: Module, target: str, schedule: Schedule | str | None = None) -> str:
    """The kernels as the target's compiler gets them, byte for byte."""
    return _backend(target).kernels_text(scheduled(module, target, schedule))


def read(
    path: str | PathLike[str],
    *,
    undirected: bool = False,
    weights: str | None = None,
    drop_loops: bool = False,
    dedup: bool = False,
    format: str | None = None,
    progress: Progress | None = None,
    cache: bool = True,
) -> Graph:
    """The graph in a file of any known format, compressed or not.

    A text file of 8 MiB and more is parsed once; as long as it does not change, the next reading with the same options
    takes the graph from the cache. STARPLAT_GRAPH_CACHE_FROM says from which size on ("off": never),
    STARPLAT_GRAPH_CACHE_LIMIT how large the cache may grow (4 GiB), as numbers with K, M or G.

    Args:
        path: the file.
        undirected: adds the other direction of every arc that lacks it.
        weights: "ones", or "random:LO..HI:SEED" (SEED may be left out) for random integers, the same both ways.
        drop_loops: leaves out arcs from a node to itself.
        dedup: keeps one of parallel arcs, the lightest.
        format: the name of a format, where the content should not decide.
        progress: hears how far a long reading is.
        cache: whether the cache is asked.

    Raises:
        DiagnosticError: E0801 to E0817, the file or an argument is wrong; E0911, a variable is no size.
    """
    from starplat.graph import read as read_file

    return read_file(
        path,
        undirected=undirected,
        weights=weights,
        drop_loops=drop_loops,
        dedup=dedup,
        format=format,
        progress=progress,
        cache=_graph_cache(Path(path)) if cache else None,
    )


def _graph_cache(path: Path) -> GraphCache | None:
    """Where the graph in a file may be kept, if the file is worth it."""
    from starplat.graph import GraphCache
    from starplat.graph.kept import FROM_BYTES, MOST_BYTES

    smallest = _size_in(GRAPH_CACHE_FROM, FROM_BYTES)
    try:
        large = smallest is not None and path.stat().st_size >= smallest
    except (OSError, ValueError):
        large = False  # reading it will say why
    limit = _size_in(GRAPH_CACHE_LIMIT, MOST_BYTES)
    if not large or smallest is None or not limit:
        return None
    from starplat.toolchain.cache import private_folder

    folder = private_folder()
    return None if folder is None else GraphCache(folder / "graphs", smallest, limit)


GRAPH_CACHE_FROM = "STARPLAT_GRAPH_CACHE_FROM"
GRAPH_CACHE_LIMIT = "STARPLAT_GRAPH_CACHE_LIMIT"


def _size_in(variable: str, otherwise: int) -> int | None:
    """The bytes that a variable of the environment tells; None where it says "off"."""
    said = os.environ.get(variable, "").strip()
    if not said:
        return otherwise
    if said.lower() == "off":
        return None
    found = re.fullmatch(r"(\d{1,15})\s*([KMG]?)(i?B)?", said, re.IGNORECASE)
    if found is None:
        help = "write a number of bytes, or one with K, M or G, such as 64M, or off"
        raise DiagnosticError(Diagnostic("E0911", f"{variable} is '{said}', which is no size", help=help))
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2].upper()]


def compile(program: str | Path | SourceFile, *, strict: bool = False) -> Program:
    """Checks a program and makes it ready to run.

    Args:
        program: text, or the path of a file; a `str` that holds a newline or a `{` is text, any other is a path.
        strict: makes races errors.

    Raises:
        DiagnosticError: the program is wrong; `str()` of it is what the command line prints.
    """
    source = source_of(program)
    checked = check(source, strict=strict)
    is_file = program is not source and source.name != TEXT_NAME
    return Program(checked, schedule_beside(Path(source.name)) if is_file else None)


def schedule_beside(program: Path) -> Schedule | None:
    """What the file beside a program says: the table `[schedule]` of `sssp.toml` for `sssp.sp`.

    Raises:
        DiagnosticError: E0660 to E0664, the table is wrong.
    """
    from starplat.schedule.parse import file_beside, read_schedule

    path = file_beside(program)
    return None if path is None else read_schedule(path)


@dataclass(frozen=True)
class Program:
    """A checked program, ready to be run on graphs. Lowered modules are kept, one for every entry asked for.

    `schedule` is what the file beside it says, if there is one.
    """

    checked: Checked
    schedule: Schedule | None = None
    _modules: dict[str | None, Module] = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Program {self.name}: {', '.join(self.functions)}>"

    @property
    def source(self) -> SourceFile:
        """The text and its name."""
        return self.checked.source

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return Path(self.source.name).stem

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions, in the order of the text."""
        return tuple(function.name for function in self.checked.tree.functions)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is doubtful in the program."""
        return self.checked.warnings

    @property
    def facts(self) -> Facts:
        """What the analyses found out."""
        return self.checked.facts

    def module(self, function: str | None = None) -> Module:
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
        schedule: Schedule | str | None = None,
    ) -> dict[str, str]:
        """The files of a complete program for a target, or of a library with a header for C: names and texts.

        `schedule` is as for `run`.
        """
        return artifact(self.module(function), target, self.name, library=library, schedule=schedule or self.schedule)

    def run(
        self,
        graph: Any,
        *,
        target: str = "auto",
        device: int | None = None,
        function: str | None = None,
        schedule: Schedule | str | None = None,
        validate: bool = False,
        results: Sequence[str] | None = None,
        device_results: bool = False,
        repeat: int = 1,
        trace: bool = False,
        arguments: Mapping[str, object] | Bound | None = None,
        **named: object,
    ) -> Result:
        """Runs the program on a graph.

        Args:
            graph: a `starplat.Graph`, or anything that can be taken for one: a SciPy sparse array, a NetworkX graph, a
                data frame of edges, a pair of arrays.
            target: "reference", "opencl", or "auto" for the best that is here; `Result.target` says which it was.
            device: the number of the target's device, as `starplat devices` counts them.
            function: the entry, by default the function that no other calls.
            schedule: how to run: a `starplat.Schedule`, words such as "direction=pull,balance=edge", or the path of a
                `.toml` file. By default what the file beside the program says; where there is none, devices run under
                "auto", and the interpreter, whose answers are the measure, under "plain".
            validate: compares the answers with the interpreter's. `Result.validated` stays None if the program has a
                race.
            results: the properties to bring back, by default all.
            device_results: leaves them on the device, as its arrays: `Result` says which. Nothing comes down then.
            repeat: how often to run; `Result.seconds.run` has a time for each.
            trace: runs once more, watched: `Result.trace` has for every round of the program's loops how many nodes
                were active, how many arcs they have, whether it pushed or pulled, how its nodes were held, its time.
            arguments, named: values by parameter. Nodes go by the ids of the graph's file. `arguments` is for
                parameters that are called as one of these. An array on the run's device (of pyopencl, CuPy, dpnp, or
                any with `__cuda_array_interface__`, `__sycl_usm_array_interface__` or `__dlpack__`) that has the
                property's type is used where it lies, and holds the property's contents at the end if the program
                changes it; nodes in it are numbers 0..n-1. Other arrays are only read.

        Raises:
            DiagnosticError: an argument, a device or the schedule is missing or wrong, or (E0795) an answer is not the
                interpreter's.
        """
        from starplat.graph import from_object
        from starplat.runtime import run_module
        from starplat.schedule.parse import as_schedule

        wanted = as_schedule(schedule) or self.schedule
        started = perf_counter()
        module = self.module(function)
        lowered = perf_counter() - started
        taken = from_object(graph)
        given = _bound(module, taken, arguments, named)
        before = given.on_host(taken) if validate else given
        result = run_module(
            module,
            taken,
            target=target,
            device_index=device or 0,
            arguments=given,
            results=results,
            device_results=device_results,
            repeat=repeat,
            schedule=wanted,
            trace=trace,
            compile_seconds=lowered,
        )
        return self._validated(result, module, before) if validate else result

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
        arguments: Mapping[str, object] | Bound | None = None,
        started: Callable[[DeviceDescription], None] = lambda device: None,
        **named: object,
    ) -> Everywhere:
        """Runs the program on every device of every target that is here, and compares the answers.

        Args:
            device: only the devices of this number.
            schedule: for all devices but the interpreter's, whose answer is the measure.
            validate: the interpreter, whose answer is the measure, runs even where it takes long.
            started: is told which device is about to run.
            others: as for `run`.

        Raises:
            DiagnosticError: an argument is wrong. What goes wrong on a device is part of the answer.
        """
        from starplat.graph import from_object
        from starplat.runtime.everywhere import run_everywhere
        from starplat.schedule.parse import as_schedule

        module, taken = self.module(function), from_object(graph)
        given = _bound(module, taken, arguments, named)
        return run_everywhere(
            module,
            taken,
            given,
            device_index=device,
            results=results,
            repeat=repeat,
            schedule=as_schedule(schedule) or self.schedule,
            racy=any(map(is_race, self.warnings)),
            always_measure=validate,
            started=started,
        )

    def _validated(self, result: Result, module: Module, given: Bound) -> Result:
        from starplat.runtime import validate

        compared, verdict = validate(result, module, given, racy=any(map(is_race, self.warnings)))
        if verdict.difference is not None:
            raise _differs(result, str(verdict.difference))
        return compared


def _bound(
    module: Module, graph: Graph, arguments: Mapping[str, object] | Bound | None, named: Mapping[str, object]
) -> Bound:
    """The arguments of a call, in whichever of the two ways they are given."""
    from starplat.runtime import Bound, bind

    return arguments if isinstance(arguments, Bound) else bind(module, graph, {**(arguments or {}), **named})


def _differs(result: Result, difference: str) -> DiagnosticError:
    """E0795: a target's answer is not the interpreter's: our mistake, or the device's."""
    message = f"{result.program} on {result.target}, {result.device}: {difference}"
    help = "this is a mistake of starplat or of the device's compiler; please report it with the program and the graph"
    return DiagnosticError(Diagnostic("E0795", message, help=help), exit_code=ExitCode.BUILD_FAILED)


def _backend(target: str) -> Backend:
    from starplat.backends import BACKENDS

    if target not in BACKENDS:
        known = ", ".join(BACKENDS)
        help = did_you_mean(target, BACKENDS) or f"code can be written for: {known}"
        raise DiagnosticError(
            Diagnostic("E0796", f"no code can be written for target '{target}'", help=help), exit_code=ExitCode.USAGE
        )
    return BACKENDS[target]


def _near(path: Path) -> str | None:
    """A hint for a path that leads nowhere."""
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix == ".sp"]
    except (OSError, ValueError):
        return None
    return did_you_mean(path.name, names)
