"""Supervision of runs: progress, limits, interruption."""
