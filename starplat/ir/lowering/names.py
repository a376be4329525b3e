"""Fresh names inside one host function or kernel."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """Gives unique names: the wanted one if it is free, else with a number."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}
        self._inside: list[Names] = []

    def fresh(self, wanted: str) -> str:
        """An unused name, as similar to `wanted` as possible."""
        name = wanted
        while name in self._taken:
            number = self._next.get(wanted, 2)
            self._next[wanted] = number + 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name

    def inner(self) -> Names:
        """Names for a kernel of this function: they avoid all that are taken here, and take none away."""
        names = Names(self._taken)
        self._inside.append(names)
        return names

    def fresh_throughout(self, wanted: str) -> str:
        """As `fresh`, and no kernel made so far has it: for arrays that are needed while a kernel is being made."""
        name = self.fresh(wanted)
        while any(name in inner._taken for inner in self._inside):
            name = self.fresh(wanted)
        for inner in self._inside:
            inner._taken.add(name)
        return name
