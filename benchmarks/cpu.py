"""Programs on the CPU beside NetworKit and SciPy (`pip install networkit`), as ratios within one run.

    python benchmarks/cpu.py                    OpenCL, SYCL and OpenMP on egotw, NY and rmat18
    python benchmarks/cpu.py --quick            tiny graphs, one repetition: whether it works

Every row has a process of its own. All have the same cores and as many threads. Every repetition runs all of them one
after the other, so that whatever else the machine does meets all alike. A ratio is our median over that of NetworKit's
fastest way: below 1 we are ahead.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

TARGETS = ("opencl", "sycl", "openmp")
GRAPHS = ("egotw", "NY", "rmat18")
QUICK_GRAPHS = ("rmat9", "grid20")


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--targets", default=",".join(TARGETS), help=f"with commas ({','.join(TARGETS)})")
    made.add_argument("--graphs", help=f"with commas ({','.join(GRAPHS)})")
    made.add_argument("--rows", help="of those of figures.py")
    made.add_argument("--schedule", default="auto", help="how to run, as `starplat run --schedule` takes it")
    made.add_argument("--threads", type=int, help="threads and cores for each (all cores)")
    made.add_argument("--repeat", type=int, help="measured runs after the warm-up (5)")
    made.add_argument("--seconds", type=float, default=20, help="after which no repetition of a row begins (20)")
    made.add_argument("--limit", type=float, default=180, help="seconds that a row on a graph may take (180)")
    made.add_argument("--data", type=Path, help="where the files of NY and egotw are")
    made.add_argument("--json", type=Path, help="a file for all of it")
    made.add_argument("--quick", action="store_true", help="tiny graphs, one repetition")
    made.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return made


def keep_to(threads: int | None) -> int:
    """Confines this process to so many cores, before any library counts them."""
    cores = sorted(os.sched_getaffinity(0))[:threads]
    os.sched_setaffinity(0, cores)
    os.environ["OMP_NUM_THREADS"] = str(len(cores))
    return len(cores)


@dataclass
class Contender:
    """One way to solve a row's problem, and what it took."""

    name: str
    run: Callable[[], float]
    rounds: int = 1
    times: list[float] = field(default_factory=list)
    fault: str = ""

    @property
    def milliseconds(self) -> float | None:
        """The median, of one iteration where the row counts these."""
        return 1e3 * statistics.median(self.times) / self.rounds if self.times and not self.fault else None


@dataclass(frozen=True)
class Line:
    """One row on one graph."""

    graph: str
    row: str
    milliseconds: dict[str, float | None]
    faults: dict[str, str]
    repetitions: int

    def best(self, library: str) -> float | None:
        """The fastest of a library's ways."""
        found = [t for name, t in self.milliseconds.items() if name.split()[0] == library and t is not None]
        return min(found, default=None)

    def ratio(self, target: str) -> float | None:
        """Our time over NetworKit's."""
        ours, theirs = self.milliseconds.get(target), self.best("NetworKit")
        return None if ours is None or theirs is None else ours / theirs


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    options = parser().parse_args(given)
    threads = keep_to(options.threads)

    from benchmarks.measured import report
    from benchmarks.measured.rows import ROWS

    rows = options.rows.split(",") if options.rows else list(ROWS)
    graphs = options.graphs.split(",") if options.graphs else list(QUICK_GRAPHS if options.quick else GRAPHS)
    targets, lines = options.targets.split(","), list[Line]()
    if options.one:
        print(json.dumps(asdict(one(graphs[0], rows[0], targets, threads, options))))
        return 0
    head = {**report.circumstances(None, targets), "threads": threads, "schedule": options.schedule}
    for graph in graphs:
        for row in rows:
            lines.append(in_own_process(graph, row, targets, given, options.limit))
            print(_told(lines[-1], targets), flush=True)
            if options.json:
                text = json.dumps({**head, "lines": [asdict(line) for line in lines]}, indent=1)
                options.json.write_text(text + "\n", encoding="utf-8")
    show(lines, targets)
    return 1 if any(target in line.faults for line in lines for target in targets) else 0


def in_own_process(graph: str, row: str, targets: list[str], given: list[str], limit: float) -> Line:
    """One row on one graph; a process that takes too long is ended."""
    command = [sys.executable, __file__, *given, "--one", "--graphs", graph, "--rows", row]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return Line(graph, row, {}, dict.fromkeys(targets, f"not done after {limit:.0f} s, with all the others"), 0)
    if done.returncode:
        return Line(graph, row, {}, dict.fromkeys(targets, f"the process ended with code {done.returncode}"), 0)
    return Line(**json.loads(done.stdout.splitlines()[-1]))


