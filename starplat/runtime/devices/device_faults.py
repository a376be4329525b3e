"""Diagnostics for a device that fails, or is out of memory."""

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode


class Faults:
    """Around whatever a device is asked to do, many thousand times in a run: its `errors` become diagnostics."""

    __slots__ = ("device", "errors")

    def __init__(self, device: str, errors: tuple[type[BaseException], ...]) -> None:
        self.device = device
        self.errors = errors

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


def out_of_memory(device: str, size: int) -> DiagnosticError:
    """E0903: there is no room on the device."""
    message = f"{device} has no room for {size:,} more bytes"
    help = "use a device with more memory (starplat devices lists them), or a smaller graph"
    return DiagnosticError(Diagnostic("E0903", message, help=help), exit_code=ExitCode.NO_DEVICE)
