"""Persistent kernels: barriers, reduction rings, rounds."""
