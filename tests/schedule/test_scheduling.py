"""A schedule reaches every place where a program is run or written; scheduling the same thing twice costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import starplat
from starplat import pipeline
from starplat.backends import scheduled as for_targets
from starplat.ir import nodes as ir
from starplat.ir.capabilities import INTERPRETER, Capabilities
from starplat.runtime import run_module
from starplat.runtime.facts import facts_of
from starplat.runtime.session import default_session
from starplat.schedule import AUTO, PLAIN, Schedule, apply
from starplat.schedule.apply import decided, scheduled
from starplat.schedule.facts import GraphFacts
from starplat.schedule.schedule import Direction, Loop
from starplat.schedule.step import Choice, Decided, GraphStep, Step
from tests.cli.conftest import Outcome

TEXT = "function f(Graph g, propNode<int> out) { g.attachNodeProperty(out = 7); }"
GRAPH = starplat.Graph.from_arcs(3, [0, 0], [1, 2], [4, 6])
HOST = Schedule(loop=Loop.HOST)
Command = Callable[..., Outcome]


def filled(module: ir.Module, value: int) -> ir.Module:
    """The module with another number in its fill: a change that everybody can see."""

    def changed(op: ir.HostOp) -> ir.HostOp:
        return replace(op, value=ir.Const(value, ir.Element.INT)) if isinstance(op, ir.Fill) else op

    (function,) = module.functions
    body = tuple(
        replace(op, body=tuple(map(changed, op.body))) if hasattr(op, "body") else changed(op) for op in function.body
    )
    return replace(module, functions=(replace(function, body=body),))


def by_loop(module: ir.Module, schedule: Schedule, capabilities: Capabilities) -> ir.Module | Decided:
    """7 becomes 8 where the loop is the host's, 9 where it is left to the compiler."""
    if schedule.loop is Loop.DEVICE:
        return module
    why = "the host was asked for" if schedule.loop is Loop.HOST else "nobody asked"
    return Decided(filled(module, 8 if schedule.loop is Loop.HOST else 9), (Choice("a fill", why),))


def by_graph(module: ir.Module, schedule: Schedule, capabilities: Capabilities, facts: GraphFacts | None) -> ir.Module:
    return module if facts is None or schedule.loop is not Loop.DEVICE else filled(module, facts.max_degree)


STEPS = (Step("by-loop", "a step", "first", by_loop), GraphStep("by-graph", "another", "last", by_graph))


