"""Knob `priority`: near nodes first, in loops that relax arcs."""
