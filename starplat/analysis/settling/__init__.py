"""Monotone fixed points: loops whose end does not depend on the order of their iterations."""
