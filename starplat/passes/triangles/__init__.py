"""Triangle counting by intersections of rows, in place of a search through all pairs of neighbors."""
