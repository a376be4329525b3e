"""Syntax errors: what was probably meant, how it is said, and where the parser goes on."""
