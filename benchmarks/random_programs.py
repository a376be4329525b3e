"""Random programs on every target that is here against the interpreter: so many that run on each, a table last.

    python benchmarks/random_programs.py [--targets cuda,opencl] [--count 2000] [--first 0] [--jobs N] [--seconds S]

The programs are those of `tests/generator.py`: well-typed, over the whole static language, of classes (a) to (e). What
the checker finds a race in, or the interpreter refuses, is left out and not counted; a program that ends the process is
one that differs. Exit code 1 if any does, 3 if no target is here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.table import Table

from starplat.diagnostics import DiagnosticError
from tests.generator import generate
from tests.programs.targets import REFERENCE, TARGETS, Target
from tests.programs.test_generated import difference, legitimate

ROOT = Path(__file__).parents[1]
CHUNK = 20
"""Programs that one process looks at: it takes a second or two to begin, and a program about as long on a GPU."""
AGREES, LEFT_OUT = "agrees", "left out"


@dataclass
class Outcome:
    """What has come of the programs of one target; `different` by seed."""

    ran: int = 0
    left_out: int = 0
    different: dict[int, str] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, seed: int, verdict: str) -> None:
        if verdict == LEFT_OUT:
            self.left_out += 1
            return
        self.ran += 1
        if verdict != AGREES:
            self.different[seed] = verdict
            print(f"seed {seed}: {verdict}", file=sys.stderr, flush=True)

    def seeds(self) -> str:
        """Those that differ."""
        return ", ".join(map(str, self.different)) or "none"


def verdict(seed: int, target: Target) -> str:
    """What the target makes of the program of a seed."""
    case = generate(seed)
    program = legitimate(case)
    if program is None:
        return LEFT_OUT
    try:
        REFERENCE.run(program, case.graph, case.call)
    except DiagnosticError:
        return LEFT_OUT
    found = difference(case, target)
    return AGREES if found is None else f"{target.label}: {' '.join(found.split())[:300]}"


def look_at(label: str, seeds: range) -> None:
    """What a process of its own does: a line for each seed."""
    target = next(target for target in TARGETS if target.label == label)
    for seed in seeds:
        print(verdict(seed, target), flush=True)
    sys.stdout.flush()
    os._exit(0)  # runtimes that take leave of each other may crash


def looked_at(label: str, seeds: range) -> dict[int, str]:
    """What a process finds; where one ends too early, another goes on behind the program that ended it."""
    words = [sys.executable, __file__, "--work", label, str(seeds.start), str(seeds.stop)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False)
    found = dict(zip(seeds, done.stdout.splitlines(), strict=False))
    if len(found) == len(seeds):
        return found
    last = seeds[len(found)]
    said = done.stderr.strip().splitlines()[-1:] or ["without a word"]
    found[last] = f"{label}: the process ended with {done.returncode}: {said[0][:200]}"
    return found | looked_at(label, range(last + 1, seeds.stop)) if last + 1 < seeds.stop else found


def campaign(target: Target, wanted: int, first: int, jobs: int, seconds: float) -> Outcome:
    """As many programs as are wanted, or as there is time for."""
    outcome, started = Outcome(), time.monotonic()
    chunks = (range(start, start + CHUNK) for start in count(first, CHUNK))
    with ThreadPoolExecutor(jobs) as pool:
        while outcome.ran < wanted and time.monotonic() - started < seconds:
            few = -(-(wanted - outcome.ran) // CHUNK)
            for found in pool.map(
                lambda seeds: looked_at(target.label, seeds), [next(chunks) for _ in range(min(few, jobs))]
            ):
                for seed, said in found.items():
                    outcome.add(seed, said)
                print(
                    f"{target.label}: {outcome.ran} ran, different: {outcome.seeds()}; up to seed {max(found)}",
                    flush=True,
                )
    outcome.seconds = time.monotonic() - started
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--targets", default="", help="comma-separated; by default all that are here")
    parser.add_argument("--count", type=int, default=2000, help="programs that are to run on each")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most so long on each target")
    parser.add_argument("--work", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        label, start, stop = options.work
        look_at(label, range(int(start), int(stop)))
    named = options.targets.split(",") if options.targets else None
    here = [t for t in TARGETS[1:] if t.fault is None and (named is None or t.target in named or t.label in named)]
    if not here:
        print("no target that is asked for is here", file=sys.stderr)
        return 3
    table = Table("target", "ran", "left out", "different", "seconds", box=None)
    outcomes = []
    for target in here:
        outcome = campaign(target, options.count, options.first, options.jobs, options.seconds)
        outcomes.append(outcome)
        table.add_row(target.label, str(outcome.ran), str(outcome.left_out), outcome.seeds(), f"{outcome.seconds:.0f}")
    Console(width=120).print(table)
    return int(any(outcome.different for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
