"""Reads graphs from files, with a cache for large ones.

The readers are `starplat.graph`'s; here is where what they made is kept, and what the environment says about it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starplat.diagnostics import Diagnostic, DiagnosticError
from starplat.frontend.mistakes.remedies import did_you_mean
from starplat.progress_listener import of_reading
from starplat.resources import shipped_graphs
from starplat.sizes import size_in

if TYPE_CHECKING:
    from os import PathLike

    from starplat.graph import Graph, GraphCache, Progress
    from starplat.runtime.parts.communicator import Communicator


def read(
    path: str | PathLike[str],
    *,
    undirected: bool = False,
    weights: str | None = None,
    drop_loops: bool = False,
    dedup: bool = False,
    format: str | None = None,
    progress: Progress | None = None,
    cache: bool = True,
) -> Graph:
    """The graph in a file of any known format, compressed or not.

    A text file of 8 MiB and more is parsed once; as long as it does not change, the next reading with the same options
    takes the graph from the cache. STARPLAT_GRAPH_CACHE_FROM says from which size on ("off": never),
    STARPLAT_GRAPH_CACHE_LIMIT how large the cache may grow (4 GiB), as numbers with K, M or G.

    Args:
        path: the file; or the name of a graph that comes with starplat, "liechtenstein".
        undirected: adds the other direction of every arc that lacks it.
        weights: "ones", or "random:LO..HI:SEED" (SEED may be left out) for random integers, the same both ways.
        drop_loops: leaves out arcs from a node to itself.
        dedup: keeps one of parallel arcs, the lightest.
        format: the name of a format, where the content should not decide.
        progress: hears how far a long reading is.
        cache: whether the cache is asked.

    Raises:
        DiagnosticError: E0801 to E0817, the file or an argument is wrong; E0911, a variable is no size.
    """
    from starplat.graph import read as read_file

    path = file_of(path)
    return read_file(
        path,
        undirected=undirected,
        weights=weights,
        drop_loops=drop_loops,
        dedup=dedup,
        format=format,
        progress=progress or of_reading(),
        cache=_graph_cache(path) if cache else None,
    )


def read_by_ranks(path: str | PathLike[str], communicator: Communicator, **options: Any) -> Graph:
    """The same for the ranks of a run in parts, all of which call this: the file is mapped, and each rank looks at its
    piece of the arcs. It is read first, by one rank of each host, if it is no `.spg` or options change the graph.

    Raises:
        DiagnosticError: as `read`, on all ranks; E0792, what was read cannot be handed to the others.
    """
    from starplat.runtime.divided.reading import read_together
    from starplat.runtime.parts.agreeing import agreed

    found = agreed(communicator, lambda: file_of(path))
    asked = sorted((name, value) for name, value in options.items() if value and name != "progress")
    return read_together(found, communicator, lambda: read(found, **options), asked)


def file_of(path: str | PathLike[str]) -> Path:
    """The file of a path, or of the shipped graph of that name where no such file is.

    Raises:
        DiagnosticError: E0801, no such file is, and a shipped graph is called almost so.
    """
    name, shipped = os.fspath(path), shipped_graphs()
    if not name.isidentifier() or Path(name).exists():
        return Path(path)
    if (near := did_you_mean(name, shipped)) is not None:
        raise DiagnosticError(Diagnostic("E0801", f"{name}: cannot be read: no such file or directory", help=near))
    return shipped.get(name, Path(path))


def _graph_cache(path: Path) -> GraphCache | None:
    """Where the graph in a file may be kept, if the file is worth it."""
    from starplat.graph import GraphCache
    from starplat.graph.kept import FROM_BYTES, MOST_BYTES

    smallest = _size_in(GRAPH_CACHE_FROM, FROM_BYTES)
    try:
        large = smallest is not None and path.stat().st_size >= smallest
    except (OSError, ValueError):
        large = False  # reading it will say why
    limit = _size_in(GRAPH_CACHE_LIMIT, MOST_BYTES)
    if not large or smallest is None or not limit:
        return None
    from starplat.toolchain.cache import private_folder

    folder = private_folder()
    return None if folder is None else GraphCache(folder / "graphs", smallest, limit)


GRAPH_CACHE_FROM = "STARPLAT_GRAPH_CACHE_FROM"
GRAPH_CACHE_LIMIT = "STARPLAT_GRAPH_CACHE_LIMIT"


def _size_in(variable: str, otherwise: int) -> int | None:
    """The bytes that a variable of the environment tells; None where it says "off"."""
    if not (said := os.environ.get(variable, "").strip()):
        return otherwise
    if said.lower() == "off":
        return None
    if (found := size_in(said)) is None:
        help = "write a number of bytes, or one with K, M or G, such as 64M, or off"
        raise DiagnosticError(Diagnostic("E0911", f"{variable} is '{said}', which is no size", help=help))
    return found
