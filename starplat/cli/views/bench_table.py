"""Measurements as tables in a terminal, and as one self-contained HTML page: a bar per case for each graph."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.markup import escape
from rich.table import Table

from starplat.bench import compare, records
from starplat.cli import console
from starplat.cli.views import agreements, bench_roofline, html

CHANGES = {
    compare.Change.FASTER: "green",
    compare.Change.MENDED: "green",
    compare.Change.SLOWER: "bold red",
    compare.Change.BROKEN: "bold red",
    compare.Change.FAILED: "red",
    compare.Change.NEW: "cyan",
    compare.Change.GONE: "dim",
    compare.Change.SAME: "",
}


def tables(report: records.Report) -> Iterator[Table]:
    """One for each graph: median and interval of every case, and how it compares with the first that counts."""
    for graph in report.graphs:
        rows = report.of(graph)
        title = f"{report.program} on {graph.name}: {graph.described}"
        numbers = ("ms", "95 %", "times as fast", "compile s", "upload s")
        drawn = console.table("target", "device", "schedule", numbers=numbers, last="answer", title=title)
        first = records.baseline(rows)
        for row in rows:
            drawn.add_row(
                row.target,
                escape(row.device),
                row.schedule,
                *_numbers(row, first),
                agreements.agreement_in_color(row.answer, row.reason),
            )
        yield drawn


def changes(pairs: Iterable[compare.Pair]) -> Table:
    """A row for each case of two reports."""
    numbers = ("before ms", "after ms", "times as fast", "95 %")
    drawn = console.table("graph", "target", "schedule", numbers=numbers, last="")
    for pair in pairs:
        times = (None if row is None else row.median for row in (pair.before, pair.after))
        ratio = pair.speed_up
        style = CHANGES[pair.change]
        drawn.add_row(
            *pair.row.key,
            *("-" if time is None else milliseconds(time.value) for time in times),
            "-" if ratio is None else f"{ratio.value:.2f}",
            interval(ratio, 1),
            f"[{style}]{pair.change.value}[/]" if style else pair.change.value,
        )
    return drawn


def milliseconds(seconds: float) -> str:
    """Four digits that count.

    >>> milliseconds(0.0123456), milliseconds(12.3456)
    ('12.35', '12346')
    """
    value = seconds * 1000
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def interval(estimate: records.Estimate | None, scale: float = 1000) -> str:
    """Both ends, times in milliseconds; a dash with too few times to tell."""
    if estimate is None or estimate.interval is None:
        return "-"
    low, high = (f"{end * scale:.3g}" if end * scale < 1000 else f"{end * scale:.0f}" for end in estimate.interval)
    return f"{low} to {high}"


def _numbers(row: records.Row, first: records.Row | None) -> list[str]:
    middle = row.median
    if middle is None:
        return ["-"] * 5
    faster = "-" if first is None or not row.counts else f"{records.speed_up(first.seconds, row.seconds).value:.2f}"
    return [milliseconds(middle.value), interval(middle), faster, f"{row.compile:.3f}", f"{row.upload:.3f}"]


def page(report: records.Report) -> str:
    """The page; the same report gives the same bytes."""
    return html.filled(
        "bench.html.jinja",
        program=report.program,
        function=report.function,
        version=report.version,
        graphs=[_graph(graph, report.of(graph)) for graph in report.graphs],
        roofline=bench_roofline.roofline(report),
    )


def _graph(graph: records.Sizes, rows: tuple[records.Row, ...]) -> dict[str, Any]:
    first = records.baseline(rows)
    ratios = [None if first is None or not row.counts else records.speed_up(first.seconds, row.seconds) for row in rows]
    longest = max((ratio.high for ratio in ratios if ratio is not None), default=1.0)
    return {
        "name": graph.name,
        "described": graph.described,
        "rows": [_row(row, ratio, longest, is_first=row is first) for row, ratio in zip(rows, ratios, strict=True)],
    }


def _row(row: records.Row, ratio: records.Estimate | None, longest: float, *, is_first: bool) -> dict[str, Any]:
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
