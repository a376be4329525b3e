"""Measurements as tables in a terminal."""

from collections.abc import Iterable, Iterator

from rich.markup import escape
from rich.table import Table

from starplat.bench.compare import Change, Pair
from starplat.bench.records import Report, Row, baseline
from starplat.bench.samples import Estimate, speed_up
from starplat.cli.views.agreements import agreement_in_color

CHANGES = {
    Change.FASTER: "green",
    Change.MENDED: "green",
    Change.SLOWER: "bold red",
    Change.BROKEN: "bold red",
    Change.FAILED: "red",
    Change.NEW: "cyan",
    Change.GONE: "dim",
    Change.SAME: "",
}


def tables(report: Report) -> Iterator[Table]:
    """One for each graph: median and interval of every case, and how it compares with the first that counts."""
    for graph in report.graphs:
        rows = report.of(graph)
        title = f"{report.program} on {graph.name}: {graph.described}"
        drawn = _table(title, "target", "device", "schedule")
        for heading in ("ms", "95 %", "times as fast", "compile s", "upload s"):
            drawn.add_column(heading, justify="right", no_wrap=True)
        drawn.add_column("answer", overflow="fold")
        first = baseline(rows)
        for row in rows:
            drawn.add_row(
                row.target,
                escape(row.device),
                row.schedule,
                *_numbers(row, first),
                agreement_in_color(row.answer, row.reason),
            )
        yield drawn


def changes(pairs: Iterable[Pair]) -> Table:
    """A row for each case of two reports."""
    drawn = _table("", "graph", "target", "schedule")
    for heading in ("before ms", "after ms", "times as fast", "95 %"):
        drawn.add_column(heading, justify="right", no_wrap=True)
    drawn.add_column("", overflow="fold")
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


def interval(estimate: Estimate | None, scale: float = 1000) -> str:
    """Both ends, times in milliseconds; a dash with too few times to tell."""
    if estimate is None or estimate.interval is None:
        return "-"
    low, high = (f"{end * scale:.3g}" if end * scale < 1000 else f"{end * scale:.0f}" for end in estimate.interval)
    return f"{low} to {high}"


def _table(title: str, *headings: str) -> Table:
    drawn = Table(
        *headings, title=title or None, title_justify="left", title_style="bold", box=None, header_style="bold"
    )
    drawn.pad_edge = False
    return drawn


def _numbers(row: Row, first: Row | None) -> list[str]:
    middle = row.median
    if middle is None:
        return ["-"] * 5
    faster = "-" if first is None or not row.counts else f"{speed_up(first.seconds, row.seconds).value:.2f}"
    return [milliseconds(middle.value), interval(middle), faster, f"{row.compile:.3f}", f"{row.upload:.3f}"]
