"""Rewrites of programs that count, in rounds, how many neighbors are still in a set."""
