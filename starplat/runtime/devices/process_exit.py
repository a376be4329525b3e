"""The last message when a library of kernels ends the process instead of returning.

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

from starplat.diagnostics import DiagnosticError, render
from starplat.runtime.devices.device_faults import device_fault

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
