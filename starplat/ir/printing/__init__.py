"""Prints the intermediate form for readers."""
