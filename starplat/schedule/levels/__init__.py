"""Breadth-first levels: keeps the nodes of each level, for the way there and back."""
