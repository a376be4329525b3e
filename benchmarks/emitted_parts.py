"""Emitted programs for CUDA in parts, on the GPUs of this host: examples judged, some watched, some timed.

    python benchmarks/emitted_parts.py --devices 1,2
    python benchmarks/emitted_parts.py --devices 1,2 --judge "" --watch "" --graphs rmat24      times only

Every program is built by the command in its first comment, with `compile --devices` and `compile --mpi`, and its
answers are judged as the examples' tests judge them: all programs in the greatest number of parts first, then in the
others, then on small graphs, until `--budget` is spent. compute-sanitizer (memcheck) watches some of them. Times are
medians of runs after one to warm up, beside the program that `compile` writes for one GPU. NCCL's header and library
have to be where nvcc finds them (CPATH, LIBRARY_PATH, LD_LIBRARY_PATH), mpicxx and mpiexec too. Exit code 1 if anything
is wrong.

Builds run beside each other, all else one after another: GPUs take turns between processes, and NCCL's kernels use up
theirs while they wait for other GPUs.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import starplat
from benchmarks.devices import ROWS
from benchmarks.measured import graphs
from benchmarks.measured.emitted import BUILD, RUN, flags
from starplat.graph import Graph, generators, write
from tests.programs.cases import Case
from tests.programs.test_artifacts_in_parts import right_as_run
from tests.runtime.test_parts import CAN_BE_DIVIDED
from tests.zoo import ZOO

WAYS = ("devices", "mpi")
ALONE = "alone"
WATCHED = "pagerank:devices,minimum_spanning_tree:devices,bfs_levels:mpi,sssp:mpi"
ROUNDS = re.compile(r"^parts: .*$", re.MULTILINE)
UNBOUND = {"OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_hwloc_default_binding_policy": "none"}
"""Open MPI would bind the two processes of every run to the host's first two cores."""


WATCHER = ("compute-sanitizer", "--error-exitcode", "9", "--report-api-errors", "no")
"""NCCL tries calls that a GPU may refuse, which are no errors of a program's."""


