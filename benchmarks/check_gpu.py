"""The whole check of a GPU: every example on every GPU target, answers judged, then the sanitizers; a short table last.

    python benchmarks/check_gpu.py [--quick] [--schedules] [--library] [--skip-sanitizer]
    python benchmarks/check_gpu.py --devices 2           the examples in so many parts on as many GPUs, answers judged

Runs anywhere with a GPU. Every example runs on all small graphs of the tests, where NetworkX, SciPy and verifiers judge
the answer, and on larger random ones, where the interpreter does. Then compute-sanitizer (memcheck and racecheck)
watches every example on CUDA, with `--schedules` under schedules in which any two values of two knobs come together.
With `--library` the other programs that ship are judged too, on few small graphs on CUDA, and watched.
Exit code 1 if anything is wrong, 3 if no GPU target is here.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.table import Table

import starplat
from starplat.graph import Graph, generators
from starplat.runtime import run_module
from starplat.runtime.session import default_session
from starplat.runtime.validate import first_difference
from starplat.schedule import PLAIN
from starplat.toolchain.devices import REPORTS, report
from tests.algorithms.graphs import few
from tests.algorithms.judges import TABLE
from tests.programs.cases import CASES, Case
from tests.programs.every_schedule import variants
from tests.programs.targets import Target
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


def judge_on_devices(case: Case, target: str, devices: int, every: int) -> Outcome:
    """Runs one example in parts, on every so-manieth small graph."""
    program, outcome, started = starplat.compile(case.path), Outcome(), time.perf_counter()
    for name, graph in list(ZOO.items())[::every]:
        suited = case.suits(graph)
        for call in case.calls(suited)[:2]:
            _attempt(
                outcome, f"{name} {call}", lambda s=suited, c=call: _in_parts(case, program, s, c, target, devices)
            )
    outcome.seconds = time.perf_counter() - started
    return outcome


def _in_parts(case, program, graph, call, target, devices) -> None:  # type: ignore[no-untyped-def]
    result = program.run(graph, target=target, devices=devices, arguments=call)
    case.check(graph, call, {name: result[name] for name in case.properties}, result.returned)


def check_devices(cases: list[Case], target: str, devices: int, every: int) -> int:
    """The examples that can be divided; exit code 1 if one is wrong."""
    wrong = 0
    for case in cases:
        if case.program == "label_propagation":  # it keeps a local map
            continue
        outcome = judge_on_devices(case, target, devices, every)
        print(f"{case.program} on {devices} of {target}: {outcome}", flush=True)
        for fault in outcome.faults[:5]:
            print(f"    {fault}", flush=True)
        wrong += len(outcome.faults)
    print(f"{wrong} wrong on {devices} devices")
    return 1 if wrong else 0


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


def drive(program: str, every_schedule: bool) -> None:
    """An example on CUDA, on a graph of few arcs and on one whose arcs are one node's: what the sanitizers watch."""
    case = next(case for case in CASES if case.program == program)
    compiled = starplat.compile(case.path)
    small = program in ALL_SOURCES
    graphs = [generators.rmat(4, 4, 1)] if small else [generators.rmat(6, 4, 1), generators.star(1300)]
    suited = [case.suits(graph.with_random_weights(1, 9, 1)) for graph in graphs]
    calls = [(graph, case.calls(graph)[:2][-1]) for graph in suited]
    expected = [compiled.run(graph, target="reference", arguments=call) for graph, call in calls]
    made = list(variants(compiled.module())) if every_schedule else []
    device = default_session().device("cuda", 0)
    with ThreadPoolExecutor() as threads:
        wait([threads.submit(device.kernels_of, module, False) for _, module in made])
    for schedule, module in (("auto", None), *made):
        for (graph, call), answer in zip(calls, expected, strict=True):
            if module is None:
                found = compiled.run(graph, target="cuda", arguments=call)
            else:
                found = run_module(module, graph, target="cuda", arguments=call, schedule=PLAIN)
            differs = first_difference(found, answer)
            if differs is not None:
                sys.exit(f"{schedule} on {graph.name}: {differs}")


def drive_library(program: str) -> None:
    """A program of the library on CUDA, on the few graphs of its tests, judged as there."""
    for row in (row for row in TABLE if row.program == program):
        for graph in few().values():
            row.judge(row.suits(graph), Target("cuda", "cuda", 0))


