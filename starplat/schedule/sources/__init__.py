"""Knob `sources`: breadth-first searches from many sources run at once, a bit of a word for each."""
