"""Shapes of kernels that several steps and targets ask for: those that gather, search, or share rows."""
