"""Edge lists: two node ids a line, three with a weight. SNAP `.txt`, GAP `.el` and `.wel`, LDBC `.e` with its `.v`.

Lines that start with `#` or `%` are comments. Nodes are the ids that occur, in ascending order, with two exceptions: in
a `.el` or `.wel` without comments (GAP's own) they are 0 up to the highest id, and beside a LDBC `.e` the `.v` names
them. Edges are directed unless a comment says "undirected", or LDBC's `.properties` does.
"""

from __future__ import annotations

import re
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import DiagnosticError
from starplat.graph.errors import Place, at, cannot_open, empty, malformed
from starplat.graph.formats.base import Format, Header, Keeps, first_lines, graph_of, is_text
from starplat.graph.formats.text import require_no_isolated, write_table
from starplat.graph.graph import Graph
from starplat.graph.numbering import by_ids_seen, up_to_highest
from starplat.graph.streams import COMPRESSIONS, Input
from starplat.graph.tables import Arcs, Layout, read_arcs, shown

SEPARATORS = (b",", b";", b"|")
GAP_SUFFIXES = (".el", ".wel")


def read(input: Input) -> Graph:
    """The graph of an edge list."""
    layout = _layout(input)
    arcs = read_arcs(input, layout)
    comments = [line for line in first_lines(input) if line.lstrip()[:1] in (b"#", b"%")]
    if input.name.endswith(GAP_SUFFIXES) and not comments:
        numbered, title = up_to_highest(input.shown, arcs.source, arcs.destination), "GAP edge list"
    else:
        numbered, title = by_ids_seen(input.shown, arcs.source, arcs.destination), "edge list"
    return graph_of(input, numbered, arcs, title, directed=not _says_undirected(comments))


def _says_undirected(comments: list[bytes]) -> bool:
    return any(re.search(rb"\bundirected\b", line, re.IGNORECASE) for line in comments)


def _layout(input: Input) -> Layout:
    """Columns and separator of the first line that is no comment."""
    for number, line in input.lines():
        stripped = line.strip()
        if not stripped or stripped[:1] in b"#%":
            continue
        separator = next((mark for mark in SEPARATORS if mark in stripped), None)
        words = (line.replace(separator, b" ") if separator else line).split()
        header = Header(input.shown, number, line, ())
        if len(words) not in (2, 3):
            message = f"expected two node ids and perhaps a weight, found {len(words)} word{'s' * (len(words) != 1)}"
            raise malformed(header.place(min(len(words) - 1, 3)), message)
        return Layout(len(words), (0, 1), 2 if len(words) == 3 else None, separator=separator)
    if not input.head:
        raise empty(input.shown)
    return Layout(2)


def read_ldbc(input: Input) -> Graph:
    """The graph of a LDBC `.e`, or of the `.e` beside a `.v`."""
    edges, vertices = _pair(input)
    arcs = read_arcs(edges, _layout(edges))
    if vertices is None:
        numbered = by_ids_seen(edges.shown, arcs.source, arcs.destination)
    else:
        named = _vertices(vertices)
        _require_named(edges, vertices, arcs, named)
        numbered = by_ids_seen(edges.shown, arcs.source, arcs.destination, named)
    return graph_of(edges, numbered, arcs, "LDBC", directed=_ldbc_directed(edges))


def _pair(input: Input) -> tuple[Input, Input | None]:
    """The `.e` and, where there is one, the `.v` of a LDBC graph."""
    stem = _stem(input)
    if input.name.endswith(".e"):
        return input, _beside(input, stem, ".v")
    edges = _beside(input, stem, ".e")
    if edges is None:
        raise cannot_open(input.shown, f"its edges, {stem}.e, are not beside it")
    return edges, input


def _stem(input: Input) -> str:
    return input.path.name[: len(input.name) - 2]


def _beside(input: Input, stem: str, suffix: str) -> Input | None:
    for ending in ("", *(c.suffix for c in COMPRESSIONS)):
        path = input.path.with_name(stem + suffix + ending)
        if path.is_file():
            return Input(path, input.progress)
    return None