@dataclass(frozen=True)
class Emitted:
    """A program and the way in which its parts are connected, built in a folder of its own."""

    program: str
    way: str
    folder: Path

    def build(self) -> str:
        """Builds it as its first comment says; what is wrong, if anything is."""
        self.folder.mkdir()
        files = starplat.compile(self.program).artifact(
            "cuda", mpi=self.way == "mpi", devices=self.way == "devices", schedule=None
        )
        for name, text in files.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        said = next(found for text in files.values() if (found := BUILD.search(text)))
        done = subprocess.run(shlex.split(said[1]), cwd=self.folder, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else ""

    def run(self, parts: int, words: Iterable[str], *before: str, limit: int) -> subprocess.CompletedProcess[str]:
        """A run in so many parts, which is ended after `limit` seconds, all its processes with it."""
        command = [*before, str(self.folder / self.program), *words]
        if self.way == "devices":
            command += ["--devices", str(parts)]
        elif self.way == "mpi":
            command = ["mpiexec", "-n", str(parts), *command]
        limited = ["timeout", "-k", "5", str(limit), *command]
        environment = {**os.environ, **UNBOUND}
        done = subprocess.run(limited, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        if done.returncode in (124, 137):
            done.stderr += f"not done after {limit} s"
        return done


def judged(case: Case, made: Emitted, graph: Graph, parts: int, limit: int) -> str:
    """What is wrong with a program on a graph in so many parts, if anything is."""
    with tempfile.TemporaryDirectory(dir=made.folder) as folder:
        try:
            right_as_run(case, Path(folder), graph, partial(made.run, parts, limit=limit), 1)
        except AssertionError as error:
            return " ".join(str(error).split())[:400]
    return ""


def in_order(made: Sequence[Emitted], parts: Sequence[int]) -> Iterator[tuple[Emitted, int, Graph]]:
    """What is judged: a program, in how many parts, and on which graph."""
    larger = generators.rmat(8, 8, 1).with_random_weights(1, 9, 1)
    for number in reversed(parts):
        yield from ((one, number, larger) for one in made)
    zoo = list(ZOO.values())
    yield from ((one, parts[-1], zoo[5 * turn % len(zoo)]) for turn, one in enumerate(made))


def watched(case: Case, made: Emitted, parts: int, limit: int) -> str:
    """What memcheck finds, in so many parts."""
    graph = case.suits(generators.rmat(8, 8, 1).with_random_weights(1, 9, 1))
    path = made.folder / "watched.spg"
    write(graph, path)
    words = [str(path), *flags(dict(case.calls(graph)[0]))]
    done = made.run(parts, words, *WATCHER, limit=limit)
    return "" if done.returncode == 0 else f"{done.stdout[-900:]}{done.stderr[-600:]}"


def timed(file: Path, arguments: dict[str, object], made: Emitted, parts: int, limit: int) -> tuple[str, bool]:
    """The median of the runs of a row and what crossed, or what is wrong; and whether it is a median."""
    done = made.run(parts, [str(file), *flags(arguments), "--repeat", "7"], limit=limit)
    told, crossed = RUN.search(done.stdout), ROUNDS.search(done.stdout)
    if done.returncode or told is None:
        return done.stderr[-400:], False
    return f"{1e3 * float(told[1]):.3f} ms; {crossed[0] if crossed else ''}", True


def built(wanted: Sequence[Emitted], at_once: int) -> tuple[list[Emitted], list[str]]:
    """All programs, and what is wrong with those that are not built."""
    with ProcessPoolExecutor(at_once) as pool:
        said = list(pool.map(Emitted.build, wanted))
    found = [made for made, wrong in zip(wanted, said, strict=True) if not wrong]
    return found, [f"{made.program} {made.way}: {text}" for made, text in zip(wanted, said, strict=True) if text]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", default="1,2")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--judge", default="all", help="programs, by commas; all")
    parser.add_argument("--watch", default=WATCHED, help=f"programs and ways ({WATCHED})")
    parser.add_argument("--graphs", default="rmat22")
    parser.add_argument("--rows", default="pagerank,bfs,components,sssp")
    parser.add_argument("--builds", type=int, default=os.cpu_count(), help="builds beside each other")
    parser.add_argument("--limit", type=int, default=60, help="seconds for a run (60)")
    parser.add_argument("--budget", type=float, default=600, help="seconds after which no program is judged (600)")
    options = parser.parse_args()
    parts, ways = [int(word) for word in options.devices.split(",")], options.ways.split(",")
    cases = {case.program: case for case in CAN_BE_DIVIDED}
    judge = list(cases) if options.judge == "all" else [word for word in options.judge.split(",") if word]
    watch = [tuple(word.split(":")) for word in options.watch.split(",") if word]
    rows = [word for word in options.rows.split(",") if word and options.graphs]
    with tempfile.TemporaryDirectory(prefix="starplat-parts-") as made_in:
        folder, began = Path(made_in), time.monotonic()
        programs = dict.fromkeys([*judge, *(program for program, _ in watch), *(ROWS[row].program for row in rows)])
        wanted = [Emitted(ROWS[row].program, ALONE, folder / f"{row}-{ALONE}") for row in rows]
        wanted += [Emitted(program, way, folder / f"{program}-{way}") for program in programs for way in ways]
        made, wrong = built(wanted, options.builds)
        print(f"built {len(made)} programs in {time.monotonic() - began:.0f} s", *wrong, sep="\n", flush=True)

        in_parts = [one for one in made if one.way != ALONE]
        for one, number, graph in in_order([one for one in in_parts if one.program in judge], parts):
            if time.monotonic() - began > options.budget:
                print(f"no time left for {one.program} {one.way} in {number} and what comes after it", flush=True)
                break
            case, started = cases[one.program], time.monotonic()
            found = judged(case, one, case.suits(graph), number, options.limit)
            verdict = f"{'WRONG' if found else 'right'} in {number} on {graph.name}"
            print(f"{one.program} {one.way}: {verdict}, {time.monotonic() - started:.1f} s {found}", flush=True)
            wrong += [found] if found else []
        print(f"judged after {time.monotonic() - began:.0f} s", flush=True)
        for name in filter(None, options.graphs.split(",")):
            entry = graphs.load(name)
            file = folder / f"{name}.spg"
            write(entry.graph, file)
            print(f"{name} written after {time.monotonic() - began:.0f} s", flush=True)
            for row in rows:
                arguments = ROWS[row].arguments(entry, 0)
                for one in made:
                    if one.program == ROWS[row].program:
                        for number in parts if one.way != ALONE else (1,):
                            line, is_time = timed(file, arguments, one, number, options.limit)
                            print(f"{name} {row} {one.way} in {number}: {line}", flush=True)
                            wrong += [] if is_time else [line]
        for one in in_parts:
            if (one.program, one.way) in watch and shutil.which("compute-sanitizer") is not None:
                found = watched(cases[one.program], one, parts[-1], 2 * options.limit)
                print(f"memcheck of {one.program} {one.way} in {parts[-1]}: {found or 'clean'}", flush=True)
                wrong += [found] if found else []
        print(f"watched after {time.monotonic() - began:.0f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
