"""Graphs larger than memory: arcs are sorted in files, and only those of a piece of the nodes are held at one time."""
