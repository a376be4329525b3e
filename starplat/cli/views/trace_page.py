"""A trace as one self-contained HTML page: frontier and time of every round, and where something switches.

Rounds stand side by side; where there are more than columns, a column stands for several.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from starplat.cli.views.html import filled
from starplat.cli.views.trace_words import changes, counted, milliseconds, notes, rows
from starplat.ir.points import Way
from starplat.runtime import Result
from starplat.runtime.tracing.trace import Round, Trace

WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 1200, 260, 84, 20, 232
MOST_COLUMNS = 800
MOST_MARKS, MOST_LABELS = 400, 40
MOST_ROWS = 2000
KINDS = {Way.PUSH: "push", Way.PULL: "pull", Way.NONE: "none"}


@dataclass(frozen=True, slots=True)
class Column:
    """Consecutive rounds, of which `first` is the first."""

    first: int
    rounds: tuple[Round, ...]

    @property
    def active(self) -> int:
        """The most active nodes."""
        return max((one.chief.active or 0 for one in self.rounds), default=0)

    @property
    def seconds(self) -> float:
        """Of all its rounds, divided by their number."""
        return sum(one.seconds for one in self.rounds) / len(self.rounds)

    @property
    def title(self) -> str:
        """The text shown when it is pointed at."""
        one = self.rounds[0]
        if len(self.rounds) > 1:
            head = f"rounds {self.first + 1:,} to {self.first + len(self.rounds):,} of the run"
            return f"{head}: at most {self.active:,} active, {milliseconds(self.seconds)} ms each on average"
        chief = one.chief
        head = f"line {one.line}, round {one.number:,}" if one.line else f"round {one.number:,}"
        way = "" if chief.direction is Way.NONE else f"{chief.direction.value}, "
        nodes = f"{counted(chief.active)} active nodes with {counted(chief.arcs)} arcs"
        return f"{head}: {nodes}, {way}{chief.held.value}, {milliseconds(one.seconds)} ms"


def page(result: Result, trace: Trace) -> str:
    """The page; the same result gives the same bytes."""
    graph, shown = result.graph, rows(trace)
    columns = _columns(trace.rounds)
    return filled(
        "trace.html.jinja",
        program=result.program,
        function=result.function,
        target=result.target,
        device=result.device,
        lead=f"{graph.num_nodes:,} nodes, {graph.num_arcs:,} arcs, {len(trace.rounds):,} rounds.",
        notes=notes(result, trace),
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        bottom=BOTTOM,
        panels=_panels(columns),
        marks=_marks(trace, columns),
        rounds=_axis(columns),
        legend=_legend(trace),
        rows=shown[:MOST_ROWS],
        exchanged=bool(trace.exchanges),
        more=len(shown) > MOST_ROWS,
    )


def _columns(rounds: Sequence[Round]) -> list[Column]:
    each = -(-len(rounds) // MOST_COLUMNS) or 1
    return [Column(first, tuple(rounds[first : first + each])) for first in range(0, len(rounds), each)]


def _panels(columns: Sequence[Column]) -> list[dict[str, Any]]:
    if not columns:
        return []
    most = max(column.active for column in columns)
    longest = max(column.seconds for column in columns) or 1e-9
    powers = max(math.ceil(math.log10(most)), 1) if most > 1 else 1
    several = "" if len(columns[0].rounds) == 1 else f", {len(columns[0].rounds)} rounds in a column"
    sizes = {
        "title": "Frontier: active nodes in a round",
        "scale": f"logarithmic{several}",
        "ticks": [{"y": _y(power / powers), "label": f"{10**power:,}"} for power in range(powers + 1)],
        "bars": _bars(columns, lambda c: (math.log10(c.active) / powers) if c.active > 0 else None),
    }
    step = _nice(longest * 1000 / 4)
    marks = [step * number for number in range(int(longest * 1000 / step) + 1)]
    times = {
        "title": "Time of a round",
        "scale": f"milliseconds{several}",
        "ticks": [{"y": _y(mark / (longest * 1000)), "label": f"{mark:g}"} for mark in marks],
        "bars": _bars(columns, lambda column: column.seconds / longest),
    }
    return [sizes, times]


def _bars(columns: Sequence[Column], share: Callable[[Column], float | None]) -> list[dict[str, Any]]:
    """A bar for each column: as high as its share of the panel, and high enough to point at."""
    each = (WIDTH - LEFT) / len(columns)
    gap = 0.15 * each if each > 4 else 0.0
    bars = []
    for number, column in enumerate(columns):
        if (part := share(column)) is None:
            continue
        height = max(part * (BOTTOM - TOP), 2.0)
        bars.append(
            {
                "kind": KINDS[column.rounds[0].chief.direction],
                "x": round(LEFT + number * each, 2),
                "y": round(BOTTOM - height, 2),
                "width": round(min(each - gap, 60), 2),
                "height": round(height, 2),
                "title": column.title,
            }
        )
    return bars


def _marks(trace: Trace, columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Where something switches, and where another loop begins."""
    found = [(number, "switch", words) for number, words in changes(trace).items()]
    for number, one in enumerate(trace.rounds):
        if one.number == 1 and number:
            found.append((number, "begins", "" if one.line is None else f"line {one.line}"))
    found.sort()
    return [
        {
            "kind": kind,
            "x": round(_x(number, columns), 2),
            "label": words if kind == "switch" and len(found) <= MOST_LABELS else "",
            "title": f"switches to {words}" if kind == "switch" else f"a loop begins: {words}",
        }
        for number, kind, words in found[:MOST_MARKS]
    ]


def _axis(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Numbers of rounds, counted over the whole run."""
    total = sum(len(column.rounds) for column in columns)
    step = max(int(_nice(total / 10)), 1)
    half = (WIDTH - LEFT) / max(len(columns), 1) / 2
    numbers = range(step, total + 1, step) if step > 1 else range(1, total + 1)
    return [{"x": round(_x(number - 1, columns) + min(half, 30), 2), "label": f"{number:,}"} for number in numbers]


def _legend(trace: Trace) -> list[tuple[str, str]]:
    ways = {one.chief.direction for one in trace.rounds}
    words = {Way.PUSH: "pushes to neighbors", Way.PULL: "pulls from neighbors", Way.NONE: "walks no arcs"}
    keys = [(KINDS[way], words[way]) for way in Way if way in ways]
    if changes(trace):
        keys.append(("line", "switches direction, or how nodes are held"))
    if sum(one.number == 1 for one in trace.rounds) > 1:
        keys.append(("loop", "a loop begins"))
    return keys


def _x(number: int, columns: Sequence[Column]) -> float:
    return LEFT + number / len(columns[0].rounds) * (WIDTH - LEFT) / len(columns)


def _y(share: float) -> float:
    return round(BOTTOM - share * (BOTTOM - TOP), 2)


def _nice(value: float) -> float:
    """The next number with one digit that people count by: 1, 2 or 5."""
    power = 10.0 ** math.floor(math.log10(max(value, 1e-9)))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value * 0.999)
