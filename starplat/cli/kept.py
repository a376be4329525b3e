"""Objects that must live until the process ends, because destroying them beside other vendors' runtimes may crash."""

KEPT: list[object] = []
"""Graphs that were on devices; `process.run` ends the process without destroying them."""
