"""A progress bar on stderr for long work, on a terminal only."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starplat.cli import console

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
