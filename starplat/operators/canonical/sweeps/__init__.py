"""Loops over the levels of a search, one level after another."""
