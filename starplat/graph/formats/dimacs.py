"""DIMACS text: shortest-path graphs (`p sp n m`, then `a u v w`), colouring graphs (`p edge n m`, then `e u v`) and the
graphs of the PACE challenges (`p tw n m`, then `u v`). Nodes count from 1 and all of the header's exist.
"""

import re
from typing import IO

import numpy as np

from starplat.diagnostics import DiagnosticError
from starplat.graph import errors, numbering, streams, tables
from starplat.graph.formats import base
from starplat.graph.graph import Graph

PACE_PROBLEMS = (b"tw", b"td", b"ds", b"vc", b"cep", b"fvs")
COLORING_PROBLEMS = (b"edge", b"col")


def read(input: streams.Input) -> Graph:
    """The graph of a file with a `p` line."""
    return listing(input).read()


def listing(input: streams.Input) -> base.Listing:
    """The arcs below a `p` line."""
    header = base.header_of(input, lambda line: line[:1] == b"c", "its 'p' line")
    if header.words[0] != b"p":
        raise errors.bad_header(header.place(0), "expected a line 'p sp NODES ARCS' before the arcs")
    problem = header.words[1] if len(header.words) > 1 else b""
    n = header.count(2, "the number of nodes") if problem != b"aux" else 0
    numbering.require_room(input.shown, n)
    title, layout, directed = _layout(header, problem, n)
    promised = header.count(3, "the number of arcs")
    if len(header.words) > 4:
        raise errors.bad_header(header.place(4), "expected nothing after the number of arcs")

    def wrong(count: int) -> DiagnosticError:
        return errors.wrong_count(header.place(3), f"the 'p' line promises {promised} arcs, the file holds {count}")

    return base.Listing(
        input,
        title,
        directed,
        layout.weight is not None,
        lambda: tables.arc_blocks(input, layout, header.number, promised, wrong),
        lambda _: numbering.of_header(input.shown, n),
    )


def _layout(header: base.Header, problem: bytes, n: int) -> tuple[str, tables.Layout, bool]:
    if problem == b"sp":
        arcs = tables.Layout(4, (1, 2), 3, tables.WeightKind.ANY, b"a", b"c", ids=(1, n))
        return "DIMACS shortest paths", arcs, True
    if problem in COLORING_PROBLEMS:
        return "DIMACS coloring", tables.Layout(3, (1, 2), keyword=b"e", comments=b"c", ids=(1, n)), False
    if problem in PACE_PROBLEMS:
        return "PACE", tables.Layout(2, comments=b"c", ids=(1, n)), False
    if problem == b"aux":
        raise errors.unsupported(header.file, "this DIMACS file holds coordinates, not arcs", header.place(1))
    raise errors.unsupported(header.file, "only 'p sp', 'p edge' and PACE's 'p tw' graphs are read", header.place(1))


def write(graph: Graph, stream: IO[bytes]) -> None:
    """A `p sp` file; an unweighted graph is written with weights of 1."""
    stream.write(f"p sp {graph.num_nodes} {graph.num_arcs}\n".encode())
    weights = graph.with_unit_weights().weights if graph.weights is None else graph.weights
    ends = [graph.sources.astype(np.int64) + 1, graph.columns.astype(np.int64) + 1]
    base.write_table(stream, ends, weights, prefix="a ")


def recognises_shortest_paths(input: streams.Input) -> bool:
    """Comment lines `c …`, then a line `p …`; a Galois `.gr` has neither."""
    return re.match(rb"(?:[ \t]*(?:c(?:[ \t][^\n]*)?)?\r?\n)*[ \t]*p[ \t]", input.head) is not None


FORMAT = base.Format(
    "dimacs", "DIMACS", (".gr", ".dimacs", ".col"), recognises_shortest_paths, read, write, listing=listing
)
