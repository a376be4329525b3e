"""Rewrites of a module that keep its meaning: one file each, in the order of `PASSES`."""

from starplat.passes.order import PASSES, Pass, run

__all__ = ["PASSES", "Pass", "run"]
