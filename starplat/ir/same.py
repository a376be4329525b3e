"""A module as a cache key by identity: comparing modules takes longer than most cached work."""

from dataclasses import dataclass

from starplat.ir import nodes as ir


@dataclass(frozen=True, slots=True, eq=False)
class Same:
    """A module, equal to itself alone."""

    module: ir.Module

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.module is self.module

    def __hash__(self) -> int:
        return id(self.module)
