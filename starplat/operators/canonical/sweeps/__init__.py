"""Rewrites of loops over the levels of a search, one level after another."""
