"""Legalisation: kernels and functions are said with what a target can do. `routines` begins it."""
