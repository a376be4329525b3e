"""Kernels in C-like languages: expressions, statements, sets, rows."""
