"""The options of `starplat run`, apart from program, graph and arguments."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starplat.schedule import Schedule


@dataclass(frozen=True, slots=True)
class Request:
    """How to run; the names are those of `Program.run`."""

    function: str | None
    target: str
    device: int | None
    repeat: int
    validate: bool
    schedule: Schedule | None = None
    trace: bool = False
    max_rounds: int | None = None
    time_limit: float | None = None
    checked: bool = False
    device_memory: str | None = None
    host_memory: str | None = None
    devices: int | str | None = None

    @property
    def options(self) -> dict[str, Any]:
        """All of it by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
