"""Ranks that MPI has started and connects, through mpi4py; a run ends where one waits too long for the others."""

import atexit
import ctypes
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from itertools import pairwise, starmap
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import Diagnostic, ExitCode, render
from starplat.ir import nodes as ir
from starplat.runtime.elements import Cells
from starplat.runtime.parts.communicator import OPERATIONS, Communicator

_CELLS, _FAILED = 0, 20_931
"""Tags of messages: with cells of a rank, and by which it tells another that it cannot go on."""
_ASKED_AGAIN = 0.01


class MpiCommunicator(Communicator):
    """One of the ranks of an mpi4py communicator, which may all be `on_one_host`."""

    ends_processes = True

    def __init__(self, comm: Any) -> None:
        from mpi4py import MPI

        self.rank, self.size, self._comm, self.tables = comm.Get_rank(), comm.Get_size(), comm, {}
        self._in_place = MPI.IN_PLACE
        here = comm.Split_type(MPI.COMM_TYPE_SHARED)
        self.place, self.first_here = here.Get_rank(), here.bcast(self.rank)
        self.on_one_host = here.Get_size() == self.size
        here.Free()  # an MPI has few thousand, and a program may run many times

    def gather(self, value: Any) -> list[Any]:
        found: list[Any] = self._comm.allgather(value)
        return found

    def deliver(self, values: list[Any]) -> list[Any]:
        found: list[Any] = self._comm.alltoall(values)
        return found

    def numbers(self, own: tuple[int, ...]) -> list[tuple[int, ...]]:
        found = np.empty((self.size, len(own)), np.int64)
        self.bytes += len(own) * found.itemsize
        self._comm.Allgather(np.array(own, np.int64), found)
        return [tuple(row) for row in found.tolist()]

    def messages(self, own: NDArray[np.uint8], sizes: list[int]) -> list[NDArray[np.uint8]]:
        self.counted(len(own))
        bounds = [0, *np.cumsum(sizes).tolist()]
        found = np.empty(bounds[-1], np.uint8)
        found[bounds[self.rank] : bounds[self.rank + 1]] = own
        if len(found):
            self._give_own(found, bounds)
        return np.split(found, bounds[1:-1])

    def combine(self, cells: Cells, combine: ir.Combine) -> Cells:
        self.counted(cells.nbytes)
        self._comm.Allreduce(self._in_place, _plain(cells), _operation(combine, cells.dtype.kind))
        return cells

    def share(self, cells: Cells, bounds: list[int]) -> Cells:
        self.counted((bounds[self.rank + 1] - bounds[self.rank]) * cells.itemsize)
        self._give_own(_plain(cells), bounds)
        return cells

    def _give_own(self, cells: Cells, bounds: list[int]) -> None:
        """Every rank's own cells become those of all. On one host pairs of ranks exchange theirs one after another:
        MPICH needs half of the time or less, from 64 KiB on, that it takes to gather them."""
        places = list(starmap(slice, pairwise(bounds)))
        if not self.on_one_host:
            sizes = [place.stop - place.start for place in places]
            self._comm.Allgatherv(self._in_place, [cells, (sizes, bounds[:-1])])
            return
        for distance in range(1, self.size):
            to, source = (self.rank + distance) % self.size, (self.rank - distance) % self.size
            self._comm.Sendrecv(cells[places[self.rank]], to, _CELLS, cells[places[source]], source, _CELLS)

    def all_fail(self, seconds: float) -> bool:
        others = [rank for rank in range(self.size) if rank != self.rank]
        told = [self._comm.isend(None, rank, _FAILED) for rank in others]
        awaited = [self._comm.irecv(source=rank, tag=_FAILED) for rank in others]
        deadline = time.monotonic() + seconds
        while not all(request.test()[0] for request in (*told, *awaited)):
            if time.monotonic() > deadline:
                return False
            time.sleep(_ASKED_AGAIN)
        return True

    def abort(self, code: int) -> None:
        abort_all(self._comm, code)


_PASSED_ON, _HEARD_WITHIN = 10, 500
"""Pauses of `_ASKED_AGAIN` that the launcher has to pass on what it has read, and to read it."""


def abort_all(comm: Any, code: int) -> None:
    """Ends all ranks, after the launcher has had time to pass on why: what it has not read by then is lost."""
    for pause in range(_HEARD_WITHIN):
        if pause >= _PASSED_ON and not _has_unread(2):
            break
        time.sleep(_ASKED_AGAIN)
    comm.Abort(code)


def leave_no_names() -> None:
    """Takes away the names of the files in memory by which MPICH's ranks of a host have met: once all have begun they
    need none, and a rank that is killed would leave the file behind."""
    with suppress(OSError):
        mapped = set(Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").split())
        for name in mapped:
            if name.startswith("/dev/shm/mpich_shm_"):
                Path(name).unlink(missing_ok=True)


def _has_unread(stream: int) -> bool:
    """Whether a pipe holds something that has not been read, where the system tells."""
    try:
        import fcntl
        import termios

        return fcntl.ioctl(stream, termios.FIONREAD, bytes(4)) != bytes(4)
    except (ImportError, OSError):
        return False


def _plain(cells: Cells) -> Cells:
    """The same memory as numbers, which MPI can combine."""
    return cells.view(np.uint8) if cells.dtype == bool else cells


@cache
def _operation(combine: ir.Combine, kind: str) -> Any:
    """MPI's operation for cells of that kind of NumPy's. Extremes of floats are NumPy's own: MPI leaves open what comes
    of NaN."""
    from mpi4py import MPI

    if kind == "f" and combine in (ir.Combine.MIN, ir.Combine.MAX):
        return MPI.Op.Create(_extreme(combine), commute=True)
    return {
        ir.Combine.ADD: MPI.SUM,
        ir.Combine.MULTIPLY: MPI.PROD,
        ir.Combine.AND: MPI.LAND,
        ir.Combine.OR: MPI.LOR,
        ir.Combine.BIT_AND: MPI.BAND,
        ir.Combine.BIT_OR: MPI.BOR,
        ir.Combine.BIT_XOR: MPI.BXOR,
        ir.Combine.MIN: MPI.MIN,
        ir.Combine.MAX: MPI.MAX,
    }[combine]


def _extreme(combine: ir.Combine) -> Callable[[Any, Any, Any], None]:
    def combined(given: Any, found: Any, datatype: Any) -> None:
        kind = np.float32 if datatype.Get_size() == np.float32().itemsize else np.float64
        into = np.frombuffer(found, kind)
        into[:] = OPERATIONS[combine](np.frombuffer(given, kind), into)

    return combined


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
    watch.end = partial(abort_all, MPI.COMM_WORLD)

    def end_mpi() -> None:
        watch.end = os._exit
        with watch.waiting():
            calls.MPI_Finalize()

    atexit.register(end_mpi)
    return Watched(MPI.COMM_WORLD, watch)
