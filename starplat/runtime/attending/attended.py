"""Runs work on a thread of its own, so that the waiting caller can be interrupted or give up.

Python handles Ctrl-C on the main thread only, between two of its own steps: while that thread waits inside a driver for
a kernel, nothing gets through. So the main thread waits here instead. It asks the working thread to stop, which Python
code does at once and a driver call when it returns; if it does not, it is left behind.
"""

import contextvars
import ctypes
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from queue import SimpleQueue
from time import monotonic
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from starplat.graph.graph import Graph

Answer = TypeVar("Answer")

GRACE = 0.5
"""Seconds that work which is asked to stop has for it."""
_HAS_THREADS = sys.platform != "emscripten"
"""A browser stops the whole interpreter instead."""
_TIMES_ASKED = 3
_LOOKED_AT = 0.25  # a signal may reach a driver's thread, and is only noticed when this one wakes up


class TimeIsOverError(Exception):
    """Work took longer than it may; `left_behind` says what goes on all the same."""

    left_behind = ""


class StopWorking(SystemExit):
    """Raised in a thread that works; a thread that ends by it says nothing."""


class Ending:
    """The end of some work: a `threading.Event` that is quick to make and to wait for, as every run does."""

    def __init__(self) -> None:
        self._under_way = threading.Lock()
        self._under_way.acquire()
        self._has_come = False

    def set(self) -> None:
        """It has come; said once."""
        self._has_come = True
        self._under_way.release()

    def is_set(self) -> bool:
        return self._has_come

    def wait(self, seconds: float) -> bool:
        """Whether it comes in time."""
        if self._under_way.acquire(timeout=seconds):
            self._under_way.release()  # for others that wait
        return self._has_come


class Job(Generic[Answer]):
    """Work for another thread, in the context of the caller."""

    def __init__(self, work: Callable[[], Answer]) -> None:
        self.done = Ending()
        self._work: Callable[[], Answer] | None = work
        self._context = contextvars.copy_context()
        self._answers: list[Answer] = []
        self._error: BaseException | None = None

    def perform(self) -> None:
        """Does it, on the thread that calls this."""
        assert self._work is not None
        try:
            self._answers.append(self._context.run(self._work))
        except BaseException as error:
            self._error = error
        finally:
            self._work = None
            self.done.set()

    def answer(self) -> Answer:
        error, self._error = self._error, None
        try:
            if error is not None:
                raise error
        finally:
            del error
        return self._answers.pop()


class _Worker(threading.Thread):
    """Does one job after the other; runtimes that keep threads of their own for each caller find the same one."""

    def __init__(self) -> None:
        super().__init__(name="starplat run", daemon=True)
        self._jobs: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self.busy = threading.Lock()
        self.start()

    def run(self) -> None:
        with suppress(StopWorking):  # which may come when the job has just ended
            while (job := self._jobs.get()) is not None:
                job.perform()

    def take(self, job: Job[Any]) -> None:
        self._jobs.put(job)

    def stop(self, job: Job[Any]) -> bool:
        """Asks for an end, and for the thread's; gives whether the job has ended within the grace."""
        if self in _KEPT:
            _KEPT.remove(self)
        self._jobs.put(None)
        for _ in range(_TIMES_ASKED):  # and not till a time, which may pass while the whole process stands still
            if job.done.is_set() or not self.is_alive():
                return True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.ident or 0), ctypes.py_object(StopWorking))
            job.done.wait(GRACE / _TIMES_ASKED)
        return job.done.is_set() or not self.is_alive()


_KEPT: list[_Worker] = []


def attended(
    work: Callable[[], Answer],
    *,
    seconds: float | None = None,
    look: Callable[[], None] | None = None,
    stop: Callable[[], None] = lambda: None,
    left_behind: Callable[[Job[Answer]], str],
) -> Answer:
    """What `work` gives, done on another thread if this is the main one or there is a time limit.

    Args:
        seconds: how long it may take.
        look: is called some times a second meanwhile.
        stop: is called once if the work is to stop, before its thread is asked to.
        left_behind: is told of a job that goes on though it was asked to stop; gives a sentence about it.

    Raises:
        KeyboardInterrupt: it came meanwhile; its words say what was left behind, if anything was.
        TimeIsOverError: the time was over.
    """
    if (
        seconds is None
        and look is None
        and not (_HAS_THREADS and threading.current_thread() is threading.main_thread())
    ):
        return work()
    worker, job = _free_worker(), Job(work)
    try:
        worker.take(job)
        _wait_for(job, seconds, look)
    except BaseException as error:
        stop()
        said = "" if worker.stop(job) else left_behind(job)
        if isinstance(error, TimeIsOverError):
            error.left_behind = said
        if isinstance(error, KeyboardInterrupt) and said:
            raise KeyboardInterrupt(said) from None
        raise
    finally:
        worker.busy.release()
    return job.answer()


def _free_worker() -> _Worker:
    """A worker that has nothing to do, and is busy from now on. A process that was forked has none of its parent's."""
    _KEPT[:] = [worker for worker in _KEPT if worker.is_alive()]
    for worker in _KEPT:
        if worker.busy.acquire(blocking=False):
            return worker
    fresh = _Worker()
    fresh.busy.acquire()
    _KEPT.append(fresh)
    return fresh


def _wait_for(job: Job[Any], seconds: float | None, look: Callable[[], None] | None) -> None:
    """Waits till it is done. Raises TimeIsOverError: it is not done in time."""
    deadline = None if seconds is None else monotonic() + seconds
    while True:
        left = _LOOKED_AT if deadline is None else min(_LOOKED_AT, max(deadline - monotonic(), 0.0))
        if job.done.wait(left):
            return
        if look is not None:
            look()
        if deadline is not None and monotonic() >= deadline:
            raise TimeIsOverError


SOON = 0.02
"""Seconds that Ctrl-C may wait."""
_MOST = 64
_IS_FORKED: list[bool] = []


class SoonOver:
    """The short runs of a device, the latest of each graph. One that repeats such a run stays on the caller's thread.

    Another thread takes a tenth of a millisecond to wake up and to wake the caller, as long as a small run. It is there
    for Ctrl-C, which otherwise waits for the end of a kernel or of a compiled loop. What has ended soon ends soon
    again, on the same graph with the same arguments.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Graph, OrderedDict[Hashable, None]] = WeakKeyDictionary()

    def knows(self, graph: Graph, run: Hashable) -> bool:
        """Whether such a run was short. In a process that was forked none is: the threads of its parent that shared
        loops with the caller's are not there."""
        return run is not None and not _IS_FORKED and run in self._known.get(graph, ())

    def note(self, graph: Graph, run: Hashable, seconds: float) -> None:
        if run is None:
            return
        known = self._known.setdefault(graph, OrderedDict())
        known.pop(run, None)
        if seconds < SOON:
            known[run] = None
        if len(known) > _MOST:
            known.popitem(last=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: _IS_FORKED.append(True))
