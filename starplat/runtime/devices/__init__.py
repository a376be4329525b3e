"""Devices, one file each, and what they share: memory, built kernels, faults."""
