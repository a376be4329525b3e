"""Where arcs lie in sorted rows, by bisection: O(k log d) for k arcs in rows of at most d.

Works on bare arrays of a graph read along its arcs or against them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from starplat.graph.csr import Nodes, Offsets

Places = NDArray[np.int64]


def first_places(row_offsets: Offsets, columns: Nodes, rows: Nodes, wanted: Nodes) -> Places:
    """For each i the place in `columns` of the first arc of row rows[i] that leads to wanted[i], int64[k]; where there
    is none, the place at which it would lie."""
    return _bisected(row_offsets, columns, rows, wanted, -1)


def last_places(row_offsets: Offsets, columns: Nodes, rows: Nodes, wanted: Nodes) -> Places:
    """The same for the place after the last such arc."""
    return _bisected(row_offsets, columns, rows, wanted, 0)


def places_between(first: Places, last: Places) -> Places:
    """The numbers first[i] up to last[i] of every i, one range after the other."""
    lengths = last - first
    begun = np.cumsum(lengths) - lengths
    places: Places = np.arange(int(lengths.sum())) + np.repeat(first - begun, lengths)
    return places


def _bisected(row_offsets: Offsets, columns: Nodes, rows: Nodes, wanted: Nodes, most: int) -> Places:
    """The first place of each row whose column minus the wanted one is above `most`."""
    low: Places = row_offsets[rows]
    high: Places = row_offsets[rows.astype(np.int64) + 1]
    bound = wanted.astype(np.int64) + most
    longest = int((high - low).max(initial=0))
    for _ in range(longest.bit_length()):
        middle = (low + high) // 2
        later = (low < high) & (columns[np.minimum(middle, len(columns) - 1)] <= bound)
        high = np.where(later, high, middle)  # where nothing is left, `middle` is `high`
        low = np.where(later, middle + 1, low)
    return low
