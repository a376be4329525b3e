"""Loops that go on until nothing changes: which come to the same end in any order of their iterations."""
