"""Printers of host functions in C++."""
