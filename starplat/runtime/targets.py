"""The targets that run programs here, and their devices by number."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from starplat.backends import BACKENDS, scheduled
from starplat.backends.scheduled import REFERENCE, capabilities_of, capabilities_on, processors_of
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.frontend.mistakes.remedies import did_you_mean
from starplat.ir.capabilities import Capabilities
from starplat.ir.processors import Processor
from starplat.runtime.devices.device import Device
from starplat.toolchain import compilers, cuda, description, devices, webgpu
from starplat.toolchain.devices import opencl_devices, report
from starplat.toolchain.sycl import sycl_devices
from starplat.toolchain.sycl_source import source_builds

Answer = TypeVar("Answer")


def _reference(index: int) -> Device:
    from starplat.runtime.devices.reference import ReferenceDevice

    return _numbered("reference", index, [ReferenceDevice])()


def _opencl(index: int) -> Device:
    from starplat.runtime.devices.opencl import OpenCLDevice

    return OpenCLDevice(_opencl_found(index))


def _opencl_capabilities(index: int) -> Capabilities | None:
    from starplat.runtime.devices.opencl import capabilities_on

    return capabilities_on(_opencl_found(index))


def _opencl_found(index: int) -> Any:
    return _numbered("opencl", index, opencl_devices())


def _numbered(target: str, index: int, found: Sequence[Answer]) -> Answer:
    """The one of that number. Raises E0902: there is none."""
    if not 0 <= index < len(found):
        raise _no_device(target, index, len(found))
    return found[index]


def _cuda(index: int) -> Device:
    from starplat.runtime.devices.cuda import CudaDevice

    _numbered("cuda", index, [device for device in report("cuda") if device.usable])
    return CudaDevice(cuda.cupy(), index)


def _cuda_capabilities(index: int) -> Capabilities | None:
    from starplat.runtime.devices.cuda import capabilities_on

    return capabilities_on(cuda.cupy(), index)


def _openmp(index: int) -> Device:
    from starplat.runtime.devices.openmp import OpenMPDevice

    return OpenMPDevice(_numbered("openmp", index, compilers.builds("openmp")))


def _openacc(index: int) -> Device:
    from starplat.runtime.devices.library import OpenACCDevice

    return OpenACCDevice(_numbered("openacc", index, compilers.builds("openacc")))


def _webgpu(index: int) -> Device:
    from starplat.runtime.devices.webgpu import WebGPUDevice

    return WebGPUDevice(_numbered("webgpu", index, webgpu.adapters()))


def _sycl(index: int) -> Device:
    from starplat.runtime.devices.sycl import SyclDevice
    from starplat.runtime.devices.sycl_source import SyclSourceDevice

    found = _sycl_found(index)
    return SyclSourceDevice(found) if isinstance(found, compilers.Build) else SyclDevice(found)


def _sycl_capabilities(index: int) -> Capabilities | None:
    from starplat.runtime.devices import sycl, sycl_source

    found = _sycl_found(index)
    return sycl_source.capabilities_on(found) if isinstance(found, compilers.Build) else sycl.capabilities_on(found)


def _sycl_found(index: int) -> Any:
    """The build of that number, or dpctl's device."""
    built = source_builds()
    if 0 <= index < len(built):
        return built[index]
    if built and not any(device.index == index for device in report("sycl")):
        raise _no_device("sycl", index, sum(device.usable for device in report("sycl")))
    devices = sycl_devices()
    if not 0 <= index - len(built) < len(devices):
        raise _no_device("sycl", index, len(built) + len(devices))
    return devices[index - len(built)]


_TARGETS: dict[str, Callable[[int], Device]] = {
    "cuda": _cuda,
    "opencl": _opencl,
    "sycl": _sycl,
    "openmp": _openmp,
    "openacc": _openacc,
    "webgpu": _webgpu,
    "reference": _reference,
}
"""In the order in which `auto` tries them, but for those of `_ASKED_FOR`."""

_ASKED_FOR = ("webgpu",)
"""Targets that `auto` passes over: not every program runs there."""

TARGETS = tuple(_TARGETS)


def open_device(target: str, index: int) -> Device:
    """A device of the target, opened anew. Raises E0901 or E0902: no such device, with what would mend it."""
    return _TARGETS[target](index)


def capabilities_at(target: str, index: int = 0) -> Capabilities:
    """The capabilities of the device that `open_device` opens, without opening it. Raises E0901 or E0902: no such
    device."""
    if not any(device.index == index for device in report(target)):
        raise _no_device(target, index, sum(device.usable for device in report(target)))
    found = _CAPABILITIES[target](index) if target in _CAPABILITIES else None
    return found or scheduled.capabilities_of(target)


