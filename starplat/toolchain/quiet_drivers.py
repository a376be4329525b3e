"""Keeps the output of compilers inside drivers from stderr, unless it is asked for.

NVIDIA's OpenCL, for one, prints "1 warning generated." of every text in which it finds something to remark.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

VERBOSE_VARIABLE = "STARPLAT_VERBOSE"
"""Set to anything, it shows what compilers say."""
_STDERR = 2
_TURN = threading.Lock()


def is_verbose() -> bool:
    return bool(os.environ.get(VERBOSE_VARIABLE))


@contextmanager
def hushed() -> Iterator[None]:
    """Discards what is written to file descriptor 2 meanwhile."""
    if is_verbose():
        yield
        return
    with _TURN:
        try:
            usual = os.dup(_STDERR)
        except OSError:  # it is closed
            yield
            return
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, _STDERR)
        os.close(nothing)
        try:
            yield
        finally:
            os.dup2(usual, _STDERR)
            os.close(usual)
