"""Chooses the device that a program is scheduled for when it does not run: the one that a run would open, else a kind.

A target whose devices are all alike, or that has none here, needs no device to be looked at; nothing is opened.
"""

from dataclasses import dataclass

from starplat.backends.scheduled import REFERENCE, capabilities_of, capabilities_on, processors_of
from starplat.ir.capabilities import Capabilities
from starplat.ir.processors import Processor
from starplat.runtime.targets import capabilities_at
from starplat.toolchain import description, devices


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
