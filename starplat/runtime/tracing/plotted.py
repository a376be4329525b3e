"""A picture of a trace by matplotlib: the active nodes and the time of every round."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from starplat.graph.errors import needs_library
from starplat.ir.points import Way

WORDS = {Way.PUSH: "push", Way.PULL: "pull", Way.NONE: "no arcs"}


def plotted(active: Sequence[int], ways: Sequence[Way], seconds: Sequence[float]) -> Any:
    """Matplotlib's axes: active nodes of each round on a logarithmic scale, by direction, and on the right its time.
    Raises E0813: matplotlib is not installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise needs_library("Trace.plot", "matplotlib") from None
    figure, axes = pyplot.subplots(figsize=(7, 3.2))
    nodes, numbers = np.array(active, np.int64), np.arange(1, len(active) + 1)
    for way, words in WORDS.items():
        chosen = np.array([each is way for each in ways], np.bool_)
        if chosen.any():
            axes.plot(numbers[chosen], nodes[chosen], ".", label=f"active nodes, {words}")
    axes.set_yscale("symlog")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("round")
    axes.set_ylabel("active nodes")
    times = axes.twinx()
    times.plot(numbers, np.array(seconds) * 1e3, color="0.6", linewidth=1, label="time")
    times.set_ylabel("ms")
    times.set_ylim(bottom=0)
    if len(nodes):
        axes.legend(loc="best")
    figure.tight_layout()
    return axes
