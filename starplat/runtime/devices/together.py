"""The control block of a persistent kernel: its barrier, the rings of its reductions, its outcomes.

All words lie in one block, 8 bytes each, so that one copy initialises a launch and one brings its outcomes back.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from starplat.backends import BACKENDS, legal_module, statements as st
from starplat.backends.launch import ArgumentKind, KernelArgument
from starplat.backends.one_launch.rings import RING
from starplat.ir import nodes as ir, visitor
from starplat.runtime.devices import words
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device, LaunchSize
from starplat.runtime.elements import Cells, Value, as_value, clipped, dtype_of

WORD = 8
"""Bytes per word."""


@dataclass(frozen=True, slots=True)
class Board:
    """The control block of one kernel on a device: `places` are the first bytes of its arguments' words, by their
    number.

    `fresh` is what it holds before a launch. What launches leave behind where it never `changes` is as good: outcomes
    are always written, and barriers go on from where they are.
    """

    buffer: Buffer
    fresh: Buffer
    places: Mapping[int, int]
    outcomes: tuple[tuple[ir.Variable, int], ...]
    wide_arcs: bool
    changes: bool

    def read(self, cells: Cells) -> dict[str, Value]:
        """The outcomes, from the contents of the block."""
        found = {}
        for variable, place in self.outcomes:
            dtype = dtype_of(st.result_element(variable.element), wide_arcs=self.wide_arcs)
            found[variable.name] = as_value(cells[place : place + dtype.itemsize].view(dtype)[0], variable.element)
        return found


def board_for(device: Device, arguments: tuple[KernelArgument, ...], *, wide_arcs: bool, apart: int = WORD) -> Board:
    """A control block for the words among a kernel's arguments, the outcomes so many bytes `apart`."""
    places: dict[int, int] = {}
    outcomes: list[tuple[ir.Variable, int]] = []
    cells = bytearray()
    for number, argument in enumerate(arguments):
        place = len(cells)
        match argument.kind:
            case ArgumentKind.FOUND:
                places[number] = place
                cells += _ring(argument, wide_arcs)
            case ArgumentKind.OUTCOME:
                assert argument.variable is not None
                places[number] = place
                outcomes.append((argument.variable, place))
                cells += bytes(apart)
            case ArgumentKind.BARRIER:
                places[number] = place
                cells += bytes(WORD)
    first = np.frombuffer(bytes(cells) or bytes(WORD), np.uint8)  # no device has blocks of nothing
    buffer, fresh = (device.allocate_word(np.dtype(np.uint8), len(first)) for _ in range(2))
    device.upload_words(fresh, first)
    changes = any(argument.kind is ArgumentKind.FOUND for argument in arguments)
    return Board(buffer, fresh, places, tuple(outcomes), wide_arcs, changes)


def _ring(argument: KernelArgument, wide_arcs: bool) -> bytes:
    """The three cells of a ring, side by side, in whole words."""
    assert argument.array is not None
    assert argument.start is not None
    dtype = dtype_of(argument.array.element, wide_arcs=wide_arcs)
    ring: Any = np.full(RING, clipped(argument.start.value, dtype), dtype)
    size = -(-ring.nbytes // WORD) * WORD
    return bytes(ring.tobytes().ljust(size, b"\0"))


@dataclass(frozen=True, slots=True)
class Group:
    """The kernel of an `OnDevice` operation for one group, its arguments, and the control block of its words."""

    entry: Any
    arguments: tuple[words.Given, ...]
    board: Board


class GroupKernels(words.WordKernels):
    """The kernels of one module; a target says how one group is started (`start_group`).

    Attributes:
        apart: the bytes from one outcome to the next; a kernel may not be given any place in memory.
    """

    runs_together = True
    apart: int = WORD

    def __init__(self, device: Device, module: ir.Module, wide_arcs: bool, *, cached: bool) -> None:
        super().__init__(device, module, wide_arcs, cached=cached)
        self._groups = {op.name: self._load_group(op) for op in visitor.loops_of(module)}

    @abstractmethod
    def start_group(self, entry: Any, arguments: list[Any]) -> None:
        """Launches a kernel for one group."""

    @abstractmethod
    def piece(self, buffer: Buffer, place: int) -> Any:
        """What a kernel gets for a word that begins at a byte of a buffer."""

    def _load_group(self, op: ir.OnDevice) -> Group:
        name, parameters = legal_module.loop_entry(op, self.module, BACKENDS[self.device.target].capabilities)
        board = board_for(self.device, parameters, wide_arcs=self.wide_arcs, apart=self.apart)
        pieces = {number: words.always(self.piece(board.buffer, place)) for number, place in board.places.items()}
        return Group(self.entry(name, parameters), self.all_given(parameters, pieces=pieces), board)

    def _launch_together(
        self, op: ir.OnDevice, arrays: Mapping[str, Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        group = self._groups[op.name]
        self.start_group(group.entry, [given(arrays, scalars, size) for given in group.arguments])
        return group.board.read(self.device.download_words(group.board.buffer))
