"""A request for a run: all that a caller says beside the program, the graph and the arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starplat.runtime.attending.limits import UNLIMITED, Limits
from starplat.schedule import Schedule

if TYPE_CHECKING:
    from starplat.runtime.parts.communicator import Communicator
    from starplat.runtime.results.result import Result
    from starplat.runtime.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How a module is to be run.

    Attributes:
        target: its name, or "auto" for the best that is here.
        device_index: the number of the target's device; None is the first, and for ranks of a host each its own.
        results: the properties to bring back; None means all, an empty list none.
        device_results: leaves them on the device, as its arrays; see `Result`.
        repeat: how often to run; `Result.seconds.run` has a time for each.
        schedule: how to run; None is what is best for devices, and for the interpreter the program as it is.
        trace: runs once more, watched; `Result.trace` says what happened in every round.
        limits: what the run may take; rounds that are counted are the host's to drive.
        session: whose device it runs on; None is the default one.
        on_batch: in the first repetition, is given the number of every batch of updates that is done, from 1 on, and
            the results so far, with the graph as it is then.
        communicator: connects this rank of a run in parts to the others, which ask for the same; the module is one in
            parts then (see `passes.parts`), and runs as it is.
        compile_seconds: what the front end took, to be reported with the rest.
    """

    target: str = "auto"
    device_index: int | None = None
    results: Sequence[str] | None = None
    device_results: bool = False
    repeat: int = 1
    schedule: Schedule | None = None
    trace: bool = False
    limits: Limits = UNLIMITED
    session: Session | None = None
    on_batch: Callable[[int, Result], None] | None = None
    communicator: Communicator | None = None
    compile_seconds: float = 0.0

    @property
    def runs(self) -> int:
        """How often it runs in all."""
        return max(self.repeat, 1) + self.trace
