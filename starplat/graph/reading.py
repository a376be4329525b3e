"""Reads a graph from a path: detects the format, reads, applies the user's options."""

import os
import re
from pathlib import Path

from starplat.graph import errors, formats, kept, streams
from starplat.graph.formats.base import is_text
from starplat.graph.graph import Graph, require_range


def read(
    path: str | os.PathLike[str],
    *,
    undirected: bool = False,
    weights: str | None = None,
    drop_loops: bool = False,
    dedup: bool = False,
    format: str | None = None,
    progress: streams.Progress | None = None,
    cache: kept.GraphCache | None = None,
) -> Graph:
    """The graph in a file of any known format, compressed or not.

    Args:
        path: the file.
        undirected: adds the other direction of every arc that lacks it.
        weights: "ones", or "random:LO..HI:SEED" (SEED may be left out) for random integers, the same both ways.
        drop_loops: leaves out arcs from a node to itself.
        dedup: keeps one of parallel arcs, the lightest.
        format: the name of a format, where the content should not decide.
        progress: hears how far a long reading is.
        cache: where graphs of large text files are kept for the next reading.

    Raises:
        DiagnosticError: E0801 to E0817, the file or an argument is wrong.
    """
    if weights is not None:
        weights_in(weights)
    input = streams.Input(Path(path), progress or streams.unheard)
    found = format_of(input, format)

    def parsed() -> Graph:
        graph = found.read(input)
        return prepared(graph, undirected=undirected, weights=weights, drop_loops=drop_loops, dedup=dedup)

    if cache is None or found.name in _OF_SEVERAL_FILES or not is_text(input) or input.size < cache.from_bytes:
        return parsed()
    return cache.read(input.path, repr((found.name, undirected, weights, drop_loops, dedup)), parsed)


_OF_SEVERAL_FILES = frozenset({"ldbc"})
"""Formats whose graphs depend on more than the file that is named."""


def prepared(
    graph: Graph, *, undirected: bool = False, weights: str | None = None, drop_loops: bool = False, dedup: bool = False
) -> Graph:
    """The graph as the options of `read` want it; weights are given last, so that they fit the arcs that remain."""
    if undirected:
        graph = graph.undirected()
    if drop_loops:
        graph = graph.without_loops()
    if dedup:
        graph = graph.deduplicated()
    return graph if weights is None else weighted(graph, weights)


def weighted(graph: Graph, weights: str) -> Graph:
    """The graph with the weights that "ones" or "random:LO..HI:SEED" asks for. Raises E0817: the words are neither."""
    wanted = weights_in(weights)
    return graph.with_unit_weights() if wanted is None else graph.with_random_weights(*wanted)


def weights_in(words: str) -> tuple[int, int, int] | None:
    """The lowest weight, the highest and the seed of "random:LO..HI:SEED"; None for "ones". Raises E0817: the words are
    neither, or there are no such weights."""
    if words == "ones":
        return None
    wanted = re.fullmatch(r"random:(-?\d{1,30})\.\.(-?\d{1,30})(?::(\d{1,30}))?", words, re.ASCII)
    if wanted is None:
        raise errors.wrong_arguments(f"weights must be 'ones' or 'random:LO..HI:SEED', not '{words}'")
    low, high, seed = int(wanted[1]), int(wanted[2]), int(wanted[3] or 1)
    require_range(low, high, seed)
    return low, high, seed


def format_of(input: streams.Input, name: str | None = None) -> formats.Format:
    """The format of a file: the one called `name`, else the first one that recognises the content. Raises E0801 to
    E0804, or E0817 for a name that no format has."""
    if name is not None:
        return format_named(name)
    if not input.head:
        raise errors.empty(input.shown)
    for format in formats.FORMATS:
        if format.recognises(input):
            return format
    if is_text(input):
        raise errors.unknown_format(input.shown, "this text is in none of the graph formats that starplat reads")
    raise errors.unknown_format(input.shown, "this binary file is in none of the graph formats that starplat reads")


def format_named(name: str) -> formats.Format:
    """The format with this name. Raises E0817: there is none."""
    for format in formats.FORMATS:
        if format.name == name:
            return format
    known = ", ".join(format.name for format in formats.FORMATS)
    raise errors.wrong_arguments(f"there is no graph format '{name}'; there are {known}")
