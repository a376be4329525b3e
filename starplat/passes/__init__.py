"""Passes: rewrites of a module that keep its meaning, in the order of `PASSES`."""

from starplat.passes.order import PASSES, Pass, run

__all__ = ["PASSES", "Pass", "run"]
