"""The context that CUDA's users in a process share."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import pytest

from starplat.toolchain import cuda


class Driver:
    """A driver of one GPU that notes which context is current."""

    def __init__(self) -> None:
        self.current: int | None = None

    def cuInit(self, flags: int) -> int:  # noqa: N802
        return 0

    def cuDeviceGet(self, device: object, number: int) -> int:  # noqa: N802
        return 0 if number == 0 else 101

    def cuDevicePrimaryCtxRetain(self, context: ctypes.c_void_p, device: object) -> int:  # noqa: N802
        ctypes.cast(context, ctypes.POINTER(ctypes.c_void_p))[0] = 4711
        return 0

    def cuCtxSetCurrent(self, context: ctypes.c_void_p) -> int:  # noqa: N802
        self.current = context.value
        return 0


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    cuda.primary_context.cache_clear()
    yield
    cuda.primary_context.cache_clear()


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Driver:
    made = Driver()
    monkeypatch.setattr(ctypes, "CDLL", lambda name: made)
    return made


def test_the_primary_context_is_chosen_whenever_it_is_asked_for(driver: Driver) -> None:
    choose = cuda.primary_context(0)
    for other in (None, 12):
        driver.current = other
        choose()
        assert driver.current == 4711


@pytest.mark.parametrize("number", [-1, 1])
def test_nothing_is_chosen_for_the_host_and_for_gpus_that_are_not_there(driver: Driver, number: int) -> None:
    cuda.primary_context(number)()
    assert driver.current is None


def test_nothing_is_chosen_where_there_is_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Callable[[], None]:
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", absent)
    cuda.primary_context(0)()
