"""On what the programs are run: the interpreter, every OpenCL runtime and the compiled targets of this machine.

A runtime that is here but cannot compile is skipped with its own words; that all are missing is one test's failure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.toolchain.devices import report

if TYPE_CHECKING:
    from starplat import Graph, Program, Result


@dataclass(frozen=True)
class Target:
    """What `Program.run` takes to run there; `fault` says why it cannot."""

    label: str
    target: str
    device: int | None = None
    fault: str | None = None

    def run(self, program: Program, graph: Graph, arguments: dict[str, object]) -> Result:
        """The result, or a skip that says why there is none."""
        if self.fault is not None:
            pytest.skip(f"{self.label} cannot run here: {self.fault}")
        return program.run(graph, target=self.target, device=self.device, **arguments)


REFERENCE = Target("reference", "reference")


@cache
def opencl_targets() -> tuple[Target, ...]:
    """Every OpenCL device, usable or not."""
    found = [device for device in report("opencl") if device.usable or device.compute_units]
    if not found:
        return (Target("opencl", "opencl", fault="no OpenCL device was found"),)
    labels = [f"opencl-{device.driver.split('(')[0].split()[0]}" for device in found]
    return tuple(
        Target(label, "opencl", device.index, None if device.usable else device.status)
        for label, device in zip(labels, found, strict=True)
    )


@cache
def compiled_targets() -> tuple[Target, ...]:
    """The first device of every other target, usable or not."""
    return tuple(_first(name) for name in ("cuda", "sycl", "openmp", "openacc"))


def _first(name: str) -> Target:
    device = report(name)[0]
    return Target(name, name, device.index, None if device.usable else device.status)


FULL = tuple(name for name, backend in BACKENDS.items() if backend.capabilities.double)
"""The targets that write code for every program: their numbers have 64 bits."""

TARGETS = (REFERENCE, *opencl_targets(), *compiled_targets())
every_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.label)
every_device = pytest.mark.parametrize("target", TARGETS[1:], ids=lambda target: target.label)


@cache
def compiled(path: Path) -> Program:
    """The program in a file, compiled once."""
    return starplat.compile(path)
