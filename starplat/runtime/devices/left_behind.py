"""Devices on which something goes on that could not be stopped: nothing else is run there until it has ended."""

from __future__ import annotations

import atexit
import signal
from typing import Any

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.runtime.attending.attended import Job
from starplat.runtime.attending.progress import Step
from starplat.runtime.devices.device import Device

_BUSY: dict[tuple[str, int], Job[Any]] = {}
"""What goes on, by target and number of the device."""


def leave_busy(device: Device, index: int, job: Job[Any], step: Step) -> str:
    """Marks a device as busy for as long as the job goes on; gives a sentence about that."""
    _BUSY[device.target, index] = job
    atexit.register(_end_soon)
    what = f"a kernel on {device.name}" if step is Step.RUNNING else f"{device.name} was {step.value} and"
    return f"{what} could not be stopped: the device is closed here until that ends"


def _end_soon() -> None:
    """Drivers wait at the end of a process for their kernels to end: this one has a second for it."""
    if any(not job.done.is_set() for job in _BUSY.values()) and hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(1)


def require_free(device: Device, index: int) -> None:
    """Lets a device pass on which nothing was left behind that still goes on.

    Raises:
        DiagnosticError: E0920, something was.
    """
    job = _BUSY.get((device.target, index))
    if job is None:
        return
    if not job.done.is_set():
        message = f"{device.name} is still busy with an earlier run that could not be stopped"
        help = "start a new process, or use another device (starplat devices lists them)"
        raise DiagnosticError(Diagnostic("E0920", message, help=help), exit_code=ExitCode.NO_DEVICE)
    del _BUSY[device.target, index]
