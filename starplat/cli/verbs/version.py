"""`starplat version`: prints the version."""

from starplat import __version__
from starplat.cli import console
from starplat.cli.arguments import Json


def version(json: Json = False) -> None:
    """Print the version."""
    if json:
        console.write_json({"schema": 1, "version": __version__})
    else:
        console.write(f"starplat {__version__}")
