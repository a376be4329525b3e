"""Diagnostics for a device that fails, or is out of memory, also where its library ends the process.

libgomp calls `exit` where a GPU faults or a thread cannot be made, after a line of its own on stderr. There is no way
back from that, so the last thing the process does is to say what all failing devices say, and to end with their code.
"""

import atexit
import ctypes
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode, render


class Faults:
    """Around whatever a device is asked to do, many thousand times in a run: its `errors` become diagnostics."""

    __slots__ = ("device", "errors")

    def __init__(self, device: str, errors: tuple[type[BaseException], ...]) -> None:
        self.device, self.errors = device, errors

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, self.errors):
            raise device_fault(self.device, str(error)) from error


class DeviceFaultError(DiagnosticError):
    """The device gave up; it is not used again."""


def device_fault(device: str, reason: str, when: str = "failed while the program ran") -> DeviceFaultError:
    """E0906: the device gave up."""
    first = next((line.strip() for line in reason.splitlines() if line.strip()), "no reason given")
    message = f"{device} {when}: {first}"
    help = "an index out of range does this: run with --target reference, which checks every index"
    return DeviceFaultError(Diagnostic("E0906", message, help=help), exit_code=ExitCode.NO_DEVICE)


class NoRoomError(DiagnosticError):
    """E0903: an allocation of `size` bytes failed, within a `limit` if one stands; the device can be used as before.
    `least` says what a run takes there at least."""

    def __init__(self, device: str, size: int, limit: int | None = None, least: str = "") -> None:
        super().__init__(_no_room(device, size, limit, least), exit_code=ExitCode.NO_DEVICE)
        self.device, self.size, self.limit = device, size, limit

    def of_run(self, program: str, least: int) -> "NoRoomError":
        """The same, for the run of a program that takes so many bytes with no arcs on the device."""
        return NoRoomError(self.device, self.size, self.limit, f"{program} needs more than {least:,} bytes there: ")


def host_out_of_memory(device: str, size: int) -> DiagnosticError:
    """E0903: the host has no room for what a device is to read there."""
    return DiagnosticError(_no_room(f"the host, for {device},", size), exit_code=ExitCode.NO_DEVICE)


def _no_room(device: str, size: int, limit: int | None = None, least: str = "") -> Diagnostic:
    within = "" if limit is None else f" within {limit:,}"
    message = f"{device} has no room for {size:,} more bytes{within}"
    help = f"{least}use a device with more memory (starplat devices lists them), or a smaller graph"
    return Diagnostic("E0903", message, help=help)


_UNDER_WAY: list[str] = []
"""The devices whose libraries are being called."""


def within(device: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The result of a function of a device's library; should it end the process, that is reported of the device."""
    _UNDER_WAY.append(device)
    try:
        return function(*arguments)
    finally:
        _UNDER_WAY.remove(device)


def hear_of_endings() -> None:
    """Registers with `exit`. Handlers run last registered first, so this is repeated after a device has been opened,
    whose driver may register too."""
    libc = ctypes.CDLL(None)
    if not hasattr(libc, "gnu_get_libc_version"):
        return  # only glibc is known to drop the handler at `_forget`
    if libc.__cxa_atexit(_ENDED, None, _OURS) == 0:
        atexit.unregister(_forget)
        atexit.register(_forget)


def _forget() -> None:
    """Before Python ends, as it cannot be called after that; a call that was left behind did not end the process."""
    _UNDER_WAY.clear()
    ctypes.CDLL(None).__cxa_finalize(_OURS)


def _ended(_: int | None) -> None:
    if _UNDER_WAY:
        _end(device_fault(_UNDER_WAY[-1], "its runtime ended the process, and says why above"))


def _end(error: DiagnosticError) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # there may be none, or no reader
            if stream is sys.stderr:
                print("\n\n".join(map(render, error.diagnostics)), file=stream)
            stream.flush()
    os._exit(error.exit_code.value)


_ENDED = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_ended)
"""`_ended` as C calls it."""
_OURS = ctypes.byref(ctypes.c_char())
"""A unique address by which glibc knows what is ours."""
