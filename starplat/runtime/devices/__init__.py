"""Devices, one file each, and what they have in common: memory, kernels that are built, faults."""
