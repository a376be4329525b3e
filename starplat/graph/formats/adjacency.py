"""Adjacency text, a line of neighbors for every node: METIS `.graph` and WebGraph's ASCII graphs (`.graph-txt`).

METIS: a header `n m [fmt [ncon]]`, nodes count from 1, `%` comments, every edge at both its ends; node sizes and node
weights are skipped. GAP's variant lists m arcs, once, and is then directed. WebGraph: a header `n`, then the
successors, counted from 0; directed. In both a blank line is a node without neighbors.
"""

import re
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import IO

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import DiagnosticError
from starplat.graph import numbering, numbers, tables
from starplat.graph.errors import Place, at, bad_header, cannot_write, malformed, wrong_count
from starplat.graph.formats.base import (
    EDGE_LIST_SUFFIXES,
    Format,
    Header,
    Keeps,
    first_lines,
    graph_of,
    header_of,
    is_text,
)
from starplat.graph.graph import Graph
from starplat.graph.numbers import NotNumbersError
from starplat.graph.streams import HEAD, LONGEST_LINE, Input, Piece


@dataclass(frozen=True, slots=True)
class _Lines:
    """All numbers after the header, and how many of them each line has."""

    values: NDArray[np.uint64]
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a METIS line is made up: numbers about the node itself, then neighbors, each perhaps with a weight."""

    prefix: int
    weighted: bool


def read_metis(input: Input) -> Graph:
    """The graph of a METIS file."""
    header = header_of(input, lambda line: line.startswith(b"%"), "the header 'n m [fmt [ncon]]'")
    n, edges = header.count(0, "the number of nodes"), header.count(1, "the number of edges")
    numbering.require_room(input.shown, n)
    lines = _lines(input, header)
    lines = _of_nodes(header, lines, n)
    shape = _fitting(_shape(header), lines, edges)
    arcs = _arcs(input, header, lines, shape)
    loops = int(np.count_nonzero(arcs.source == arcs.destination))
    both_ways = len(arcs) == 2 * edges or len(arcs) + loops == 2 * edges
    if not both_ways and len(arcs) != edges:
        message = f"the header promises {edges} edges, so {2 * edges} neighbors, but the file lists {len(arcs)}"
        raise wrong_count(header.place(1), message)
    graph = graph_of(input, numbering.of_header(input.shown, n).of(arcs.source, arcs.destination), arcs, "METIS")
    if not both_ways:
        return graph
    if not graph.is_symmetric:
        raise wrong_count(header.place(1), _one_sided(graph))
    return graph.undirected()


def _shape(header: Header) -> _Shape:
    words = header.words
    if len(words) > 4:
        raise bad_header(header.place(4), "expected at most four numbers: n, m, fmt and ncon")
    fmt = words[2].rjust(3, b"0") if len(words) > 2 else b"000"
    if not re.fullmatch(rb"[01]{3}", fmt):
        raise bad_header(header.place(2), "expected up to three digits 0 or 1: node sizes, node weights, edge weights")
    constraints = header.count(3, "the number of weights of a node") if len(words) > 3 else 1
    return _Shape((fmt[0] == 49) + constraints * (fmt[1] == 49), fmt[2] == 49)


def _fitting(shape: _Shape, lines: _Lines, edges: int) -> _Shape:
    """The shape that the header declares, but without node sizes where the counts say that there are none: GAP and
    others write fmt 100 and no sizes."""
    bare = _Shape(0, shape.weighted)
    listed = len(lines.values) // (1 + shape.weighted)
    if shape.prefix and listed in (edges, 2 * edges) and (lines.counts < shape.prefix).any():
        return bare
    return shape


def _of_nodes(header: Header, lines: _Lines, n: int) -> _Lines:
    """The lines of the n nodes; blank ones at the end are no nodes."""
    if len(lines.counts) < n or lines.counts[n:].any():
        used = int(np.max(np.flatnonzero(lines.counts), initial=-1)) + 1
        held = len(lines.counts) if len(lines.counts) < n else used
        raise wrong_count(header.place(0), f"the header promises {n} nodes, the file has lines for {held}")
    return _Lines(lines.values, lines.counts[:n])


def _arcs(input: Input, header: Header, lines: _Lines, shape: _Shape, base: int = 1) -> tables.Arcs:
    """The arcs that the lines list; ids stay as the file counts them."""
    n, width = len(lines.counts), 1 + shape.weighted
    entries = lines.counts - shape.prefix
    wrong = np.flatnonzero((entries < 0) | (entries % width != 0))
    if len(wrong):
        message = f"the line of node {wrong[0] + base} has {lines.counts[wrong[0]]} numbers, which is not "
        message += f"{shape.prefix} and then pairs" if shape.weighted else f"at least {shape.prefix}"
        raise malformed(_line_of(input, header, int(wrong[0])), message)
    kept = _without_prefixes(lines, shape.prefix).reshape(-1, width)
    if len(kept) and (int(kept[:, 0].min()) < base or int(kept[:, 0].max()) >= n + base):
        raise _wrong_neighbor(input, header, n, shape, base)
    source = np.repeat(np.arange(n, dtype=np.int32) + np.int32(base), entries // width)
    weights = kept[:, 1].astype(np.int64) if shape.weighted else None
    return tables.Arcs(source, kept[:, 0].astype(np.int32), weights)


def _without_prefixes(lines: _Lines, prefix: int) -> NDArray[np.uint64]:
    if not prefix:
        return lines.values
    starts = np.cumsum(lines.counts) - lines.counts
    kept = np.ones(len(lines.values), np.bool_)
    for offset in range(prefix):
        kept[starts + offset] = False
    return lines.values[kept]


def _one_sided(graph: Graph) -> str:
    """An edge that is listed at one end only, in words."""
    there = set(zip(graph.columns.tolist(), graph.sources.tolist(), strict=True))
    arcs = zip(graph.sources.tolist(), graph.columns.tolist(), strict=True)
    if (one := next(((u + 1, v + 1) for u, v in arcs if (u, v) not in there), None)) is None:
        return "some edge does not have the same weight, or is not listed as often, at both its ends"
    return f"every edge must be listed at both its ends, but {one[1]} is a neighbor of {one[0]} and not the reverse"


def read_webgraph(input: Input) -> Graph:
    """The graph of a WebGraph ASCII file."""
    header = header_of(input, lambda line: False, "the number of nodes")
    n = header.count(0, "the number of nodes")
    numbering.require_room(input.shown, n)
    lines = _of_nodes(header, _lines(input, header), n)
    arcs = _arcs(input, header, lines, _Shape(0, False), base=0)
    numbered = numbering.Numbered(n, arcs.source, arcs.destination, None, 0)
    return graph_of(input, numbered, arcs, "WebGraph ASCII")


def _lines(input: Input, header: Header) -> _Lines:
    values, counts = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for piece in input.pieces(header.number, LONGEST_LINE):
        text = re.sub(rb"(?m)^[ \t]*%[^\n]*\n", b"", piece.text) if b"%" in piece.text else piece.text
        try:
            words = numbers.words_of(text)
            values.append(numbers.naturals(words, words.starts, words.ends))
        except NotNumbersError:
            raise _not_a_number(input, piece) from None
        counts.append(words.per_line())
    return _Lines(np.concatenate(values), np.concatenate(counts))


def _not_a_number(input: Input, piece: Piece) -> DiagnosticError:
    for number, line in enumerate(piece.text.split(b"\n"), piece.line):
        for word in re.finditer(rb"\S+", line):
            if line.lstrip().startswith(b"%"):
                break
            if not re.fullmatch(rb"\d{1,19}", word.group()):
                where = Place(input.shown, number, tables.shown(line), word.start() + 1, len(word.group()))
                return malformed(where, f"expected a natural number, found '{tables.shown(word.group()[:40])}'")
    return malformed(Place(input.shown, piece.line, ""), "this or a later line holds characters that are no text")


def _line_of(input: Input, header: Header, node: int) -> Place:
    """The line of the node with this number, counted from 0."""
    after = ((number, line) for number, line in input.lines(LONGEST_LINE) if number > header.number)
    real = ((number, line) for number, line in after if not line.lstrip().startswith(b"%"))
    number, line = next(islice(real, node, None))
    return Place(input.shown, number, tables.shown(line), 1, max(len(line), 1))


def _wrong_neighbor(input: Input, header: Header, n: int, shape: _Shape, base: int) -> DiagnosticError:
    for number, line in input.lines(LONGEST_LINE):
        if number <= header.number or line.lstrip().startswith(b"%"):
            continue
        words = list(re.finditer(rb"\d+", line))
        for word in words[shape.prefix :: 1 + shape.weighted]:
            if not base <= int(word.group()) < n + base:
                where = Place(input.shown, number, tables.shown(line), word.start() + 1, len(word.group()))
                allowed = f"nodes are {base}..{n + base - 1}"
                return at(where, "E0808", f"there is no node {int(word.group())}: {allowed}")
    raise AssertionError("a neighbor out of range is in no line")


def write_metis(graph: Graph, stream: IO[bytes]) -> None:
    """A METIS file of an undirected graph with integer weights or none. Raises E0815: METIS cannot hold the graph."""
    if graph.directed:
        raise cannot_write(graph.name, "METIS holds undirected graphs only", "make it undirected first")
    weights = graph.weights
    if weights is not None and (weights.dtype.kind == "f" or (len(weights) and int(weights.min()) < 0)):
        raise cannot_write(graph.name, "METIS holds weights that are natural numbers only")
    loops = int(np.count_nonzero(graph.sources == graph.columns))
    if loops % 2:
        raise cannot_write(graph.name, "METIS counts edges by two ends, which loops do not have", "drop the loops")
    fmt = "" if weights is None else " 001"
    stream.write(f"{graph.num_nodes} {graph.num_arcs // 2}{fmt}\n".encode())
    for start in range(0, graph.num_nodes, 1 << 14):
        stream.write(_metis_lines(graph, start, min(start + (1 << 14), graph.num_nodes)).encode())


def _metis_lines(graph: Graph, first: int, last: int) -> str:
    offsets = graph.row_offsets[first : last + 1].tolist()
    begin, end = offsets[0], offsets[-1]
    entries = [str(column + 1) for column in graph.columns[begin:end].tolist()]
    if graph.weights is not None:
        entries = [f"{a} {w}" for a, w in zip(entries, graph.weights[begin:end].tolist(), strict=True)]
    ends = pairwise(offsets)
    return "".join(" ".join(entries[a - begin : b - begin]) + "\n" for a, b in ends)


def recognises_metis(input: Input) -> bool:
    """By its name; else by a header of two to four numbers before lines of unequal length, as many as it says."""
    if input.name.endswith((".graph", ".metis")):
        return is_text(input)
    if not is_text(input) or input.name.endswith(EDGE_LIST_SUFFIXES):
        return False
    lines = [line for line in first_lines(input) if not line.lstrip().startswith(b"%")]
    header = re.fullmatch(rb"\s*(\d{1,19})\s+\d+(\s+[01]{1,3}(\s+\d+)?)?\s*", lines[0]) if lines else None
    return header is not None and _is_ragged(lines) and _are_as_many(input, lines[1:], int(header[1]))


def recognises_webgraph(input: Input) -> bool:
    """A first line of one number, then as many lines of ascending numbers or blank ones."""
    lines = first_lines(input)
    if not is_text(input) or not lines or not re.fullmatch(rb"\s*\d{1,19}\s*", lines[0]):
        return False
    if input.name.endswith(".graph-txt"):
        return _are_numbers(lines)
    if input.name.endswith(EDGE_LIST_SUFFIXES):
        return False
    return _are_numbers(lines) and _are_as_many(input, lines[1:], int(lines[0]))


def _are_numbers(lines: list[bytes]) -> bool:
    return all(re.fullmatch(rb"[\d \t\r]*", line) for line in lines[:1000])


def _are_as_many(input: Input, lines: list[bytes], n: int) -> bool:
    """Whether these lines, blank ones at the end aside, may be those of n nodes, as far as the beginning shows."""
    used = next((number for number in range(len(lines), 0, -1) if lines[number - 1].strip()), 0)
    return used <= n and (n <= len(lines) or len(input.head) == HEAD)


def _is_ragged(lines: list[bytes]) -> bool:
    """Whether these are lines of numbers that no edge list has: not all of two, nor all of three."""
    rows = lines[:1000]
    if not _are_numbers(rows):
        return False
    widths = {len(row.split()) for row in rows}
    return not widths <= {0, 2} and not widths <= {0, 3} and (not widths <= {0, 2, 3} or b"" in rows[:-1])


METIS_KEEPS = Keeps.DIRECTION | Keeps.NO_WEIGHTS
METIS = Format("metis", "METIS", (".graph", ".metis"), recognises_metis, read_metis, write_metis, METIS_KEEPS)
WEBGRAPH = Format("webgraph", "WebGraph ASCII", (".graph-txt",), recognises_webgraph, read_webgraph)
