"""Knob `balance`: how threads share nodes or arcs."""
