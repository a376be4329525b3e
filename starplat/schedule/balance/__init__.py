"""Knob `balance`: what threads share out, nodes or arcs."""
