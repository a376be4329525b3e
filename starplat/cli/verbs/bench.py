"""`starplat bench`: measures a program on graphs, targets and schedules; `bench compare`: compares two reports."""

from __future__ import annotations

import json as as_text
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import starplat
from starplat.cli import arguments as options, console, files
from starplat.cli.verbs.graph import KEPT, load
from starplat.diagnostics import ExitCode
from starplat.schedule.schedule import usage

if TYPE_CHECKING:
    from starplat.bench.measure import Case
    from starplat.bench.records import Report
    from starplat.graph import Graph
    from starplat.schedule import Schedule

COMPARE = "compare"

What = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE.sp | compare A.json B.json",
        help="A program; or two files that --json wrote, to see what changed from A to B.",
        show_default=False,
    ),
]
JsonFile = Annotated[Path | None, typer.Option("--json", metavar="F", help="Write all times as JSON; - is stdout.")]


def bench(
    what: What,
    graph: Annotated[
        list[Path] | None, typer.Option("--graph", "-g", metavar="PATH", help="A graph's file. May be repeated.")
    ] = None,
    function: options.FunctionName = None,
    arg: options.Arguments = None,
    target: Annotated[
        list[str] | None, typer.Option("--target", "-t", help="As for run. May be repeated.", show_default="auto")
    ] = None,
    device: options.DeviceNumber = None,
    schedule: Annotated[
        list[str] | None, typer.Option("--schedule", "-s", help=f"May be repeated: {usage()}", show_default="auto")
    ] = None,
    repeat: Annotated[int, typer.Option("--repeat", metavar="N", min=1, help="Times to take, after one run.")] = 9,
    json: JsonFile = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="F", help="Write one page with bars and a roofline, which needs nothing else."),
    ] = None,
    undirected: options.Undirected = False,
    weights: options.Weights = None,
    drop_loops: options.DropLoops = False,
    dedup: options.Dedup = False,
    strict: options.Strict = False,
    all_errors: options.AllErrors = False,
) -> None:
    """Measure a program on graphs, targets and schedules, or compare two measurements."""
    _require_sense(what, graph or [], html)
    if what[0] == COMPARE:
        _compare(what[1:], json)
        return
    files.require_writable(None if json is None or str(json) == "-" else json, html)
    words, schedules = options.arguments_in(arg or []), _schedules(schedule or [])
    to_measure = _cases(target or ["auto"], schedules, device)
    read = [
        (path, load(path, undirected=undirected, weights=weights, drop_loops=drop_loops, dedup=dedup))
        for path in graph or []
    ]
    KEPT.extend(found for _, found in read)
    found, code = _measured(
        Path(what[0]), read, to_measure, words, function, repeat, strict=strict, counts=html is not None
    )
    _deliver(found, json, html)
    if code is not ExitCode.FINE:
        raise typer.Exit(code.value)


def _require_sense(what: list[str], graphs: list[Path], html: Path | None) -> None:
    """Refuses combinations of options that make no sense. Raises typer.BadParameter: something is there that does not
    go with the rest, or is lacking."""
    if what[0] == COMPARE:
        if html is not None or graphs:
            raise typer.BadParameter("goes with a program", param_hint="--graph" if graphs else "--html")
        return
    if len(what) > 1:
        raise typer.BadParameter(f"one program at a time, not '{what[1]}' too", param_hint="FILE.sp")
    if not graphs:
        raise typer.BadParameter("is needed: on which graph?", param_hint="--graph")


def _schedules(texts: list[str]) -> list[Schedule | None]:
    from starplat.schedule.parse import parse_schedule

    return [parse_schedule(text) for text in texts] or [None]


def _cases(targets: list[str], schedules: list[Schedule | None], device: int | None) -> list[Case]:
    from starplat.bench.measure import EVERY, cases
    from starplat.runtime.targets import require

    for name in targets:
        if name != EVERY:
            require(name)
    return cases(targets, schedules, device)


def _measured(
    file: Path,
    graphs: list[tuple[Path, Graph]],
    to_measure: list[Case],
    words: dict[str, str],
    function: str | None,
    repeat: int,
    *,
    strict: bool,
    counts: bool,
) -> tuple[Report, ExitCode]:
    from starplat.bench.measure import Bench
    from starplat.bench.records import exit_code
    from starplat.runtime import bind_text

    program = starplat.compile(file, strict=strict)
    console.show(program.warnings)
    function = function or program.form_on(*(graph for _, graph in graphs), given=words)
    module = program.module(function)
    for _, graph in graphs:
        console.say(graph.describe())
        bind_text(module, graph, words)  # what is wrong with an argument is said before anything is measured
    with console.working(f"measuring {program.name}") as now:
        work = Bench(program, lambda graph: bind_text(module, graph, words), function, repeat, now, counts=counts)
        found = work.report([(str(path), graph) for path, graph in graphs], to_measure)
    console.show(diagnostic for fault in work.faults for diagnostic in fault.diagnostics)
    return found, exit_code(found.rows, tuple(work.faults))


def _deliver(found: Report, json: Path | None, html: Path | None) -> None:
    from starplat.cli.views.bench_table import tables

    if html is not None:
        from starplat.cli.views.bench_table import page

        files.write_text(html, page(found))
        console.say(f"{html}: written")
    if _write_json(json, found.to_json()):
        return
    for drawn in tables(found):
        console.show_table(drawn)


def _compare(paths: list[str], json: Path | None) -> None:
    from starplat.bench.compare import compare
    from starplat.bench.records import SCHEMA, read_report
    from starplat.cli.views.bench_table import changes

    if len(paths) != 2:
        raise typer.BadParameter("takes two files that `starplat bench … --json F` wrote", param_hint=COMPARE)
    before, after = (read_report(Path(path)) for path in paths)
    if (before.program, before.function) != (after.program, after.function):
        console.say(f"these are two programs: '{before.program}' and '{after.program}'")
    pairs = compare(before, after)
    shown: dict[str, Any] = {"schema": SCHEMA, "kind": COMPARE, "before": paths[0], "after": paths[1]}
    if not _write_json(json, {**shown, "changes": [pair.to_json() for pair in pairs]}):
        console.show_table(changes(pairs))


def _write_json(path: Path | None, value: dict[str, Any]) -> bool:
    """Writes the JSON; whether stdout has been used up."""
    if path is None:
        return False
    if str(path) == "-":
        console.write_json(value)
        return True
    text = as_text.dumps(console.finite(value), ensure_ascii=False, allow_nan=False, indent=1)
    files.write_text(path, text + "\n")
    console.say(f"{path}: written")
    return False
