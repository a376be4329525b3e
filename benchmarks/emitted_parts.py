"""Emitted programs for CUDA in parts, on the GPUs of this host: examples judged, some watched, some timed.

    python benchmarks/emitted_parts.py --devices 1,2
    python benchmarks/emitted_parts.py --devices 1,2 --judge "" --watch "" --graphs rmat24      times only

Every program is built by the command in its first comment, with `compile --devices` and `compile --mpi`, and its
answers are judged as the examples' tests judge them. compute-sanitizer (memcheck) watches some of them. Times are
medians of runs after one to warm up, beside the program that `compile` writes for one GPU. NCCL's header and library
have to be where nvcc finds them (CPATH, LIBRARY_PATH, LD_LIBRARY_PATH), mpicxx and mpiexec too. Exit code 1 if anything
is wrong.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
ROUNDS = re.compile(r"^parts: .*$", re.MULTILINE)


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

    def run(self, parts: int, words: Iterable[str], *before: str) -> subprocess.CompletedProcess[str]:
        command = [*before, str(self.folder / self.program), *words]
        if self.way == "devices":
            command += ["--devices", str(parts)]
        elif self.way == "mpi":
            command = ["mpiexec", "-n", str(parts), *command]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=240, check=False)


def judged(case: Case, made: Emitted, parts: Sequence[int]) -> list[str]:
    """What is wrong with a program on small graphs, in these numbers of parts."""
    zoo = [case.suits(graph) for graph in list(ZOO.values())[::20]]
    larger = [case.suits(generators.rmat(scale, 8, 1).with_random_weights(1, 9, 1)) for scale in (6, 9)]
    wrong = []
    for turn, graph in enumerate((*larger, *zoo)):
        for number in parts if turn == 0 else parts[-1:]:
            folder = made.folder / f"{turn}-{number}"
            folder.mkdir()
            try:
                calls = 1 if turn else 2
                right_as_run(case, folder, graph, lambda words, number=number: made.run(number, words), calls)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                words = " ".join(str(error).split())[:400]
                wrong.append(f"{made.program} {made.way} in {number} on {graph.name}: {words}")
    return wrong


def watched(case: Case, made: Emitted, parts: int) -> list[str]:
    """What memcheck finds, in so many parts."""
    graph = case.suits(generators.rmat(8, 8, 1).with_random_weights(1, 9, 1))
    path = made.folder / "watched.spg"
    write(graph, path)
    words = [str(path), *flags(dict(case.calls(graph)[0]))]
    done = made.run(parts, words, "compute-sanitizer", "--error-exitcode", "9")
    told = f"{done.stdout[-600:]}{done.stderr[-600:]}"
    return [] if done.returncode == 0 else [f"memcheck of {made.program} {made.way} in {parts}: {told}"]


def timed(row: str, graph: Graph, file: Path, arguments: dict[str, object], made: Emitted, parts: int) -> str:
    """A line with the median of the runs of a row."""
    done = made.run(parts, [str(file), *flags(arguments), "--repeat", "7"])
    told = RUN.search(done.stdout)
    crossed = ROUNDS.search(done.stdout)
    if told is None:
        return f"{row} {made.way} in {parts}: {done.stderr[-400:]}"
    return f"{row} {made.way} in {parts}: {1e3 * float(told[1]):.3f} ms; {crossed[0] if crossed else ''}"


def built(programs: Iterable[str], ways: Sequence[str], folder: Path, at_once: int) -> tuple[list[Emitted], list[str]]:
    """All programs, and what is wrong with those that are not built."""
    wanted = [Emitted(name, way, folder / f"{name}-{way}") for name in programs for way in ways]
    with ThreadPoolExecutor(at_once) as pool:
        said = list(pool.map(Emitted.build, wanted))
    found = [made for made, wrong in zip(wanted, said, strict=True) if not wrong]
    return found, [f"{made.program} {made.way}: {text}" for made, text in zip(wanted, said, strict=True) if text]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", default="1,2")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--judge", default="all", help="programs, by commas; all")
    parser.add_argument("--watch", default="pagerank,bfs_levels,connected_components,minimum_spanning_tree")
    parser.add_argument("--graphs", default="rmat22")
    parser.add_argument("--rows", default="pagerank,bfs,components,sssp")
    parser.add_argument("--at-once", type=int, default=12, help="builds and judged runs beside each other")
    options = parser.parse_args()
    parts, ways = [int(word) for word in options.devices.split(",")], options.ways.split(",")
    cases = {case.program: case for case in CAN_BE_DIVIDED}
    judge = list(cases) if options.judge == "all" else [word for word in options.judge.split(",") if word]
    watch = [word for word in options.watch.split(",") if word]
    rows = [word for word in options.rows.split(",") if word and options.graphs]
    with tempfile.TemporaryDirectory(prefix="starplat-parts-") as name:
        folder, began = Path(name), time.monotonic()
        programs = dict.fromkeys([*judge, *watch, *(ROWS[row].program for row in rows)])
        made, wrong = built(programs, ways, folder, options.at_once)
        alone, failed = built([ROWS[row].program for row in rows], [ALONE], folder, options.at_once)
        wrong += failed
        print(
            f"built {len(made) + len(alone)} programs in {time.monotonic() - began:.0f} s", *wrong, sep="\n", flush=True
        )

        def judged_here(one: Emitted) -> list[str]:
            return judged(cases[one.program], one, parts)

        with ThreadPoolExecutor(options.at_once) as pool:
            asked = [one for one in made if one.program in judge]
            for one, found in zip(asked, pool.map(judged_here, asked), strict=True):
                print(f"{one.program} {one.way}: {'right' if not found else 'WRONG'}", *found, sep="\n  ", flush=True)
                wrong += found
        print(f"judged after {time.monotonic() - began:.0f} s", flush=True)
        for graph in filter(None, options.graphs.split(",")):
            entry = graphs.load(graph)
            file = folder / f"{graph}.spg"
            write(entry.graph, file)
            print(f"{graph} written after {time.monotonic() - began:.0f} s", flush=True)
            for row in rows:
                arguments = ROWS[row].arguments(entry, 0)
                for one in (*alone, *made):
                    if one.program == ROWS[row].program:
                        for number in parts if one.way != ALONE else (1,):
                            print(graph, timed(row, entry.graph, file, arguments, one, number), flush=True)
        for one in made:
            if one.program in watch and shutil.which("compute-sanitizer") is not None:
                found = watched(cases[one.program], one, parts[-1])
                print(*(found or [f"memcheck of {one.program} {one.way} in {parts[-1]}: clean"]), flush=True)
                wrong += found
        print(f"watched after {time.monotonic() - began:.0f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
