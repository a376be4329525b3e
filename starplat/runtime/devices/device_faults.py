"""Diagnostics for a device that fails, or is out of memory."""

from __future__ import annotations

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode


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

    def of_run(self, program: str, least: int) -> NoRoomError:
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
