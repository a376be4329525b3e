"""Printers of kernels in C-like languages: expressions, statements, sets, rows."""
