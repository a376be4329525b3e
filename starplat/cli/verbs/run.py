"""`starplat run`: runs a program on a graph and prints results and times."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

import starplat
from starplat.cli import arguments, arguments as options, console, files, run_report
from starplat.cli.progress import following
from starplat.cli.ranks import joined, on_all, together
from starplat.cli.verbs.everywhere import Request, run_on_all
from starplat.cli.verbs.graph import KEPT, load
from starplat.diagnostics import Severity
from starplat.resources import shipped_programs
from starplat.toolchain.quiet_drivers import VERBOSE_VARIABLE

if TYPE_CHECKING:
    from starplat.cli.output import Findings
    from starplat.graph import Graph
    from starplat.program import Program
    from starplat.runtime import Result
    from starplat.runtime.parts.communicator import Communicator
    from starplat.runtime.tracing.trace import Trace

EVERYWHERE = "all"
"""What `--target` calls every target that is present."""


def _show_compilers(wanted: bool) -> bool:
    """Has the toolchain show what compilers say."""
    if wanted:
        os.environ[VERBOSE_VARIABLE] = "1"
    return wanted


_GraphFile = Annotated[
    Path, typer.Option("--graph", "-g", metavar="PATH", help="The file; see `starplat graph --help`.")
]
_Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the properties: .npz, .csv or .parquet.")
]
_Batch = Annotated[
    bool,
    typer.Option(
        "--batch", help="Write them after every batch of updates too: r.1.csv, r.2.csv and so on beside r.csv."
    ),
]
_Trace = Annotated[
    str | None,
    typer.Option(
        "--trace",
        metavar="[P.html]",
        help="Run once more, watched: what each round of the loops had to do, as a table, or as a page.",
    ),
]
_Checked = Annotated[
    bool,
    typer.Option(
        "--checked",
        help="Stop at the first overflow, division by zero, NaN, bad index or failed assert; on reference by default.",
    ),
]
_MaxRounds = Annotated[
    int | None,
    typer.Option("--max-rounds", metavar="N", min=1, help="End the run where a loop takes more rounds than that."),
]
_Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show what the device's compiler says.", callback=_show_compilers)
]
_TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", metavar="S", help="End the run after so many seconds.")
]
_DeviceMemory = Annotated[
    str | None,
    typer.Option("--device-memory", metavar="SIZE", help="Take no more of the device's memory, such as 12G."),
]
_HostMemory = Annotated[
    str | None,
    typer.Option("--host-memory", metavar="SIZE", help="Leave no more than that in the host's memory, such as 64G."),
]

_Devices = Annotated[
    str | None,
    typer.Option(
        "--devices", metavar="N|auto", help="Run in so many parts, each on a device; auto: on all GPUs where that pays."
    ),
]
_Ranks = Annotated[
    int | None,
    typer.Option("--ranks", metavar="N", min=1, help="Run in so many parts, each an MPI process that this starts."),
]
_Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="S", min=0.1, help="End all ranks where one waits so long for the others."),
]


def run(
    context: typer.Context,
    file: options.ProgramOrStdin,
    graph: _GraphFile,
    function: options.FunctionName = None,
    arg: options.Arguments = None,
    target: Annotated[str, typer.Option("--target", "-t", help="auto, all, or one of `starplat devices`.")] = "auto",
    device: options.DeviceNumber = None,
    schedule: options.ScheduleText = None,
    validate: Annotated[bool, typer.Option("--validate", help="Compare the answers with the interpreter's.")] = False,
    checked: _Checked = False,
    out: _Out = None,
    batch: _Batch = False,
    repeat: Annotated[int, typer.Option("--repeat", metavar="N", min=1, help="Run so often.")] = 1,
    trace: _Trace = None,
    max_rounds: _MaxRounds = None,
    time_limit: _TimeLimit = None,
    device_memory: _DeviceMemory = None,
    host_memory: _HostMemory = None,
    devices: _Devices = None,
    ranks: _Ranks = None,
    timeout: _Timeout = None,
    verbose: _Verbose = False,
    json: options.Json = False,
    undirected: options.Undirected = False,
    weights: options.Weights = None,
    drop_loops: options.DropLoops = False,
    dedup: options.Dedup = False,
    strict: options.Strict = False,
    all_errors: options.AllErrors = False,
) -> None:
    """Run a program on a graph."""
    from_stdin = files.is_stdin(file)
    communicator = joined(ranks, timeout, from_stdin=from_stdin)
    is_first = communicator is None or communicator.rank == 0
    from starplat.runtime import targets

    with together(communicator, context, from_stdin=from_stdin):
        if target != EVERYWHERE:
            targets.require(target)
        to_write = on_all(communicator, lambda: _wanted_files(out if is_first else None, trace, target, batch=batch))
        words = options.arguments_in(arg or [])
        wanted = arguments.wanted_schedule(schedule, file)
        limits = (max_rounds, time_limit, checked, device_memory, host_memory, _number(devices))
        request = Request(function, target, device, repeat, validate, wanted, trace is not None, *limits)
        started = perf_counter()
        program = on_all(communicator, lambda: _compiled(file, function, strict=strict))
        compiled = perf_counter()
        read = load(graph, communicator, undirected=undirected, weights=weights, drop_loops=drop_loops, dedup=dedup)
        KEPT.append(read)
        loaded = perf_counter()
        console.say(read.describe())
        request = replace(request, function=function or program.form_on(read, given=words))
        if target == EVERYWHERE and not checked and communicator is None:
            run_on_all(program, read, words, request, json=json)
            return
        if batch:
            _require_updates(program, request.function)
        on_batch = to_write.write_batch if batch else None
        result = run_program(program, read, words, request, on_batch, communicator)
    compiling = result.seconds.compile + compiled - started
    result = replace(result, seconds=replace(result.seconds, load=loaded - compiled, compile=compiling))
    try:
        to_write.write(result)
    finally:  # an answer that took an hour is shown even where it cannot be written
        run_report.show(result, json=json, asked=target, validate=validate, rounds=to_write.page is None)


def _number(devices: str | None) -> int | str | None:
    """What `--devices` asks for. Raises typer.BadParameter: it is neither a number from 1 on nor `auto`."""
    if devices is None or devices == "auto":
        return devices
    if not devices.isdecimal() or int(devices) < 1:
        raise typer.BadParameter(f"'{devices}' is neither a number from 1 on nor auto", param_hint="--devices")
    return int(devices)


def _require_updates(program: Program, function: str | None) -> None:
    """Raises typer.BadParameter for a program that has no batches."""
    from starplat.frontend.types import UpdatesType

    if not any(isinstance(argument.type, UpdatesType) for argument in program.module(function).arguments):
        raise typer.BadParameter(f"{program.name} takes no updates", param_hint="--batch")


def _compiled(file: Path, function: str | None, *, strict: bool) -> Program:
    """The program, with its warnings shown, and its notes where it is the user's own."""
    program = starplat.compile(files.source_at(file) if files.is_stdin(file) else file, strict=strict)
    if function is not None or not program.forms:
        program.module(function)
    own = program.source.is_file or files.is_stdin(file)
    console.show(doubt for doubt in program.warnings if own or doubt.severity is not Severity.NOTE)
    return program


