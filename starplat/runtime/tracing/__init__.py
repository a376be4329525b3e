"""Traces of runs: the frontier, direction, time and work of every round."""
