"""Histograms of a property's values, as a few bars of inline SVG.

Values that are not finite (INF, NaN) are left out. Of large arrays every k-th value is looked at.
"""

import numpy as np

from starplat.frontend.types import Scalar
from starplat.ir import nodes as ir
from starplat.runtime.elements import Cells, element_of

BARS = 24
WIDTH, HEIGHT = 120, 28
MOST_SAMPLED = 1 << 20
"""Values that are counted at most, so that a table of 100 M nodes appears at once."""


def finite_values(cells: Cells, kind: Scalar) -> Cells:
    """The values that are numbers and not INF: of any type but names of nodes, which are none."""
    if kind.is_real:
        return np.asarray(cells[np.isfinite(cells)])
    if kind.is_integer:
        return np.asarray(cells[cells != ir.infinity(element_of(kind)).value])
    return cells


def counted(values: Cells) -> tuple[Cells, Cells]:
    """How many values each bar stands for, [k], and the bars' limits, [k + 1]; whole numbers get a bar each where they
    are few.

    >>> counted(np.array([1, 1, 3]))[0].tolist()
    [2, 0, 1]
    """
    values = values.astype(np.int8) if values.dtype == np.bool_ else values
    least = values.min()
    if values.dtype.kind in "iu" and int(values.max()) - int(least) < BARS:
        counts = np.bincount((values - least).astype(np.intp))
        return counts, int(least) - 0.5 + np.arange(len(counts) + 1)
    halves = values.astype(np.float64) / 2  # so that the distance of the largest two numbers is a number
    low, high = halves.min(), halves.max()
    margin = BARS * np.spacing(max(abs(low), abs(high)))
    if high - low < margin:  # too near to each other to have limits between them
        low, high = (low - margin, high) if low > 0 else (low, high + margin)
    counts, limits = np.histogram(halves, BARS, (low, high))
    return counts, limits * 2


def as_svg(cells: Cells, kind: Scalar) -> str:
    """The histogram in the colour of the text around it; empty where there is nothing to count."""
    if cells.dtype.kind == "O":
        return ""
    values = finite_values(cells, kind)
    values = values[:: -(-len(values) // MOST_SAMPLED) or 1]
    if not len(values):
        return ""
    counts, _ = counted(values)
    width, most = WIDTH / len(counts), counts.max()
    heights = [max(HEIGHT * count / most, 1.0) if count else 0.0 for count in counts.tolist()]
    bars = "".join(
        f'<rect x="{place * width:.1f}" y="{HEIGHT - height:.1f}" width="{width - 1:.1f}" height="{height:.1f}"/>'
        for place, height in enumerate(heights)
        if height
    )
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg {size} fill="currentColor" fill-opacity="0.6" role="img">{bars}</svg>'
