"""Why iterations of a parallel loop may meet at a cell, in words: the reason for every atomic operation."""

from starplat.analysis.positions import Position
from starplat.analysis.races import CellSet, RaceClass

_ALONE = {
    Position.OUT_NEIGHBOR: "one node is the out-neighbor of many",
    Position.IN_NEIGHBOR: "one node is the in-neighbor of many",
    Position.SAME: "all iterations touch this one cell",
    Position.ANY: "which cell it is depends on values, so two iterations may meet at one",
}


def is_shared(cell: CellSet) -> bool:
    """Whether one iteration may write what another touches."""
    return cell.race_class not in (RaceClass.OWNED, RaceClass.READ_ONLY)


def why_shared(cell: CellSet) -> str:
    """Why two iterations may touch one cell of the set."""
    positions = {access.position for access in cell.accesses}
    for widest in (Position.ANY, Position.SAME):
        if widest in positions:
            return _ALONE[widest]
    if Position.OWN in positions and len(positions) > 1:
        other = next(position for position in Position if position in positions and position is not Position.OWN)
        return f"a cell that is one iteration's own is {other.value} for another"
    if positions == {Position.OUT_ARC, Position.IN_ARC}:
        return "every arc goes out of one node and into another"
    return next((_ALONE[position] for position in Position if position in positions and position in _ALONE), "")
