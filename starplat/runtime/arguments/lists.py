"""Lists of updates as programs take them: four arrays, then three numbers."""

import numpy as np

from starplat.graph.updates import ADD, Updates
from starplat.runtime.elements import Cells


def taken_apart(updates: Updates, length: int) -> tuple[Cells, ...]:
    """Whether each adds, its source, its destination, its weight as a double; zeros fill up to `length`."""
    weights = np.ones(len(updates)) if updates.weights is None else updates.weights.astype(np.float64)
    columns = (updates.kinds == ADD, updates.sources, updates.destinations, weights)
    return tuple(np.concatenate([column, np.zeros(length - len(updates), column.dtype)]) for column in columns)
