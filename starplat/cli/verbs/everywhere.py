"""`starplat run --target all`: one table of every device of every target, with times and agreement."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import typer

from starplat.cli import console
from starplat.cli.progress import following
from starplat.diagnostics import ExitCode

if TYPE_CHECKING:
    from rich.table import Table

    from starplat.graph import Graph
    from starplat.program import Program
    from starplat.runtime.everywhere import Attempt, Everywhere
    from starplat.schedule import Schedule


def run_on_all(program: Program, graph: Graph, words: dict[str, str], request: Request, *, json: bool) -> None:
    """Runs on all devices and prints the outcomes; exits with the worst one's code."""
    from starplat.runtime import bind_text

    bound = bind_text(program.module(request.function), graph, words)
    with following(f"running {program.name}") as followed:
        found = program.run_everywhere(
            graph,
            device=request.device,
            function=request.function,
            schedule=request.schedule,
            validate=request.validate,
            repeat=request.repeat,
            max_rounds=request.max_rounds,
            time_limit=request.time_limit,
            device_memory=request.device_memory,
            host_memory=request.host_memory,
            follow=followed.look,
            arguments=bound,
            started=lambda device: followed.turn_to(
                f"running {program.name} on {device.target} {device.index}, {device.name}"
            ),
        )
    faults = (attempt.fault for attempt in found.attempts if attempt.fault is not None)
    console.show(diagnostic for fault in faults for diagnostic in fault.diagnostics)
    results = (attempt.result for attempt in found.attempts if attempt.result is not None)
    console.show(dict.fromkeys(warning for result in results for warning in result.warnings))
    if found.remark:
        console.say(found.remark)
    if json:
        console.write_json(as_json(program, found, graph, request))
    else:
        _print(program, found, request)
    if found.exit_code is not ExitCode.FINE:
        raise typer.Exit(found.exit_code.value)


def _print(program: Program, found: Everywhere, request: Request) -> None:
    entry = program.module(request.function).entry
    console.write(f"{program.name}: '{entry}' on every target")
    console.show_table(table(found))
    for command in dict.fromkeys(a.device.mend for a in found.attempts if not a.device.usable and a.device.mend):
        console.say(f"what is absent may come with: {command}")


def table(found: Everywhere) -> Table:
    """A row for each device, times in seconds; of several runs the best."""
    from rich.markup import escape

    from starplat.cli.views.agreements import agreement_in_color

    drawn = console.table("target", "device", numbers=("compile", "upload", "run", "download"), last="answer")
    for attempt in found.attempts:
        index = "" if attempt.device.index is None else f"{attempt.device.index}  "
        device, answer = attempt.device, agreement_in_color(attempt.agreement, attempt.reason)
        drawn.add_row(device.target, escape(f"{index}{device.name}"), *_times(attempt), answer)
    return drawn


def _times(attempt: Attempt) -> list[str]:
    if attempt.result is None:
        return ["-"] * 4
    seconds = attempt.result.seconds
    return [f"{time:.4f}" for time in (seconds.compile, seconds.upload, min(seconds.run), seconds.download)]


def as_json(program: Program, found: Everywhere, graph: Graph, request: Request) -> dict[str, Any]:
    """One object; `runs` is the list of all devices, `properties` and `returned` are the measure's."""
    measure = found.measure
    answer = None if measure is None or measure.result is None else measure.result.to_json()
    return {
        "schema": 1,
        "program": program.name,
        "function": program.module(request.function).entry,
        "graph": {"nodes": graph.num_nodes, "arcs": graph.num_arcs, "directed": graph.directed},
        "measure": None if measure is None else {"target": measure.device.target, "index": measure.device.index},
        "remark": found.remark or None,
        "returned": None if answer is None else answer["returned"],
        "properties": {} if answer is None else answer["properties"],
        "runs": [_run_as_json(attempt) for attempt in found.attempts],
    }


def _run_as_json(attempt: Attempt) -> dict[str, Any]:
    ran = None if attempt.result is None else attempt.result.to_json()
    return {
        "target": attempt.device.target,
        "index": attempt.device.index,
        "device": attempt.device.name,
        "agreement": attempt.agreement.name.lower(),
        "reason": attempt.reason or None,
        "code": None if attempt.fault is None else attempt.fault.diagnostics[0].code,
        "mend": attempt.device.mend,
        "warnings": [] if ran is None else ran["warnings"],
        "seconds": None if ran is None else ran["seconds"],
        "bytes": None if ran is None else ran["bytes"],
    }


@dataclass(frozen=True, slots=True)
class Request:
    """How to run; the names are those of `Program.run`."""

    function: str | None
    target: str
    device: int | None
    repeat: int
    validate: bool
    schedule: Schedule | None = None
    trace: bool = False
    max_rounds: int | None = None
    time_limit: float | None = None
    checked: bool = False
    device_memory: str | None = None
    host_memory: str | None = None
    devices: int | str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """All of it by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
