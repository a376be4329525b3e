"""Runs in several parts: who has which nodes, and what carries cells between them."""
