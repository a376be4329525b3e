"""Where the arcs of nodes lie: the offsets of their rows, and who is at the other ends, by the way they lead."""

from __future__ import annotations

from starplat.ir import nodes as ir

ROWS = {ir.Direction.OUT: (ir.ROW_OFFSETS, ir.COLUMNS), ir.Direction.IN: (ir.IN_ROW_OFFSETS, ir.IN_COLUMNS)}
