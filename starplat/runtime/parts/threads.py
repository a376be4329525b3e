"""Ranks that are threads of one process: the measure for all others, and what tests use."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from threading import Barrier, BrokenBarrierError, Thread
from typing import Any, TypeVar

import numpy as np

from starplat.ir import nodes as ir
from starplat.runtime.elements import Cells
from starplat.runtime.parts.communicator import OPERATIONS, Communicator

Answer = TypeVar("Answer")


class _Meeting:
    """Where ranks lay down what they give."""

    def __init__(self, size: int) -> None:
        self.given: list[Any] = [None] * size
        self.barrier = Barrier(size)


class ThreadCommunicator(Communicator):
    """One of the ranks."""

    def __init__(self, rank: int, size: int, meeting: _Meeting) -> None:
        self.rank, self.size, self._meeting = rank, size, meeting

    def gather(self, value: Any) -> list[Any]:
        self._meeting.given[self.rank] = value
        self._meeting.barrier.wait()
        found = list(self._meeting.given)
        self._meeting.barrier.wait()
        return found

    def combine(self, cells: Cells, combine: ir.Combine) -> Cells:
        self.counted(cells.nbytes)
        combined: Cells = reduce(OPERATIONS[combine], self.gather(cells.copy()))
        return combined.astype(cells.dtype, copy=False)

    def share(self, cells: Cells, bounds: list[int]) -> Cells:
        own = cells[bounds[self.rank] : bounds[self.rank + 1]].copy()
        self.counted(own.nbytes)
        return np.concatenate(self.gather(own))

    def abort(self, code: int) -> None:
        self._meeting.barrier.abort()


def in_threads(size: int, work: Callable[[Communicator], Answer]) -> list[Answer]:
    """What `work` gives on each of so many ranks; the first error, if one has any."""
    meeting = _Meeting(size)
    answers: dict[int, Answer] = {}
    errors: list[BaseException] = []

    def perform(rank: int) -> None:
        communicator = ThreadCommunicator(rank, size, meeting)
        try:
            answers[rank] = work(communicator)
        except BrokenBarrierError:
            pass  # another rank has failed, and its error is told
        except BaseException as error:
            errors.append(error)
            communicator.abort(1)

    threads = [Thread(target=perform, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [answers[rank] for rank in range(size)]
