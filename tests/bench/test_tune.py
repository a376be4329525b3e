"""`tune` looks at every schedule that differs, goes on where it stopped, and leaves what people can read."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import starplat
from starplat.backends import scheduled as for_targets
from starplat.bench.candidates import Candidate, Refused, candidates, widths
from starplat.bench.measure import Bench, Case
from starplat.bench.records import Sizes
from starplat.bench.search import Outcome, Search, Trial, Trials
from starplat.bench.tuned import in_words, key_of, read_state, state_text, toml
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph
from starplat.ir import nodes as ir
from starplat.ir.capabilities import INTERPRETER, Capabilities
from starplat.runtime import bind_text
from starplat.runtime.facts import facts_of
from starplat.runtime.session import default_session
from starplat.schedule import Schedule, apply
from starplat.schedule.parse import parse_schedule, read_schedule
from starplat.schedule.step import Step
from tests.bench.test_bench import HERE
from tests.cli.conftest import Outcome as Said

Command = Callable[..., Said]
GRAPH = Graph.from_arcs(3, [0, 0], [1, 2], [4, 8])
SIZES = Sizes("g.wel", 3, 2)
ALL, WRONG = 16, 3
"""How many schedules differ under the steps of these tests, one that is refused among them; how many are wrong."""
AMPLE = 900
"""Seconds that no search takes, on a busy machine either."""


@pytest.mark.usefixtures("steps")
def test_every_module_that_a_schedule_makes_is_a_candidate_once(program: starplat.Program) -> None:
    found = list(candidates(program.module(), "reference", facts_of(GRAPH)))
    schedules = [c.schedule for c in found if isinstance(c, Candidate)]
    assert [str(schedule) for schedule in schedules[:1]] == ["auto"]
    modules = [c.module for c in found if isinstance(c, Candidate)]
    assert all(a != b for n, a in enumerate(modules) for b in modules[:n])
    # push or pull, no delta or one of five; on the device there are one, two or four fills of one value
    assert len(modules) == 2 * 6 + 3
    assert [c.reason for c in found if isinstance(c, Refused)] == ["arcs cannot be shared out here"]


def test_without_a_choice_there_is_one_candidate(program: starplat.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starplat.schedule.apply.STEPS", ())
    (found,) = candidates(program.module(), "reference", facts_of(GRAPH))
    assert str(found.schedule) == "auto"


@pytest.mark.parametrize(
    ("mean", "expected"),
    [
        (None, (0.25, 1, 4, 16, 64)),
        (40.0, (10, 40, 160, 640, 2600)),
        (127.96, (32, 130, 510, 2000, 8200)),
        (128.04, (32, 130, 510, 2000, 8200)),
        (0.01, (0.0025, 0.01, 0.04, 0.16, 0.64)),
        (0.0, (1,)),
    ],
)
def test_widths_are_a_ladder_around_the_mean_weight(mean: float | None, expected: tuple[float, ...]) -> None:
    assert widths(mean) == pytest.approx(expected)
    assert all(parse_schedule(f"priority=delta({width})") for width in expected)


def search(program: starplat.Program, target: str, budget: float, **more: object) -> Search:
    work = Bench(program, lambda graph: bind_text(program.module(), graph, {"k": "1"}))
    return Search(work, GRAPH, SIZES, Case(target, None), budget, **more)  # type: ignore[arg-type]


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize("target", HERE)
def test_a_search_measures_all_and_finds_what_changes_the_answer(program: starplat.Program, target: str) -> None:
    found = search(program, target, AMPLE).outcome({})
    assert found.complete
    assert len(found.trials) == ALL
    assert sum(trial.wrong for trial in found.trials) == WRONG
    assert found.best is not None
    assert found.auto is not None
    assert found.behind is not None
    assert found.behind.value >= 1
    assert len(found.auto.seconds) >= 15
    assert found.exit_code.value == 4


def ticking(step: float = 1.0) -> Callable[[], float]:
    """A clock that goes on with every look."""
    now: Iterator[int] = iter(range(10**6))
    return lambda: step * next(now)


@pytest.mark.usefixtures("steps")
def test_a_search_that_stopped_goes_on_where_it_was(program: starplat.Program) -> None:
    kept: list[Trials] = []
    first = search(program, "reference", 5, clock=ticking(), keep=lambda trials: kept.append(dict(trials))).outcome({})
    assert not first.complete
    assert 0 < len(first.trials) < ALL
    assert [len(trials) for trials in kept][:3] == [1, 2, 3]
    measured: list[str] = []
    second = search(program, "reference", AMPLE)
    second.bench.started = measured.append
    whole = second.outcome(kept[-1])
    assert whole.complete
    assert len(whole.trials) == ALL
    assert sum("schedules measured" in words for words in measured) >= ALL - len(first.trials)


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize("target", HERE)
def test_on_a_large_graph_answers_are_held_against_plain(
    program: starplat.Program, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The interpreter would take the whole budget; a search that is taken up again takes its measure again."""
    monkeypatch.setattr("starplat.bench.search.LARGE_FOR_INTERPRETER", 0)
    said: list[str] = []
    work = search(program, target, AMPLE)
    work.bench.started = said.append
    found = work.outcome({})
    assert sum(trial.wrong for trial in found.trials) == WRONG
    assert said.count("plain, whose answer is the measure") == 1
    assert not any("interpreter" in words for words in said)


