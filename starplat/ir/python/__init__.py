"""Kernels and expressions as Python text, for the interpreter and the host's evaluator."""
