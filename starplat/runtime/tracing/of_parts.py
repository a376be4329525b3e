"""The trace of a run in parts, made from the trace of each part."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from starplat.runtime.tracing.exchanges import Exchange
from starplat.runtime.tracing.reads import total
from starplat.runtime.tracing.trace import Round, Trace, Walk


def of_all_parts(traces: Sequence[Trace], *, alike: bool) -> Trace:
    """The trace of a run from those of its parts: nodes, arcs and bytes of all of them, and the longest time.

    `alike`: whether all parts have the same rounds, each for its nodes; else the rounds are those of the first part,
    with the exchanges of all.
    """
    first = traces[0]
    sizes = map(sum, zip(*([one.bytes for one in trace.exchanges] for trace in traces), strict=True))
    if alike:
        rounds = tuple(map(_round_of_all, zip(*(trace.rounds for trace in traces), strict=True)))
        outside = tuple(map(_walk_of_all, zip(*(trace.outside for trace in traces), strict=True)))
        first = replace(first, rounds=rounds, outside=outside)
    rounds = tuple(replace(one, exchanges=_with_sizes(one.exchanges, sizes)) for one in first.rounds)
    exchanged = _with_sizes(first.exchanged_outside, sizes)
    seconds = max(trace.seconds for trace in traces)
    return replace(first, rounds=rounds, exchanged_outside=exchanged, seconds=seconds, work=None)


def _with_sizes(exchanges: Sequence[Exchange], sizes: Iterator[int]) -> tuple[Exchange, ...]:
    return tuple(replace(one, bytes=next(sizes)) for one in exchanges)


def _round_of_all(rounds: Sequence[Round]) -> Round:
    walks = tuple(map(_walk_of_all, zip(*(one.walks for one in rounds), strict=True)))
    return replace(rounds[0], walks=walks, seconds=max(one.seconds for one in rounds))


def _walk_of_all(walks: Sequence[Walk]) -> Walk:
    """The walks of a kernel in all parts as one. A kernel that each part runs in full counts once."""
    first = walks[0]
    known = [walk.reads for walk in walks]
    reads = None if None in known else total(known)
    if first.held.each_part_in_full:
        return replace(first, reads=reads)
    return replace(first, active=_sum(w.active for w in walks), arcs=_sum(w.arcs for w in walks), reads=reads)


def _sum(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    return None if None in found else sum(filter(None, found))
