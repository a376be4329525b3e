"""Fixtures of several tests of runs."""

from typing import Any

import pytest

from starplat.runtime.devices.device_memory import DeviceMemory


@pytest.fixture
def most_held(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes on a device after every allocation."""
    found: list[int] = []
    allocate = DeviceMemory.allocate

    def watched(self: DeviceMemory, *what: Any) -> Any:
        buffer = allocate(self, *what)
        found.append(self.held)
        return buffer

    monkeypatch.setattr(DeviceMemory, "allocate", watched)
    return found
