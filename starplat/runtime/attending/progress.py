"""The progress of a run, visible while it goes on, and its limits: a number of rounds, a time, memory.

A loop that the host drives tells of its rounds here. A loop that runs wholly on the device tells of none: only the time
passes."""

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from time import perf_counter

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode, Label
from starplat.sizes import size_in
from starplat.source import NOWHERE, SourceFile, Span


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

    def loop(self) -> "LoopProgress":
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

    def __enter__(self) -> "LoopProgress":
        self._progress.rounds.append(0)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._progress.rounds.pop()

    @property
    def has_taken_all(self) -> bool:
        """Whether there may be no more rounds."""
        return self._rounds == self._progress.most_rounds

    def begin_round(self) -> None:
        self._rounds += 1
        self._progress.rounds[-1] = self._rounds
        self._progress.by_device = False


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take.

    Attributes:
        max_rounds: of every loop that may go on for ever, each time it runs.
        time_limit: seconds.
        follow: is told how far the run has come, some times a second.
        device_memory: bytes of the device's memory, for all arrays that the run allocates there.
        host_memory: bytes of the host's memory, for the arrays that kernels read there.
    """

    max_rounds: int | None = None
    time_limit: float | None = None
    follow: Callable[[Progress], None] | None = None
    device_memory: int | None = None
    host_memory: int | None = None


UNLIMITED = Limits()


def limits(
    max_rounds: int | None,
    time_limit: float | None,
    follow: Callable[[Progress], None] | None = None,
    device_memory: int | str | None = None,
    host_memory: int | str | None = None,
) -> Limits:
    """The limits that a caller asks for; memory in bytes or in words such as "12G". Raises E0732: one is no limit."""
    if (max_rounds, time_limit, follow, device_memory, host_memory) == (None,) * 5:
        return UNLIMITED
    if max_rounds is not None and max_rounds < 1:
        raise _no_limit("max_rounds", max_rounds, "a whole number above zero")
    if time_limit is not None and not 0.0 < time_limit < float("inf"):
        raise _no_limit("time_limit", time_limit, "a number of seconds above zero")
    rooms = _bytes("device_memory", device_memory), _bytes("host_memory", host_memory)
    return Limits(max_rounds, time_limit, follow, *rooms)


def _bytes(name: str, given: int | str | None) -> int | None:
    room = size_in(given) if isinstance(given, str) else given
    if given is not None and (room is None or room < 1):
        raise _no_limit(name, given, "a number of bytes above zero, or one with K, M or G such as 12G")
    return room


def too_many_rounds(most: int, source: SourceFile, span: Span) -> DiagnosticError:
    """E0730: a loop has taken all its rounds and would go on."""
    message = f"a loop was not done after {most:,} round{'s' * (most != 1)}, and max_rounds allows no more"
    help = "allow more, or see what its condition waits for: `starplat run --trace` shows every round"
    place = None if span is NOWHERE else Label(span, "in this loop")
    return DiagnosticError(Diagnostic("E0730", message, source, place, help=help))


def took_too_long(seconds: float, left_behind: str | None) -> DiagnosticError:
    """E0731: the time is over; `left_behind` says what could not be stopped."""
    message = f"the run was ended after {seconds:g} s, as time_limit says"
    if left_behind:
        message += f"; {left_behind}"
    help = "allow more time, or see how far it comes: `starplat run` tells the rounds of loops that the host drives"
    return DiagnosticError(Diagnostic("E0731", message, help=help))


def _no_limit(name: str, value: object, wanted: str) -> DiagnosticError:
    message = f"{name} is {wanted}, not {value}"
    return DiagnosticError(Diagnostic("E0732", message), exit_code=ExitCode.USAGE)
