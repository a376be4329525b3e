"""Knob `frontier`: which flags are sets of active nodes, and what loops over such sets become."""