def one(graph: str, row: str, targets: list[str], threads: int, options: argparse.Namespace) -> Line:
    """In the process: the graph, the libraries' own forms of it, and the contest."""
    from benchmarks.measured.graphs import load
    from benchmarks.measured.peers import peers_of

    entry = load(graph, options.data)
    return measured(entry, row, peers_of(entry, threads).get(row, []), targets, options)


def measured(entry: Any, row: str, peers: list[Any], targets: list[str], options: argparse.Namespace) -> Line:
    """All contenders in turn, again and again; our answers are judged, and every number is compared."""
    import numpy as np

    from benchmarks.measured.judging import Arcs
    from benchmarks.measured.rows import ROWS

    arcs = Arcs(entry.graph, np)
    contenders, numbers = list[Contender](), dict[str, int]()
    for target in targets:
        contenders.append(ours(entry, arcs, ROWS[row], target, options.schedule, numbers))
    for peer in peers:
        contenders.append(theirs(peer, numbers))
    expected = next((numbers[target] for target in targets if target in numbers), None)
    for contender in contenders:
        if expected is not None and numbers.get(contender.name, expected) != expected:
            contender.fault = f"{numbers[contender.name]:,} instead of {expected:,}"
    repeat = options.repeat or (1 if options.quick else 5)
    started, made = time.perf_counter(), 0
    while made < repeat and (made == 0 or time.perf_counter() - started < options.seconds):
        for contender in contenders:
            if not contender.fault:
                contender.times.append(contender.run())
        made += 1
    return Line(
        entry.name,
        row,
        {contender.name: contender.milliseconds for contender in contenders},
        {contender.name: contender.fault for contender in contenders if contender.fault},
        made,
    )


def ours(entry: Any, arcs: Any, row: Any, target: str, schedule: str, numbers: dict[str, int]) -> Contender:
    """A target, warmed up and judged; what it does to the graph for a program's sake counts in every run."""
    import starplat
    from benchmarks.measured.judging import WrongAnswerError

    program = starplat.compile(row.program)
    how = {"target": target, "arguments": row.arguments(entry)}
    how |= {} if schedule == "auto" else {"schedule": schedule}
    preparation = 0.0

    def run() -> float:
        return preparation + float(program.run(entry.graph, results=[], **how).seconds.run[0])

    contender = Contender(target, run)
    try:
        warm = program.run(entry.graph, results=row.properties, **how)
        preparation = warm.seconds.preparation
        verdict = row.judge(entry, arcs, warm)
        contender.rounds = verdict.rounds
        if verdict.number is not None:
            numbers[target] = verdict.number
    except (starplat.DiagnosticError, WrongAnswerError) as error:
        contender.fault = str(error).strip().splitlines()[0]
    return contender


def theirs(peer: Any, numbers: dict[str, int]) -> Contender:
    """A library's way, warmed up."""
    if peer.number is not None:
        numbers[peer.name] = peer.number(peer.run())

    def run() -> float:
        started = time.perf_counter()
        peer.run()
        return time.perf_counter() - started

    return Contender(peer.name, run, peer.rounds)


def _told(line: Line, targets: list[str]) -> str:
    parts = [f"{name} {_spelt(time_)}" for name, time_ in line.milliseconds.items() if name not in line.faults]
    faults = [f"{name}: {fault}" for name, fault in line.faults.items()]
    ratios = [f"{target} {ratio:.2f}" for target in targets if (ratio := line.ratio(target)) is not None]
    return f"{line.graph:>8} {line.row:<11} of NetworKit: {', '.join(ratios)}  (ms, n {line.repetitions}: " + (
        "; ".join(parts + faults) + ")"
    )


def _spelt(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds:.3g}"


def show(lines: list[Line], targets: list[str]) -> None:
    """Ratios to NetworKit, and its own milliseconds to tell their size."""
    from rich.console import Console
    from rich.table import Table

    from benchmarks.measured.rows import ROWS

    table = Table(title="our time over NetworKit's, same threads; below 1 we are ahead")
    for name in ("graph", "", *targets, "NetworKit, ms", "SciPy, ms"):
        table.add_column(name, justify="right")
    for line in lines:
        ratios = ["[red]failed[/]" if target in line.faults else _marked(line.ratio(target)) for target in targets]
        theirs = [_spelt(line.best(library)) for library in ("NetworKit", "SciPy")]
        table.add_row(line.graph, ROWS[line.row].title, *ratios, *theirs)
    Console(width=64 + 12 * len(targets)).print(table)


def _marked(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.2f} " + ("[green]✓[/]" if ratio <= 1 else "[red]✗[/]")


if __name__ == "__main__":
    sys.exit(main())
