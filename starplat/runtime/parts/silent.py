"""Ends a run in parts where a rank waits too long for the others: one of them is alive but silent."""

import os
import time
from collections.abc import Callable
from threading import Thread
from typing import Any

from starplat.diagnostics import Diagnostic, ExitCode, render

_LOOKS_EVERY = 0.25
_TURN = 0.5
"""Seconds that a rank leaves the one before it to speak first."""


class Watched:
    """An mpi4py communicator whose calls may take so many seconds; a longer one ends all ranks (E0737)."""

    def __init__(self, comm: Any, seconds: float) -> None:
        self._comm, self._seconds = comm, seconds
        self._called: float | None = None
        Thread(target=self._watch, daemon=True).start()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        call = getattr(self._comm, name)

        def watched(*arguments: Any, **named: Any) -> Any:
            self._called = time.monotonic()
            try:
                return call(*arguments, **named)
            finally:
                self._called = None

        return watched

    def _watch(self) -> None:
        rank = self._comm.Get_rank()
        while True:
            time.sleep(_LOOKS_EVERY)
            called = self._called
            if called is not None and time.monotonic() - called > self._seconds + rank * _TURN:
                message = f"rank {rank} has waited {self._seconds:g} s for the others"
                help = "one of them is stuck, or has more to do than --timeout gives it"
                os.write(2, f"{render(Diagnostic('E0737', message, help=help))}\n".encode(errors="replace"))
                self._comm.Abort(ExitCode.WRONG_INPUT.value)
