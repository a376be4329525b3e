"""`starplat version`: prints the version."""

from starplat.cli import arguments, console
from starplat.version import __version__


def version(json: arguments.Json = False) -> None:
    """Print the version."""
    if json:
        console.write_json({"schema": 1, "version": __version__})
    else:
        console.write(f"starplat {__version__}")
