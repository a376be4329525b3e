"""Pictures of a result by matplotlib: histograms of its properties, or their values in descending order."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from starplat.frontend.types import Carrier, PropertyType
from starplat.graph.errors import needs_library
from starplat.runtime.elements import Cells
from starplat.runtime.results.histogram import counted, finite_values


class Result(Protocol):
    """What is drawn of a `runtime.Result`."""

    @property
    def types(self) -> Mapping[str, PropertyType]: ...
    def on_host(self, name: str) -> Cells: ...
    def __iter__(self) -> Any: ...


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
