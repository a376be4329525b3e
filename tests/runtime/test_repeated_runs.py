"""What a run costs besides its kernels when the program, the graph and the device have been seen before."""

import gc
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import starplat
from starplat.frontend.types import Carrier, PropertyType, Scalar
from starplat.graph import Graph, generators
from starplat.runtime import scheduling
from starplat.runtime.actions import control
from starplat.runtime.arguments.properties import shown_cells
from starplat.runtime.resident import on_device
from starplat.runtime.room import Room
from starplat.schedule import AUTO, PLAIN, schedule as schedules
from tests.runtime.devices import device_of

PARTS = "function parts(Graph g, propNode<int> part) { forall (v in g.nodes()) { v.part = v % 2; } }"
MOST_CALLS = 280
"""Functions of Python that a run of one launch calls: 246 when this was written, 312 before."""


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


# --- what is kept with a graph ------------------------------------------------------------------------------------

NEAREST = """
function nearest(Graph g, propNode<int> dist, propEdge<int> weight, node src) {
  g.attachNodeProperty(dist = INF);
  src.dist = 0;
  bool again = True;
  while (again) {
    again = False;
    forall (v in g.nodes()) {
      forall (w in g.neighbors(v)) {
        edge e = g.get_edge(v, w);
        if (v.dist < INF && v.dist + e.weight < w.dist) { w.dist = v.dist + e.weight; again = True; }
      }
    }
  }
}
"""


@pytest.fixture
def scheduled(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Grows with every run that is scheduled anew."""
    found, schedule_anew = list[object](), scheduling._alternatives

    def noted(module: Any, *given: Any, **how: Any) -> Any:
        found.append(module)
        return schedule_anew(module, *given, **how)

    monkeypatch.setattr(scheduling, "_alternatives", noted)
    return found


def test_a_second_run_is_not_scheduled_again_whatever_its_arguments(scheduled: list[object]) -> None:
    graph, program = generators.grid(5).undirected(), starplat.compile(NEAREST)
    for src in (0, 24, 0):
        assert program.run(graph, src=src, target="openmp")["dist"].sum() == 100
    assert len(scheduled) == 1


@pytest.mark.parametrize(
    "otherwise",
    [
        {"schedule": "direction=push"},
        {"max_rounds": 1000},
        {"weight": 1},
        {"session": starplat.Session()},
        {"target": "reference"},
        {"checked": True},
    ],
    ids=str,
)
def test_a_run_that_is_asked_for_otherwise_is_scheduled_for_that(
    otherwise: dict[str, Any], scheduled: list[object]
) -> None:
    graph, program = generators.grid(5).undirected(), starplat.compile(NEAREST)
    for options in ({}, otherwise, {}, otherwise):
        assert program.run(graph, src=0, **{"target": "openmp", **options})["dist"].sum() == 100
    assert len(scheduled) == 2


def test_another_graph_and_another_program_are_scheduled_for_themselves(scheduled: list[object]) -> None:
    programs = [starplat.compile(NEAREST), starplat.compile(NEAREST)]
    for graph in (generators.grid(5).undirected(), generators.grid(5).undirected()):
        for program in programs:
            program.run(graph, src=0, target="openmp")
    assert len(scheduled) == 4


def test_a_graph_that_left_the_device_is_scheduled_for_again(scheduled: list[object]) -> None:
    graph, program = generators.grid(5).undirected(), starplat.compile(NEAREST)
    with starplat.Session() as session:
        program.run(graph, src=0, target="openmp", session=session)
        session.device("openmp").forget_graphs()
        program.run(graph, src=0, target="openmp", session=session)
    assert len(scheduled) == 2


@pytest.mark.parametrize("schedule", [None, "memory=ondemand"])
def test_what_is_kept_of_runs_does_not_keep_their_graph(schedule: str | None) -> None:
    graph, program = generators.grid(5).undirected(), starplat.compile(NEAREST)
    for limit in (None, 1000):
        program.run(graph, src=0, target="reference", schedule=schedule, max_rounds=limit)
    seen = weakref.ref(graph)
    del graph
    gc.collect()
    assert seen() is None


def test_a_schedule_that_cannot_be_is_refused_every_time(graph: Graph) -> None:
    program = starplat.compile(PARTS)
    for _ in range(2):
        with pytest.raises(starplat.DiagnosticError, match="direction=pull"):
            program.run(graph, target="openmp", schedule="direction=pull")


def test_what_takes_a_modules_place_is_made_once_and_refused_every_time() -> None:
    first, second = (starplat.compile(PARTS).module() for _ in range(2))
    asked: list[str] = []

    def failing() -> tuple[Any, ...]:
        asked.append("failing")
        raise ValueError("no such module")

    def making() -> tuple[Any, ...]:
        asked.append("making")
        return first, second

    found = scheduling.Alternatives([(AUTO, making), (PLAIN, failing)], 0.0)
    for _ in range(2):
        modules = iter(found)
        assert [next(modules), next(modules)] == [first, second]
        with pytest.raises(ValueError, match="no such module"):
            next(modules)
        assert found.schedule_of(second) is AUTO
    assert asked == ["making", "failing", "failing"]


def test_few_findings_are_kept_of_a_graph(graph: Graph) -> None:
    with starplat.Session() as session:
        resident = on_device(session.device("reference"), graph)
        for number in range(1000):
            assert resident.kept(number, lambda number=number: -number) == -number  # type: ignore[misc]
        assert resident.kept(999, lambda: 0) == -999
        assert resident.kept(0, lambda: 1) == 1


WALKED = """function walked(Graph g, propNode<int> turn, SetN<g> chosen) {
  int turns = 0;
  for (v in chosen) { turns += 1; forall (w in g.nodes()) { w.turn += turns * (w + 1 == v ? 1 : 2); } }
}"""


def test_members_of_a_given_set_are_found_before_the_clock_begins(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, arguments = starplat.compile(WALKED), {"chosen": [7, 3, 7]}
    expected = program.run(graph, target="reference", arguments=arguments)["turn"]
    monkeypatch.delattr(control, "np")
    found = program.run(graph, target="reference", arguments=arguments, repeat=3)["turn"]
    np.testing.assert_array_equal(found, expected)
