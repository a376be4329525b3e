"""Cells that cross as bits, as lists or as values of members are what they would be if whole arrays crossed."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from starplat.ir import nodes as ir
from starplat.runtime.parts import packing
from starplat.runtime.parts.communicator import OPERATIONS, Communicator
from starplat.runtime.parts.threads import in_threads

NODES, RANKS = 100, 3
BOUNDS = [0, 40, 40, NODES]
HEAD = 3 * 8
SHARES = (0.0, 0.01, 0.2, 1.0)
KINDS = ("?", "i4", "i8", "f4", "f8")


def members(rank: int, share: float) -> np.ndarray:
    """Flags of a rank."""
    return np.random.default_rng(rank).random(NODES) < share


def values(rank: int, kind: str, *, equal: bool) -> np.ndarray:
    """Cells of a rank, all of one value or of many."""
    if equal:
        return np.full(NODES, 1 - rank, kind)
    return np.random.default_rng(rank).integers(-(2**15), 2**15, NODES).astype(kind)


def exchanged(communicator: Communicator) -> list[np.ndarray]:
    """What comes of sets and cells, over all shares of members and kinds of cells: for any communicator of hosts."""
    found = []
    rank = communicator.rank
    for share in SHARES:
        flags = members(rank, share)
        packing.share_set(communicator, flags, BOUNDS)
        own = [members(rank, share)[first:end] for rank, (first, end) in enumerate(((0, 40), (40, 40), (40, NODES)))]
        np.testing.assert_array_equal(flags, np.concatenate(own))
        of_all = members(rank, share)
        packing.join_sets(communicator, of_all)
        np.testing.assert_array_equal(of_all, reduce(np.logical_or, (members(r, share) for r in range(RANKS))))
        found += [flags, of_all]
        for kind in KINDS:
            for equal in (False, True):
                found += [shared(communicator, flags, kind, equal), combined(communicator, share, kind, equal)]
    return found


def shared(communicator: Communicator, flags: np.ndarray, kind: str, equal: bool) -> np.ndarray:
    """Cells that all have alike but where a node is in the set: there the part that has the node knows them."""
    of_parts = [np.where(flags, values(rank, kind, equal=equal), np.zeros(NODES, kind)) for rank in range(RANKS)]
    cells = of_parts[communicator.rank].copy()
    packing.share_among(communicator, cells, flags, BOUNDS)
    np.testing.assert_array_equal(cells, np.concatenate([of_parts[0][:40], of_parts[2][40:]]))
    return cells


def combined(communicator: Communicator, share: float, kind: str, equal: bool) -> np.ndarray:
    """Cells that parts have lowered where a node is in the set of the part."""
    start = np.full(NODES, True if kind == "?" else 2**15, kind)
    of_parts = [np.where(members(r, share), values(r, kind, equal=equal), start) for r in range(RANKS)]
    cells, flags = of_parts[communicator.rank].copy(), members(communicator.rank, share)
    lowest = reduce(OPERATIONS[ir.Combine.MIN], of_parts)
    if packing.combine_among(communicator, cells, flags, ir.Combine.MIN):
        np.testing.assert_array_equal(cells, lowest)
        np.testing.assert_array_equal(flags, reduce(np.logical_or, (members(r, share) for r in range(RANKS))))
    else:
        np.testing.assert_array_equal(cells, of_parts[communicator.rank])
        np.testing.assert_array_equal(flags, members(communicator.rank, share))
    return lowest


def test_all_parts_have_the_same_afterwards() -> None:
    assert len({tuple(cells.tobytes() for cells in found) for found in in_threads(RANKS, exchanged)}) == 1


LEAST = [
    ([], [], 0),
    ([5], [9], 4),  # one value stands in the head
    ([5, 7], [9, 9], 2 * 4),
    ([5, 7], [9, 8], 2 * 4 + 2 * 4),
    (range(50), [9] * 50, 13),  # a bit for each of 100 nodes
    (range(50), range(50), 13 + 50 * 4),
]


@pytest.mark.parametrize(("nodes", "given", "bytes_of_members"), LEAST)
def test_what_crosses_is_the_least_by_count(nodes: list[int], given: list[int], bytes_of_members: int) -> None:
    def work(communicator: Communicator) -> tuple[int, int]:
        cells, flags = np.full(NODES, 100, np.int32), np.zeros(NODES, bool)
        cells[list(nodes)], flags[list(nodes)] = list(given), True
        assert packing.combine_among(communicator, cells, flags, ir.Combine.MIN)
        return communicator.bytes, communicator.times

    assert in_threads(RANKS, work) == [(HEAD + bytes_of_members, 1)] * RANKS


def test_where_most_nodes_have_changed_all_cells_are_combined() -> None:
    def work(communicator: Communicator) -> bool:
        cells = np.arange(NODES, dtype=np.int32)
        return packing.combine_among(communicator, cells, np.ones(NODES, bool), ir.Combine.MIN)

    assert in_threads(RANKS, work) == [False] * RANKS
