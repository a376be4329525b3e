"""`starplat graph info|convert|generate`: describes, converts and generates graph files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import Enum
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, assert_never

import typer

from starplat.cli import arguments, console

if TYPE_CHECKING:
    from starplat.graph import Graph, Statistics
    from starplat.runtime.parts.communicator import Communicator

FORMATS_READ = (
    "starplat graph (.spg), Matrix Market, DIMACS (9th challenge, PACE, coloring), edge list (SNAP, GAP .el .wel, "
    "NetworkX), adjacency list (NetworkX), GAP .sg .wsg, METIS, Galois, LDBC .v/.e, WebGraph ASCII, NumPy and SciPy "
    "archives (.npz), CSV with a header line, Parquet, Arrow, GraphML, GEXF, GML, Pajek; plain or .gz .xz .bz2 .zst. "
    "The content decides, then the name. Ids of nodes may be numbers or names."
)

MOST_PIECES = 4096
"""Each piece takes a pass over the nodes."""

app = typer.Typer(
    help="Look at graph files, convert and generate them.", no_args_is_help=True, epilog=f"Formats: {FORMATS_READ}"
)

GraphFile = Annotated[
    Path, typer.Argument(metavar="GRAPH", help="A graph file of any known format.", show_default=False)
]
Destination = Annotated[
    Path, typer.Argument(metavar="DESTINATION", help="Its ending tells format and compression.", show_default=False)
]
From = Annotated[
    str | None, typer.Option("--from", metavar="FORMAT", help="Read as this format, whatever the content looks like.")
]
To = Annotated[str | None, typer.Option("--to", metavar="FORMAT", help="Write this format, whatever the name says.")]


@app.command()
def info(
    file: GraphFile,
    undirected: arguments.Undirected = False,
    weights: arguments.Weights = None,
    drop_loops: arguments.DropLoops = False,
    dedup: arguments.Dedup = False,
    from_format: From = None,
    json: arguments.Json = False,
) -> None:
    """Show what a graph file holds: sizes, degrees, weights, ids."""
    from starplat.graph import statistics

    graph = load(file, undirected=undirected, weights=weights, drop_loops=drop_loops, dedup=dedup, format=from_format)
    found = statistics(graph)
    if json:
        console.write_json(
            {"schema": 1, "graph": str(file), "format": graph.format, **asdict(found), "ids": graph.id_range}
        )
    else:
        console.write(f"{graph.describe()}\n{_table(found)}")


@app.command()
def convert(
    file: GraphFile,
    destination: Destination,
    undirected: arguments.Undirected = False,
    weights: arguments.Weights = None,
    drop_loops: arguments.DropLoops = False,
    dedup: arguments.Dedup = False,
    pieces: Annotated[
        int,
        typer.Option(
            "--pieces",
            min=1,
            max=MOST_PIECES,
            help="Write a .spg with memory for the arcs of one piece, sorted in files beside it.",
        ),
    ] = 1,
    from_format: From = None,
    to_format: To = None,
) -> None:
    """Write a graph in another format."""
    from starplat.graph.writing import require_writable

    require_writable(destination, to_format)
    if pieces > 1:
        changes = {"undirected": undirected, "weights": weights, "drop_loops": drop_loops, "dedup": dedup}
        _convert_in_pieces(file, destination, pieces, from_format, to_format, changes)
        return
    graph = load(file, undirected=undirected, weights=weights, drop_loops=drop_loops, dedup=dedup, format=from_format)
    console.say(graph.describe())
    _write(graph, destination, to_format)


def _convert_in_pieces(
    file: Path, destination: Path, pieces: int, from_format: str | None, to_format: str | None, changes: dict[str, Any]
) -> None:
    """The same graph, whose arcs are sorted in files beside the destination."""
    from starplat.cli.progress import progress
    from starplat.graph import errors
    from starplat.graph.pieces import read_in_pieces
    from starplat.graph.writing import format_written
    from starplat.graph_files import file_of

    if (format := format_written(destination, to_format)).name != "spg":
        message = f"in pieces a .spg is written, not {format.title}"
        raise errors.wrong_arguments(message, "name a .spg as the destination, or leave out --pieces")
    with progress() as report, _room_beside(destination):
        graph = read_in_pieces(
            file_of(file), pieces, destination.resolve().parent, format=from_format, progress=report, **changes
        )
    console.say(graph.describe())
    _write(graph, destination, to_format)


@contextmanager
def _room_beside(destination: Path) -> Iterator[None]:
    """What the system refuses here, such as more room, keeps the destination from being written. Raises E0815."""
    from starplat.graph import errors

    try:
        yield
    except OSError as error:
        raise errors.cannot_write(str(destination), (error.strerror or str(error)).lower()) from None


class Kind(Enum):
    """What kind of graph to make up; all are undirected and without loops or parallel edges."""

    RMAT = "rmat"
    UNIFORM = "uniform"
    GRID = "grid"
    CHAIN = "chain"
    STAR = "star"
    COMPLETE = "complete"


@app.command()
def generate(
    kind: Annotated[
        Kind, typer.Argument(help="rmat: skewed degrees; uniform: random pairs; grid: long and thin, like roads.")
    ],
    destination: Destination,
    scale: Annotated[int, typer.Option("--scale", help="rmat, uniform: 2^SCALE nodes.")] = 14,
    degree: Annotated[int, typer.Option("--degree", help="rmat, uniform: pairs drawn for every node.")] = 16,
    side: Annotated[int, typer.Option("--side", help="grid: SIDE x SIDE nodes.")] = 128,
    keep: Annotated[float, typer.Option("--keep", metavar="PERCENT", help="grid: how many of its edges stay.")] = 100,
    nodes: Annotated[int, typer.Option("--nodes", help="chain, star, complete: the number of nodes.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same graph.")] = 1,
    weights: arguments.Weights = None,
    pieces: Annotated[
        int,
        typer.Option(
            "--pieces", min=1, max=MOST_PIECES, help="rmat, uniform: draw so many times, with memory for one piece."
        ),
    ] = 1,
    to_format: To = None,
) -> None:
    """Make a graph up and write it."""
    from starplat.graph import generators, prepared
    from starplat.graph.reading import weights_in
    from starplat.graph.writing import require_writable

    require_writable(destination, to_format)
    if weights is not None:
        weights_in(weights)
    if pieces > 1:
        _generate_in_pieces(kind, destination, scale, degree, seed, weights, pieces, to_format)
        return
    match kind:
        case Kind.RMAT:
            graph = generators.rmat(scale, degree, seed)
        case Kind.UNIFORM:
            graph = generators.uniform(scale, degree, seed)
        case Kind.GRID:
            graph = generators.grid(side, keep, seed)
        case Kind.CHAIN:
            graph = generators.chain(nodes)
        case Kind.STAR:
            graph = generators.star(nodes)
        case Kind.COMPLETE:
            graph = generators.complete(nodes)
        case _:
            assert_never(kind)
    graph = prepared(graph, weights=weights)
    console.say(graph.describe())
    _write(graph, destination, to_format)


def _generate_in_pieces(
    kind: Kind,
    destination: Path,
    scale: int,
    degree: int,
    seed: int,
    weights: str | None,
    pieces: int,
    to_format: str | None,
) -> None:
    """The same graph, of which only the rows of a piece are in memory."""
    from starplat.graph import errors, generators, prepared
    from starplat.graph.pieces import on_disk, require_weights

    drawn = {Kind.RMAT: generators.rmat_pairs, Kind.UNIFORM: generators.uniform_pairs}.get(kind)
    if drawn is None:
        raise errors.wrong_arguments(f"{kind.value} is not made in pieces: rmat and uniform are", "leave out --pieces")
    require_weights(weights)
    pairs = drawn(scale, degree, seed)
    bounds = [piece * pairs.nodes // pieces for piece in range(pieces + 1)]
    rows = (prepared(pairs.rows(first, end), weights=weights) for first, end in pairwise(bounds))
    with _room_beside(destination):
        graph = on_disk(rows, destination.resolve().parent)
    console.say(graph.describe())
    _write(graph, destination, to_format)


def _write(graph: Graph, destination: Path, format: str | None) -> None:
    """Writes the file, and says what it does not keep."""
    from starplat.graph import write
    from starplat.graph.writing import lost

    losses = lost(graph, destination, format)
    write(graph, destination, format)
    for loss in losses:
        console.say(f"warning: {loss}")
    console.say(f"{destination}: written")


def load(file: Path, communicator: Communicator | None = None, **options: Any) -> Graph:
    """The graph in a file, with a progress bar on a terminal; of ranks each reads its piece."""
    from starplat.cli.progress import progress
    from starplat.graph_files import read, read_by_ranks

    with progress() as report:
        if communicator is not None:
            return read_by_ranks(file, communicator, **options, progress=report)
        return read(file, **options, progress=report)


def _table(found: Statistics) -> str:
    rows = {
        "nodes": f"{found.nodes:,}, {found.isolated:,} of them isolated",
        "arcs": f"{found.arcs:,}, {'symmetric' if found.symmetric else 'not symmetric'}",
        "loops": f"{found.loops:,}",
        "parallel arcs": f"{found.duplicates:,}",
        "out-degree": f"{found.min_degree:,} to {found.max_degree:,}, {found.mean_degree:.2f} on average",
        "in-degree": f"up to {found.max_in_degree:,}",
        "weights": "none"
        if found.weight_type is None
        else f"{found.weight_type}, {found.min_weight} to {found.max_weight}",
    }
    return "\n".join(f"  {name:<14} {text}" for name, text in rows.items())


KEPT: list[object] = []
"""Graphs that were on devices; `process.run` ends the process without destroying them."""
