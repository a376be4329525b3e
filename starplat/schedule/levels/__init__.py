"""Loops over breadth-first levels, and back: the nodes of a level kept at hand."""
