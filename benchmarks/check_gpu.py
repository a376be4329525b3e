"""The whole check of a GPU: every example on every GPU target, answers judged, then the sanitizers; a short table last.

    python benchmarks/check_gpu.py [--quick] [--skip-sanitizer]

Runs anywhere with a GPU. Every example runs on all small graphs of the tests, where NetworkX, SciPy and verifiers judge
the answer, and on larger random ones, where the interpreter does. Then compute-sanitizer (memcheck and racecheck)
watches every example on CUDA. Exit code 1 if anything is wrong, 3 if no GPU target is here.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.table import Table

import starplat
from starplat.graph import Graph, generators
from starplat.toolchain.devices import REPORTS, report
from tests.programs.cases import CASES, Case
from tests.zoo import ZOO

SANITIZERS = ("memcheck", "racecheck")
ALL_SOURCES = {"closeness", "radii", "betweenness", "betweenness_push"}


@dataclass
class Outcome:
    """What one example did on one target."""

    runs: int = 0
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        verdict = f"{len(self.faults)} wrong" if self.faults else "right"
        return f"{verdict}, {self.runs} runs, {self.seconds:.1f} s"


def gpu_targets() -> list[tuple[str, int]]:
    """Every target that has a GPU here, with the number of its first."""
    found = []
    for target in REPORTS:
        gpus = [d.index for d in report(target) if d.is_gpu and d.index is not None]
        found += [(target, gpus[0])] if gpus else []
    return found


def larger_graphs(quick: bool) -> dict[str, Graph]:
    """Skewed, uniform and road-like, with weights."""
    scale = 8 if quick else 11
    graphs = {
        "rmat": generators.rmat(scale, 8, 1),
        "uniform": generators.uniform(scale, 8, 1),
        "grid": generators.grid(1 << (scale // 2), 70, 1),
    }
    return {name: graph.with_random_weights(1, 100, 1) for name, graph in graphs.items()}


def judge(case: Case, target: str, device: int, quick: bool) -> Outcome:
    """Runs one example on one target."""
    program, outcome, started = starplat.compile(case.path), Outcome(), time.perf_counter()
    for name, graph in ZOO.items():
        suited = case.suits(graph)
        for call in case.calls(suited):
            _attempt(
                outcome, f"{name} {call}", lambda s=suited, c=call: _by_oracle(case, program, s, c, target, device)
            )
    for name, graph in larger_graphs(quick or case.program in ALL_SOURCES).items():
        suited = case.suits(graph)
        call = case.calls(suited)[-2 if case.program.startswith("betweenness") else 0]
        _attempt(outcome, f"{name} {call}", lambda s=suited, c=call: _by_reference(program, s, c, target, device))
    outcome.seconds = time.perf_counter() - started
    return outcome


def _attempt(outcome: Outcome, what: str, run) -> None:  # type: ignore[no-untyped-def]
    outcome.runs += 1
    try:
        run()
    except (AssertionError, starplat.DiagnosticError) as error:
        outcome.faults.append(f"{what}: {str(error).strip().splitlines()[0] if str(error).strip() else error!r}")


def _by_oracle(case, program, graph, call, target, device) -> None:  # type: ignore[no-untyped-def]
    result = program.run(graph, target=target, device=device, arguments=call)
    case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)


def _by_reference(program, graph, call, target, device) -> None:  # type: ignore[no-untyped-def]
    result = program.run(graph, target=target, device=device, arguments=call, validate=True)
    assert result.validated is not False, "differs from the interpreter"


def drive(target: str) -> None:
    """Every example once on a small graph: what the sanitizers watch."""
    for case in CASES:
        graph = case.suits(generators.rmat(6, 4, 1).with_random_weights(1, 9, 1))
        starplat.compile(case.path).run(graph, target=target, arguments=case.calls(graph)[0])


def sanitize(tool: str) -> str:
    """compute-sanitizer's verdict on all examples."""
    path = shutil.which("compute-sanitizer")
    if path is None:
        return "not here"
    command = [path, "--tool", tool, "--error-exitcode", "9", sys.executable, __file__, "--drive", "cuda"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    summary = [line for line in (done.stdout + done.stderr).splitlines() if "SUMMARY" in line]
    if done.returncode:
        sys.stderr.write((done.stdout + done.stderr)[-6000:])
    return summary[-1].split("=========")[-1].strip() if summary else f"exit code {done.returncode}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller random graphs")
    parser.add_argument("--skip-sanitizer", action="store_true", help="answers only")
    parser.add_argument("--drive", metavar="TARGET", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.drive:
        drive(options.drive)
        return 0
    targets = gpu_targets()
    if not targets:
        print("no target has a GPU here", file=sys.stderr)
        return 3
    outcomes = {
        (case.program, target): judge(case, target, device, options.quick)
        for case in CASES
        for target, device in targets
    }
    verdicts = {} if options.skip_sanitizer else {tool: sanitize(tool) for tool in SANITIZERS}
    for (program, target), outcome in outcomes.items():
        for fault in outcome.faults[:5]:
            print(f"{program} on {target}: {fault}")
    _show(outcomes, targets, verdicts)
    wrong = any(outcome.faults for outcome in outcomes.values())
    unclean = any("0 errors" not in v and "0 hazards" not in v and v != "not here" for v in verdicts.values())
    return 1 if wrong or unclean else 0


def _show(outcomes: dict[tuple[str, str], Outcome], targets: list[tuple[str, int]], verdicts: dict[str, str]) -> None:
    table = Table(title="every example on every GPU target")
    table.add_column("program")
    for target, _ in targets:
        table.add_column(target)
    for case in CASES:
        table.add_row(case.program, *(str(outcomes[case.program, target]) for target, _ in targets))
    console = Console(width=40 + 32 * len(targets))
    console.print(table)
    for tool, verdict in verdicts.items():
        console.print(f"{tool}: {verdict}")


if __name__ == "__main__":
    sys.exit(main())
