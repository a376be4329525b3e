"""Legalisation: rewrites kernels and functions within a target's capabilities. `routines` begins it."""
