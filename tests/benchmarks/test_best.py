"""`benchmarks/best.py` measures every schedule that differs, ends what hangs, and says how far `auto` is behind."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from benchmarks import best
from benchmarks.measured import watching
from benchmarks.measured.quests import Found, Place, Quest
from benchmarks.measured.watching import Watch
from starplat.bench.search import Trial
from tests.benchmarks.test_figures import HERE, needs_a_device

AUTO = Trial("auto", (3.0, 3.0, 3.0))
FASTER = Trial("balance=node", (2.0, 2.0, 2.0))
REFUSED = Trial("balance=edge", reason="no")
WRONG = Trial("direction=pull", (1.0,), "x[0] is 1, not 2", wrong=True)


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (Found("bfs", "g", (AUTO,)), 0),
        (Found("bfs", "g", (AUTO, REFUSED)), 0),
        (Found("bfs", "g", (AUTO, FASTER)), 2),
        (Found("bfs", "g", (AUTO,), complete=False), 2),
        (Found("bfs", "g", (AUTO, WRONG)), 1),
        (Found("bfs", "g", (FASTER,)), 1),
        (Found("bfs", "g", ()), 1),
    ],
)
def test_the_exit_code_says_whether_auto_is_near_the_best(found: Found, code: int) -> None:
    assert best.verdict([found]) == code
    assert best.line(found).strip().startswith("g bfs")
    best.show([found])


def test_how_far_auto_is_from_the_best() -> None:
    found = Found("pagerank", "g", (AUTO, REFUSED, WRONG, FASTER), rounds=20)
    assert (found.behind, found.best, found.auto) == (1.5, FASTER, AUTO)
    assert found.milliseconds(found.best) == pytest.approx(100)
    assert "direction=pull: x[0] is 1, not 2" in best.line(found)


def told(*events: dict[str, object], then: str = "") -> str:
    """A process that tells so much, and then does something."""
    lines = "; ".join(f"print({json.dumps(json.dumps(event))}, flush=True)" for event in events)
    return f"import sys, time; sys.stdin.read(); {lines}; {then}"


START = {"event": "start", "row": "bfs", "graph": "rmat5", "schedule": "plain"}
FIRST = {
    "event": "trials",
    "place": ["bfs", "rmat5"],
    "trials": [{"schedule": "auto", "seconds": [1.0], "reason": "", "wrong": False}],
}


@pytest.mark.parametrize("end", ["time.sleep(60)", pytest.param("raise SystemExit(3)", marks=pytest.mark.campaign)])
def test_a_schedule_that_ends_badly_is_left_out_and_the_rest_is_measured(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = watching.START
    monkeypatch.setattr(watching, "START", told(FIRST, START, then=end))
    quest = Quest(("bfs",), ("rmat5",), "reference", patience=0.5, budget=60, judge="numpy")
    found: list[Found] = []
    watch = Watch(quest, found.append)
    watch._one_process()
    assert [trial.schedule for trial in watch.known["bfs", "rmat5"].values()] == ["auto", "plain"]
    monkeypatch.setattr(watching, "START", right)
    watch.quest = Quest(("bfs",), ("rmat5",), "reference", patience=60, budget=900, judge="numpy")
    watch.run()
    (one,) = found
    trials = {trial.schedule: trial for trial in one.trials}
    assert not trials["plain"].counts
    assert trials["plain"].reason.startswith(("stopped after", "its process ended with exit code 3"))
    assert len(trials["auto"].seconds) > 1


def test_when_time_is_over_every_place_is_told() -> None:
    places: list[Place] = []
    Watch(
        Quest(("bfs", "sssp"), ("rmat5",), "reference"),
        lambda one: places.append((one.row, one.graph)),
        deadline=time.monotonic(),
    ).run()
    assert places == [("bfs", "rmat5"), ("sssp", "rmat5")]


def test_a_graph_that_cannot_be_made_ends_the_search() -> None:
    found: list[Found] = []
    Watch(Quest(("bfs",), ("tree5",), "reference"), found.append).run()
    assert [(one.graph, one.trials, one.complete) for one in found] == [("tree5", (), False)]


@pytest.mark.campaign
@needs_a_device
def test_all_schedules_of_a_row_quickly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "best.json"
    options = ["--graphs", "rmat6", "--rows", "bfs,components", "--target", HERE[0], "--json", str(file)]
    assert best.main([*options, "--judge", "numpy", "--commit", "abc"]) in (0, 2)
    shown = capsys.readouterr().out
    assert "auto and the best schedule found" in shown
    written = json.loads(file.read_text())
    assert [(cell["row"], cell["graph"]) for cell in written["cells"]] == [("bfs", "rmat6"), ("components", "rmat6")]
    assert all(cell["complete"] and cell["behind"] >= 1 for cell in written["cells"])


def test_rows_and_graphs_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="there is no row walk"):
        best.main(["--quick", "--rows", "bfs,walk"])
    with pytest.raises(SystemExit, match="say where with --data"):
        best.main(["--graphs", "NY", "--data", str(tmp_path)])
