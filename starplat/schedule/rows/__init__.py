"""Rows beside those of the graph, which a module makes on the device for its own loops."""
