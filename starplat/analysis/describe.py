"""The facts about a program as text (`starplat explain`) and as JSON."""

from collections.abc import Sequence
from typing import Any

from starplat.analysis import convergence, effects, races
from starplat.analysis.facts import Facts, FunctionFacts
from starplat.analysis.transfers import Transfers
from starplat.frontend import typed
from starplat.source import SourceFile, Span


def describe(facts: Facts) -> str:
    """Everything, readably: for each function its parallel loops, fixed points and transfers."""
    return "\n\n".join(_function_text(f, facts.program.source) for f in facts.functions) + "\n"


def _function_text(facts: FunctionFacts, source: SourceFile) -> str:
    parts = [f"function {facts.function.name}"]
    parts += [loop_text(loop, source) for loop in facts.loops]
    parts += [convergence_text(c, source) for c in facts.fixed_points]
    parts.append(_transfers_text(facts.transfers, source))
    return "\n\n".join(parts)


def _line(span: Span, source: SourceFile) -> int:
    return source.position(span.start)[0]


def _heading(span: Span, source: SourceFile) -> str:
    return f"{source.line_name(span.start)}: {source.line_at(span.start).strip().rstrip('{').rstrip()}"


def loop_text(loop: races.LoopRaces, source: SourceFile) -> str:
    """A parallel loop: the class of what it touches, with the reason, and its effects."""
    lines = [f"  {_heading(loop.loop.span, source)}"]
    width = max((len(_cell_title(c)) for c in loop.cells), default=0)
    lines += [
        f"    {_cell_title(c):<{width}}  ({c.race_class.value}) {c.race_class.title}: {c.reason}" for c in loop.cells
    ]
    if not loop.cells:
        lines.append("    touches nothing that outlives an iteration")
    for verb, names in _effects(loop).items():
        lines.append(f"    {verb:<8} {', '.join(names)}")
    return "\n".join(lines)


def _cell_title(cell: races.CellSet) -> str:
    return f"{cell.symbol.name} [{cell.where}]"


def _effects(loop: races.LoopRaces) -> dict[str, list[str]]:
    """What is read, written and reduced, each with the end of the edge that it belongs to."""
    found: dict[str, dict[str, None]] = {"reads": {}, "writes": {}, "reduces": {}}
    for cell in loop.cells:
        for access in cell.accesses:
            found[_verb(access)][f"{access.symbol.name} ({access.position.value})"] = None
    return {verb: list(names) for verb, names in found.items() if names}


def _verb(access: effects.Access) -> str:
    match access.kind:
        case effects.Kind.READ:
            return "reads"
        case effects.Kind.UPDATE | effects.Kind.EXTREME:
            return "reduces"
        case effects.Kind.WRITE | effects.Kind.CARRIED:
            return "writes"


def convergence_text(form: convergence.Convergence, source: SourceFile) -> str:
    """A fixed point: when it ends, and its frontier."""
    lines = [f"  {_heading(form.loop.span, source)}", f"    {form.spelling.value} ({form.reason})"]
    if form.frontier is not None:
        lines.append(f"    frontier: nodes where '{form.frontier.name}' is True")
    return "\n".join(lines)


def _transfers_text(transfers: Transfers, source: SourceFile) -> str:
    rows = [
        ("graph, up once", list(transfers.graph)),
        ("up if given", _names(transfers.up)),
        ("up when changed", _names(transfers.lists)),
        ("down if asked for", _names(transfers.down)),
        ("stays on the device", _names(transfers.resident)),
        ("cells the host reads", _names(transfers.host_reads)),
        ("cells the host writes", _names(transfers.host_writes)),
    ]
    lines = ["  transfers"] + [f"    {title:<22} {', '.join(names)}" for title, names in rows if names]
    for region in transfers.regions:
        lines.append(f"    kernel of {source.line_name(region.loop.loop.span.start)}")
        lines += [
            f"      {title:<20} {', '.join(names)}"
            for title, names in (
                ("reads", _names(region.reads)),
                ("writes", _names(region.writes)),
                ("one word down", _names(region.words)),
            )
            if names
        ]
    return "\n".join(lines)


def _names(symbols: Sequence[typed.Symbol]) -> list[str]:
    return [symbol.name for symbol in symbols]


def to_json(facts: Facts) -> dict[str, Any]:
    """The same as data, in a stable schema."""
    source = facts.program.source
    return {
        "schema": 1,
        "program": source.name,
        "functions": [
            {
                "name": f.function.name,
                "file": source.file_at(f.function.span.start)[0].name,
                "loops": [_loop_json(loop, source) for loop in f.loops],
                "fixed_points": [_convergence_json(c, source) for c in f.fixed_points],
                "transfers": _transfers_json(f.transfers, source),
            }
            for f in facts.functions
        ],
        "may_hold_infinity": sorted({symbol.name for symbol in facts.infinite}),
    }


def _loop_json(loop: races.LoopRaces, source: SourceFile) -> dict[str, Any]:
    return {
        "line": _line(loop.loop.span, source),
        "iterator": loop.loop.iterator.name,
        "cells": [
            {
                "symbol": cell.symbol.name,
                "where": cell.where,
                "class": cell.race_class.value,
                "title": cell.race_class.title,
                "reason": cell.reason,
                "accesses": [
                    {"kind": a.kind.value, "position": a.position.value, "line": _line(a.span, source)}
                    for a in cell.accesses
                ],
            }
            for cell in loop.cells
        ],
        **_effects(loop),
    }


def _convergence_json(form: convergence.Convergence, source: SourceFile) -> dict[str, Any]:
    return {
        "line": _line(form.loop.span, source),
        "spelling": form.spelling.name.lower(),
        "frontier": None if form.frontier is None else form.frontier.name,
        "next_frontier": None if form.next_frontier is None else form.next_frontier.name,
        "reason": form.reason,
    }


def _transfers_json(transfers: Transfers, source: SourceFile) -> dict[str, Any]:
    return {
        "graph_up_once": list(transfers.graph),
        "up": _names(transfers.up),
        "down": _names(transfers.down),
        "resident": _names(transfers.resident),
        "host_reads": _names(transfers.host_reads),
        "host_writes": _names(transfers.host_writes),
        "kernels": [
            {
                "line": _line(region.loop.loop.span, source),
                "reads": _names(region.reads),
                "writes": _names(region.writes),
                "words_down": _names(region.words),
            }
            for region in transfers.regions
        ],
    }
