"""LDBC graphs: edges in a `.e`, two ids a line, three with a weight; nodes in the `.v` beside it; whether edges are
directed in a `.properties`. Either of the first two names the graph.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import DiagnosticError
from starplat.graph import graph, numbering, tables
from starplat.graph.errors import Place, at, cannot_open, malformed
from starplat.graph.formats import base, edge_list
from starplat.graph.streams import COMPRESSIONS, Input


def read(input: Input) -> graph.Graph:
    """The graph of a LDBC `.e`, or of the `.e` beside a `.v`."""
    edges, vertices = _pair(input)
    arcs = tables.read_arcs(edges, edge_list.form_of(edges).layout)
    if vertices is None:
        numbered = numbering.by_ids_seen(edges.shown, arcs.source, arcs.destination)
    else:
        named = _vertices(vertices)
        _require_named(edges, vertices, arcs, named)
        numbered = numbering.by_ids_seen(edges.shown, arcs.source, arcs.destination, named)
    return base.graph_of(edges, numbered, arcs, "LDBC", directed=_ldbc_directed(edges))


def _pair(input: Input) -> tuple[Input, Input | None]:
    """The `.e` and, where there is one, the `.v` of a LDBC graph."""
    stem = _stem(input)
    if input.name.endswith(".e"):
        return input, _beside(input, stem, ".v")
    if (edges := _beside(input, stem, ".e")) is None:
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
            return tables.read_arcs(input, tables.Layout(len(line.split()), (0, 0))).source
    return np.zeros(0, np.int32)


def _require_named(edges: Input, vertices: Input, arcs: tables.Arcs, named: NDArray[Any]) -> None:
    """Refuses edges whose ends the `.v` does not name."""
    known = np.unique(named.astype(np.uint64))
    for ends in (arcs.source, arcs.destination):
        at = np.minimum(np.searchsorted(known, ends.astype(np.uint64)), max(len(known) - 1, 0))
        unknown = np.flatnonzero(known[at] != ends) if len(known) else np.arange(len(ends))
        if len(unknown):
            raise _at_id(edges, int(ends[unknown[0]]), f"{vertices.path.name} names no node {int(ends[unknown[0]])}")


def _at_id(input: Input, id: int, message: str) -> DiagnosticError:
    """A message about the first line that has `id` for one of its two ends."""
    for number, line in input.lines():
        for word in list(re.finditer(rb"\d+", line))[:2]:
            if int(word.group()) == id and line.lstrip()[:1] not in b"#%":
                where = Place(input.shown, number, tables.shown(line), word.start() + 1, len(word.group()))
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


def recognises(input: Input) -> bool:
    """Text named `.e` or `.v`."""
    return input.name.endswith((".e", ".v")) and base.is_text(input)


FORMAT = base.Format("ldbc", "LDBC", (".e", ".v"), recognises, read)
