"""Where the arcs of nodes lie: the offsets of their rows, and who is at the other ends, by the way they lead."""

from __future__ import annotations

from starplat.ir.nodes import COLUMNS, IN_COLUMNS, IN_ROW_OFFSETS, ROW_OFFSETS, Direction

ROWS = {Direction.OUT: (ROW_OFFSETS, COLUMNS), Direction.IN: (IN_ROW_OFFSETS, IN_COLUMNS)}
