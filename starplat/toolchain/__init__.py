"""Compilers and devices of this machine, and the cache of what they built."""
