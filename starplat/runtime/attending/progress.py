"""The progress of a run, visible while it goes on, and the number of rounds that it may take.

A loop that the host drives tells of its rounds here. A loop that runs wholly on the device tells of none: only the time
passes.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from enum import Enum
from time import perf_counter


class Step(Enum):
    """What a run is busy with."""

    PREPARING = "looking at the graph"
    BUILDING = "building the kernels"
    UPLOADING = "copying the graph to the device"
    RUNNING = "running"
    FINISHING = "copying the results to the host"


class Control(ctypes.Structure):
    """The words that a loop compiled with the kernels shares with its run: whether to stop, and its rounds so far."""

    _fields_ = (("stopped", ctypes.c_int), ("rounds", ctypes.c_longlong))


@dataclass(slots=True)
class Progress:
    """One run, written by the thread that runs and read by others.

    Attributes:
        most_rounds: how many rounds a loop may take; None is any number.
        rounds: the rounds of the loops under way, the outermost first.
        active: how many nodes the last list of active nodes had that the host knows the length of; None before.
        by_device: whether a loop that runs wholly on the device is under way.
        control: what is shared with compiled loops.
    """

    most_rounds: int | None = None
    step: Step = Step.PREPARING
    rounds: list[int] = field(default_factory=list)
    active: int | None = None
    by_device: bool = False
    control: Control = field(default_factory=Control)
    began: float = field(default_factory=perf_counter)
    step_began: float = field(default_factory=perf_counter)

    def begin(self, step: Step) -> None:
        """The run turns to something else."""
        self.step, self.step_began = step, perf_counter()

    @property
    def is_running(self) -> bool:
        """Whether the program's own steps are taken."""
        return self.step is Step.RUNNING

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return perf_counter() - self.began

    @property
    def seconds_of_step(self) -> float:
        """Since it turned to what it is busy with."""
        return perf_counter() - self.step_began

    def stop(self) -> None:
        """Compiled loops end before their next round."""
        self.control.stopped = 1

    def loop(self) -> LoopProgress:
        """A loop that begins; it is under way inside a `with`."""
        return LoopProgress(self)

    def __str__(self) -> str:
        """A line for people."""
        words = [f"{self.seconds:.0f} s"]
        compiled = self.control.rounds
        rounds, active = (*self.rounds, *((compiled,) if compiled else ())), self.active
        if self.step is not Step.RUNNING:
            words.append(self.step.value)
        elif self.by_device:
            words.append("a loop runs wholly on the device, which does not tell of its rounds")
        elif rounds:
            words.append("round " + ", in it round ".join(f"{number:,}" for number in rounds))
        if rounds and active is not None and not self.by_device:
            words.append(f"{active:,} active node{'s' * (active != 1)}")
        return ", ".join(words)


class LoopProgress:
    """A loop under way."""

    __slots__ = ("_progress", "_rounds")

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._rounds = 0

    def __enter__(self) -> LoopProgress:
        self._progress.rounds.append(0)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._progress.rounds.pop()

    @property
    def has_taken_all(self) -> bool:
        """Whether there may be no more rounds."""
        return self._rounds == self._progress.most_rounds

    def begin_round(self) -> None:
        """Another round begins."""
        self._rounds += 1
        self._progress.rounds[-1] = self._rounds
        self._progress.by_device = False
