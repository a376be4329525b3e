"""Statements: from the syntax tree to the typed one."""