_CAPABILITIES: dict[str, Callable[[int], Capabilities | None]] = {
    "cuda": _cuda_capabilities,
    "opencl": _opencl_capabilities,
    "sycl": _sycl_capabilities,
}
"""Of targets whose devices differ."""


def require(target: str) -> None:
    """Lets the names of targets pass, and `auto`. Raises E0907: it is no target that runs programs."""
    known = ("auto", *TARGETS)
    if target in known:
        return
    message, names = f"there is no target '{target}' that can run programs", f"targets: {', '.join(known)}"
    if target in BACKENDS:
        names = f"`starplat compile -t {target}` writes its code; {names}"
    suggestion = did_you_mean(target, TARGETS)
    help = f"{suggestion} {names}" if suggestion else names
    raise DiagnosticError(Diagnostic("E0907", message, help=help), exit_code=ExitCode.USAGE)


@cache
def automatic() -> str:
    """The target that `auto` stands for on this machine: the first with a GPU, else the first with any device."""
    found = [d for name in TARGETS if name not in _ASKED_FOR for d in report(name) if d.usable]
    return next((d.target for d in (*(d for d in found if d.is_gpu), *found)), "reference")


def count_devices(target: str, wanted: int | str) -> int:
    """On how many devices a run goes that asks for so many: "auto" is all GPUs of the target, one where it has none.
    The host, where it is the device, has any number of parts beside each other. Raises E0712, it is no number of
    devices; E0902, there are fewer."""
    if wanted != "auto" and (not isinstance(wanted, int) or isinstance(wanted, bool) or wanted < 1):
        message = f"there are no {wanted!r} devices"
        raise DiagnosticError(Diagnostic("E0712", message, help="give a number from 1 on, or 'auto' for all GPUs"))
    if target not in ("auto", *TARGETS):
        return 1 if isinstance(wanted, str) else wanted
    name = automatic() if target == "auto" else target
    gpus = sum(device.usable and device.is_gpu for device in report(name))
    if isinstance(wanted, str):
        return max(gpus, 1)
    if 0 < gpus < wanted:
        message = f"target {name} has {gpus} GPU{'s' * (gpus > 1)} here, not {wanted}"
        help = f"ask for {gpus} or fewer, or for 'auto'; starplat devices lists them"
        raise DiagnosticError(Diagnostic("E0902", message, help=help), exit_code=ExitCode.NO_DEVICE)
    return wanted


def device_at(target: str, place: int) -> int:
    """The number of the device that a process has by its place among those of its host: a GPU each, in turn."""
    name = automatic() if target == "auto" else target
    gpus = [device.index for device in report(name) if device.is_gpu and device.index is not None]
    return gpus[place % len(gpus)] if gpus else 0


def _no_device(target: str, index: int, count: int) -> DiagnosticError:
    if count:
        message = f"target {target} has no device {index}; it has {count}, counted from 0"
        return DiagnosticError(
            Diagnostic("E0902", message, help="starplat devices lists them"), exit_code=ExitCode.NO_DEVICE
        )
    faults = [d for d in report(target) if not d.usable]
    message = f"target {target} has no device here"
    if faults:
        message += f": {faults[0].status}"
    mend = next((d.mend for d in faults if d.mend), None)
    return DiagnosticError(Diagnostic("E0902", message, help=mend), exit_code=ExitCode.NO_DEVICE)


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a schedule is made for: `device` says which in words, and is empty for the interpreter."""

    target: str
    capabilities: Capabilities
    device: str = ""

    def __str__(self) -> str:
        """Target and device."""
        return f"{self.target}, {self.device}" if self.device else self.target


def chosen(target: str, index: int | None = None, processor: Processor | None = None) -> Chosen:
    """The kind of device that is asked for, else the target's device of that number, by default the one that `run`
    opens; where the target has none here, the default kind. Raises E0666, the target does not run on such devices;
    E0902, it has no device of that number."""
    if processor is not None:
        return Chosen(target, capabilities_on(target, processor), str(processor))
    if target == REFERENCE:
        return Chosen(target, capabilities_at(target, index or 0))
    found = next((device for device in devices.report(target) if device.index == (index or 0)), None)
    if found is None and index is None:
        return Chosen(target, capabilities_of(target), f"{processors_of(target)[0]}, none of which is here")
    return Chosen(target, capabilities_at(target, index or 0), "" if found is None else _named(found))


def _named(device: description.DeviceDescription) -> str:
    kind = Processor.GPU if device.is_gpu else Processor.CPU
    return f"device {device.index} ({device.name}, {kind})"
