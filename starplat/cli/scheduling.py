"""Which schedule a command line means: the one that is given, else the one beside the program."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starplat.cli import console

if TYPE_CHECKING:
    from starplat.schedule import Schedule


def wanted_schedule(given: str | None, program: Path) -> Schedule | None:
    """The schedule, None if nobody asks for one; that a file beside the program does is said.

    Raises:
        DiagnosticError: E0660 to E0664, it is wrong.
    """
    from starplat.schedule.parse import file_beside, parse_schedule, read_schedule

    if given is not None:
        return parse_schedule(given)
    path = file_beside(program)
    if path is None:
        return None
    found = read_schedule(path)
    console.say(f"{path}: schedule {found}")
    return found
