"""Divides a program among parts, each with a piece of the nodes and their arcs, and places what they exchange."""
