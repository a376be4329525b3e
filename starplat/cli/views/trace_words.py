"""A trace in a terminal, a row per round, and its wording there and on a page: its rounds, how it was measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.markup import escape
from rich.table import Table

from starplat.ir.points import Way
from starplat.runtime import Result
from starplat.runtime.tracing.reads import Reads
from starplat.runtime.tracing.trace import Exchange, Round, Trace

COLUMNS = ("line", "round", "frontier", "arcs", "direction", "held as", "ms", "kernels")


@dataclass(frozen=True, slots=True)
class Row:
    """A round as shown; `changed` where its direction or the way nodes are held differs from the loop's previous round;
    `on_host` are the bytes of arcs that it reads in the host's memory; `exchanged` what parts of a run exchange."""

    line: str
    number: str
    frontier: str
    arcs: str
    direction: str
    held: str
    time: str
    kernels: str
    on_host: str
    exchanged: str
    changed: bool


def rows(trace: Trace) -> list[Row]:
    changed = changes(trace)
    return [_row(one, number in changed) for number, one in enumerate(trace.rounds)]


def _row(one: Round, changed: bool) -> Row:
    chief = one.chief
    return Row(
        "-" if one.line is None else str(one.line),
        f"{one.number:,}",
        counted(chief.active),
        counted(chief.arcs),
        chief.direction.value,
        chief.held.value,
        milliseconds(one.seconds),
        ", ".join(dict.fromkeys(walk.kernel for walk in one.walks)),
        counted(None if any(walk.reads is None for walk in one.walks) else one.reads.host),
        in_bytes(one.exchanges),
        changed,
    )


def in_bytes(exchanges: Sequence[Exchange]) -> str:
    """The bytes of exchanges, with how and of what they are."""
    sizes: dict[str, int] = {}
    for one in exchanges:
        key = f"{one.crossing.value} {one.name}"
        sizes[key] = sizes.get(key, 0) + one.bytes
    return ", ".join(f"{key} {size:,}" for key, size in sizes.items())


def changes(trace: Trace) -> dict[int, str]:
    """The rounds in which something switches, and to what."""
    found = {}
    for number, (before, after) in enumerate(pairwise(trace.rounds), 1):
        if before.line == after.line and after.number == before.number + 1:
            words = _switch(before, after)
            if words:
                found[number] = words
    return found


def _switch(before: Round, after: Round) -> str:
    one, other = before.chief, after.chief
    turned = other.direction.value if one.direction is not other.direction and other.direction is not Way.NONE else ""
    return ", ".join(filter(None, (turned, other.held.value if one.held is not other.held else "")))


def counted(number: int | None) -> str:
    """A count, or that it is unknown."""
    return "?" if number is None else f"{number:,}"


def milliseconds(seconds: float) -> str:
    """To a microsecond."""
    return f"{seconds * 1000:,.3f}"


def notes(result: Result, trace: Trace) -> list[str]:
    """How the trace was made, and what it lacks."""
    untraced = min(result.seconds.run, default=0.0)
    watched = f"The watched run took {milliseconds(trace.seconds)} ms, looking included"
    said = [f"{watched}; without, {milliseconds(untraced)} ms."]
    if trace.on_device:
        said.append("Rounds in one launch are timed by the device's clock; counting active nodes is part of the times.")
    elif trace.rounds:
        said.append("Times are the host's, each until the device had finished; counting is not part of them.")
    if trace.taken_apart:
        said.append("Rounds that otherwise share a launch, or are launched ahead, were launched one by one.")
    if trace.left_out:
        said.append(f"{trace.left_out:,} more rounds are not shown: a trace has room for so many.")
    said.extend(_reads(result, trace))
    if trace.exchanged_outside:
        said.append(f"Bytes exchanged outside of rounds: {in_bytes(trace.exchanged_outside)}.")
    if result.parts is not None and result.parts.by == "sources":
        said.append("Rounds are those of the first part, for its sources; bytes exchanged are those of all parts.")
    if not trace.rounds:
        said.append("No loop launched a kernel.")
    elif any(one.chief.active is None for one in trace.rounds):
        said.append("'?': a condition that only the kernel can evaluate.")
    return said


def _reads(result: Result, trace: Trace) -> list[str]:
    """The bytes of arrays of arcs that were read, by where they lie, where any lies on the host."""
    if not result.estimate.mapped:
        return []
    said = [f"Read of arcs at most: {_in_words(trace.reads)}."]
    lines = [(line, reads) for line, reads in trace.reads_of_lines.items() if reads.device or reads.host]
    if len(lines) > 1:
        said.extend(f"Line {'-' if line is None else line}: {_in_words(reads)}." for line, reads in lines)
    if trace.unread:
        said.append(f"Not counted: what {', '.join(trace.unread)} read.")
    return said


def _in_words(reads: Reads) -> str:
    lines = "" if reads.lines is None else f" in {reads.lines:,} lines of 128"
    return f"{reads.device:,} bytes in the device's memory, {reads.host:,} in the host's{lines}"


MOST_SHOWN = 60
LAST_SHOWN = 15
WORDS = ("direction", "held as", "kernels")


def table(trace: Trace) -> Table:
    drawn = Table(box=None, header_style="bold", pad_edge=False)
    for heading in COLUMNS:
        justify = "left" if heading in WORDS else "right"
        drawn.add_column(heading, justify=justify, no_wrap=heading != "kernels", overflow="fold")  # type: ignore[arg-type]
    if trace.reads.host:
        drawn.add_column("on the host", justify="right", no_wrap=True)
    if trace.exchanges:
        drawn.add_column("bytes exchanged", overflow="fold")
    more = [attribute for attribute, here in (("on_host", trace.reads.host), ("exchanged", trace.exchanges)) if here]
    shown = rows(trace)
    if len(shown) <= MOST_SHOWN:
        _add(drawn, shown, more)
    else:
        _add(drawn, shown[: MOST_SHOWN - LAST_SHOWN], more)
        drawn.add_row("", "…", *[""] * (len(COLUMNS) - 2))
        _add(drawn, shown[-LAST_SHOWN:], more)
    return drawn


def _add(drawn: Table, shown: list[Row], more: Sequence[str]) -> None:
    """Rows, with what `more` names of them."""
    for row in shown:
        cells = (row.line, row.number, row.frontier, row.arcs, row.direction, row.held, row.time, escape(row.kernels))
        drawn.add_row(
            *cells, *(escape(getattr(row, attribute)) for attribute in more), style="magenta" if row.changed else None
        )