@dataclass(frozen=True, slots=True)
class _Files:
    """The files to write: the properties, and the page of a trace."""

    properties: Path | None
    page: Path | None

    def write(self, result: Result) -> None:
        if self.properties is not None:
            _write_properties(self.properties, result)
        if self.page is not None and result.trace is not None:
            _write_page(self.page, result, result.trace)

    def write_batch(self, number: int, result: Result) -> None:
        """What properties hold after a batch, in a file with its number."""
        if self.properties is not None:
            name = self.properties
            _write_properties(name.with_name(f"{name.stem}.{number}{name.suffix}"), result)


def _write_properties(path: Path, result: Result) -> None:
    from starplat.cli.output import writer_for

    for written in writer_for(path)(path, _findings(result)):
        console.say(f"{written}: written")


def _wanted_files(out: Path | None, trace: str | None, target: str, *, batch: bool) -> _Files:
    """The files to write, refused before the run if they cannot be written. Raises typer.BadParameter: the results of
    many targets or of batches without a file were asked for, or a trace is to become no page; E0792 or E0794: a file
    cannot be written, or not as this."""
    from starplat.cli.output import writer_for

    if out is not None and target == EVERYWHERE:
        raise typer.BadParameter("--out takes the results of one target, not of all", param_hint="--target")
    if batch and out is None:
        raise typer.BadParameter("it numbers the files of --out, which is not given", param_hint="--batch")
    found = _Files(out, _page_wanted(trace, target))
    if out is not None:
        writer_for(out)
    files.require_writable(found.properties, found.page)
    return found


