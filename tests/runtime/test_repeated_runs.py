"""What a run costs besides its kernels when the program, the graph and the device have been seen before."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.graph import Graph, generators
from starplat.runtime.arguments.properties import shown_cells
from starplat.runtime.room import Room
from starplat.schedule import schedule as schedules
from tests.runtime.devices import device_of

PARTS = "function parts(Graph g, propNode<int> part) { forall (v in g.nodes()) { v.part = v % 2; } }"
MOST_CALLS = 520
"""Functions of Python that a run of one launch calls: 445 when this was written, 587 before."""


@pytest.fixture(scope="module")
def graph() -> Graph:
    return generators.grid(16).undirected()


COUNTED = f"""
import sys, threading
import starplat
from starplat.graph import generators

calls, program, graph = [0], starplat.compile({PARTS!r}), generators.grid(16).undirected()

def note(frame, event, what):
    calls[0] += event == "call"

def count():
    program.run(graph, target="openmp")
    sys.setprofile(note)
    program.run(graph, target="openmp")
    sys.setprofile(None)

thread = threading.Thread(target=count)  # on which a run takes no other
thread.start()
thread.join()
print(calls[0])
"""


def test_a_repeated_run_calls_few_functions() -> None:
    device_of("openmp")
    # a process of its own: garbage of other tests may be collected in a run here
    done = subprocess.run([sys.executable, "-c", COUNTED], capture_output=True, text=True, check=True)
    assert 100 < int(done.stdout) < MOST_CALLS


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
