"""Displays of a result: ten lines of text, a table in a notebook, pictures, a data frame, a dictionary by id.

Values are in the order of the graph's nodes, under the ids of the input. INF is spelt so where a person reads it.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from starplat.frontend.types import Carrier, ListType, PropertyType, Scalar
from starplat.graph.errors import needs_library
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime.elements import Cells, element_of
from starplat.runtime.results.histogram import as_svg, counted, finite_values

MOST_PROPERTIES = 7
MOST_VALUES = 6
MOST_ROWS = 10
MOST_ELEMENTS = 20
WIDEST = 60


class Result(Protocol):
    """What is shown of a `runtime.Result`."""

    @property
    def program(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def graph(self) -> Graph: ...
    @property
    def types(self) -> Mapping[str, PropertyType]: ...
    @property
    def returned(self) -> Any: ...
    @property
    def returned_types(self) -> Sequence[Scalar | ListType]: ...
    @property
    def on_device(self) -> bool: ...
    @property
    def ids(self) -> NDArray[Any]: ...
    def on_host(self, name: str) -> Cells: ...
    def summary(self, name: str) -> Any: ...
    def __getitem__(self, name: str) -> Any: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...


def in_text(returned: Any, most: int | None = None) -> str:
    """What a program returned; several values beside each other, of a list at `most` so many elements.

    >>> in_text((3, 0.5))
    '3, 0.5'
    >>> in_text(list(range(100)), most=3)
    '[0, 1, 2, …], 100 elements'
    """
    if isinstance(returned, list):
        shown = ", ".join(map(str, returned[:most]))
        return f"[{shown}]" if most is None or len(returned) <= most else f"[{shown}, …], {len(returned):,} elements"
    return ", ".join(map(str, returned)) if isinstance(returned, tuple) else str(returned)


def by_name(returned: Any, kinds: Sequence[Scalar | ListType]) -> Any:
    """What a program returned, with INF by its name.

    >>> by_name((2**31 - 1, 3), (Scalar.INT, Scalar.INT))
    ('INF', 3)
    """
    if isinstance(returned, tuple):
        return tuple(by_name(value, (kind,)) for value, kind in zip(returned, kinds, strict=True))
    if isinstance(returned, list):
        (of_all,) = kinds
        assert isinstance(of_all, ListType)
        assert isinstance(of_all.element, Scalar)
        return [by_name(value, (of_all.element,)) for value in returned]
    is_infinite = returned is not None and any(returned == _largest(kind) for kind in kinds)
    return "INF" if is_infinite else returned


def in_words(result: Result) -> str:
    """At most ten lines: what ran where, the first values of every property, what was returned."""
    graph = result.graph
    where = result.target if result.device == result.target else f"{result.target}, {result.device}"
    lines = [f"<Result of {result.program} on {where}: {graph.num_nodes:,} nodes, {graph.num_arcs:,} arcs>"]
    width = max(map(len, result.types), default=0)
    for name in islice(result, MOST_PROPERTIES):
        lines.append(f"  {name:{width}}  {result.types[name]}  {_first_values(result, name)}")
    if len(result) > MOST_PROPERTIES:
        lines.append(f"  … and {len(result) - MOST_PROPERTIES} more: " + _cut(", ".join(result), WIDEST))
    if result.returned is not None:
        lines.append(f"  returned {in_text(by_name(result.returned, result.returned_types), MOST_ELEMENTS)}")
    return "\n".join(lines)


def as_html(result: Result) -> str:
    """A line for each property with its least and greatest value and a histogram; the first nodes with their values;
    what was returned."""
    names = [name for name in result if result.types[name].carrier is Carrier.NODE and not result.on_device]
    head = "".join(f"<th>{escape(name)}</th>" for name in ("id", *names))
    count = min(result.graph.num_nodes, MOST_ROWS)
    columns = [[str(id) for id in result.ids[:count].tolist()], *(spelt(result, name, count) for name in names)]
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in zip(*columns, strict=True)
    )
    more = result.graph.num_nodes - count
    foot = f"<p>… and {more:,} more nodes</p>" if more else ""
    title = escape(in_words(result) if not names else in_words(result).splitlines()[0])
    first = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{foot}"
    return f"<div><pre>{title}</pre>{'' if result.on_device else _summaries(result)}{first}</div>"


def _summaries(result: Result) -> str:
    """A table of the properties, those of edges too."""
    if not len(result):
        return ""
    head = "".join(f"<th>{name}</th>" for name in ("property", "type", "finite", "min", "max", "values"))
    rows = []
    for name in result:
        found, kind = result.summary(name), result.types[name]
        told = (name, str(kind), f"{found.finite:,}", *("" if x is None else _cell(x) for x in (found.min, found.max)))
        picture = as_svg(result[name], kind.element)
        rows.append(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in told)}<td>{picture}</td></tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def as_frame(result: Result, *, edges: bool) -> Any:
    """A pandas frame of the properties of nodes, whose index is their ids, or of edges, with both ends. Raises E0813:
    pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise needs_library("Result.to_pandas", "pandas") from None
    wanted = Carrier.EDGE if edges else Carrier.NODE
    columns = {name: result.on_host(name) for name in result if result.types[name].carrier is wanted}
    if not edges:
        return pandas.DataFrame(columns, index=pandas.Index(result.ids, name="id"))
    index = pandas.MultiIndex.from_arrays(ends_of(result.graph), names=("source", "destination"))
    return pandas.DataFrame(columns, index=index)


