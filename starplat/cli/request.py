"""What `starplat run` was asked for, apart from program, graph and arguments."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Request:
    """How to run; the names are those of `Program.run`."""

    function: str | None
    target: str
    device: int | None
    repeat: int
    validate: bool
