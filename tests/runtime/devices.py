"""The devices that the tests of the runtime go through: the interpreter, and of other targets those that are here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from starplat.diagnostics import DiagnosticError
from starplat.runtime.devices.device import Device
from starplat.runtime.session import default_session

TARGETS = ("reference", "opencl", "sycl", "openmp", "openacc")


def every_target(test: Callable[..., None]) -> Callable[..., None]:
    """A test of each of them, of which a run meets the interpreter and one more."""
    return pytest.mark.spread(pytest.mark.parametrize("target", TARGETS)(test))


@cache
def _fault(target: str) -> str | None:
    try:
        default_session().device(target)
    except DiagnosticError as error:
        return str(error)
    return None


def device_of(target: str) -> Device:
    """The target's first device, or a skip that says why there is none."""
    if (fault := _fault(target)) is not None:
        pytest.skip(fault)
    return default_session().device(target)
