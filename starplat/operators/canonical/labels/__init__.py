"""Rewrites of loops in which labels spread unchanged: one form for union-find to look at."""
