"""`starplat explain`: what the analyses know about a program and what a schedule makes of it, or the page of an error
code."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from starplat.cli import console
from starplat.cli.arguments import FunctionName, Json, ScheduleText, Strict
from starplat.cli.scheduling import wanted_schedule
from starplat.diagnostics import Diagnostic, DiagnosticError

if TYPE_CHECKING:
    from starplat.pipeline import Checked
    from starplat.schedule import Schedule
    from starplat.schedule.describe import Plan

What = Annotated[
    str, typer.Argument(metavar="FILE.sp|CODE", help="A program, or a code such as E0203.", show_default=False)
]


@dataclass(frozen=True, slots=True)
class Wish:
    """For what choices are to be explained; all None: not at all."""

    target: str | None
    schedule: Schedule | None
    graph: Path | None
    function: str | None


_CODE = re.compile(r"[EWN]\d+", re.IGNORECASE)


def explain(
    what: What,
    target: Annotated[
        str | None,
        typer.Option("--target", "-t", help="What the schedule chooses for this target, and why; auto with --graph."),
    ] = None,
    graph: Annotated[
        Path | None, typer.Option("--graph", "-g", metavar="PATH", help="The same for this graph; see run.")
    ] = None,
    function: FunctionName = None,
    schedule: ScheduleText = None,
    strict: Strict = False,
    json: Json = False,
) -> None:
    """Explain a program (effects, races, convergence, transfers, choices of its schedule) or an error code."""
    if _CODE.fullmatch(what):
        _explain_code(what.upper(), json)
    else:
        wanted = wanted_schedule(schedule, Path(what))
        _explain_program(what, Wish(target, wanted, graph, function), strict=strict, json=json)


def page(code: str) -> str:
    """The page about a code, in Markdown.

    Raises:
        DiagnosticError: E0793, there is none.
    """
    from starplat.frontend.suggest import closest
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
    from starplat.program_text import read_program

    checked = pipeline.check(read_program(path), strict=strict)
    console.show(checked.warnings)
    plan = _plan(checked, wish)
    if json:
        facts = {"schema": 1, "program": path, **to_json(checked.facts)}
        console.write_json(facts if plan is None else {**facts, "schedule": plan.to_json()})
    else:
        console.write(describe(checked.facts))
        console.write("" if plan is None else f"\n{plan}")


def _plan(checked: Checked, wish: Wish) -> Plan | None:
    """What the schedule comes to, if the command line asks for it."""
    from starplat import pipeline

    if wish.target is None and wish.schedule is None and wish.graph is None:
        return None
    module = pipeline.lower(checked, wish.function)
    if wish.graph is None:
        return pipeline.plan(module, wish.target or "opencl", wish.schedule)
    from starplat.cli.graph import load
    from starplat.runtime.targets import automatic

    named = wish.target or "auto"
    target = automatic() if named == "auto" else named
    return pipeline.plan(module, target, wish.schedule, load(wish.graph))