@pytest.mark.usefixtures("steps")
def test_a_search_that_has_nothing_left_to_do_runs_nothing(program: starplat.Program) -> None:
    whole = search(program, "reference", AMPLE).outcome({})
    again = search(program, "reference", AMPLE)
    again.bench.started = lambda words: pytest.fail(f"it runs {words}")
    found = again.outcome({trial.schedule: trial for trial in whole.trials})
    device = default_session().device("reference")
    assert (found.complete, found.trials, found.device) == (True, whole.trials, device.name)


def test_what_is_tried_is_what_the_device_can_do(program: starplat.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Capabilities] = []

    def step(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module:
        asked.append(capabilities)
        return module

    lesser = replace(INTERPRETER, grid_barrier=False)
    monkeypatch.setattr(apply, "STEPS", (Step("test", "a step", "the only one", step),))
    monkeypatch.setattr(for_targets, "_KNOWN", {})
    usual = key_of(program.module(), GRAPH, {}, "reference", None)
    assert set(asked) == {INTERPRETER}
    monkeypatch.setattr(default_session().device("reference"), "capabilities", lesser)
    asked.clear()
    assert [trial.schedule for trial in search(program, "reference", AMPLE).outcome({}).trials] == ["auto"]
    assert key_of(program.module(), GRAPH, {}, "reference", None) == usual
    assert set(asked) == {lesser}


def test_a_search_is_about_one_device(program: starplat.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = key_of(program.module(), GRAPH, {}, "reference", None)
    assert key_of(program.module(), GRAPH, {}, "reference", 0) == usual
    monkeypatch.setattr(default_session().device("reference"), "name", "another")
    assert key_of(program.module(), GRAPH, {}, "reference", 0) != usual


@pytest.mark.usefixtures("steps")
def test_who_turns_out_near_the_best_is_measured_as_often(program: starplat.Program) -> None:
    """The first times of the best were good luck: others are as fast."""
    lucky = Trial("plain", (1e-9, 1e-9))
    work = search(program, "reference", AMPLE)
    found = work.outcome({"plain": lucky})
    limit = 1.1 * found.trials[0].median.value
    near = [trial for trial in found.trials if trial.counts and trial.median.value <= limit]
    assert all(len(trial.seconds) >= 15 for trial in near)


@pytest.mark.parametrize(
    "change",
    [
        {"seconds": ["x"]},
        {"seconds": 0},
        {"seconds": [-1]},
        {"seconds": [float("nan")]},
        {"schedule": "direction=psuh"},
    ],
)
def test_a_state_that_was_tampered_with_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path, text = tmp_path / "s.json", state_text("k", {"auto": AUTO}, None)
    path.write_text(text, encoding="utf-8")
    assert read_state(path, "k") == {"auto": AUTO}
    kept = json.loads(text)
    kept["trials"][0].update(change)
    path.write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(DiagnosticError, match="E0797"):
        read_state(path, "k")


def test_an_interrupted_search_says_how_it_goes_on(
    tuned: Callable[..., Said], files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: Search, *more: object) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Search, "closer_look", interrupted)
        outcome = tuned("--budget", 20)
    state = files[0].with_suffix(".tuned.json")
    assert outcome.code == 130
    assert f"{state}: holds what was measured; the same command goes on from there\n" in outcome.err
    assert not state.with_suffix(".toml").exists()
    again = tuned("--budget", 0)
    assert (again.code, "the search goes on from here" in again.err) == (0, True)
    assert state.with_suffix(".toml").exists()


@pytest.mark.usefixtures("steps")
def test_without_time_one_schedule_is_measured(program: starplat.Program) -> None:
    found = search(program, "reference", 0).outcome({})
    assert [trial.schedule for trial in found.trials] == ["auto"]


BEST = Trial("direction=pull,priority=delta(3)", (1.0, 1.1, 1.0, 1.1))
AUTO = Trial("auto", (2.0, 2.1, 2.2, 2.0))
REFUSED = Trial("balance=edge", reason="no")


def test_what_is_written_reads_as_it_is_meant(tmp_path: Path) -> None:
    text = toml(Outcome((BEST, AUTO, REFUSED), "cuda", "a device", True), "p", SIZES)
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    assert read_schedule(tmp_path / "p.toml") == parse_schedule(BEST.schedule)
    assert set(tomllib.loads(text)) == {"schedule"}
    assert "# p on g (3 nodes, 2 arcs), cuda, a device\n" in text
    assert "auto 1.95 times as long (1." in text
    assert "#       2050  auto\n" in text
    assert 'priority = "delta(3)"  # nearest first, in steps of 3\n' in text


@pytest.mark.parametrize(
    ("trials", "complete", "said"),
    [
        ((REFUSED,), True, "no schedule ran"),
        ((AUTO,), True, "all schedules measured are one: 2050 ms"),
        ((AUTO, BEST), True, "2 schedules that differ measured; the best takes 2050 ms, and is auto"),
        (
            (BEST, REFUSED),
            False,
            f"only {BEST.schedule} was measured: 1050 ms (the budget ran out before all had their turn)",
        ),
        ((BEST, BEST), True, "2 schedules that differ measured; the best takes 1050 ms, auto did not run"),
    ],
)
def test_the_end_is_said_in_words(trials: tuple[Trial, ...], complete: bool, said: str) -> None:
    assert in_words(Outcome(trials, "cuda", "x", complete)) == said


# --- the command line ----------------------------------------------------------------------------------------------


@pytest.fixture
def tuned(command: Command, files: tuple[Path, Path]) -> Callable[..., Said]:
    program, graph = files
    return lambda *more: command("tune", program, "-g", graph, "-a", "k=1", "-t", "reference", *more)


def test_tune_writes_a_schedule_that_run_takes(
    tuned: Callable[..., Said], command: Command, files: tuple[Path, Path]
) -> None:
    program, graph = files
    outcome = tuned("--budget", 20)
    assert outcome.code == 0
    written = program.with_suffix(".tuned.toml")
    assert f"{written}: written; take it with --schedule {written}" in outcome.err
    run = ("run", program, "-g", graph, "-a", "k=1", "-t", "reference", "--schedule", written, "--validate")
    assert command(*run).code == 0
    again = tuned("--budget", 20)
    assert "the search goes on from here" in again.err
    assert "goes on" not in tuned("--afresh").err


@pytest.mark.usefixtures("steps")
def test_tune_says_what_is_refused_and_what_is_wrong(tuned: Callable[..., Said]) -> None:
    outcome = tuned("--budget", AMPLE)
    assert outcome.code == 4
    assert "arcs cannot be shared out here" in outcome.out
    assert "out[node 0] is 3, not 7" in outcome.out
    as_json = tuned("--json").json
    assert as_json["complete"] is True
    assert as_json["auto_behind"] >= 1
    assert sum(trial["wrong"] for trial in as_json["trials"]) == WRONG


def test_a_search_about_something_else_begins_anew(tuned: Callable[..., Said], files: tuple[Path, Path]) -> None:
    tuned("--budget", 0)
    files[1].write_text("0 1 4\n0 2 9\n", encoding="utf-8")
    assert "the search begins anew" in tuned("--budget", 0).err


def test_a_schedule_that_a_person_edited_is_left_alone(tuned: Callable[..., Said], files: tuple[Path, Path]) -> None:
    written, state = files[0].with_suffix(".tuned.toml"), files[0].with_suffix(".tuned.json")
    assert tuned("--budget", 0).code == 0
    ours = written.read_text(encoding="utf-8")
    assert tuned("--budget", 0).code == 0
    written.write_text(ours + "# mine\n", encoding="utf-8")
    for more in ((), ("--afresh",)):
        outcome = tuned("--budget", 0, *more)
        assert (outcome.code, "E0792" in outcome.err) == (1, True)
        assert "has been edited since `starplat tune` wrote it" in outcome.err
        assert written.read_text(encoding="utf-8") == ours + "# mine\n"
    written.rename(files[0].with_name("mine.toml"))
    again = tuned("--budget", 0)
    assert (again.code, "the search goes on from here" in again.err) == (0, True)
    assert written.exists()
    state.unlink()
    outcome = tuned("--budget", 0)
    assert (outcome.code, f"cannot be told without {state}" in outcome.err) == (1, True)


def test_a_file_of_somebody_else_is_left_alone(tuned: Callable[..., Said], files: tuple[Path, Path]) -> None:
    own = files[0].with_suffix(".tuned.toml")
    own.write_text("[schedule]\n", encoding="utf-8")
    outcome = tuned()
    assert (outcome.code, "E0792" in outcome.err) == (1, True)
    assert own.read_text(encoding="utf-8") == "[schedule]\n"
    own.unlink()
    own.with_suffix(".json").write_text(json.dumps({"mine": 1}), encoding="utf-8")
    outcome = tuned()
    assert (outcome.code, "E0797" in outcome.err) == (1, True)
    assert tuned("-o", "x.yaml").code == 2
