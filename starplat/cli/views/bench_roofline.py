"""The roofline of a report: operations per byte and per second of each case, under the device's copy rate.

The roof is what a device would reach if it touched cells as fast as it copies; what it could compute is not measured,
so there is no flat part. Bytes and operations are lower bounds, and so is the height of a point.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starplat.bench.records import Counted, Report, Row
from starplat.runtime.tracing.work import LEFT_OUT

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 1140, 420, 84, 1130, 28, 372
COLOURS = 6
NEAR = 14.0
"""Points that lie nearer to each other share a label."""
SAID = (
    "Counted are the cells that every iteration reads or writes, each access once, whatever caches do, and operators "
    "that it evaluates; what stands under conditions is not. So bytes, operations and heights are lower bounds."
)
ABOVE = "A point above its line: its cells stay in caches, which are faster than the copy of a large array."


@dataclass(frozen=True, slots=True)
class Point:
    """A case that can be drawn, and its number among those that were counted."""

    number: int
    row: Row
    work: Counted
    seconds: float

    @property
    def intensity(self) -> float:
        """Operations for each byte."""
        return self.work.operations / self.work.bytes

    @property
    def operations(self) -> float:
        """In a second."""
        return self.work.operations / self.seconds

    @property
    def rate(self) -> float:
        """Bytes in a second."""
        return self.work.bytes / self.seconds

    @property
    def name(self) -> str:
        """The case in a line."""
        return f"{self.row.graph.name}, {self.row.target}, {self.row.schedule}"


def roofline(report: Report) -> dict[str, Any] | None:
    """What the template draws; None where nothing was counted."""
    rows = [row for row in report.rows if row.work is not None]
    if not rows:
        return None
    points = [point for number, row in enumerate(rows, 1) if (point := _point(number, row)) is not None]
    kinds = {target: f"c{number % COLOURS}" for number, target in enumerate(dict.fromkeys(row.target for row in rows))}
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": RIGHT,
        "top": TOP,
        "bottom": BOTTOM,
        **_drawn(points, kinds),
        "rows": [{"number": number, "kind": kinds[row.target], **_in_words(row)} for number, row in enumerate(rows, 1)],
        "notes": _notes(rows, points),
    }


def _point(number: int, row: Row) -> Point | None:
    """The case as a point, unless too little of it was counted."""
    work, middle = row.work, row.median
    if work is None or middle is None or not row.counts or middle.value <= 0:
        return None
    if min(work.bytes, work.operations) <= 0 or LEFT_OUT in work.missing:
        return None
    return Point(number, row, work, middle.value)


def _drawn(points: Sequence[Point], kinds: Mapping[str, str]) -> dict[str, Any]:
    if not points:
        return {"across": [], "up": [], "roofs": [], "points": [], "labels": []}
    devices = {(p.row.target, p.row.device): p.work.copy_rate for p in points}
    across = _Axis.over([p.intensity for p in points], LEFT, RIGHT)
    ends = [10.0**end * rate for end in (across.low, across.high) for rate in devices.values()]
    up = _Axis.over([*(p.operations for p in points), *ends], BOTTOM, TOP)
    places = [(across.place(p.intensity), up.place(p.operations)) for p in points]
    return {
        "across": [{"x": across.place(10.0**n), "label": _power(n)} for n in across.powers],
        "up": [{"y": up.place(10.0**n), "label": _power(n)} for n in up.powers],
        "roofs": [
            {"kind": kinds[t], **_roof(_copies(t, d, rate), rate, across, up)} for (t, d), rate in devices.items()
        ],
        "points": [
            {
                "kind": kinds[p.row.target],
                "x": x,
                "y": y,
                "title": f"{p.name}: {_short(p.rate)}B/s, {p.rate / p.work.copy_rate:.0%} of the copy rate, "
                f"{_short(p.operations)} operations/s",
            }
            for p, (x, y) in zip(points, places, strict=True)
        ],
        "labels": _labels([p.number for p in points], places),
    }


def _labels(numbers: Sequence[int], places: Sequence[tuple[float, float]]) -> list[dict[str, Any]]:
    """The points' numbers; those that would lie on each other stand in one label."""
    found: list[tuple[float, float, list[int]]] = []
    for number, (x, y) in zip(numbers, places, strict=True):
        near = next((to for left, top, to in found if abs(left - x) < NEAR and abs(top - y) < NEAR), None)
        if near is None:
            found.append((x, y, [number]))
        else:
            near.append(number)
    return [{"x": x, "y": y, "text": ", ".join(map(str, to))} for x, y, to in found]


@dataclass(frozen=True, slots=True)
class _Axis:
    """A logarithmic axis from a power of ten to another."""

    low: int
    high: int
    begin: float
    end: float

    @classmethod
    def over(cls, values: Sequence[float], begin: float, end: float) -> "_Axis":
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        return cls(low, max(high, low + 1), begin, end)

    @property
    def powers(self) -> range:
        return range(self.low, self.high + 1)

    def place(self, value: float) -> float:
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.begin + share * (self.end - self.begin), 2)


def _copies(target: str, device: str, rate: float) -> str:
    return f"{target} on {device} copies {_short(rate)}B/s"


def _roof(title: str, rate: float, across: _Axis, up: _Axis) -> dict[str, Any]:
    """The line `operations = rate * intensity`, from one side to the other."""
    low, high = 10.0**across.low, 10.0**across.high
    ends = {"x1": across.begin, "y1": up.place(low * rate), "x2": across.end, "y2": up.place(high * rate)}
    return {**ends, "title": title}


def _in_words(row: Row) -> dict[str, str]:
    work, middle = row.work, row.median
    assert work is not None
    rate = 0.0 if middle is None or middle.value <= 0 else work.bytes / middle.value
    return {
        "graph": row.graph.name,
        "target": row.target,
        "schedule": row.schedule,
        "bytes": f"{work.bytes:,}",
        "operations": f"{work.operations:,}",
        "rate": f"{_short(rate)}B/s",
        "share": f"{rate / work.copy_rate:.1%}",
        "missing": "; ".join(work.missing) or "-",
    }


def _notes(rows: Sequence[Row], points: Sequence[Point]) -> list[str]:
    lines = dict.fromkeys(_copies(p.row.target, p.row.device, p.work.copy_rate) for p in points)
    said = [SAID, f"The slanted lines: {'; '.join(lines)}."] if lines else [SAID]
    if any(point.rate > point.work.copy_rate for point in points):
        said.append(ABOVE)
    left = len(rows) - len(points)
    if left:
        said.append(f"Not drawn, because too little could be counted or the answer is wrong: {left} of {len(rows)}.")
    return said


def _power(number: int) -> str:
    return _short(10.0**number).strip() if number >= 0 else f"{10.0**number:g}"


def _short(value: float) -> str:
    """Three digits and a prefix.

    >>> _short(4.8e12), _short(1e6), _short(12)
    ('4.8 T', '1 M', '12 ')
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size * 0.9995:
            return f"{value / size:.3g} {letter}"
    return f"{value:.3g} "
