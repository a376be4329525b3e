"""What a schedule asks for counts, or is refused with the reason: what the target lacks, what the program has not, or
what else is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.backends.scheduled import capabilities_of, capabilities_on, for_target, made_for_target
from starplat.bench.candidates import Candidate, candidates
from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.ir.processors import Processor
from starplat.runtime.facts import facts_of
from starplat.schedule import AUTO, KNOBS, PLAIN
from starplat.schedule.parse import parse_schedule
from starplat.schedule.unfollowed import SOUGHT, unfollowed
from tests.cli.conftest import Outcome
from tests.schedule.near_misses import SETS
from tests.schedule.programs import LEVELS, NESTED, PEELING, RENAMED, SSSP, TWO_FLAGS, program_of
from tests.zoo import ZOO

Command = Callable[..., Outcome]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PULLS = """function total(Graph g, propNode<int> mine, propNode<int> theirs) {
  g.attachNodeProperty(mine = 1);
  forall (v in g.nodes()) {
    int sum = 0;
    for (w in g.nodes_to(v)) {
      sum += w.theirs;
    }
    v.mine = sum;
  }
}"""
ONE_STEP = "function first(Graph g, propNode<int> out) { forall (v in g.nodes()) { v.out = g.count_outNbrs(v); } }"


def refusals(text: str, schedule: str, target: str = "cuda") -> list[tuple[str, str]]:
    """Message and help of each setting that is refused."""
    module = program_of(text).module()
    found: tuple[Diagnostic, ...] = ()
    try:
        for_target(module, target, parse_schedule(schedule))
    except DiagnosticError as error:
        found, exit_code = error.diagnostics, error.exit_code
    assert not found or exit_code is ExitCode.USAGE
    assert {diagnostic.code for diagnostic in found} <= {"E0665"}
    return [(diagnostic.message, diagnostic.help or "") for diagnostic in found]


@pytest.mark.parametrize("text", [SSSP, TWO_FLAGS, RENAMED], ids=["sssp", "two-flags", "renamed"])
@pytest.mark.parametrize(
    "schedule",
    [
        "loop=device",
        "frontier=queue",
        "frontier=bitmap",
        "frontier=layers",
        "balance=edge",
        "priority=delta(3)",
        "balance=edge,priority=delta(2)",
        "memory=mapped",
        "memory=unified",
    ],
)
def test_what_is_followed_is_not_refused(text: str, schedule: str) -> None:
    assert refusals(text, schedule) == []


@pytest.mark.parametrize(
    ("text", "schedule"),
    [
        (ONE_STEP, "direction=pull"),
        (ONE_STEP, "loop=device"),
        (ONE_STEP, "balance=edge"),
        (PULLS, "priority=delta(64)"),
        (PULLS, "frontier=bitmap"),
        (PEELING, "priority=delta(1)"),
        (SETS["all flags begin as true"], "frontier=bitmap"),
        (ONE_STEP, "memory=mapped"),
        (ONE_STEP, "order=rows"),
    ],
)
def test_what_the_program_has_not_is_said(text: str, schedule: str) -> None:
    ((message, help),) = refusals(text, schedule)
    entry = program_of(text).module().entry
    knob = schedule.partition("=")[0]
    assert message == f"nothing in '{entry}' can follow '{schedule}': {SOUGHT[knob]}"
    assert help.startswith("leave it out")


@pytest.mark.parametrize("schedule", ["loop=device", "frontier=bitmap", "balance=edge"])
def test_what_only_a_part_of_the_program_follows_is_not_refused(schedule: str) -> None:
    """The host goes over the sources; what it does for each is followed."""
    assert refusals(NESTED, schedule) == []


def test_every_setting_that_is_refused_has_its_message() -> None:
    found = refusals(PULLS, "direction=pull,priority=delta(64),frontier=bitmap,balance=node")
    assert [message.split("'")[3] for message, _ in found] == ["frontier=bitmap", "priority=delta(64)"]


def test_a_program_that_pulls_by_itself_may_be_asked_to() -> None:
    assert refusals(PULLS, "direction=pull") == []
    assert refusals(LEVELS, "direction=pull") == []
    assert refusals(PULLS.replace("nodes_to", "neighbors"), "direction=pull") != []


@pytest.mark.parametrize(
    ("schedule", "lack"),
    [
        ("loop=device", "it has no grid barrier"),
        ("loop=cluster", "it has no grid barrier and no clusters of groups that have a barrier of their own"),
        ("balance=edge", "it has no groups whose threads share arcs"),
        ("memory=mapped", "it has no page-locked host memory that its kernels read"),
    ],
)
def test_what_a_target_lacks_is_named(schedule: str, lack: str) -> None:
    ((message, help),) = refusals(SSSP, schedule, "openmp")
    assert message == f"target 'openmp' cannot follow '{schedule}': {lack}"
    assert "choose a target that has" in help


@pytest.mark.parametrize("schedule", ["loop=device", "plain,loop=device"])
@pytest.mark.parametrize("target", ["opencl", "openmp", "sycl"])
def test_what_a_cpu_lacks_is_refused_though_its_kernels_are_taken_in_pieces(target: str, schedule: str) -> None:
    cpu = capabilities_on(target, Processor.CPU)
    module = program_of(SSSP).module()
    with pytest.raises(DiagnosticError) as refused:
        for_target(module, target, parse_schedule(schedule), capabilities=cpu)
    assert [one.code for one in refused.value.diagnostics] == ["E0665"]
    assert made_for_target(module, target, parse_schedule("direction=push"), capabilities=cpu) != module


@pytest.mark.parametrize("text", [SSSP, LEVELS], ids=["flags", "levels"])
@pytest.mark.parametrize("frontier", ["queue", "bitmap", "layers"])
@pytest.mark.parametrize("target", ["cuda", "hip", "opencl", "openmp", "openacc", "sycl"])
def test_every_target_has_all_kinds_of_sets(target: str, frontier: str, text: str) -> None:
    assert refusals(text, f"frontier={frontier}", target) == []
    assert refusals(text, f"frontier={frontier},loop=host", target) == []


@pytest.mark.parametrize("frontier", ["bitmap", "layers"])
def test_one_group_runs_rounds_over_lists_only(frontier: str) -> None:
    ((message, help),) = refusals(SSSP, f"frontier={frontier},loop=group", "opencl")
    assert "nothing in 'sssp' can follow 'loop=group' under the rest of the schedule" in message
    assert help == "leave it out; with 'frontier=auto' it is followed"


def test_a_target_is_not_blamed_for_what_the_program_has_not() -> None:
    ((message, _),) = refusals(PULLS, "priority=delta(3)", "opencl")
    assert message.startswith("nothing in 'total' can follow 'priority=delta(3)': no loop was found")


@pytest.mark.parametrize(
    ("text", "schedule", "setting", "instead"),
    [
        (SSSP, "frontier=flags,priority=delta(3)", "priority=delta(3)", "frontier=auto"),
        (LEVELS, "plain,direction=pull", "direction=pull", "frontier=auto"),
        (
            (EXAMPLES / "connected_components.sp").read_text(encoding="utf-8"),
            "loop=device",
            "loop=device",
            "algebra=plain",
        ),
    ],
)
def test_what_is_in_the_way_is_said(text: str, schedule: str, setting: str, instead: str) -> None:
    ((message, help),) = refusals(text, schedule)
    assert f"can follow '{setting}' under the rest of the schedule" in message
    assert help == f"leave it out; with '{instead}' it is followed"
    assert refusals(text, f"{schedule.replace('frontier=flags,', '').replace('plain,', '')},{instead}") == []


@pytest.mark.parametrize("target", [*BACKENDS, "reference"])
@pytest.mark.parametrize("text", [ONE_STEP, SSSP], ids=["one-step", "sssp"])
def test_what_leaves_a_program_as_it_is_written_is_never_refused(text: str, target: str) -> None:
    for name, value in PLAIN.values.items():
        assert refusals(text, f"{name}={value}", target) == []
    assert refusals(text, "plain", target) == refusals(text, "auto", target) == []


def test_every_knob_that_asks_for_something_says_what_is_sought() -> None:
    asking = {
        name
        for name, knob in KNOBS.items()
        if knob.forms or any(v not in (AUTO.values[name], PLAIN.values[name]) for v in knob.kind)
    }
    assert asking == set(SOUGHT)


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("target", ["cuda", "opencl", "reference"])
@pytest.mark.parametrize("text", [SSSP, LEVELS, PULLS, ONE_STEP], ids=["sssp", "levels", "pulls", "one-step"])
def test_tune_tries_only_what_is_followed_and_nothing_twice(text: str, target: str) -> None:
    module, facts = program_of(text).module(), facts_of(ZOO["random"])
    found = [c for c in candidates(module, target, facts) if isinstance(c, Candidate)]
    for candidate in found:
        assert unfollowed(module, candidate.schedule, capabilities_of(target), facts, candidate.module) == ()
    assert all(one.module != other.module for n, one in enumerate(found) for other in found[:n])


def test_what_is_asked_for_is_made_though_it_is_not_followed() -> None:
    """Those who try many schedules see that it is nothing new, and are not stopped."""
    module = starplat.compile(ONE_STEP).module()
    assert made_for_target(module, "cuda", parse_schedule("priority=delta(3)")) is module


# --- the command line ----------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    program, graph = tmp_path / "p.sp", tmp_path / "g.el"
    program.write_text(ONE_STEP, encoding="utf-8")
    graph.write_text("0 1\n0 2\n", encoding="utf-8")
    return program, graph


def test_every_command_that_takes_a_schedule_refuses(command: Command, files: tuple[Path, Path]) -> None:
    program, graph = files
    expected = "error[E0665]: nothing in 'first' can follow 'loop=device': "
    asks = ("-t", "cuda", "--schedule", "loop=device")
    for line in (("compile", program, "-o", program.parent / "out"), ("inspect", program), ("explain", program)):
        outcome = command(*line, *asks)
        assert (outcome.code, f"\n{outcome.err}".count(f"\n{expected}")) == (2, 1), line
    run = command("run", program, "-g", graph, "-t", "reference", "--schedule", "loop=device")
    assert (run.code, run.err.splitlines()[-2].startswith(expected)) == (2, True)


def test_a_file_beside_a_program_is_held_to_it(command: Command, files: tuple[Path, Path]) -> None:
    program, graph = files
    program.with_suffix(".toml").write_text('[schedule]\nloop = "device"\n', encoding="utf-8")
    outcome = command("run", program, "-g", graph, "-t", "reference")
    assert (outcome.code, "E0665" in outcome.err) == (2, True)
    assert command("run", program, "-g", graph, "-t", "reference", "--schedule", "auto").code == 0


def test_bench_shows_what_is_refused_beside_what_runs(command: Command, files: tuple[Path, Path]) -> None:
    program, graph = files
    outcome = command(
        "bench", program, "-g", graph, "-t", "reference", "-s", "loop=device", "-s", "auto", "--repeat", 1
    )
    assert outcome.code == 0
    assert "can follow 'loop=device'" in " ".join(outcome.out.split())


def test_devices_that_cannot_follow_are_left_out_of_a_run_on_all() -> None:
    found = starplat.compile(SSSP).run_everywhere(ZOO["random"], schedule="loop=device", device=0, src=0)
    said = {attempt.device.target: attempt.reason for attempt in found.attempts if attempt.agreement.value == "refused"}
    assert "cuda" not in said
    assert all("has no grid barrier" in reason for reason in said.values())
    assert found.exit_code is ExitCode.FINE
