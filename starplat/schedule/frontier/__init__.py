"""Knob `frontier`: finds the flags that are sets of active nodes, and rewrites loops over them."""
