"""The progress_listener of long work: hears of runs and readings whose caller passes no function to tell.

There is none until one attends, as a notebook does once its extension is loaded.
"""

from collections.abc import Callable

Tell = Callable[[str, float | None], None]
"""Is told in words how far the work has come, and which share of it is done where that is known."""

_attending: Tell | None = None


def attend(tell: Tell | None) -> None:
    """Makes `tell` the only progress_listener from now on; None removes it."""
    global _attending  # noqa: PLW0603  one for the process, as its streams are
    _attending = tell


def of_run(program: str) -> Callable[[object], None] | None:
    """What a run of the program reports its progress to."""
    tell = _attending
    return None if tell is None else lambda progress: tell(f"{program}: {progress}", None)


def of_reading() -> Callable[[str, int, int], None] | None:
    """What the reading of a file reports its progress to: the name of a stage, what is done of it, how much it is."""
    tell = _attending
    return None if tell is None else lambda stage, done, total: tell(stage, done / total if total else None)
