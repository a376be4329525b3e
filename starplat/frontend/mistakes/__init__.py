"""Syntax errors: recognising what was meant, wording, recovery."""
