"""The graphs that are measured, by name: two real ones, and made-up ones of any size (rmat18, urand22, grid4096, …).

The same name gives the same graph everywhere. Real ones are read from a folder of graph files. Made-up ones are made on
the GPU where there is one, and kept in a folder of this machine's temporary files, so that the next process finds them.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

import starplat
from starplat.graph import Graph, generators

ROOT = Path(__file__).parents[2]
NAMES = ("NY", "egotw", "rmat22", "urand22", "grid4096")
KEPT_FROM_ARCS, KEPT_UP_TO_ARCS = 1 << 20, 1 << 28

_ARRAYS = ("row_offsets", "columns", "weights")


@dataclass(frozen=True)
class Facts:
    """What is known of a graph from elsewhere: numbers of nodes and arcs, where searches start, answers."""

    nodes: int | None = None
    arcs: int | None = None
    source: int | None = None
    reached: int | None = None
    levels: int | None = None
    distances: int | None = None
    triangles: int | None = None


FACTS = {
    "NY": Facts(264_346, 730_100, 0, 264_346, 619, 186_686_642_878, 6_529),
    "egotw": Facts(81_306, 2_684_592, 0, 81_306, triangles=13_082_506),
    "rmat22": Facts(4_194_304, 128_312_076, 10, 2_394_104, triangles=2_113_205_057),
    "urand22": Facts(4_194_304, 134_217_232, 0, triangles=5_494),
    "grid4096": Facts(16_585_016, 46_889_274, 3_892, 16_585_016, triangles=0),
}
"""Of NY SciPy's answers; triangles are counts of programs that agree; `levels` is the largest level, of arcs."""


@dataclass(frozen=True)
class Entry:
    """A graph with the node that searches start from, a number 0..n-1, and what is known of it."""

    name: str
    graph: Graph = field(repr=False)
    source: int
    facts: Facts


def load(name: str, data: Path | None = None, kept: Path | None = None, *, weighted: bool = True) -> Entry:
    """The graph of that name.

    Args:
        name: NY, egotw, or rmat, urand, grid or wheel with its scale or side.
        data: where the files of the real ones are, at their place in the collection or directly there.
        kept: where made-up ones are kept; by default a folder of temporary files.
        weighted: whether weights are needed; a made-up graph is made sooner without.

    Raises:
        SystemExit: there is no such graph, or its file is not there.
    """
    facts = FACTS.get(name, Facts())
    graph = _REAL[name](_file(name, data)) if name in _REAL else _made(name, kept, weighted)
    graph = replace(graph, name=name)
    if (facts.nodes or graph.num_nodes, facts.arcs or graph.num_arcs) != (graph.num_nodes, graph.num_arcs):
        raise SystemExit(f"{name} should have {facts.nodes} nodes and {facts.arcs} arcs: {graph.describe()}")
    source = int(graph.out_degrees.argmax()) if facts.source is None and graph.num_nodes else facts.source or 0
    return Entry(name, graph, source, facts)


def data_folder(given: Path | None) -> Path:
    """Where the real graphs are: as said, or in a folder `shared/data` in or beside the project."""
    places = [given] if given else [ROOT / "shared" / "data", ROOT.parent / "shared" / "data"]
    return next((place for place in places if place.is_dir()), places[0])


def is_here(name: str, data: Path | None) -> bool:
    """Whether the graph can be had: it is made up, or its file is there."""
    return name not in _REAL or _place(name, data) is not None


# --- real graphs ---------------------------------------------------------------------------------------------------

_FILES = {"NY": "usa-road-NY/USA-road-d.NY.gr.gz", "egotw": "ego-twitter/ego-twitter-undirected.el.gz"}


def _read_new_york(path: Path) -> Graph:
    return starplat.read(path, undirected=True, drop_loops=True, dedup=True)


def _read_twitter(path: Path) -> Graph:
    return starplat.read(path, undirected=True, drop_loops=True, dedup=True, weights="random:1..255:1")


_REAL: dict[str, Callable[[Path], Graph]] = {"NY": _read_new_york, "egotw": _read_twitter}


def _place(name: str, data: Path | None) -> Path | None:
    folder, file = data_folder(data), Path(_FILES[name])
    return next((path for path in (folder / file, folder / file.name) if path.exists()), None)


def _file(name: str, data: Path | None) -> Path:
    path = _place(name, data)
    if path is None:
        raise SystemExit(f"{_FILES[name]} is not in {data_folder(data)}: say where with --data, or choose --graphs")
    return path


# --- made-up graphs ------------------------------------------------------------------------------------------------

WEIGHTS = (1, 255)
PAIRS_PER_NODE = 16
KEPT_PERCENT = 70
SPOKES_APART = 16


def _made(name: str, kept: Path | None, weighted: bool) -> Graph:
    found = re.fullmatch(r"(rmat|urand|grid|wheel)(\d{1,5})(?:x(\d{1,3}))?", name)
    if found is None or (found[3] and found[1] not in ("rmat", "urand")):
        kinds = "rmat18, urand20, rmat22x8 (8 pairs for each node, in place of 16), grid512, wheel20"
        raise SystemExit(f"no graph is called {name}: {', '.join(NAMES)}, or {kinds} and so on")
    folder = (kept or Path(tempfile.gettempdir()) / "starplat-benchmarks") / name
    if folder.is_dir():
        arrays = (np.load(folder / f"{array}.npy") for array in _ARRAYS)
        return Graph(*arrays, directed=False, format="generated")
    graph = _generated(found[1], int(found[2]), int(found[3] or PAIRS_PER_NODE), WEIGHTS if weighted else None)
    if weighted and KEPT_FROM_ARCS <= graph.num_arcs <= KEPT_UP_TO_ARCS:
        _keep(graph, folder)
    return graph


def _generated(kind: str, size: int, pairs: int, weights: tuple[int, int] | None) -> Graph:
    """As `make_graph.py` of the graphs' collection makes it with seed 1, from so many drawn pairs for each node."""
    match kind:
        case "rmat":
            return generators.rmat(size, pairs, 1, weights=weights)
        case "urand":
            return generators.uniform(size, pairs, 1, weights=weights)
        case "wheel":
            return _wheel(2**size, weights)
        case _:
            return generators.grid(size, KEPT_PERCENT, 1, weights=weights)


def _wheel(rim: int, weights: tuple[int, int] | None) -> Graph:
    """A ring of so many nodes, and a hub that every sixteenth of them is joined with: in one graph the longest row and
    nearly all of the shortest. Rows are written in order, so that nothing has to be sorted."""
    hub, ring = rim, np.arange(rim, dtype=np.int32)
    joined = ring % SPOKES_APART == 0
    offsets = np.zeros(rim + 2, np.int64)
    np.cumsum(2 + joined, out=offsets[1:-1])
    offsets[-1] = offsets[-2] + np.count_nonzero(joined)
    columns = np.full(offsets[-1], hub, np.int32)
    before, after = (ring - 1) % rim, (ring + 1) % rim
    columns[offsets[:-2]], columns[offsets[:-2] + 1] = np.minimum(before, after), np.maximum(before, after)
    columns[offsets[-2] :] = ring[joined]
    made = Graph(offsets, columns, None, directed=False, format="generated")
    return made if weights is None else made.with_random_weights(*weights, 1)


def _keep(graph: Graph, folder: Path) -> None:
    """Writes the arrays beside their place, then moves them there: no reader sees half of them."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as beside:
        made = Path(beside) / folder.name
        made.mkdir()
        for array in _ARRAYS:
            np.save(made / f"{array}.npy", getattr(graph, array))
        if not folder.exists():
            os.replace(made, folder)
