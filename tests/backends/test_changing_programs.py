"""Emitted programs whose graph changes: after every batch they have found what a run finds."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

import pytest

import starplat
from starplat import Program
from starplat.algorithms import program
from tests.backends.built import built
from tests.programs.targets import compiled_targets, opencl_targets

ARCS = "1 2 5\n2 3 1\n1 3 9\n3 4 2\n3 4 6\n4 1 1\n5 2 4\n2 2 3\n"
UPDATES = "# three batches\na 1 4 3\nd 3 4\nd 2 3\n\na 2 4 1\nadd 2 4 7\nd 1 4\ndelete 5 1\na 5 3 1\n"
SOURCE = {"dynamic_sssp": {"src": 1}, "dynamic_bfs_levels": {"src": 1}}
TARGETS = ("openmp", "opencl", "sycl", "openacc", "cuda")
PROGRAMS = ("dynamic_sssp", "dynamic_components", "dynamic_degrees", "dynamic_pagerank", "dynamic_triangle_count")

CELLS = """
Dynamic cells(Graph g, propEdge<long> weight, propEdge<node> end, propNode<long> into, updates<g> listed, int size) {
  propEdge<bool> old;
  g.attachEdgeProperty(old = True);
  forall (e in g.edges()) {
    e.end = e.destination;
  }
  Batch (listed : size) {
    g.updateCSRDel(listed);
    g.updateCSRAdd(listed.currentBatch(1));
    forall (v in g.nodes()) {
      v.into = 0;
      for (w in g.nodes_to(v)) {
        edge e = g.get_edge(w, v);
        v.into += e.old ? e.weight : 100 * e.weight;
      }
    }
  }
}"""


def files_of(tmp_path: Path) -> tuple[Path, Path]:
    graph, updates = tmp_path / "graph.wel", tmp_path / "updates.txt"
    graph.write_text(ARCS)
    updates.write_text(UPDATES)
    return graph, updates


def require_device(target: str) -> None:
    faults = [one.fault for one in (*opencl_targets(), *compiled_targets()) if one.target == target]
    if all(fault is not None for fault in faults):
        pytest.skip(f"{target} cannot run here: {faults}")


def table(path: Path) -> dict[str, list[str]]:
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def assert_follows(
    run: Program,
    target: str,
    tmp_path: Path,
    given: dict[str, int],
    listed: str,
    *,
    undirected: bool = False,
    schedule: str | None = None,
) -> None:
    """Builds the program, and compares every batch of its second repetition with the interpreter's."""
    require_device(target)
    graph, updates = files_of(tmp_path)
    command = [built(run.artifact(target, schedule=schedule), tmp_path), graph, f"--{listed}", updates, "--every-batch"]
    command += [f"--{name}={value}" for name, value in given.items()]
    command += ["--out", tmp_path / "r.csv", "--repeat", "2", *(["--undirected"] if undirected else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[starplat.Result] = []
    read = starplat.read(graph, undirected=undirected)
    last = run.run(
        read, target="reference", **given, **{listed: str(updates)}, on_batch=lambda _, result: found.append(result)
    )
    assert not (tmp_path / f"r.{len(found) + 1}.csv").exists()
    for name, result in [*((f"r.{number}", one) for number, one in enumerate(found, 1)), ("r", last)]:
        nodes, edges = table(tmp_path / f"{name}.csv"), tmp_path / f"{name}.edges.csv"
        arcs = table(edges) if edges.exists() else {}
        for word in result:
            cells = (nodes if len(result[word]) == read.num_nodes and word in nodes else arcs)[word]
            assert [float(cell) for cell in cells] == pytest.approx(result[word].tolist()), (name, word)
    if last.returned is not None:
        assert f"returned {last.returned}\n" in done.stdout


@pytest.mark.parametrize("target", ["openmp", *(pytest.param(t, marks=pytest.mark.campaign) for t in TARGETS[1:])])
def test_cells_of_arcs_follow_them(target: str, tmp_path: Path) -> None:
    assert_follows(starplat.compile(CELLS), target, tmp_path, {"size": 3}, "listed")


@pytest.mark.campaign
@pytest.mark.thin(plain=8, campaign=4)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_that_ship_follow_updates(name: str, target: str, tmp_path: Path) -> None:
    given = {**SOURCE.get(name, {}), "batch": 2}
    assert_follows(program(name), target, tmp_path, given, "changes", undirected=name == "dynamic_triangle_count")


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["dynamic_degrees", "dynamic_sssp"])
@pytest.mark.parametrize("target", ["openmp", "cuda"])
def test_programs_for_rows_with_room_follow_updates(target: str, name: str, tmp_path: Path) -> None:
    given = {**SOURCE.get(name, {}), "batch": 2}
    assert_follows(program(name), target, tmp_path, given, "changes", schedule="updates=in_place")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1 2 3\nd 2 9\n", ":2:5: the graph has no node 9"),
        ("a 1 2\nx 1 2\n", ":2:1: expected a (add) or d (delete), found 'x'"),
        ("a 1 2 x\n", ":1:7: expected a whole weight that the program can hold, found 'x'"),
        ("d 1 2 4\n", ":1:7: a deletion has no weight"),
        ("a 1\n", ":1:4: expected a node id, found ''"),
        ("a 1 2 3 4\n", ":1:9: expected the end of the line"),
    ],
)
def test_a_mistake_in_updates_has_its_place(text: str, message: str, tmp_path: Path) -> None:
    graph, updates = files_of(tmp_path)
    updates.write_text(text)
    binary = built(starplat.compile(CELLS).artifact("openmp"), tmp_path)
    done = subprocess.run([binary, graph, "--listed", updates, "--size=2"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, f"error: {updates}{message}\n")


def test_a_batch_has_one_update_at_least(tmp_path: Path) -> None:
    graph, updates = files_of(tmp_path)
    binary = built(starplat.compile(CELLS).artifact("openmp"), tmp_path)
    done = subprocess.run([binary, graph, "--listed", updates, "--size=0"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "error: a batch has one update and more, not 0\n")
