"""Traces of runs: what each round did, how many nodes were active, what was touched."""
