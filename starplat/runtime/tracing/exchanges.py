"""The exchanges between parts of a run, and between host and device, as a trace records them."""

from dataclasses import dataclass
from enum import Enum
from typing import Any

from starplat.ir import nodes as ir


class Crossing(Enum):
    """How cells of parts become what all of them have, or those of the host the device's."""

    SHARE = "share"  # each part gives its own cells to the others
    COMBINE = "combine"  # an operator makes one cell of those of all parts
    TOGETHER = "together"  # the same for a scalar
    CHUNKS = "chunks"  # the host copies the rows that a launch reads


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange of an array or a scalar, or of rows for the kernel of that name; `bytes` are what all parts together
    gave, or the host."""

    crossing: Crossing
    name: str
    bytes: int

    def to_json(self) -> dict[str, Any]:
        """As the schema has it."""
        return {"exchange": self.crossing.value, "name": self.name, "bytes": self.bytes}


def crossing_of(op: ir.HostOp) -> tuple[Crossing, str] | None:
    """How a host operation exchanges cells, and the name of their array or scalar; None if it exchanges nothing."""
    match op:
        case ir.ShareParts(array):
            return Crossing.SHARE, array.name
        case ir.CombineParts(array, among=ir.Array() as among):
            return Crossing.COMBINE, f"{array.name}, {among.name}"
        case ir.CombineParts(array) | ir.CombineChanged(array):
            return Crossing.COMBINE, array.name
        case ir.Together(variable) | ir.TakeFirst(variable):
            return Crossing.TOGETHER, variable.name
        case ir.ExchangeCells():
            names = ", ".join(array.name for array in (*op.arrays, op.among) if array is not None)
            return (Crossing.SHARE if op.by is None else Crossing.COMBINE), names
        case _:
            return None
