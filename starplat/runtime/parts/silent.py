"""Ends a run in parts where a rank waits too long for the others: one of them is alive but silent."""

import atexit
import ctypes
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

from starplat.diagnostics import Diagnostic, ExitCode, render

_LOOKS_EVERY = 0.25
_TURN = 0.5
"""Seconds that a rank leaves the one before it to speak first."""


class Watch:
    """Ends all ranks where this one waits for more than so many seconds (E0737); `end` is how, by its exit code."""

    def __init__(self, rank: int, seconds: float, end: Callable[[int], object]) -> None:
        self.end = end
        self._rank, self._seconds = rank, seconds
        self._called: float | None = None
        Thread(target=self._look, daemon=True).start()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Around a call that may wait for others."""
        self._called = time.monotonic()
        try:
            yield
        finally:
            self._called = None

    def _look(self) -> None:
        while True:
            time.sleep(_LOOKS_EVERY)
            called = self._called
            if called is not None and time.monotonic() - called > self._seconds + self._rank * _TURN:
                message = f"rank {self._rank} has waited {self._seconds:g} s for the others"
                help = "one of them is stuck, or has more to do than --timeout gives it"
                os.write(2, f"{render(Diagnostic('E0737', message, help=help))}\n".encode(errors="replace"))
                self.end(ExitCode.WRONG_INPUT.value)


class Watched:
    """An mpi4py communicator whose calls a watch looks after."""

    def __init__(self, comm: Any, watch: Watch) -> None:
        self._comm, self._watch = comm, watch

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._comm, name)

        def watched(*arguments: Any, **named: Any) -> Any:
            with self._watch.waiting():
                return call(*arguments, **named)

        return watched


def watched_world(rank: int, seconds: float) -> Watched:
    """All ranks, of which this is one, after MPI has begun; it ends with the process. Both wait for all ranks too."""
    import mpi4py

    mpi4py.rc.initialize = False
    from mpi4py import MPI

    calls = ctypes.CDLL(MPI.__file__)  # mpi4py's own calls of these two let no other thread work meanwhile
    watch = Watch(rank, seconds, os._exit)  # MPI has no way to end others before it has begun, and after its end
    with watch.waiting():
        calls.MPI_Init_thread(None, None, MPI.THREAD_MULTIPLE, ctypes.byref(ctypes.c_int()))
    watch.end = MPI.COMM_WORLD.Abort

    def end_mpi() -> None:
        watch.end = os._exit
        with watch.waiting():
            calls.MPI_Finalize()

    atexit.register(end_mpi)
    return Watched(MPI.COMM_WORLD, watch)
