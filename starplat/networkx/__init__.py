"""The NetworkX backend `starplat`: NetworkX's functions, computed by programs of `starplat.algorithms`.

NetworkX finds it by the entry points in `pyproject.toml`: `info.get_info` and `interface.backend`. Each family of
functions has a module, whose functions have NetworkX's own names and parameters.
"""
