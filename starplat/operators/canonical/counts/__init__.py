"""Rewrites of programs that repeatedly count the neighbors in a set, such as k-core by peeling."""
