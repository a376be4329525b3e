"""Intersections of rows in the place of a search through all pairs of neighbors."""
