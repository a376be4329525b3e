"""One process for every graph, which measures its cells and tells them as it goes, and the watch over it.

A kernel that runs cannot be called off from inside, so the watch ends a process whose cell takes longer than its limit,
and starts another for the cells behind. Events are JSON, one a line, on the process's standard output.
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.measured.cells import Cell, Wish, measure
from benchmarks.measured.graphs import ROOT, load
from benchmarks.measured.judging import Arcs, array_module
from benchmarks.measured.rows import ROWS

START = "import sys; from benchmarks.measured.processes import work; work(sys.argv[1])"
GRACE = 10.0
"""Seconds that a process gets beyond a cell's limit: it looks at the clock between its runs."""


@dataclass(frozen=True)
class Order:
    """What one process is to do.

    Attributes:
        graph: its name.
        cells: rows and targets in the order to measure them in.
        judge: which array module the judges use: auto, numpy or cupy.
        data, kept: folders, as `graphs.load` takes them.
        making: how many seconds the graph may take.
    """

    graph: str
    cells: tuple[tuple[str, str], ...]
    schedule: str
    device: int | None
    repeat: int
    limit: float
    judge: str = "auto"
    data: str | None = None
    kept: str | None = None
    making: float = 300.0


# --- in the process ------------------------------------------------------------------------------------------------


def work(text: str) -> None:
    """Does what the order says."""
    fields = json.loads(text)
    order = Order(**{**fields, "cells": tuple(map(tuple, fields["cells"]))})
    started = time.perf_counter()
    weighted = any(ROWS[row].weighted for row, _ in order.cells)
    folders = (None if folder is None else Path(folder) for folder in (order.data, order.kept))
    entry = load(order.graph, *folders, weighted=weighted)
    arcs = Arcs(entry.graph, array_module(order.judge))
    seconds = time.perf_counter() - started
    tell("graph", seconds=seconds, text=entry.graph.describe(), source=entry.source)
    for row, target in order.cells:
        tell("start", row=row, target=target)
        wish = Wish(target, order.schedule, order.device, order.repeat, order.limit)
        tell("cell", cell=measure(ROWS[row], entry, arcs, wish).to_json())


def tell(event: str, **fields: Any) -> None:
    """Prints an event for the watch."""
    print(json.dumps({"event": event, **fields}), flush=True)


# --- the watch -----------------------------------------------------------------------------------------------------


def cells_of(order: Order, say: Callable[[str], None], deadline: float | None = None) -> Iterator[Cell]:
    """The cells of an order as they are finished, every one of them; `deadline` is a time of `time.monotonic`."""
    left = list(order.cells)
    while left and not _past(deadline):
        for cell in _of_one_process(Order(**{**asdict(order), "cells": tuple(left)}), say, deadline):
            left.remove(_place(cell, left))
            yield cell
    for row, target in left:
        yield Cell(row, order.graph, target, order.schedule, "too slow", remark="no time was left")


def _place(cell: Cell, left: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """A cell's row and target as they were ordered, where the target may have been "auto"."""
    return next(place for place in left if place[0] == cell.row and place[1] in (cell.target, "auto"))


def _of_one_process(order: Order, say: Callable[[str], None], deadline: float | None) -> Iterator[Cell]:
    """The cells until the process ends, those included that it ended in or could not begin."""
    process = subprocess.Popen(
        [sys.executable, "-c", START, json.dumps(asdict(order))], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    events, current, allowed = events_of(process), order.cells[0], order.making
    measured, ready = 0, False
    try:
        while True:
            event = next_event(events, _seconds(allowed, deadline))
            match event:
                case {"event": "graph"}:
                    ready = True
                    say(f"{event['text']}; ready after {event['seconds']:.1f} s, searches from {event['source']}")
                case {"event": "start"}:
                    current, allowed = (event["row"], event["target"]), order.limit + GRACE
                case {"event": "cell"}:
                    measured += 1
                    yield Cell.from_json(event["cell"])
                    current, allowed = order.cells[min(measured, len(order.cells) - 1)], order.making
                case {"event": "end"} if measured == len(order.cells):
                    return
                case {"event": "end"}:
                    remark = f"its process ended with exit code {process.wait()}"
                    yield from _lost(order, [current] if ready else order.cells, "failed", remark)
                    return
                case _:
                    slow = f"{'' if ready else 'the graph was '}not done after {allowed:.0f} s"
                    remark = "the time for all was over" if _past(deadline) else slow
                    yield from _lost(order, [current] if ready else order.cells, "too slow", remark)
                    return
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()


def _lost(order: Order, places: Sequence[tuple[str, str]], status: str, remark: str) -> Iterator[Cell]:
    """The cell in which a process ended, or all of them where it never got to one."""
    return (Cell(row, order.graph, target, order.schedule, status, remark=remark) for row, target in places)


def events_of(process: subprocess.Popen[str]) -> queue.Queue[Mapping[str, Any]]:
    """What the process tells, as it comes; "end" when it is gone."""
    found: queue.Queue[Mapping[str, Any]] = queue.Queue()
    lines = process.stdout
    assert lines is not None

    def listen() -> None:
        for line in lines:
            with suppress(json.JSONDecodeError):  # a runtime may print what it likes
                event = json.loads(line)
                found.put(event if isinstance(event, dict) else {})
        found.put({"event": "end"})

    threading.Thread(target=listen, daemon=True).start()
    return found


def next_event(events: queue.Queue[Mapping[str, Any]], seconds: float) -> Mapping[str, Any]:
    """The next event, or none of them in that time."""
    started = time.monotonic()
    while True:
        try:
            event = events.get(timeout=max(0.0, seconds - (time.monotonic() - started)))
        except queue.Empty:
            return {}
        if "event" in event:
            return event


def _past(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _seconds(allowed: float, deadline: float | None) -> float:
    return allowed if deadline is None else max(0.0, min(allowed, deadline - time.monotonic()))
