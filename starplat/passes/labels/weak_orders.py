"""All weak orders of some numbers: orders with ties."""

from functools import lru_cache


@lru_cache(maxsize=8)
def weak_orders(count: int) -> tuple[tuple[int, ...], ...]:
    """Each order as every number's place, from 0 on; of 6 numbers there are 4,683.

    >>> weak_orders(2)
    ((0, 0), (0, 1), (1, 0))
    """
    if not count:
        return ((),)
    found = []
    for order in weak_orders(count - 1):
        for place in range(max(order, default=-1) + 2):
            found.append((*order, place))  # beside others, or after all
        for place in range(max(order, default=-1) + 1):
            found.append((*(other + (other >= place) for other in order), place))
    return tuple(found)
