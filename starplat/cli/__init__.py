"""The command line: `starplat check|compile|run|inspect|explain|fmt|graph|devices|version`."""

from starplat.cli.app import main

__all__ = ["main"]