def watched(programs: list[str], jobs: int, every_schedule: bool) -> dict[str, str]:
    """What became of the examples without a tool, which builds their kernels, and what each sanitizer says of them."""
    path, verdicts = shutil.which("compute-sanitizer"), dict[str, str]()
    alone = f"answers {'under every schedule' if every_schedule else 'as compiled'}"
    with ThreadPoolExecutor(jobs) as threads:
        verdicts[alone] = _verdict(threads.map(partial(_said, None, None, every_schedule), programs))
        both = {tool: threads.map(partial(_said, path, tool, every_schedule), programs) for tool in SANITIZERS if path}
        verdicts |= {tool: _verdict(both[tool]) if path else "not here" for tool in SANITIZERS}
    return verdicts


def _verdict(runs: Iterable[tuple[str, bool]]) -> str:
    faults = [program for program, fine in runs if not fine]
    return f"wrong: {', '.join(faults)}" if faults else "0 errors"


def _said(path: str | None, tool: str | None, every_schedule: bool, program: str) -> tuple[str, bool]:
    """Whether all went well; what was said is shown if not."""
    ahead = [path, "--tool", tool, "--error-exitcode", "9"] if path and tool else []
    command = [*ahead, sys.executable, __file__, "--drive", program, *(["--schedules"] if every_schedule else [])]
    started = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(f"{' '.join(command)}\n{(done.stdout + done.stderr)[-6000:]}\n")
    told = "0 errors" if done.returncode == 0 else f"exit code {done.returncode}"
    print(f"{tool or 'alone'}: {program}: {told}, {time.perf_counter() - started:.0f} s", flush=True)
    return program, done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller random graphs")
    parser.add_argument("--skip-sanitizer", action="store_true", help="answers only")
    parser.add_argument("--schedules", action="store_true", help="watch the examples under every pair of knobs' values")
    parser.add_argument("--library", action="store_true", help="judge and watch the other programs that ship, too")
    parser.add_argument("--programs", help="of those, with commas (all)")
    parser.add_argument("--skip-answers", action="store_true", help="the sanitizers only")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2), help="watched at a time")
    parser.add_argument("--devices", type=int, help="run the examples in so many parts, on as many devices, only")
    parser.add_argument("--target", default="cuda", help="what parts run on (cuda)")
    parser.add_argument("--every", type=int, default=1, help="parts run on every so-manieth small graph (1)")
    parser.add_argument("--drive", metavar="PROGRAM", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.drive:
        if any(case.program == options.drive for case in CASES):
            drive(options.drive, options.schedules)
        else:
            drive_library(options.drive)
        return 0
    wanted = None if options.programs is None else options.programs.split(",")
    cases = [case for case in CASES if wanted is None or case.program in wanted]
    if options.devices:
        return check_devices(cases, options.target, options.devices, options.every)
    targets = gpu_targets()
    if not targets:
        print("no target has a GPU here", file=sys.stderr)
        return 3
    outcomes = {
        (case.program, target): judge(case, target, device, options.quick)
        for case in ([] if options.skip_answers else cases)
        for target, device in targets
    }
    library = {row.program for row in TABLE if options.library and (wanted is None or row.program in wanted)}
    programs = [*(case.program for case in cases), *sorted(library)]
    verdicts = {} if options.skip_sanitizer else watched(programs, options.jobs, options.schedules)
    for (program, target), outcome in outcomes.items():
        for fault in outcome.faults[:5]:
            print(f"{program} on {target}: {fault}")
    _show(outcomes, targets, verdicts)
    wrong = any(outcome.faults for outcome in outcomes.values())
    unclean = any(verdict not in ("0 errors", "not here") for verdict in verdicts.values())
    return 1 if wrong or unclean else 0


def _show(outcomes: dict[tuple[str, str], Outcome], targets: list[tuple[str, int]], verdicts: dict[str, str]) -> None:
    table = Table(title="every example on every GPU target")
    table.add_column("program")
    for target, _ in targets:
        table.add_column(target)
    for program in dict.fromkeys(program for program, _ in outcomes):
        table.add_row(program, *(str(outcomes[program, target]) for target, _ in targets))
    console = Console(width=40 + 32 * len(targets))
    if outcomes:
        console.print(table)
    for tool, verdict in verdicts.items():
        console.print(f"{tool}: {verdict}")


if __name__ == "__main__":
    sys.exit(main())
