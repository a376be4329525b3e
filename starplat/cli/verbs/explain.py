"""`starplat explain`: facts about a program and the choices of its schedule, or the page of an error code."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from starplat.cli import arguments, arguments as options, console
from starplat.cli.verbs.graph import load
from starplat.diagnostics import Diagnostic, DiagnosticError

if TYPE_CHECKING:
    from starplat.graph import Graph
    from starplat.ir import nodes as ir
    from starplat.pipeline import Checked
    from starplat.runtime.divided.foreseen import Foreseen
    from starplat.runtime.targets import Chosen
    from starplat.schedule import Schedule
    from starplat.schedule.describe import Plan

What = Annotated[
    str, typer.Argument(metavar="FILE.sp|CODE", help="A program, or a code such as E0203.", show_default=False)
]


@dataclass(frozen=True, slots=True)
class Wish:
    """The target, device and graph for which choices are explained, if any, and in how many `parts` it would run, as
    `ranks` or on devices of one process."""

    target: str | None
    device_choice: arguments.DeviceChoice
    schedule: Schedule | None
    graph: Callable[[], Graph] | None
    function: str | None
    parts: int | None = None
    ranks: bool = False
    rounds: int = 1
    device_memory: str | None = None

    @property
    def asked(self) -> bool:
        """Whether anything of it was given."""
        return self.device_choice.asked or any(given is not None for given in (self.target, self.schedule, self.graph))


_MOST = 2**31 - 1
"""Parts and rounds that `explain` counts with."""

_CODE = re.compile(r"[EWN]\d+", re.IGNORECASE)


def explain(
    what: What,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="What the schedule chooses for this target, and why; else for auto."),
    ] = None,
    graph: Annotated[
        Path | None, typer.Option("--graph", "-g", metavar="PATH", help="The same for this graph; see run.")
    ] = None,
    function: options.FunctionName = None,
    devices: Annotated[
        int | None,
        typer.Option(
            "--devices", metavar="N", min=1, max=_MOST, help="What up to so many devices would exchange and gain."
        ),
    ] = None,
    ranks: Annotated[
        int | None,
        typer.Option("--ranks", metavar="N", min=1, max=_MOST, help="The same of up to so many MPI processes."),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            metavar="N",
            min=1,
            max=_MOST,
            help="Expect so many rounds of each loop there, or sources; else 1.",
        ),
    ] = None,
    device_memory: Annotated[
        str | None,
        typer.Option(
            "--device-memory", metavar="SIZE", help="What a run on the graph would follow in so much, and place where."
        ),
    ] = None,
    device: options.DeviceNumber = None,
    kind: options.Kind = None,
    schedule: options.ScheduleText = None,
    strict: options.Strict = False,
    all_errors: options.AllErrors = False,
    json: options.Json = False,
    undirected: options.Undirected = False,
    weights: options.Weights = None,
    drop_loops: options.DropLoops = False,
    dedup: options.Dedup = False,
) -> None:
    """Explain a program (effects, races, convergence, transfers, choices of its schedule) or an error code."""
    if _CODE.fullmatch(what):
        _explain_code(what.upper(), json)
    else:
        device_choice = arguments.DeviceChoice(device, kind)
        wanted = arguments.wanted_schedule(schedule, Path(what))
        as_asked = partial(load, undirected=undirected, weights=weights, drop_loops=drop_loops, dedup=dedup)
        _require_one_way(devices, ranks, rounds, graph)
        _require_graph(device_memory, kind, graph, in_parts=devices is not None or ranks is not None)
        _require_no_schedule(wanted, in_parts=devices is not None or ranks is not None)
        given = None if graph is None else partial(as_asked, graph)
        in_parts = devices or ranks, ranks is not None, rounds or 1
        wish = Wish(target, device_choice, wanted, given, function, *in_parts, device_memory)
        _explain_program(what, wish, strict=strict, json=json)


def _require_one_way(devices: int | None, ranks: int | None, rounds: int | None, graph: Path | None) -> None:
    """Raises typer.BadParameter for a run in parts that is not told whole, or in two ways."""
    if devices is not None and ranks is not None:
        raise typer.BadParameter("a run has devices of one process, or ranks: not both", param_hint="--devices")
    if devices is None and ranks is None:
        if rounds is not None:
            raise typer.BadParameter("is about parts: give --devices or --ranks too", param_hint="--rounds")
        return
    if graph is None:
        hint = "--devices" if ranks is None else "--ranks"
        raise typer.BadParameter("what parts exchange depends on the graph: give --graph too", param_hint=hint)


def _require_graph(device_memory: str | None, kind: options.Kind, graph: Path | None, *, in_parts: bool) -> None:
    """Raises typer.BadParameter for a limit of memory where it is not known what is to have room in it."""
    if device_memory is None:
        return
    hint = "--device-memory"
    if graph is None:
        raise typer.BadParameter("what has room depends on the graph: give --graph too", param_hint=hint)
    if kind is not None:
        raise typer.BadParameter("asks a device that is here, and cannot go with --for", param_hint=hint)
    if in_parts:
        raise typer.BadParameter("is about a run on one device", param_hint=hint)


def _require_no_schedule(wanted: Schedule | None, *, in_parts: bool) -> None:
    """Raises E0736, as a run does: parts choose their schedule."""
    from starplat.runtime.divided.among_ranks import require_divisible
    from starplat.schedule import PLAIN

    require_divisible({"a schedule": in_parts and wanted not in (None, PLAIN)})


def page(code: str) -> str:
    """The page about a code, in Markdown. Raises E0793: there is none."""
    from starplat.frontend.mistakes.remedies import closest
    from starplat.resources import error_page_folder

    pages = {path.stem: path for path in error_page_folder().glob("*.md")}
    if code not in pages:
        near = closest(code, sorted(pages))
        raise DiagnosticError(
            Diagnostic("E0793", f"no diagnostic has the code {code}", help=f"did you mean {near}?" if near else None)
        )
    return pages[code].read_text(encoding="utf-8")


def _explain_code(code: str, json: bool) -> None:
    text = page(code)
    if json:
        console.write_json({"schema": 1, "code": code, "page": text})
    elif console.wants_colour(sys.stdout):
        from rich.markdown import Markdown

        console.out().print(Markdown(text))
    else:
        console.write(text)


def _explain_program(path: str, wish: Wish, *, strict: bool, json: bool) -> None:
    from starplat import pipeline
    from starplat.analysis import describe, to_json
    from starplat.cli.files import source_at

    checked = pipeline.check(source_at(Path(path)), strict=strict)
    console.show(checked.warnings)
    plan, parts = _plan(checked, wish)
    if json:
        found = {"schedule": plan, "parts": parts}
        asked = {name: one.to_json() for name, one in found.items() if one is not None}
        console.write_json({"schema": 1, "program": path, **to_json(checked.facts), **asked})
    else:
        console.write(describe(checked.facts))
        console.write("".join(f"\n{one}" + "\n" * (one is plan and parts is not None) for one in (plan, parts) if one))


def _plan(checked: Checked, wish: Wish) -> tuple[Plan | None, Foreseen | None]:
    """The schedule's choices, and what a run in parts comes to, if the command line asks for them."""
    from starplat import pipeline

    if not wish.asked:
        return None, None
    from starplat.runtime.targets import automatic

    module = pipeline.lower(checked, wish.function)
    named = wish.target or "auto"
    chosen = wish.device_choice.of(automatic() if named == "auto" else named)
    graph = None if wish.graph is None else wish.graph()
    if wish.device_memory is not None and graph is not None:
        return _plan_within(module, graph, chosen, wish), None
    plan = pipeline.plan(module, chosen.target, wish.schedule, graph, chosen.capabilities, chosen.device)
    if wish.parts is None or graph is None:
        return plan, None
    from starplat.runtime.divided.foreseen import foreseen
    from starplat.runtime.facts import facts_for

    facts = facts_for(module, chosen.capabilities, graph)
    able, most = chosen.capabilities, wish.parts
    return plan, foreseen(module, chosen.target, able, facts, most, rounds=wish.rounds, ranks=wish.ranks)


def _plan_within(module: ir.Module, graph: Graph, chosen: Chosen, wish: Wish) -> Plan:
    """The choices of a run in so much memory of the device, and what lies where."""
    from starplat import pipeline
    from starplat.runtime import limits
    from starplat.runtime.launch import Request
    from starplat.runtime.placing import placed
    from starplat.schedule.step import Choice

    within = limits(None, None, device_memory=wish.device_memory)
    asked = Request(target=chosen.target, device_index=wish.device_choice.device, schedule=wish.schedule, limits=within)
    found = placed(module, graph, asked)
    plan = pipeline.plan(module, chosen.target, found.schedule, graph, chosen.capabilities, chosen.device)
    room = Choice(str(found), f"a run may take {wish.device_memory} of the device's memory", step="room")
    return replace(plan, choices=(*plan.choices, room))
