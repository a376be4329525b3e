"""Knob `direction`: from which end of the arcs a round is done, and what proves that either will do."""
