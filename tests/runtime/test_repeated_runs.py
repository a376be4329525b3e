"""What a run costs besides its kernels when the program, the graph and the device have been seen before."""

import sys
import threading
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.graph import Graph, generators
from starplat.runtime.arguments.properties import shown_cells
from starplat.runtime.room import Room
from starplat.schedule import schedule as schedules

PARTS = "function parts(Graph g, propNode<int> part) { forall (v in g.nodes()) { v.part = v % 2; } }"
MOST_CALLS = 520
"""Functions of Python that a run of one launch calls: 445 when this was written, 587 before."""


@pytest.fixture(scope="module")
def graph() -> Graph:
    return generators.grid(16).undirected()


def of_a_thread(work: Any) -> Any:
    """What work gives on a thread of its own, on which a run takes no other."""
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def test_a_repeated_run_calls_few_functions(graph: Graph) -> None:
    program = starplat.compile(PARTS)

    def count() -> int:
        calls = 0

        def note(frame: Any, event: str, what: Any) -> None:
            nonlocal calls
            calls += event == "call"

        sys.setprofile(note)
        try:
            program.run(graph, target="openmp")
        finally:
            sys.setprofile(None)
        return calls

    # the least: what is remembered of programs before may leave, and their garbage be collected, in one of these runs
    assert min(of_a_thread(lambda: [count() for _ in range(5)])) < MOST_CALLS


def test_a_run_that_fits_is_estimated_once_and_asks_for_no_other_schedule(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = starplat.compile(PARTS)
    program.run(graph, target="openmp")
    estimated, estimate = [], Room.estimate

    def counted(room: Room) -> Any:
        estimated.append(room)
        return estimate(room)

    def refused(*given: Any) -> Any:
        raise AssertionError("nothing is to take less memory")

    monkeypatch.setattr(Room, "estimate", counted)
    monkeypatch.setattr(schedules, "replace", refused)
    assert program.run(graph, target="openmp")["part"].sum() == 128
    assert len(estimated) == 1


@pytest.mark.parametrize("first", [0, 1, -3])
def test_nodes_come_back_as_the_input_counts_them(first: int) -> None:
    graph = Graph.from_arcs(3, [0, 1], [1, 2], index_base=first)
    cells = np.array([2, -1, 0], np.int32)
    shown = shown_cells(cells, PropertyType(Carrier.NODE, Scalar.NODE), graph)
    assert shown.tolist() == [2 + first, None if first < 0 else -1, first]
    assert shown.dtype == (object if first < 0 else np.int64)
    assert not np.shares_memory(shown, cells)
