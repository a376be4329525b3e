"""Which arrays are stale at a place of a program in parts: a part knows no more than its own cells of them.

Of some it is known that only cells of the nodes in a set are stale, so that no others have to cross.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from starplat.ir import nodes as ir


@dataclass(frozen=True, slots=True)
class Stale:
    """The stale arrays, each with the set of the nodes whose cells have changed, or None if any may have. The set is
    known by the parts that have its nodes."""

    among: Mapping[ir.Array, ir.Array | None] = field(default_factory=dict)

    @property
    def arrays(self) -> frozenset[ir.Array]:
        return frozenset(self.among)

    def __and__(self, arrays: Iterable[ir.Array]) -> frozenset[ir.Array]:
        return self.arrays.intersection(arrays)

    def __sub__(self, arrays: Iterable[ir.Array]) -> Stale:
        left = frozenset(arrays)
        return Stale({array: members for array, members in self.among.items() if array not in left})

    def __or__(self, other: Stale) -> Stale:
        """What may be stale where two ways of the program meet."""
        found = dict(self.among)
        for array, members in other.among.items():
            found[array] = members if found.get(array, members) == members else None
        return Stale(found)

    def left_by(self, array: ir.Array, members: ir.Array | None) -> Stale:
        """After own cells of an array have changed, of nodes that have joined the set if there is one."""
        return self | Stale({array: members})

    def without_sets(self, changed: Iterable[ir.Array]) -> Stale:
        """After sets have changed, which then tell nothing of what was changed before."""
        lost = frozenset(changed)
        return Stale({array: None if members in lost else members for array, members in self.among.items()})

    def swapped(self, first: ir.Array, second: ir.Array) -> Stale:
        """After two arrays have changed places."""
        places: dict[ir.Array | None, ir.Array] = {first: second, second: first}
        return Stale({places.get(array, array): places.get(members, members) for array, members in self.among.items()})
