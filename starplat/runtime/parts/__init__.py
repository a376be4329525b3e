"""Runs in several parts: which part has which nodes, and what carries cells between parts."""
