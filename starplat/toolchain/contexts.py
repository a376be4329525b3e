"""Shares one CUDA context, a GPU's primary one, among all libraries of a process.

libgomp makes a context of its own for a GPU where a thread has none, and then uses whatever context the thread has:
after CuPy has been at work on that thread, that is another one, and every address is wrong. It takes the context that
it finds, so the primary one is made the thread's before libgomp looks, and whenever it is used.
"""

import ctypes
from collections.abc import Callable
from functools import cache


@cache
def primary_context(number: int) -> Callable[[], object]:
    """What makes the primary context of a GPU the calling thread's; nothing for the host, which is -1, and where the
    driver has no such GPU, which its next use reports."""
    if number < 0:
        return _nothing
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return _nothing
    device, context = ctypes.c_int(0), ctypes.c_void_p()
    if driver.cuInit(0) != 0 or driver.cuDeviceGet(ctypes.byref(device), number) != 0:
        return _nothing
    if driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) != 0:
        return _nothing
    return lambda: driver.cuCtxSetCurrent(context)


def _nothing() -> None:
    """There is no context to choose."""
