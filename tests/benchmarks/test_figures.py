"""The benchmarks' commands measure, judge, keep their limits, and tell what went wrong, on small graphs."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import cpu, figures, growth, limited
from benchmarks.measured import cells, emitted, graphs, judging, processes, report
from benchmarks.measured.cells import Cell, Wish, measure
from benchmarks.measured.judging import Arcs, array_module
from benchmarks.measured.processes import Order, cells_of
from benchmarks.measured.rows import ROWS, TARGETS_MS, Row, Verdict, wanted
from starplat.graph import Graph
from tests.programs.targets import TARGETS

HERE = [target.target for target in TARGETS[1:] if target.fault is None and target.device in (None, 0)]
needs_a_device = pytest.mark.skipif(not HERE, reason="no target has a device here")
collection = pytest.mark.skipif(
    not graphs.is_here("NY", None) or not graphs.is_here("egotw", None), reason="../shared/data is not here"
)


def entry(name: str) -> tuple[graphs.Entry, Arcs]:
    made = graphs.load(name)
    return made, Arcs(made.graph, array_module("numpy"))


# --- emitted programs ----------------------------------------------------------------------------------------------


@pytest.mark.campaign
@pytest.mark.skipif("openmp" not in HERE, reason="no compiler for openmp is here")
def test_emitted_programs_are_measured_beside_runs(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--quick", "--artifacts", "--targets", "openmp", "--graphs", "rmat6", "--rows", "sssp,components"]
    assert figures.main([*asked, "--repeat", "1"]) in (0, 2)
    lines = [line for line in capsys.readouterr().out.splitlines() if ", emitted" in line]
    assert [line.split()[:3] for line in lines] == [["sssp", "rmat6", "openmp"], ["components", "rmat6", "openmp"]]


def test_an_emitted_program_that_cannot_be_built_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    made, _ = entry("rmat6")
    cell = Cell("sssp", "rmat6", "openmp", "auto", "right", milliseconds=1.0)
    (found,) = emitted.measured([cell], made, 1)
    assert found.ratio is None
    assert "g++" in found.line()


# --- graphs --------------------------------------------------------------------------------------------------------


@collection
@pytest.mark.parametrize("name", ["NY", "egotw"])
def test_real_graphs_are_as_described(name: str) -> None:
    graph = graphs.load(name).graph
    assert (graph.num_nodes, graph.num_arcs) == (graphs.FACTS[name].nodes, graphs.FACTS[name].arcs)
    assert not graph.directed
    assert graph.is_symmetric


def test_made_up_graphs_are_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "KEPT_FROM_ARCS", 1)
    made = graphs.load("rmat6", kept=tmp_path).graph
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rmat6"]
    monkeypatch.setattr(graphs, "_generated", None)
    again = graphs.load("rmat6", kept=tmp_path).graph
    for array in ("row_offsets", "columns", "weights"):
        assert (getattr(made, array) == getattr(again, array)).all()


def test_a_wheel_has_one_long_row_and_else_short_ones() -> None:
    wheel = graphs.load("wheel10")
    assert wheel.source == 1024
    assert sorted(wheel.graph.out_degrees.tolist())[-66:] == [2, *[3] * 64, 64]
    assert wheel.graph.out_degrees.min() == 2
    assert wheel.graph.is_symmetric


@needs_a_device
@pytest.mark.parametrize("balance", ["auto", "balance=node", "balance=edge"])
def test_a_long_row_among_short_ones_is_no_trouble(balance: str) -> None:
    entry_, arcs = entry("wheel12")
    for row in ("bfs", "sssp", "components", "pagerank"):
        assert measure(ROWS[row], entry_, arcs, Wish(HERE[0], balance, repeat=1)).status == "right"


def test_a_graph_that_is_not_what_is_known_of_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(graphs.FACTS, "rmat5", graphs.Facts(nodes=33))
    with pytest.raises(SystemExit, match="should have 33 nodes"):
        graphs.load("rmat5")


@pytest.mark.parametrize("name", ["rmat", "tree5", "rmat-3"])
def test_unknown_graphs_are_told(name: str) -> None:
    with pytest.raises(SystemExit, match="no graph is called"):
        graphs.load(name)


# --- cells ---------------------------------------------------------------------------------------------------------


def test_every_row_has_promises_for_all_graphs() -> None:
    assert ROWS.keys() == TARGETS_MS.keys()
    assert TARGETS_MS["batches"] == {}
    for name, promises in TARGETS_MS.items():
        assert name == "batches" or set(promises) == set(graphs.NAMES) - ({"grid4096"} if name == "sums" else set())


def test_what_nothing_is_promised_of_is_left_out_of_the_table() -> None:
    assert not wanted("sums", "grid4096")
    assert not wanted("batches", "NY")
    for row, graph in (("sums", "NY"), ("sums", "grid512"), ("bfs", "grid4096")):
        assert wanted(row, graph)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_every_row_is_measured_and_judged(row: Row) -> None:
    made, arcs = entry("rmat6")
    cell = measure(row, made, arcs, Wish("reference", repeat=2))
    assert (cell.status, cell.row, cell.graph, len(cell.times)) == ("right", row.name, "rmat6", 2), cell.remark
    assert cell.milliseconds is not None
    assert cell.rounds == (20 if row.name == "pagerank" else 1)


def test_a_wrong_answer_is_called_wrong() -> None:
    def judge(*_: Any) -> Verdict:
        raise judging.WrongAnswerError("so wrong")

    made, arcs = entry("rmat4")
    cell = measure(replace(ROWS["bfs"], judge=judge), made, arcs, Wish("reference", repeat=1))
    assert (cell.status, cell.remark) == ("wrong", "so wrong")
    assert figures.verdict([cell]) == 1


def test_what_cannot_run_is_told() -> None:
    made, arcs = entry("rmat4")
    cell = measure(ROWS["bfs"], made, arcs, Wish("reference", device=7))
    assert cell.status == "failed"
    assert cell.remark.startswith("E0")


def test_a_slow_cell_is_repeated_less() -> None:
    wish = Wish("reference", repeat=5, limit=10.0)
    assert [cells._repetitions(wish, 0.0, first) for first in (0.0, 0.5, 2.0, 5.0, 60.0)] == [5, 5, 2, 1, 1]


CELL = Cell("triangles", "NY", "cuda", "auto", "right", 0.04, (0.04, 0.03, 0.06), preparation=0.02)


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        (CELL, False),
        (replace(CELL, preparation=0.01), True),
        (replace(CELL, row="bfs", milliseconds=1.0, preparation=0.2), True),
        (replace(CELL, status="wrong", preparation=0.0), False),
        (replace(CELL, milliseconds=None, status="too slow"), False),
        (replace(CELL, target="opencl"), None),
        (replace(CELL, schedule="direction=pull"), None),
        (replace(CELL, graph="rmat10"), None),
    ],
)
def test_promises_are_for_right_answers_in_time(cell: Cell, kept: bool | None) -> None:
    """Only the row of triangles counts the preparation."""
    assert report.keeps_promise(cell) is kept
    assert Cell.from_json(json.loads(json.dumps(cell.to_json()))) == cell
    assert figures.verdict([cell]) == (1 if cell.status != "right" else 2 if kept is False else 0)


# --- processes -----------------------------------------------------------------------------------------------------

GRAPH_MADE = json.dumps({"event": "graph", "text": "", "seconds": 1, "source": 0})
CELL_BEGUN = json.dumps({"event": "start", "row": "bfs", "target": "reference"})
TOLD = f"import time; print({GRAPH_MADE!r}, flush=True); print({CELL_BEGUN!r}, flush=True); "
ORDER = Order("rmat5", (("bfs", "reference"), ("components", "reference")), "auto", None, 1, 60.0, judge="numpy")


def outcomes(order: Order, deadline: float | None = None) -> list[tuple[str, str]]:
    return [(cell.row, cell.status) for cell in cells_of(order, lambda text: None, deadline)]


def test_a_process_tells_its_cells() -> None:
    assert outcomes(ORDER) == [("bfs", "right"), ("components", "right")]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (TOLD + "time.sleep(60)", "too slow"),
        pytest.param(TOLD + "raise SystemExit(3)", "failed", marks=pytest.mark.campaign),
    ],
)
def test_what_ends_badly_costs_its_own_cell_only(code: str, status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first process hangs or dies in its first cell, the second does the rest."""
    right = processes.START
    monkeypatch.setattr(processes, "START", code)
    monkeypatch.setattr(processes, "GRACE", 0.5)
    found = []
    for cell in cells_of(replace(ORDER, limit=2.0 if status == "too slow" else 60.0), lambda text: None):
        found.append((cell.row, cell.status))
        monkeypatch.setattr(processes, "START", right)
        monkeypatch.setattr(processes, "GRACE", 60.0)
    assert found == [("bfs", status), ("components", "right")]


