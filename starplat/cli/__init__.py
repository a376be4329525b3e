"""The command line; `main` runs it."""

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code; the verbs are imported now."""
    from starplat.cli.app import main as run_verb

    return run_verb(arguments)
