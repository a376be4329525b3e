"""`run --target all`: every device has its row, the interpreter is the measure, nothing is left out in silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.graph.graph import Graph
from starplat.ir import nodes as ir
from starplat.runtime import everywhere
from starplat.runtime.arguments.bind import Bound
from starplat.runtime.launch import Request, run_as_asked
from starplat.runtime.results.result import Result
from starplat.toolchain.description import DeviceDescription
from tests.cli.conftest import Outcome

Starplat = Callable[..., Outcome]
Write = Callable[..., Path]

RACE = """\
function f(Graph g, propNode<int> mark) {
  forall (v in g.nodes()) {
    forall (w in g.neighbors(v)) {
      w.mark = v;
    }
  }
}
"""


def pretend(monkeypatch: pytest.MonkeyPatch, change: Callable[[str, Result], Result]) -> None:
    """Two devices beside the interpreter, `opencl` 0 and 1, whose answers are the interpreter's after `change`; no
    CUDA."""
    devices = {
        "cuda": (DeviceDescription("cuda", None, "-", "-", 0, 0, "no GPU answers", "install a GPU"),),
        "opencl": tuple(DeviceDescription("opencl", n, f"device {n}", "driver", 1, 1) for n in (0, 1)),
        "reference": (DeviceDescription("reference", 0, "interpreter", "Python", 1, 1),),
    }

    def run(module: ir.Module, graph: Graph, given: Bound, asked: Request) -> Result:
        result = run_as_asked(module, graph, given, replace(asked, target="reference", device_index=0))
        return result if asked.target == "reference" else change(f"{asked.target} {asked.device_index}", result)

    monkeypatch.setattr(everywhere, "REPORTS", devices)
    monkeypatch.setattr(everywhere, "report", lambda target: devices.get(target, ()))
    monkeypatch.setattr(everywhere, "run_as_asked", run)


def unchanged(device: str, result: Result) -> Result:
    return result


def rows(outcome: Outcome) -> dict[str, str]:
    """The table's answers by target and index."""
    lines = [line.split() for line in outcome.out.splitlines()[2:]]
    return {" ".join(words[:2]): " ".join(words[2:]) for words in lines}


def run(starplat: Starplat, examples: Path, roads: Path, *more: object) -> Outcome:
    return starplat("run", examples / "sssp.sp", "--graph", roads, "--arg", "src=1", "--target", "all", *more)


def test_the_table_has_a_row_for_every_device_of_every_target(starplat: Starplat, examples: Path, roads: Path) -> None:
    from starplat.toolchain.devices import devices

    outcome = run(starplat, examples, roads)
    assert outcome.code == 0
    assert len(outcome.out.splitlines()) >= 2 + len(devices())
    assert "the measure" in rows(outcome)["reference 0"]
    for device in devices():
        if device.usable and device.target != "reference":
            assert rows(outcome)[f"{device.target} {device.index}"].endswith("agrees")


def test_what_is_absent_is_listed_with_the_reason_and_what_mends_it(
    starplat: Starplat, examples: Path, roads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, unchanged)
    outcome = run(starplat, examples, roads)
    assert outcome.code == 0
    assert rows(outcome)["cuda -"] == "- - - - absent: no GPU answers"
    assert "install a GPU" in outcome.err


def test_json_is_one_object_with_a_list(
    starplat: Starplat, examples: Path, roads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, unchanged)
    found = run(starplat, examples, roads, "--repeat", 2, "--json").json
    assert found["schema"] == 1
    assert found["measure"] == {"target": "reference", "index": 0}
    assert found["properties"]["dist"]["sum"] == 12
    assert [(r["target"], r["index"], r["agreement"]) for r in found["runs"]] == [
        ("cuda", None, "absent"),
        ("opencl", 0, "agrees"),
        ("opencl", 1, "agrees"),
        ("reference", 0, "measure"),
    ]
    assert len(found["runs"][1]["seconds"]["run"]) == 2
    assert found["runs"][0]["mend"] == "install a GPU"


def test_device_picks_the_devices_of_that_number(
    starplat: Starplat, examples: Path, roads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, unchanged)
    found = run(starplat, examples, roads, "--device", 1, "--json").json
    assert [(r["target"], r["index"]) for r in found["runs"] if r["agreement"] != "absent"] == [
        ("opencl", 1),
        ("reference", 0),
    ]


def test_a_wrong_answer_is_said_and_ends_as_e0795_does(
    starplat: Starplat, examples: Path, roads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(device: str, result: Result) -> Result:
        return (
            replace(result, properties={**result.properties, "dist": result["dist"] + 1}) if "1" in device else result
        )

    pretend(monkeypatch, wrong)
    outcome = run(starplat, examples, roads)
    assert outcome.code == 4
    assert "error[E0795]: opencl, device 1: dist[node 1] is 1, not 0" in outcome.err
    assert "differs: dist[node 1] is 1, not 0" in rows(outcome)["opencl 1"]
    assert rows(outcome)["opencl 0"].endswith("agrees")


@pytest.mark.parametrize(("code", "exit", "word"), [("E0608", 0, "refused"), ("E0906", 1, "failed")])
def test_what_a_device_lacks_is_no_failure_but_a_fault_is(
    starplat: Starplat, examples: Path, roads: Path, monkeypatch: pytest.MonkeyPatch, code: str, exit: int, word: str
) -> None:
    def faulty(device: str, result: Result) -> Result:
        raise DiagnosticError(Diagnostic(code, f"{device} cannot"), exit_code=ExitCode.WRONG_INPUT)

    pretend(monkeypatch, faulty)
    outcome = run(starplat, examples, roads)
    assert outcome.code == exit
    assert rows(outcome)["opencl 0"] == f"device 0 - - - - {word}: opencl 0 cannot"
    assert f"error[{code}]" in outcome.err


def test_answers_of_a_program_with_a_race_are_not_defined(
    starplat: Starplat, program: Write, roads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, unchanged)
    outcome = starplat("run", program(RACE), "--graph", roads, "--target", "all")
    assert outcome.code == 0
    assert all("not defined" in row for name, row in rows(outcome).items() if name != "cuda -")
    assert "several answers are right" in outcome.err


def test_on_a_large_graph_the_interpreter_stands_aside_unless_it_is_asked_for(
    starplat: Starplat, examples: Path, roads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, unchanged)
    monkeypatch.setattr(everywhere, "LARGE_GRAPH", 3)
    outcome = run(starplat, examples, roads)
    assert outcome.code == 0
    assert "compared with those of opencl 0" in outcome.err
    assert rows(outcome)["opencl 0"].endswith("the measure")
    assert "left out" in rows(outcome)["reference 0"]
    assert rows(run(starplat, examples, roads, "--validate"))["reference 0"].endswith("the measure")


def test_a_wrong_argument_is_said_once(starplat: Starplat, examples: Path, roads: Path) -> None:
    outcome = starplat("run", examples / "sssp.sp", "--graph", roads, "--arg", "src=77", "--target", "all")
    assert outcome.code == 1
    assert outcome.err.count("error[") == 1


def test_results_of_all_targets_fit_no_file(starplat: Starplat, examples: Path, roads: Path, tmp_path: Path) -> None:
    assert run(starplat, examples, roads, "--out", tmp_path / "r.npz").code == 2
