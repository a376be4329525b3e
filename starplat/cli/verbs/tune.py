"""`starplat tune`: searches the best schedule for a program on a graph and writes it as a `.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import starplat
from starplat.cli import arguments as options, console, files
from starplat.cli.verbs.graph import KEPT, load
from starplat.diagnostics import ExitCode

if TYPE_CHECKING:
    from rich.table import Table

    from starplat.bench.measure import Case
    from starplat.bench.records import Sizes
    from starplat.bench.search import Outcome, Trial, Trials
    from starplat.graph import Graph
    from starplat.program import Program

SHOWN = 10


def tune(
    file: options.ProgramFile,
    graph: Annotated[Path, typer.Option("--graph", "-g", metavar="PATH", help="The graph's file.")],
    function: options.FunctionName = None,
    arg: options.Arguments = None,
    target: Annotated[str, typer.Option("--target", "-t", help="auto, or one of `starplat devices`.")] = "auto",
    device: options.DeviceNumber = None,
    budget: Annotated[
        float, typer.Option("--budget", metavar="SECONDS", min=0, help="How long to search; it can be taken up again.")
    ] = 60,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="F.toml", help="What to write.", show_default="FILE.tuned.toml"),
    ] = None,
    afresh: Annotated[bool, typer.Option("--afresh", help="Forget what an earlier search found out.")] = False,
    json: options.Json = False,
    undirected: options.Undirected = False,
    weights: options.Weights = None,
    drop_loops: options.DropLoops = False,
    dedup: options.Dedup = False,
    strict: options.Strict = False,
    all_errors: options.AllErrors = False,
) -> None:
    """Search the best schedule of a program on a graph, and say how far `auto` is from it."""
    from starplat.bench.measure import Case
    from starplat.bench.records import Sizes
    from starplat.bench.tuned import key_of
    from starplat.runtime import bind_text, targets

    targets.require(target)
    target = targets.automatic() if target == "auto" else target
    words = options.arguments_in(arg or [])
    program = starplat.compile(file, strict=strict)
    destination = output or file.with_suffix(".tuned.toml")
    state = destination.with_suffix(".json")
    written = _require_ours(destination, state)
    files.require_writable(destination, state)
    console.show(program.warnings)
    if function is not None or not program.forms:
        program.module(function)
    read = load(graph, undirected=undirected, weights=weights, drop_loops=drop_loops, dedup=dedup)
    KEPT.append(read)
    console.say(read.describe())
    function = function or program.form_on(read, given=words)
    module = program.module(function)
    bind_text(module, read, words)
    key = key_of(module, read, words, target, device)
    known = {} if afresh else _known_in(state, key)
    sizes = Sizes(str(graph), read.num_nodes, read.num_arcs)
    work = Work(program, function, words, read, sizes, Case(target, None, device))
    kept = State(state, key, written)
    found = _searched(work, budget, known, kept)
    _deliver(found, destination, kept, program.name, sizes, json=json)


@dataclass(slots=True)
class State:
    """The file from which a search is taken up again, and what it is about; `written` is the digest of the schedule
    that was written last."""

    path: Path
    key: str
    written: str | None

    def keep(self, trials: Trials) -> None:
        """Writes all that is known."""
        from starplat.bench.tuned import state_text

        files.write_text(self.path, state_text(self.key, trials, self.written))


def _deliver(found: Outcome, destination: Path, state: State, program: str, sizes: Sizes, *, json: bool) -> None:
    """Reports the outcome and writes the best schedule; raises the exit code of a search in which a run failed."""
    from starplat.bench.tuned import digest, in_words, toml

    if json:
        console.write_json(as_json(found, program, sizes))
    else:
        console.out().print(_table(found))
        console.write(in_words(found))
    if found.best is not None:
        _require_ours(destination, state.path)  # it may have been edited meanwhile
        text = toml(found, program, sizes)
        files.write_text(destination, text)
        state.written = digest(text)
        state.keep({trial.schedule: trial for trial in found.trials})
        console.say(f"{destination}: written; take it with --schedule {destination}")
    if found.exit_code is not ExitCode.FINE:
        raise typer.Exit(found.exit_code.value)


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """What is tuned: a function of a program with its arguments, on a graph and a device."""

    program: Program
    function: str | None
    arguments: Mapping[str, str]
    graph: Graph
    sizes: Sizes
    case: Case


def _searched(work: Work, budget: float, known: Trials, state: State) -> Outcome:
    """The outcome of a search that continues from `known`, and keeps its trials in `state`."""
    from starplat.bench.measure import Bench
    from starplat.bench.search import Search
    from starplat.runtime import bind_text

    module = work.program.module(work.function)
    with console.working(f"tuning {work.program.name}") as now:
        bench = Bench(work.program, lambda on: bind_text(module, on, work.arguments), work.function, started=now)
        search = Search(bench, work.graph, work.sizes, work.case, budget, keep=state.keep)
        try:
            return search.outcome(known)
        except KeyboardInterrupt:
            if search.trials:
                console.say(f"{state.path}: holds what was measured; the same command goes on from there")
                console.say("with --budget 0 it only writes the best schedule so far")
            raise


def as_json(found: Outcome, program: str, sizes: Sizes) -> dict[str, object]:
    """One object."""
    behind = found.behind
    return {
        "schema": 1,
        "program": program,
        "graph": {"file": sizes.file, "nodes": sizes.nodes, "arcs": sizes.arcs},
        "target": found.target,
        "device": found.device,
        "complete": found.complete,
        "best": None if found.best is None else found.best.schedule,
        "auto_behind": None if behind is None else behind.value,
        "auto_behind_interval": None if behind is None or behind.interval is None else list(behind.interval),
        "trials": [_trial_as_json(trial) for trial in found.trials],
    }


def _trial_as_json(trial: Trial) -> dict[str, object]:
    return {
        "schedule": trial.schedule,
        "median": trial.median.value if trial.counts else None,
        "seconds": list(trial.seconds),
        "reason": trial.reason or None,
        "wrong": trial.wrong,
    }


def _require_ours(destination: Path, state: Path) -> str | None:
    """Refuses to overwrite a file that a person wrote or edited. The digest of the one that is there."""
    from starplat.bench.tuned import FIRST_LINE, digest, written_last

    if destination.suffix != ".toml":
        raise typer.BadParameter(f"'{destination}' does not end in .toml", param_hint="--output")
    try:
        written = destination.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise files.cannot_write(destination, error.strerror or str(error)) from error
    if not written.startswith(FIRST_LINE):
        raise files.cannot_write(destination, "it is there, and `starplat tune` did not write it")
    if digest(written) != written_last(state):
        reason = "it has been edited since `starplat tune` wrote it"
        if written_last(state) is None:
            reason = f"it is there, and whether it has been edited cannot be told without {state}"
        raise files.cannot_write(destination, reason, "to keep it give it another name, else remove it")
    return digest(written)


def _known_in(state: Path, key: str) -> Trials:
    """The trials of an earlier search of the same; reports whether there was one."""
    from starplat.bench.tuned import read_state

    if known := read_state(state, key):
        console.say(f"{state}: the search goes on from here")
    elif known is not None:
        console.say(f"{state}: is about another program, graph or device; the search begins anew")
    return known or {}


def _table(found: Outcome) -> Table:
    from rich.markup import escape

    from starplat.bench.records import speed_up
    from starplat.cli.views.bench_table import interval, milliseconds

    drawn = console.table("schedule", numbers=("ms", "95 %", "runs", "times as long"), last="")
    counting = [trial for trial in found.trials if trial.counts]
    shown = [t for n, t in enumerate(counting) if n < SHOWN or t.schedule in ("auto", "plain")]
    for trial in shown:
        behind = speed_up(trial.seconds, counting[0].seconds).value
        numbers = (milliseconds(trial.median.value), interval(trial.median), str(len(trial.seconds)), f"{behind:.2f}")
        drawn.add_row(trial.schedule, *numbers, "")
    for trial in found.trials:
        if not trial.counts:
            style = "bold red" if trial.wrong else "yellow"
            drawn.add_row(trial.schedule, "-", "-", "-", "-", f"[{style}]{escape(trial.reason)}[/]")
    return drawn