def _vertices(input: Input) -> NDArray[Any]:
    """The ids that a `.v` names; what else stands in its lines is of no interest."""
    for _, line in input.lines():
        if line.strip() and line.lstrip()[:1] not in b"#%":
            return read_arcs(input, Layout(len(line.split()), (0, 0))).source
    return np.zeros(0, np.int32)


def _require_named(edges: Input, vertices: Input, arcs: Arcs, named: NDArray[Any]) -> None:
    """Refuses edges whose ends the `.v` does not name."""
    known = np.unique(named.astype(np.uint64))
    for ends in (arcs.source, arcs.destination):
        at = np.minimum(np.searchsorted(known, ends.astype(np.uint64)), max(len(known) - 1, 0))
        unknown = np.flatnonzero(known[at] != ends) if len(known) else np.arange(len(ends))
        if len(unknown):
            raise at_id(edges, int(ends[unknown[0]]), f"{vertices.path.name} names no node {int(ends[unknown[0]])}")


def at_id(input: Input, id: int, message: str) -> DiagnosticError:
    """A message about the first line that has `id` for one of its two ends."""
    for number, line in input.lines():
        for word in list(re.finditer(rb"\d+", line))[:2]:
            if int(word.group()) == id and line.lstrip()[:1] not in b"#%":
                where = Place(input.shown, number, shown(line), word.start() + 1, len(word.group()))
                return at(where, "E0808", message)
    return malformed(Place(input.shown, 1, ""), message)


def _ldbc_directed(edges: Input) -> bool:
    """What the graph's `.properties` says, beside it or in LDBC's folder `properties`; directed where there is none."""
    stem = _stem(edges)
    folder = edges.path.absolute().parent
    for path in (folder / f"{stem}.properties", folder.parent / "properties" / f"{stem}.properties"):
        if path.is_file():
            said = re.search(r"(?m)^\s*graph\.[^=\s]*\.directed\s*=\s*(\w+)", path.read_text(errors="replace"))
            return said is None or said.group(1).lower() != "false"
    return True


def write(graph: Graph, stream: IO[bytes]) -> None:
    """Every arc on a line, with the original ids; an undirected graph's edges once, and a comment that says so."""
    require_no_isolated(graph)
    source, destination, weights = graph.sources, graph.columns, graph.weights
    if not graph.directed:
        once = source <= destination
        source, destination = source[once], destination[once]
        weights = None if weights is None else weights[once]
        stream.write(b"# Undirected graph\n")
    elif not len(source):
        stream.write(b"# Directed graph without nodes\n")
    ids = graph.original_ids
    write_table(stream, [ids[source], ids[destination]], weights)


def added_nodes(graph: Graph, name: str) -> int:
    """How many nodes a reader of the file of that name would add: in GAP's they are 0 up to the highest id."""
    if not name.endswith(GAP_SUFFIXES) or not graph.directed or graph.id_range is None:
        return 0  # an undirected graph is written with a comment
    return graph.id_range[1] + 1 - graph.num_nodes


def recognises_ldbc(input: Input) -> bool:
    """Text named `.e` or `.v`."""
    return input.name.endswith((".e", ".v")) and is_text(input)


def recognises(input: Input) -> bool:
    """Text whose first line that is no comment starts with a number."""
    if not is_text(input):
        return False
    lines = (line.strip() for line in first_lines(input))
    first = next((line for line in lines if line and line[:1] not in b"#%"), b"0")
    return input.name.endswith(FORMAT.suffixes) or re.match(rb"[-+]?\d", first) is not None


SUFFIXES = (".el", ".wel", ".txt", ".edges", ".edgelist", ".tsv", ".csv")
FORMAT = Format("el", "edge list", SUFFIXES, recognises, read, write, Keeps.ALL)
LDBC = Format("ldbc", "LDBC", (".e", ".v"), recognises_ldbc, read_ldbc)
