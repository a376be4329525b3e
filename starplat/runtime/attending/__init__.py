"""Runs that are waited for: how far they have come, what ends them early."""