@pytest.fixture(autouse=True)
def steps(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(apply, "STEPS", STEPS)
    for_targets._KNOWN.clear()
    yield
    for_targets._KNOWN.clear()


@pytest.fixture
def program() -> starplat.Program:
    return starplat.compile(TEXT)


@pytest.mark.parametrize(
    ("schedule", "target", "expected"),
    [
        (None, "reference", 7),  # the measure
        (None, "opencl", 9),
        ("auto", "reference", 9),
        ("plain", "opencl", 7),
        ("loop=host", "reference", 8),
        (HOST, "reference", 8),
        (Schedule(loop=Loop.DEVICE), "reference", 2),
    ],
)
def test_a_run_takes_the_schedule(
    program: starplat.Program, schedule: Schedule | str | None, target: str, expected: int
) -> None:
    if target == "opencl":
        pytest.importorskip("pyopencl")
    assert program.run(GRAPH, target=target, schedule=schedule)["out"].tolist() == [expected] * 3


def test_a_wrong_answer_of_a_schedule_does_not_pass(program: starplat.Program) -> None:
    with pytest.raises(starplat.DiagnosticError, match="E0795"):
        program.run(GRAPH, target="reference", schedule="auto", validate=True)
    assert program.run(GRAPH, target="reference", schedule="plain", validate=True).validated


def test_the_measure_of_a_run_on_all_devices_is_the_program_as_it_is(program: starplat.Program) -> None:
    found = program.run_everywhere(GRAPH, schedule="loop=host", device=0)
    assert found.measure is not None
    assert found.measure.result is not None
    assert found.measure.result["out"].tolist() == [7] * 3
    others = [a for a in found.attempts if a.result is not None and a is not found.measure]
    assert all("is 8, not 7" in attempt.reason for attempt in others)


def test_a_programs_module_is_not_scheduled_and_what_is_written_is(program: starplat.Program) -> None:
    assert scheduled(program.module(), HOST, INTERPRETER) != program.module()
    text, *_ = program.artifact("openmp", schedule="loop=host").values()
    assert ".fill(8)" in text
    assert ".fill(9)" in next(iter(program.artifact("openmp").values()))
    assert ".fill(7)" in next(iter(program.artifact("openmp", schedule=PLAIN).values()))


def test_plain_takes_no_step_and_auto_is_not_plain(program: starplat.Program) -> None:
    module = program.module()
    assert scheduled(module, PLAIN, INTERPRETER) is module
    assert decided(module, AUTO, INTERPRETER).choices == (Choice("a fill", "nobody asked", "by-loop"),)


def test_without_steps_nothing_is_done(program: starplat.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apply, "STEPS", ())
    assert scheduled(program.module(), AUTO, INTERPRETER) is program.module()
    assert not apply.looks_at_the_graph(program.module(), INTERPRETER)


def test_a_second_run_schedules_and_builds_nothing(program: starplat.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[ir.Module] = []
    once = for_targets.scheduled

    def counted(*arguments: object) -> ir.Module:
        found = once(*arguments)  # type: ignore[arg-type]
        taken.append(found)
        return found

    monkeypatch.setattr(for_targets, "scheduled", counted)
    device = default_session().device("reference")
    for _ in range(3):
        program.run(GRAPH, target="reference", schedule="loop=host")
        program.run(GRAPH, target="reference", schedule="loop=host,direction=push")
    assert len(taken) == 2
    built = [same.thing for same, _ in device.built]
    assert sum(module is made for module in built for made in taken) == 1, "equal modules are one"


def test_graphs_share_a_module_unless_a_step_tells_them_apart(program: starplat.Program) -> None:
    module, other = program.module(), starplat.Graph.from_arcs(3, [0], [1])
    by_degree = Schedule(loop=Loop.DEVICE)
    made = [for_targets.for_target(module, "reference", by_degree, facts_of(graph)) for graph in (GRAPH, other)]
    assert made[0] != made[1]
    same = [for_targets.for_target(module, "reference", HOST, facts_of(graph)) for graph in (GRAPH, other)]
    assert same[0] is same[1]


def test_facts_are_of_the_graph() -> None:
    facts = facts_of(GRAPH)
    assert facts == GraphFacts(3, 2, 2)
    assert facts.mean_degree == pytest.approx(2 / 3)
    empty = facts_of(starplat.Graph.from_arcs(0, [], []))
    assert (empty, empty.mean_degree) == (GraphFacts(0, 0, 0), 0.0)


def test_many_modules_are_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(for_targets, "_MOST_KNOWN", 2)
    modules = [starplat.compile(TEXT).module() for _ in range(3)]
    made = [for_targets.for_target(module, "reference", HOST) for module in modules]
    assert len(for_targets._KNOWN) == 2
    assert for_targets.for_target(modules[2], "reference", HOST) is made[2]
    assert for_targets.for_target(modules[0], "reference", HOST) == made[0]


def test_a_module_can_be_run_with_a_schedule(program: starplat.Program) -> None:
    assert run_module(program.module(), GRAPH, target="reference", schedule=HOST)["out"].tolist() == [8] * 3


def test_the_file_beside_a_program_is_its_schedule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "program.sp"
    path.write_text(TEXT, encoding="utf-8")
    (tmp_path / "program.toml").write_text('[schedule]\nloop = "host"\n', encoding="utf-8")
    found = starplat.compile(path)
    assert found.schedule == HOST
    assert found.run(GRAPH, target="reference")["out"].tolist() == [8] * 3
    assert found.run(GRAPH, target="reference", schedule="plain")["out"].tolist() == [7] * 3
    monkeypatch.chdir(tmp_path)
    assert starplat.compile(TEXT).schedule is None, "a text has no folder"
    (tmp_path / "program.toml").write_text('[schedule]\nloop = "hots"\n', encoding="utf-8")
    with pytest.raises(starplat.DiagnosticError, match="E0661"):
        starplat.compile(path)


def test_a_wrong_schedule_is_said_before_anything_runs(program: starplat.Program) -> None:
    for use in (
        lambda: program.run(GRAPH, schedule="pul"),
        lambda: program.run_everywhere(GRAPH, schedule="pul"),
        lambda: program.artifact("opencl", schedule="pul"),
        lambda: pipeline.kernels_text(program.module(), "opencl", "pul"),
    ):
        with pytest.raises(starplat.DiagnosticError, match="E0663"):
            use()


# --- the command line ----------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    program, graph = tmp_path / "p.sp", tmp_path / "g.el"
    program.write_text(TEXT, encoding="utf-8")
    graph.write_text("0 1\n0 2\n", encoding="utf-8")
    return program, graph


def test_run_takes_a_schedule(command: Command, files: tuple[Path, Path]) -> None:
    program, graph = files
    plain = ("run", program, "-g", graph, "-t", "reference", "--json")
    assert command(*plain).json["properties"]["out"]["max"] == 7
    assert command(*plain, "--schedule", "loop=host").json["properties"]["out"]["max"] == 8
    wrong = command(*plain, "--schedule", "loops=host")
    assert (wrong.code, wrong.err.splitlines()[0]) == (2, "error[E0660]: a schedule has no knob 'loops'")


def test_the_file_beside_a_program_is_taken_and_said(command: Command, files: tuple[Path, Path]) -> None:
    program, graph = files
    beside = program.with_suffix(".toml")
    beside.write_text('[schedule]\nloop = "host"\n', encoding="utf-8")
    plain = ("run", program, "-g", graph, "-t", "reference", "--json")
    outcome = command(*plain)
    assert outcome.json["properties"]["out"]["max"] == 8
    assert f"{beside}: schedule loop=host\n" in outcome.err
    assert command(*plain, "--schedule", "plain").json["properties"]["out"]["max"] == 7


def test_compile_inspect_and_explain_take_a_schedule(
    command: Command, files: tuple[Path, Path], tmp_path: Path
) -> None:
    program, _ = files
    assert command("compile", program, "-t", "openmp", "-o", tmp_path / "o", "-s", "loop=host").code == 0
    assert ".fill(8)" in next((tmp_path / "o").glob("*.cpp")).read_text(encoding="utf-8")
    assert "with 7" in command("inspect", program).out
    assert "with 9" in command("inspect", program, "-s", "auto").out
    assert command("inspect", program, "--stage", "schedule", "-s", "loop=host").out == "f (entry)\n  fill out\n"
    assert command("inspect", program, "--stage", "source", "-s", "loop=host").code == 0
    assert command("inspect", program, "--diff", "plain", "auto").code == 0
    assert command("inspect", program, "--annotate", "-s", "loop=host").code == 0
    assert "schedule for" not in command("explain", program).out
    explained = command("explain", program, "-t", "openmp", "--for", "cpu", "-s", "loop=host")
    assert explained.out.endswith("schedule for openmp, a CPU: loop=host\n  by-loop  a fill: the host was asked for\n")
    as_json = command("explain", program, "-t", "openmp", "--json").json["schedule"]
    assert as_json["schedule"]["loop"] == "auto"
    assert as_json["choices"] == [{"step": "by-loop", "what": "a fill", "why": "nobody asked"}]


def test_explain_looks_at_a_graph(command: Command, files: tuple[Path, Path]) -> None:
    program, graph = files
    said = "3 nodes, 2 arcs (mean degree 0.67, largest 2), no weights"
    explained = command("explain", program, "-g", graph, "-t", "reference", "-s", "loop=host")
    assert f"schedule for reference, on {said}: loop=host\n  by-loop" in explained.out
    as_json = command("explain", program, "-g", graph, "--json").json["schedule"]
    assert as_json["graph"]["max_degree"] == 2
    assert as_json["target"] != "auto"
    assert command("explain", program, "-g", "no such graph").code == 1


def test_explain_says_where_nothing_is_chosen(
    command: Command, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apply, "STEPS", ())
    assert command("explain", files[0], "-t", "opencl", "--for", "gpu", "-s", "direction=push").out.endswith(
        "schedule for opencl, a GPU: direction=push\n  nothing to choose: every kernel runs as the program has it\n"
    )
    assert command("explain", files[0], "-t", "cudda").code == 2


def test_steps_have_names_sentences_and_reasons() -> None:
    for step in apply.STEPS:
        assert step.name
        assert step.sentence
        assert step.reason
    assert Direction.AUTO is AUTO.direction
