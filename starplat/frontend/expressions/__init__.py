"""Checks expressions: from the syntax tree to the typed tree."""
