"""Unique names inside one host function or kernel."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """Gives every asker a name of its own: the one wanted if it is free, else with a number."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def fresh(self, wanted: str) -> str:
        """A name that nobody has, as like `wanted` as can be."""
        name = wanted
        while name in self._taken:
            number = self._next.get(wanted, 2)
            self._next[wanted] = number + 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name

    def inner(self) -> Names:
        """Names for a kernel of this function: they avoid all that are taken here, and take none away."""
        return Names(self._taken)
