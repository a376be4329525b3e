"""Sums over nodes and arcs in one form: made by all at once, by the node whose cell it is, kept in no property."""
