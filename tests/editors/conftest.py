"""The command line, as its own tests run it."""

from tests.cli.conftest import process, starplat

__all__ = ["process", "starplat"]