def _page_wanted(trace: str | None, target: str) -> Path | None:
    """Where the page of a trace goes, if one is wanted. Raises typer.BadParameter: it is no page, or many targets were
    asked for."""
    if trace is None:
        return None
    if target == EVERYWHERE:
        raise typer.BadParameter("--trace watches one target, not all", param_hint="--target")
    if trace == NO_PAGE:
        return None
    if not trace.lower().endswith(ENDINGS):
        raise typer.BadParameter(f"'{trace}' is no page: give a name that ends in .html", param_hint="--trace")
    return Path(trace)


def _write_page(path: Path, result: Result, trace: Trace) -> None:
    from starplat.cli.views.trace_page import page

    files.write_text(path, page(result, trace))
    console.say(f"{path}: written")


def run_program(
    program: Program,
    graph: Graph,
    words: dict[str, str],
    request: Request,
    on_batch: Callable[[int, Result], None] | None = None,
    communicator: Communicator | None = None,
) -> Result:
    """Binds the words to the entry's parameters and runs."""
    from starplat.runtime import bind_text

    bound = on_all(communicator, lambda: bind_text(program.module(request.function), graph, words))
    with following(f"running {program.name}") as followed:
        return program.run(
            graph, arguments=bound, follow=followed.look, on_batch=on_batch, comm=communicator, **request.options
        )


def _findings(result: Result) -> Findings:
    """The result as it is written: properties of nodes and of edges apart."""
    from starplat.cli.output import Findings
    from starplat.frontend.types import Carrier

    of_nodes = {name for name, kind in result.types.items() if kind.carrier is Carrier.NODE}
    nodes = {name: values for name, values in result.properties.items() if name in of_nodes}
    edges = {name: values for name, values in result.properties.items() if name not in of_nodes}
    return Findings(result.graph, nodes, edges, result.returned)


# --- an option with an optional value: `--trace`, and `--trace page.html` --------------------------------------------

OPTION, NO_PAGE, ENDINGS, PROGRAM = "--trace", "-", (".html", ".htm"), ".sp"


def with_values(arguments: Sequence[str]) -> list[str]:
    """The words of a command line, with a value for every `--trace`: the word after it is one unless it is an option or
    the program. A page whose name does not end in `.html` is so reported.

    >>> with_values(["--trace", "bfs.sp"]), with_values(["--trace", "a.html"])
    (['--trace', '-', 'bfs.sp'], ['--trace', 'a.html'])
    """
    found: list[str] = []
    end = arguments.index("--") if "--" in arguments else len(arguments)
    for word, after in zip_longest(arguments[:end], arguments[1:end]):
        found.append(word)
        if word == OPTION and (after is None or _is_no_value(after)):
            found.append(NO_PAGE)
    return [*found, *arguments[end:]]


def _is_no_value(word: str) -> bool:
    """Whether a word after the option is one by itself: another option, or a program, which most often ends in `.sp`
    and else is shipped or a file."""
    if word.lower().endswith(ENDINGS):
        return False
    is_named = word.endswith(PROGRAM) or word in shipped_programs()
    return word.startswith("-") or is_named or (not Path(word).suffix and Path(word).is_file())


class TracingCommand(TyperCommand):
    """The verb with that option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_values(args))


COMMAND = TracingCommand
"""What `app` makes of this verb."""
