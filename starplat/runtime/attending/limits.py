"""Limits of a run, a number of rounds and a time, and the callback that follows its progress."""

from collections.abc import Callable
from dataclasses import dataclass

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode, Label
from starplat.runtime.attending.progress import Progress
from starplat.sizes import size_in
from starplat.source import NOWHERE, SourceFile, Span


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
