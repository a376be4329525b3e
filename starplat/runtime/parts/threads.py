"""Ranks that are threads of one process: the measure for all others, and the parts of a run on several devices."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, reduce
from threading import Barrier, BrokenBarrierError, Lock, Thread, get_ident
from time import perf_counter, sleep
from typing import Any, TypeVar

import numpy as np

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.ir import nodes as ir
from starplat.runtime.elements import Cells
from starplat.runtime.parts.communicator import OPERATIONS, Communicator
from starplat.runtime.parts.tables import PeerTable

Answer = TypeVar("Answer")


_ASKED_AGAIN = 0.2
_LONG_TURN = 5e-4
"""Seconds after which a rank that only asks its device for more lets another one have its turn."""


class Turn:
    """Python works for one rank at a time. A rank that runs a program keeps its turn but while it waits, or has had it
    for long: else ranks ask for the interpreter between any two calls of a driver, and each of these takes several
    times as long."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._whose: int | None = None
        self._since = 0.0
        self._waiting = set[int]()  # the threads that want it

    @contextmanager
    def kept(self) -> Iterator[None]:
        """This thread has the turn inside."""
        self._take()
        try:
            yield
        finally:
            self._whose = None
            self._lock.release()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Others may have the turn inside, if this thread has it."""
        if self._whose != get_ident():
            yield
            return
        self._whose = None
        self._lock.release()
        try:
            yield
        finally:
            self._take()

    def offer(self) -> None:
        """Another thread that waits has the turn before this one goes on, if this one has had it for long."""
        if not self._waiting or perf_counter() - self._since < _LONG_TURN:
            return
        with self.left():
            while self._waiting and self._whose is None:
                sleep(0)

    def _take(self) -> None:
        self._waiting.add(get_ident())
        try:
            self._lock.acquire()
        finally:
            self._waiting.discard(get_ident())
        self._whose, self._since = get_ident(), perf_counter()


class Meeting:
    """Where ranks lay down what they give: in one of two rows, turn by turn, so that a rank ahead overwrites nothing
    that others are still to read."""

    def __init__(self, size: int) -> None:
        self.given: tuple[list[Any], list[Any]] = ([None] * size, [None] * size)
        self.barrier = Barrier(size)
        self.turn = Turn()
        self.tables: list[dict[str, PeerTable]] = [{} for _ in range(size)]

    def end(self) -> None:
        """Ends all that waits, on the host or on a device."""
        self.barrier.abort()
        for tables in self.tables:
            for table in list(tables.values()):
                table.give_up()


class ThreadCommunicator(Communicator):
    """One of the ranks."""

    def __init__(self, rank: int, size: int, meeting: Meeting) -> None:
        self.rank, self.size, self._meeting, self._turn = rank, size, meeting, 0
        self.tables = meeting.tables[rank]

    def gather(self, value: Any) -> list[Any]:
        row = self._meeting.given[self._turn]
        self._turn = 1 - self._turn
        row[self.rank] = value
        with self._meeting.turn.left():
            self._meeting.barrier.wait()
        return list(row)

    def pause(self) -> None:
        self._meeting.turn.offer()

    def combine(self, cells: Cells, combine: ir.Combine) -> Cells:
        self.counted(cells.nbytes)
        combined: Cells = reduce(OPERATIONS[combine], self.gather(cells.copy()))
        return combined.astype(cells.dtype, copy=False)

    def share(self, cells: Cells, bounds: list[int]) -> Cells:
        own = cells[bounds[self.rank] : bounds[self.rank + 1]].copy()
        self.counted(own.nbytes)
        return np.concatenate(self.gather(own))

    def abort(self, code: int) -> None:
        self._meeting.end()


def in_threads(
    size: int,
    work: Callable[[Communicator], Answer],
    kind: Callable[[int, int, Meeting], ThreadCommunicator] = ThreadCommunicator,
) -> list[Answer]:
    """What `work` gives on each of so many ranks; the first error, if one has any. Raises E0914: a thread does not
    start."""
    meeting = Meeting(size)
    answers: dict[int, Answer] = {}
    errors: list[BaseException] = []

    def perform(rank: int) -> None:
        try:
            answers[rank] = work(kind(rank, size, meeting))
        except BrokenBarrierError:
            pass  # another rank has failed, and its error is told
        except BaseException as error:
            errors.append(error)
            meeting.end()

    threads = [Thread(target=partial(perform, rank), daemon=True) for rank in range(size)]
    try:
        for thread in threads:
            _start(thread, size)
        for thread in threads:
            while thread.is_alive():
                thread.join(_ASKED_AGAIN)  # an interrupt is seen between two of these
    except BaseException:
        meeting.end()
        for thread in threads:  # each ends between two steps of Python's
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit))
        raise
    if errors:
        raise errors[0]
    if len(answers) < size:
        raise RuntimeError("parts have ended without an answer, and none of them has an error to tell")
    return [answers[rank] for rank in range(size)]


def _start(thread: Thread, size: int) -> None:
    try:
        thread.start()
    except RuntimeError as error:  # so Python says that the system gives it no thread
        message = f"a run in {size} parts takes a thread for each, and one does not start: {error}"
        help = "run in fewer parts, or let the process have more threads and memory (`ulimit -u`, `ulimit -v`)"
        raise DiagnosticError(Diagnostic("E0914", message, help=help), exit_code=ExitCode.NO_DEVICE) from None
