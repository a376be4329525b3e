"""Kernels of targets where one group can run rounds by itself: arguments of such a launch, and its outcomes.

The outcomes lie in one control block (see `together`), so that one copy brings them back. A target adds how a piece of
it is given to a kernel, and how one group is started.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starplat.backends import BACKENDS, legal_module
from starplat.ir import nodes as ir
from starplat.ir.visitor import loops_of
from starplat.runtime.devices import buffers, together, words
from starplat.runtime.devices.device import Device, LaunchSize
from starplat.runtime.elements import Value


@dataclass(frozen=True, slots=True)
class Group:
    """The kernel of an `OnDevice` operation for one group, its arguments, and the control block of its words."""

    entry: Any
    arguments: tuple[words.Given, ...]
    board: together.Board


class GroupKernels(words.WordKernels):
    """The kernels of one module; a target says how one group is started (`start_group`).

    Attributes:
        apart: the bytes from one outcome to the next; a kernel may not be given any place in memory.
    """

    runs_together = True
    apart: int = together.WORD

    def __init__(self, device: Device, module: ir.Module, wide_arcs: bool, *, cached: bool) -> None:
        super().__init__(device, module, wide_arcs, cached=cached)
        self._groups = {op.name: self._load_group(op) for op in loops_of(module)}

    @abstractmethod
    def start_group(self, entry: Any, arguments: list[Any]) -> None:
        """Launches a kernel for one group."""

    @abstractmethod
    def piece(self, buffer: buffers.Buffer, place: int) -> Any:
        """What a kernel gets for a word that begins at a byte of a buffer."""

    def _load_group(self, op: ir.OnDevice) -> Group:
        name, parameters = legal_module.loop_entry(op, self.module, BACKENDS[self.device.target].capabilities)
        board = together.board_for(self.device, parameters, wide_arcs=self.wide_arcs, apart=self.apart)
        pieces = {number: words.always(self.piece(board.buffer, place)) for number, place in board.places.items()}
        return Group(self.entry(name, parameters), self.all_given(parameters, pieces=pieces), board)

    def _launch_together(
        self, op: ir.OnDevice, arrays: Mapping[str, buffers.Buffer], scalars: Mapping[str, Value], size: LaunchSize
    ) -> dict[str, Value]:
        group = self._groups[op.name]
        self.start_group(group.entry, [given(arrays, scalars, size) for given in group.arguments])
        return group.board.read(self.device.download_words(group.board.buffer))
