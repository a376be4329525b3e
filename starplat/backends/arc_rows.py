"""The graph arrays behind the arcs of a node, by direction: row offsets and the nodes at the other end."""

from starplat.ir import nodes as ir

ROWS = {ir.Direction.OUT: (ir.ROW_OFFSETS, ir.COLUMNS), ir.Direction.IN: (ir.IN_ROW_OFFSETS, ir.IN_COLUMNS)}