def test_a_graph_that_cannot_be_made_costs_all_its_cells_once() -> None:
    assert outcomes(replace(ORDER, graph="tree5")) == [("bfs", "failed"), ("components", "failed")]


def test_a_cell_that_the_time_for_all_ends_is_not_said_to_be_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "START", TOLD + "time.sleep(60)")
    found = [cell.remark for cell in cells_of(ORDER, lambda text: None, time.monotonic() + 0.5)]
    assert found == ["the time for all was over", "no time was left"]


def test_when_time_is_over_no_cell_begins() -> None:
    assert outcomes(ORDER, time.monotonic()) == [("bfs", "too slow"), ("components", "too slow")]


# --- commands ------------------------------------------------------------------------------------------------------


@needs_a_device
def test_the_table_of_figures_quickly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    options = ["--quick", "--graphs", "rmat7,grid12", "--targets", HERE[0], "--repeat", "1", "--json", str(file)]
    assert figures.main([*options, "--judge", "numpy", "--commit", "abc"]) == 0
    shown = capsys.readouterr().out
    assert all(row.title in shown for row in ROWS.values())
    written = json.loads(file.read_text())
    assert written["commit"] == "abc"
    assert {(cell["row"], cell["graph"]) for cell in written["cells"]} == {
        (row, graph) for row in ROWS for graph in ("rmat7", "grid12")
    }
    assert all(cell["status"] == "right" for cell in written["cells"])


