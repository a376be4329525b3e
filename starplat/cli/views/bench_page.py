"""Measurements as one self-contained HTML page: a bar per case for each graph."""

from typing import Any

from starplat.bench.records import Report, Row, Sizes, baseline
from starplat.bench.samples import Estimate, speed_up
from starplat.cli.views.bench_roofline import roofline
from starplat.cli.views.bench_table import interval, milliseconds
from starplat.cli.views.html import filled


def page(report: Report) -> str:
    """The page; the same report gives the same bytes."""
    return filled(
        "bench.html.jinja",
        program=report.program,
        function=report.function,
        version=report.version,
        graphs=[_graph(graph, report.of(graph)) for graph in report.graphs],
        roofline=roofline(report),
    )


def _graph(graph: Sizes, rows: tuple[Row, ...]) -> dict[str, Any]:
    first = baseline(rows)
    ratios = [None if first is None or not row.counts else speed_up(first.seconds, row.seconds) for row in rows]
    longest = max((ratio.high for ratio in ratios if ratio is not None), default=1.0)
    return {
        "name": graph.name,
        "described": graph.described,
        "rows": [_row(row, ratio, longest, is_first=row is first) for row, ratio in zip(rows, ratios, strict=True)],
    }


def _row(row: Row, ratio: Estimate | None, longest: float, *, is_first: bool) -> dict[str, Any]:
    middle = row.median
    bar = None
    if ratio is not None:
        low, value, high = (round(100 * part / longest, 2) for part in (ratio.low, ratio.value, ratio.high))
        bar = {"length": value, "low": low, "width": round(high - low, 2), "said": f"{ratio.value:.2f} ×"}
    return {
        "target": row.target,
        "device": row.device,
        "schedule": row.schedule,
        "time": None if middle is None else f"{milliseconds(middle.value)} ms",
        "interval": interval(middle),
        "bar": bar,
        "first": is_first,
        "answer": row.answer.value,
        "wrong": not row.counts,
        "reason": row.reason,
    }
