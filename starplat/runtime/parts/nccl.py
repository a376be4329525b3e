"""Ranks that are threads of one process, each with an NVIDIA GPU, whose cells NCCL carries.

NCCL waits on the devices, so ranks meet on the host before an exchange begins, that none waits for one that has failed,
and once all have begun it, that none asks its driver for anything that would wait for an exchange not begun elsewhere.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

from starplat.ir import nodes as ir
from starplat.runtime.elements import Cells
from starplat.runtime.parts import peers, threads
from starplat.runtime.parts.peers import PeerCommunicator

_KINDS = {"bool": "UINT8", "int32": "INT32", "int64": "INT64", "float32": "FLOAT32", "float64": "FLOAT64"}
_OPERATIONS = {
    ir.Combine.ADD: "SUM",
    ir.Combine.MULTIPLY: "PROD",
    ir.Combine.MIN: "MIN",
    ir.Combine.MAX: "MAX",
    ir.Combine.OR: "MAX",
    ir.Combine.AND: "MIN",
}
"""By the names of NCCL's constants. It knows no bits, and leaves open what comes of NaN."""


class NcclCommunicator(PeerCommunicator):
    """One of the ranks: `nccl` is the module, `connection` this rank's communicator of NCCL's."""

    def __init__(self, rank: int, size: int, meeting: threads.Meeting, nccl: Any, connection: Any) -> None:
        super().__init__(rank, size, meeting)
        self._nccl, self._connection = nccl, connection

    def combine(self, cells: Cells, combine: ir.Combine) -> Cells:
        kind = _KINDS.get(cells.dtype.name)
        extreme_of_reals = cells.dtype.kind == "f" and combine in (ir.Combine.MIN, ir.Combine.MAX)
        if kind is None or combine not in _OPERATIONS or extreme_of_reals:
            return super().combine(cells, combine)
        self.counted(cells.nbytes)
        operation = self._constant(_OPERATIONS[combine])
        address, stream = peers._address(cells), peers._stream().ptr
        self.gather(None)
        with self._meeting.turn.left():  # the first time it connects, for which all have to come
            self._connection.allReduce(address, address, len(cells), self._constant(kind), operation, stream)
        self.gather(None)
        return cells

    def share(self, cells: Cells, bounds: list[int]) -> Cells:
        sizes = [(end - first) * cells.dtype.itemsize for first, end in pairwise(bounds)]
        starts = [peers._address(cells) + first * cells.dtype.itemsize for first in bounds]
        self.counted(sizes[self.rank])
        stream, kind = peers._stream().ptr, self._constant("UINT8")
        others = [rank for rank in range(self.size) if rank != self.rank]
        self.gather(None)
        with self._meeting.turn.left():
            self._nccl.groupStart()
            for rank in others:
                if sizes[self.rank]:
                    self._connection.send(starts[self.rank], sizes[self.rank], kind, rank, stream)
                if sizes[rank]:
                    self._connection.recv(starts[rank], sizes[rank], kind, rank, stream)
            self._nccl.groupEnd()
        self.gather(None)
        return cells

    def _constant(self, name: str) -> int:
        return int(getattr(self._nccl, f"NCCL_{name}"))


def connected(gpus: tuple[int, ...]) -> Callable[[int, int, threads.Meeting], PeerCommunicator]:
    """What makes the communicator of a rank: by NCCL, or by the driver's copies where CuPy comes without it."""
    if (found := _connections(gpus)) is None:
        return PeerCommunicator
    nccl, connections = found
    return lambda rank, size, meeting: NcclCommunicator(rank, size, meeting, nccl, connections[rank])


@lru_cache(maxsize=4)
def _connections(gpus: tuple[int, ...]) -> tuple[Any, list[Any]] | None:
    """NCCL's module, and its communicators of these GPUs, which take a second to connect and are kept."""
    try:
        from cupy.cuda import nccl
    except ImportError:
        return None
    if not getattr(nccl, "available", True):
        return None
    return nccl, nccl.NcclCommunicator.initAll(list(gpus))


def disconnect() -> None:
    """Forgets all connections: after a fault, exchanges may have begun that never end."""
    _connections.cache_clear()