def test_rows_and_graphs_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="there is no row walk"):
        figures.main(["--quick", "--rows", "bfs,walk"])
    with pytest.raises(SystemExit, match="say where with --data"):
        figures.main(["--graphs", "NY", "--data", str(tmp_path)])


def test_limited_memory_quickly(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--quick", "--target", "reference", "--graphs", "rmat6", "--repeat", "1", "--shares", "0.8"]
    assert limited.main([*options, "--ways", "resident,mapped,ondemand,chunks"]) == 0
    table = capsys.readouterr().out
    assert "rmat6: milliseconds, and how many times those of resident" in table
    assert "chunks 80%" in table
    assert "failed" not in table


def test_limits_that_an_aim_was_set_for(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--quick", "--target", "reference", "--graphs", "rmat6", "--repeat", "1", "--rows", "components"]
    assert limited.main([*options, "--aims", "--ways", "alike,ondemand", "--count"]) == 0
    cells = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  components")]
    assert [line.split()[1:3] for line in cells if "at most" in line] == [["ondemand", "100%"], ["ondemand", "10%"]]
    assert "passes on the host" in cells[-1]
    assert limited.Aim(1.5).verdict(16.0, 10.0) == "1.600 times resident, at most 1.5 times resident: NO"
    assert limited.Aim(20.0, in_milliseconds=True).verdict(16.0, 10.0) == "1.600 times resident, at most 20 ms: yes"


def test_chunks_that_take_too_long_count_with_what_they_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limited, "TIMES", 0)
    options = ["--quick", "--target", "reference", "--graphs", "grid768", "--repeat", "1", "--shares", "0.4"]
    options += ["--ways", "ondemand,chunks", "--rows", "bfs", "--patience", "0.2"]
    began = time.monotonic()
    assert limited.main(options) == 0
    seconds = time.monotonic() - began
    printed = capsys.readouterr().out
    ours, given_up = (cell for cell in limited.read(printed) if cell.row == "bfs")
    assert (ours.memory, ours.at_least) == ("ondemand 40%", False)
    assert (given_up.memory, given_up.at_least) == ("chunks 40%", True)
    assert given_up.milliseconds is not None
    assert 190 < given_up.milliseconds < 1000 * seconds
    assert "at least: 1 were given up" in printed
    (tmp_path / "printed.txt").write_text(printed)
    assert limited.main(["--told", str(tmp_path / "printed.txt")]) == 0
    told = capsys.readouterr().out
    assert told.splitlines()[-1].startswith("chunks 40% takes ")
    assert told.splitlines()[-1] in printed


def test_answers_are_alike_to_a_part_of_each() -> None:
    known = np.array([1e-9, 5.0, 0.0])
    assert limited.alike(known * (1 + 1e-5), known)
    assert not limited.alike(known * np.array([2.0, 1.0, 1.0]), known)


@needs_a_device
def test_growth_quickly(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--scales", "5-6", "--kinds", "rmat", "--rows", "bfs,sssp", "--target", HERE[0], "--repeat", "1"]
    assert growth.main(options) == 0
    shown = capsys.readouterr().out
    assert "SSSP on rmat" in shown
    assert "rmat6" in shown
    assert "sets B/node" in shown


def test_no_program_can_do_without_its_rows_and_properties() -> None:
    cell = Cell("sssp", "rmat4", "cuda", "auto", "right", 1.0, (1.0,), memory=(999, 64, 3), nodes=16, arcs=100)
    assert growth.least_bytes(cell) == 4 * 17 + 4 * 100 + 4 * 100 + 64 + 2
    assert growth.least_bytes(replace(cell, row="bfs", arcs=2**31)) == 8 * 17 + 4 * 2**31 + 64 + 2


@pytest.mark.campaign
@needs_a_device
def test_beside_networkit_quickly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("networkit")
    monkeypatch.setattr(cpu, "keep_to", lambda threads: 2)
    file = tmp_path / "cpu.json"
    assert cpu.main(["--graphs", "rmat6", "--targets", HERE[0], "--repeat", "1", "--json", str(file)]) == 0
    lines = json.loads(file.read_text())["lines"]
    assert [line["row"] for line in lines] == list(ROWS)
    assert all(not line["faults"] for line in lines), "NetworKit's and SciPy's answers are ours"
    assert "our time over NetworKit's" in capsys.readouterr().out


def test_graphs_of_the_table_are_undirected() -> None:
    """So that what comes in lies as what goes out does."""
    assert isinstance(graphs.load("grid6").graph, Graph)
    assert not graphs.load("grid6").graph.directed


def test_a_row_beside_networkit_that_takes_too_long_is_ended() -> None:
    line = cpu.in_own_process("rmat6", "bfs", ["opencl", "openmp"], [], 0.05)
    assert line.faults.keys() == {"opencl", "openmp"}
    assert line.ratio("opencl") is None
