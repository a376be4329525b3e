"""The table of a launch on several devices: what of a part lies where, for kernels that change each other's memory.

It has the layout of `Peers` in `templates/cuda/peers.jinja`, in 64-bit words.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from starplat.backends.launch import MOST_PARTS
from starplat.ir import nodes as ir
from starplat.ir.launches import MOST_ARRAYS_OF_PARTS
from starplat.runtime.devices.buffers import Buffer
from starplat.runtime.devices.device import Device
from starplat.runtime.elements import Cells

_WORD = np.dtype(np.int64)
_MAILBOX_WORDS = 3 + 3 * MOST_PARTS


@dataclass
class PeerTable:
    """One part's: its mailbox, the word by which the host gives the run up, the table itself and what it was made
    from."""

    mailbox: Buffer
    stop: Buffer
    stop_cells: Cells
    words: Buffer
    device: Device
    addresses: list[tuple[int, list[int]]] | None = None

    def give_up(self) -> None:
        """Ends the launch that is running, which would wait for a part that cannot go on."""
        self.stop_cells[:] = 1

    def crossed(self) -> tuple[int, int]:
        """The bytes that this part has given, and how often parts have met."""
        words = self.device.download_words(self.mailbox)
        return int(words[-1]), int(words[0])


def table_for(
    op: ir.OnDevice,
    device: Device,
    buffers: Mapping[str, Buffer],
    rank: int,
    gather: Callable[[Any], list[Any]],
    tables: dict[str, PeerTable],
) -> PeerTable:
    """The table of a launch, after all parts have gathered where their arrays lie; the one of `tables`, if it
    still holds. Every part calls this before it launches. A new one joins `tables` before parts meet, so that an
    end of the run from then on ends this launch too."""
    if op.name not in tables:
        tables[op.name] = _made(device)
    table = tables[op.name]
    arrays = [array for array in op.arrays if array.origin is not ir.Origin.GRAPH]
    assert len(arrays) <= MOST_ARRAYS_OF_PARTS, "in_parts_alike sees to that"
    own = device.address(table.mailbox), [device.address(buffers[array.name]) for array in arrays]
    addresses = gather(own)
    if addresses != table.addresses:
        table.addresses = addresses
        device.upload_words(table.words, _words(addresses, rank, device.address(table.stop)))
    return table


def _made(device: Device) -> PeerTable:
    """A new one, whose mailbox is empty before others hear of it."""
    mailbox = device.allocate_word(_WORD, _MAILBOX_WORDS)
    device.upload_words(mailbox, np.zeros(_MAILBOX_WORDS, _WORD))
    stop, cells = device.stop_word()
    cells[:] = 0
    words = device.allocate_word(_WORD, 5 + MOST_PARTS * (1 + MOST_ARRAYS_OF_PARTS))
    device.synchronise()
    return PeerTable(mailbox, stop, cells, words, device)


def _words(addresses: list[tuple[int, list[int]]], rank: int, stop: int) -> Cells:
    boxes = np.zeros(MOST_PARTS, _WORD)
    places = np.zeros((MOST_ARRAYS_OF_PARTS, MOST_PARTS), _WORD)
    for part, (box, arrays) in enumerate(addresses):
        boxes[part] = box
        places[: len(arrays), part] = arrays
    head = np.array([len(addresses), rank, len(addresses[0][1]), 0, stop], _WORD)
    words: Cells = np.concatenate([head, boxes, places.ravel()])
    return words
