"""The report of `starplat run`: a table of properties, rounds, times and bytes, or one JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starplat.cli import console

if TYPE_CHECKING:
    from rich.table import Table

    from starplat.runtime import Result
    from starplat.runtime.results.result import Division
    from starplat.runtime.tracing.trace import Trace


def show(result: Result, *, json: bool, asked: str, validate: bool, rounds: bool) -> None:
    """Data on stdout, all else on stderr; `asked` is the target that was asked for, `rounds` shows a trace."""
    if asked == "auto" and result.target == "reference":
        console.say("no other device is ready here; `starplat devices` says what would help")
    console.show(result.warnings)
    if validate:
        console.say(_verdict_in_words(result))
    if json:
        console.write_json(result.to_json())
        return
    console.write(f"{result.program}: '{result.function}' on {result.target}, {result.device}")
    if result.properties:
        console.show_table(_summary_table(result))
    if result.returned is not None:
        from starplat.runtime.results.shown import MOST_ELEMENTS, by_name, in_text

        console.write(f"returned {in_text(by_name(result.returned, result.returned_types), MOST_ELEMENTS)}")
    if result.trace is not None and rounds:
        _print_rounds(result, result.trace)
    if result.parts is not None:
        console.write(_parts(result.parts))
    console.write(_times(result))


def _print_rounds(result: Result, trace: Trace) -> None:
    from starplat.cli.views.trace_words import notes, table

    if trace.rounds:
        console.show_table(table(trace))
    for note in notes(result, trace):
        console.write(note)


def _verdict_in_words(result: Result) -> str:
    if result.validated:
        return "validated: the answers are the interpreter's"
    return "not validated: several answers are right, by a race or by ties whose winners the results do not show"


def _summary_table(result: Result) -> Table:
    table = console.table("property", "type", numbers=("count", "finite", "sum", "min", "max"))
    for name in result.properties:
        found = result.summary(name)
        numbers = (found.count, found.finite, found.sum, found.min, found.max)
        table.add_row(name, found.type, *map(_number, numbers))
    return table


def _number(value: float | None) -> str:
    match value:
        case None:
            return "-"
        case int():
            return str(value)
    return f"{value:.10g}"


def _parts(division: Division) -> str:
    least, most = min(division.arcs), max(division.arcs)
    arcs = f"of {least:,} arcs each" if least == most else f"of {least:,} to {most:,} arcs"
    what = "by sources" if division.by == "sources" else arcs
    exchanges = "1 exchange" if division.exchanges == 1 else f"{division.exchanges:,} exchanges"
    crossed = f"{division.bytes:,} bytes in {exchanges}"
    least, most = min(division.bytes_of_arcs), max(division.bytes_of_arcs)
    held = f"{least:,} bytes" if least == most else f"{least:,} to {most:,} bytes"
    whole = "" if division.all_rows is None else f" (all of them, because {division.all_rows})"
    return f"parts: {len(division.arcs)} {what}; {crossed}; each holds {held} of arcs{whole}"


def _times(result: Result) -> str:
    seconds, moved = result.seconds, result.bytes
    best = min(seconds.run)
    spread = f" (best of {len(seconds.run)}, worst {max(seconds.run):.4f})" if len(seconds.run) > 1 else ""
    how = " (kernels from the cache)" if result.cached else ""
    chunks = f" ({moved.chunks:,} of them in chunks)" if moved.chunks else ""
    mapped = "".join(f"; {name} {size:,} in host memory" for name, size in result.estimate.mapped.items())
    return (
        f"seconds: load {seconds.load:.4f}, compile {seconds.compile:.4f}{how}, upload {seconds.upload:.4f}, "
        f"run {best:.4f}{spread}, download {seconds.download:.4f}\n"
        f"bytes: {moved.up:,} up{chunks}, {moved.down:,} down{mapped}"
    )
