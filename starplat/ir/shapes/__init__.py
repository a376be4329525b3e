"""Shapes of kernels: those that gather, search, or share rows."""
