"""A trace as a table in a terminal: a row per round, the middle left out of long ones."""

from rich.markup import escape
from rich.table import Table

from starplat.cli.views.trace_words import COLUMNS, Row, rows
from starplat.runtime.tracing.trace import Trace

MOST_SHOWN = 60
LAST_SHOWN = 15
WORDS = ("direction", "held as", "kernels")


def table(trace: Trace) -> Table:
    """The rounds."""
    drawn = Table(box=None, header_style="bold", pad_edge=False)
    for heading in COLUMNS:
        justify = "left" if heading in WORDS else "right"
        drawn.add_column(heading, justify=justify, no_wrap=heading != "kernels", overflow="fold")  # type: ignore[arg-type]
    if trace.reads.host:
        drawn.add_column("on the host", justify="right", no_wrap=True)
    shown = rows(trace)
    if len(shown) <= MOST_SHOWN:
        _add(drawn, shown)
    else:
        _add(drawn, shown[: MOST_SHOWN - LAST_SHOWN])
        drawn.add_row("", "…", *[""] * (len(COLUMNS) - 2))
        _add(drawn, shown[-LAST_SHOWN:])
    return drawn


def _add(drawn: Table, shown: list[Row]) -> None:
    for row in shown:
        cells = (row.line, row.number, row.frontier, row.arcs, row.direction, row.held, row.time, escape(row.kernels))
        drawn.add_row(
            *cells,
            *((row.on_host,) if len(drawn.columns) > len(COLUMNS) else ()),
            style="magenta" if row.changed else None,
        )
