"""Checked runs: stop at the first operation that goes wrong (target `reference` with `--checked`)."""

from starplat.runtime.checked.run import run_checked

__all__ = ["run_checked"]
