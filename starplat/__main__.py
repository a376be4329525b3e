"""`python -m starplat`, the same as `starplat`."""

from starplat.cli.process import run

run()
