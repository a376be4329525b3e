"""Progress on stderr: a bar for long work, on a terminal only; of a run one line that changes, elsewhere a line now and
then.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starplat.cli import console

if TYPE_CHECKING:
    from starplat.runtime import Progress

Report = Callable[[str, int, int], None]


@contextmanager
def progress() -> Iterator[Report | None]:
    """A function to call with a stage's name, what is done of it and how much it is; None without a terminal."""
    if not console.shows_progress():
        yield None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console.err(), transient=True) as bars:
        tasks = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield report


SILENT = 2.0
"""Seconds after which progress is reported."""
_FIRST_PAUSE = 5.0
_LONGEST_PAUSE = 60.0


class Following:
    """Progress of consecutive runs; `change` redraws the line of a terminal, if there is one."""

    def __init__(self, what: str, change: Callable[[str], None] | None) -> None:
        self._what, self._change = what, change
        self._next = SILENT
        self._pause = _FIRST_PAUSE

    def turn_to(self, what: str) -> None:
        """Another run begins."""
        self._what, self._next, self._pause = what, SILENT, _FIRST_PAUSE
        if self._change is not None:
            self._change(what)

    def look(self, progress: "Progress") -> None:
        """Reports how far a run has come, if it is time to."""
        if self._change is not None:
            if progress.seconds >= SILENT:
                self._change(f"{self._what}: {progress}")
        elif progress.is_running and progress.seconds_of_step >= self._next:
            console.say(f"{self._what}: {progress}")
            self._next = progress.seconds_of_step + self._pause
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)


@contextmanager
def following(what: str) -> Iterator[Following]:
    """A callback for the run's progress. An interruption's message is shown."""
    try:
        with console.working(what) as change:
            yield Following(what, change if console.shows_progress() else None)
    except KeyboardInterrupt as interruption:
        if str(interruption):
            console.say(str(interruption))
        raise
