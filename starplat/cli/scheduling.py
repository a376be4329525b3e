"""Finds the schedule of a command line, given or beside the program, and the device that it is for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from starplat.cli import console

if TYPE_CHECKING:
    from starplat.ir.processors import Processor
    from starplat.runtime.scheduling.device import Chosen
    from starplat.schedule import Schedule


def wanted_schedule(given: str | None, program: Path) -> Schedule | None:
    """The schedule, None if none is asked for; one from a file beside the program is reported. Raises E0660 to E0664:
    it is wrong."""
    from starplat.schedule.parse import file_beside, parse_schedule, read_schedule

    if given is not None:
        return parse_schedule(given)
    if (path := file_beside(program)) is None:
        return None
    found = read_schedule(path)
    console.say(f"{path}: schedule {found}")
    return found


@dataclass(frozen=True, slots=True)
class DeviceChoice:
    """The device of a target that a schedule is for: the one of that number, or any of a kind."""

    device: int | None = None
    kind: Processor | None = None

    def __post_init__(self) -> None:
        if self.device is not None and self.kind is not None:
            raise typer.BadParameter("is about any device of a kind, and cannot go with --device", param_hint="--for")

    @property
    def asked(self) -> bool:
        """Whether the command line says anything about it."""
        return self.device is not None or self.kind is not None

    def of(self, target: str) -> Chosen:
        """The device of that target. Raises E0796, there is no such target; E0666 or E0902, no such device."""
        from starplat import pipeline
        from starplat.runtime.scheduling.device import chosen

        pipeline.require_target(target)
        return chosen(target, self.device, self.kind)


ANY = DeviceChoice()
"""The one that is at hand."""
