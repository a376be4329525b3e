"""Parsing: from text to the syntax tree and back."""
