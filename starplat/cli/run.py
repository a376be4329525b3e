"""`starplat run`: a program, a graph, a device; what came out and how long it took."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from starplat.cli import console, files
from starplat.cli.arguments import (
    Dedup,
    DropLoops,
    FunctionName,
    Json,
    ProgramFile,
    ScheduleText,
    Strict,
    Undirected,
    Weights,
)
from starplat.cli.everywhere import run_on_all
from starplat.cli.graph import load
from starplat.cli.kept import KEPT
from starplat.cli.optional import ENDINGS, NO_PAGE
from starplat.cli.request import Request
from starplat.cli.scheduling import wanted_schedule

if TYPE_CHECKING:
    from rich.table import Table

    from starplat.cli.output import Findings
    from starplat.graph import Graph
    from starplat.pipeline import Program
    from starplat.runtime import Result
    from starplat.runtime.trace import Trace

Arguments = Annotated[
    list[str] | None,
    typer.Option("--arg", "-a", metavar="K=V", help="An argument; a set is 1,5,9 or @file. May be repeated."),
]
EVERYWHERE = "all"
"""What `--target` calls every target that is present."""


def run(
    file: ProgramFile,
    graph: Annotated[
        Path, typer.Option("--graph", "-g", metavar="PATH", help="The file; see `starplat graph --help`.")
    ],
    function: FunctionName = None,
    arg: Arguments = None,
    target: Annotated[str, typer.Option("--target", "-t", help="auto, all, or one of `starplat devices`.")] = "auto",
    device: Annotated[int | None, typer.Option("--device", metavar="N", min=0, help="Its number.")] = None,
    schedule: ScheduleText = None,
    validate: Annotated[bool, typer.Option("--validate", help="Compare the answers with the interpreter's.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="r.npz|r.csv|r.parquet", help="Write the properties.")
    ] = None,
    repeat: Annotated[int, typer.Option("--repeat", metavar="N", min=1, help="Run so often.")] = 1,
    trace: Annotated[
        str | None,
        typer.Option(
            "--trace",
            metavar="[P.html]",
            help="Run once more, watched: what each round of the loops had to do, as a table, or as a page.",
        ),
    ] = None,
    json: Json = False,
    undirected: Undirected = False,
    weights: Weights = None,
    drop_loops: DropLoops = False,
    dedup: Dedup = False,
    strict: Strict = False,
) -> None:
    """Run a program on a graph."""
    from starplat import pipeline
    from starplat.cli.output import writer_for
    from starplat.runtime import targets

    if target != EVERYWHERE:
        targets.require(target)
    elif out is not None:
        raise typer.BadParameter("--out takes the results of one target, not of all", param_hint="--target")
    tracing = _page_wanted(trace, target)
    words = arguments_in(arg or [])
    write = None if out is None else writer_for(out)
    wanted = wanted_schedule(schedule, file)
    started = perf_counter()
    program = pipeline.compile(file, strict=strict)
    program.module(function)
    compiled = perf_counter()
    console.show(program.warnings)
    read = load(graph, undirected=undirected, weights=weights, drop_loops=drop_loops, dedup=dedup)
    KEPT.append(read)
    loaded = perf_counter()
    console.say(read.describe())
    request = Request(function, target, device, repeat, validate, wanted, trace is not None)
    if target == EVERYWHERE:
        run_on_all(program, read, words, request, json=json)
        return
    result = run_program(program, read, words, request)
    seconds = replace(result.seconds, load=loaded - compiled, compile=result.seconds.compile + compiled - started)
    result = replace(result, seconds=seconds)
    if out is not None and write is not None:
        for path in write(out, _findings(result)):
            console.say(f"{path}: written")
    if tracing is not None and result.trace is not None:
        _write_page(tracing, result, result.trace)
    _print(result, json=json, asked=target, validate=validate, rounds=tracing is None)


def _page_wanted(trace: str | None, target: str) -> Path | None:
    """Where the page of a trace goes, if one is wanted.

    Raises:
        typer.BadParameter: it is no page, or many targets were asked for.
    """
    if trace is None:
        return None
    if target == EVERYWHERE:
        raise typer.BadParameter("watches one target, not all", param_hint="--target")
    if trace == NO_PAGE:
        return None
    if not trace.lower().endswith(ENDINGS):
        raise typer.BadParameter(f"'{trace}' is no page: give a name that ends in .html", param_hint="--trace")
    return Path(trace)


def _write_page(path: Path, result: Result, trace: Trace) -> None:
    from starplat.cli.trace_page import page

    files.write_text(path, page(result, trace))
    console.say(f"{path}: written")


def arguments_in(given: list[str]) -> dict[str, str]:
    """The words of every `--arg k=v`.

    Raises:
        typer.BadParameter: one has no `=`, or a name comes twice.
    """
    words: dict[str, str] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise typer.BadParameter(f"'{item}' is not of the form name=value", param_hint="--arg")
        if name.strip() in words:
            raise typer.BadParameter(f"'{name.strip()}' is given twice", param_hint="--arg")
        words[name.strip()] = value.strip()
    return words


def run_program(
    program: Program,
    graph: Graph,
    words: dict[str, str],
    request: Request,
) -> Result:
    """Binds the words to the entry's parameters and runs."""
    from starplat.runtime import bind_text

    bound = bind_text(program.module(request.function), graph, words)
    with console.working(f"running {program.name}"):
        return program.run(graph, arguments=bound, **request.options)


