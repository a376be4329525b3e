"""Knob `priority`: delta-stepping, in loops that relax arcs."""
