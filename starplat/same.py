"""Keys by identity, for statements, places, operations and modules.

Equal statements at two places of a program are two, and comparing modules takes longer than most cached work.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Same:
    """A thing, equal to itself alone, which lives as long as its key."""

    thing: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)
