"""Rewrites of searches to one form, whether visited nodes are known by levels, by flags or by frontiers."""
