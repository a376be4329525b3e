"""Knob `memory`: where arcs lie, and which copies of them the device has."""