def _findings(result: Result) -> Findings:
    """The result as it is written: properties of nodes and of edges apart."""
    from starplat.cli.output import Findings
    from starplat.frontend.types import Carrier

    of_nodes = {name for name, kind in result.types.items() if kind.carrier is Carrier.NODE}
    nodes = {name: values for name, values in result.properties.items() if name in of_nodes}
    edges = {name: values for name, values in result.properties.items() if name not in of_nodes}
    return Findings(result.graph, nodes, edges, result.returned)


def _print(result: Result, *, json: bool, asked: str, validate: bool, rounds: bool) -> None:
    if asked == "auto" and result.target == "reference":
        console.say("no other device is ready here; `starplat devices` says what would help")
    if validate:
        console.say(_verdict_in_words(result))
    if json:
        console.write_json(result.to_json())
        return
    console.write(f"{result.program}: '{result.function}' on {result.target}, {result.device}")
    if result.properties:
        console.out().print(_summary_table(result))
    if result.returned is not None:
        console.write(f"returned {result.returned}")
    if result.trace is not None and rounds:
        _print_rounds(result, result.trace)
    console.write(_times(result))


def _print_rounds(result: Result, trace: Trace) -> None:
    from starplat.cli.trace_table import table
    from starplat.cli.trace_words import notes

    if trace.rounds:
        console.out().print(table(trace))
    for note in notes(result, trace):
        console.write(note)


def _verdict_in_words(result: Result) -> str:
    if result.validated:
        return "validated: the answers are the interpreter's"
    return "not validated: the program has a race, so its answers may differ from run to run"


def _summary_table(result: Result) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("property")
    table.add_column("type")
    for heading in ("count", "finite", "sum", "min", "max"):
        table.add_column(heading, justify="right")
    for name in result.properties:
        found = result.summary(name)
        numbers = (found.count, found.finite, found.sum, found.min, found.max)
        table.add_row(name, found.type, *map(_number, numbers))
    return table


def _number(value: float | None) -> str:
    match value:
        case None:
            return "-"
        case int():
            return str(value)
        case _:
            return f"{value:.10g}"


def _times(result: Result) -> str:
    seconds, moved = result.seconds, result.bytes
    best = min(seconds.run)
    spread = f" (best of {len(seconds.run)}, worst {max(seconds.run):.4f})" if len(seconds.run) > 1 else ""
    how = " (kernels from the cache)" if result.cached else ""
    return (
        f"seconds: load {seconds.load:.4f}, compile {seconds.compile:.4f}{how}, upload {seconds.upload:.4f}, "
        f"run {best:.4f}{spread}, download {seconds.download:.4f}\nbytes: {moved.up:,} up, {moved.down:,} down"
    )