def by_id(cells: Cells, kind: PropertyType, graph: Graph) -> dict[Any, Any]:
    """The values under the ids of their nodes; of edges under (source, destination), or, where edges are parallel,
    under (source, destination, k) as in NetworkX's multigraphs."""
    if kind.carrier is Carrier.NODE:
        return dict(zip(graph.original_ids.tolist(), cells.tolist(), strict=True))
    source, destination = (ends.tolist() for ends in ends_of(graph))
    found = dict(zip(zip(source, destination, strict=True), cells.tolist(), strict=True))
    if len(found) == graph.num_arcs:
        return found
    ranks = _ranks(graph).tolist()
    return dict(zip(zip(source, destination, ranks, strict=True), cells.tolist(), strict=True))


def ends_of(graph: Graph) -> tuple[Cells, Cells]:
    """The original ids of every arc's source and destination."""
    ids = graph.original_ids
    return ids[graph.sources], ids[graph.columns]


def _ranks(graph: Graph) -> Cells:
    """How many parallel arcs come before each arc."""
    arcs = np.arange(graph.num_arcs)
    same = (graph.sources[1:] == graph.sources[:-1]) & (graph.columns[1:] == graph.columns[:-1])
    first = np.maximum.accumulate(np.where(np.concatenate([[False], same]), 0, arcs))
    ranks: Cells = arcs - first
    return ranks


def _first_values(result: Result, name: str) -> str:
    if result.on_device:
        return "on the device"
    values = spelt(result, name, MOST_VALUES)
    more = " …" if len(result[name]) > MOST_VALUES else ""
    return _cut(" ".join(values), WIDEST) + more


def spelt(result: Result, name: str, count: int) -> list[str]:
    """The first values, INF as the language has it."""
    largest = _largest(result.types[name].element)
    return ["INF" if cell == largest and largest is not None else _cell(cell) for cell in result[name][:count].tolist()]


def _largest(kind: Scalar | ListType) -> Any:
    """The number that is INF, if the type has one."""
    return ir.infinity(element_of(kind)).value if isinstance(kind, Scalar) and kind.is_numeric else None


def _cell(cell: Any) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def plotted(result: Result, names: Sequence[str], *, ranked: bool) -> Any:
    """Matplotlib's axes, one for each property; one alone is given as it is. Raises E0710, the run brought no such
    property back; E0813, matplotlib is not installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise needs_library("Result.plot", "matplotlib") from None
    wanted = [*names] or [name for name in result if result.types[name].carrier is Carrier.NODE] or [*result]
    found = {name: result.on_host(name) for name in wanted}
    figure, axes = pyplot.subplots(1, max(len(found), 1), squeeze=False, figsize=(4.5 * max(len(found), 1), 3.2))
    for (name, cells), place in zip(found.items(), axes[0], strict=False):
        kind = result.types[name]
        values = np.asarray([]) if cells.dtype.kind == "O" else finite_values(cells, kind.element)
        draw = _rank if ranked else _histogram
        if len(values):
            draw(place, values)
        place.set_title(name)
        place.set_ylabel(name if ranked else "nodes" if kind.carrier is Carrier.NODE else "edges")
        place.set_xlabel("rank" if ranked else name)
    figure.tight_layout()
    return axes[0][0] if len(found) == 1 else axes[0]


def _histogram(axes: Any, values: Cells) -> None:
    counts, limits = counted(values)
    axes.stairs(counts, limits, fill=True)


def _rank(axes: Any, values: Cells) -> None:
    """The values in descending order over their rank; both on logarithmic scales, where the values allow it."""
    ordered = np.sort(values)[::-1]
    axes.plot(np.arange(1, len(ordered) + 1), ordered, ".", markersize=3)
    axes.set_xscale("log")
    axes.set_yscale("log" if ordered[0] > 0 and ordered[-1] >= 0 else "linear")
