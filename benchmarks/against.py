"""A schedule against `auto`: answers compared, times of runs in turns, and an emitted CUDA program under memcheck.

    python benchmarks/against.py memory=mapped
    python benchmarks/against.py order=rows --graphs rmat22,urand22,grid4096 --targets cuda --repeat 25
    python benchmarks/against.py order=rcm --graphs grid4096,grid4096-shuffled --targets cuda --skip-emitted

Times are medians in milliseconds; what the first run under the schedule uploads and prepares is apart. Exit code 1 if
an answer differs or the emitted program fails.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import starplat
from starplat.diagnostics import DiagnosticError
from starplat.graph import Graph, generators
from starplat.graph.renumbering import Renumbered
from starplat.graph.writing import write
from starplat.runtime import Result

EXAMPLES = Path(__file__).parents[1] / "examples"
PROGRAMS = ("bfs_levels", "sssp", "connected_components", "pagerank", "triangle_count", "betweenness")
TURN = 3
"""Runs under one schedule before the other has its turn."""
KINDS = {
    "rmat": lambda scale: generators.rmat(scale, 16, 1),
    "urand": lambda scale: generators.uniform(scale, 16, 1),
    "grid": generators.grid,
}


def graph_of(name: str) -> Graph:
    """`rmat18` or `urand18`: 2^18 nodes, 16 pairs for each; `grid512`: 512 x 512 nodes. Weights are from 1 to 100.
    In `grid512-shuffled` nodes have numbers in random order."""
    found = re.fullmatch(r"(rmat|urand|grid)(\d+)(-shuffled)?", name)
    if found is None:
        sys.exit(f"there is no graph '{name}': write rmat18, urand18 or grid512")
    graph = KINDS[found[1]](int(found[2])).with_random_weights(1, 100, 1)
    if found[3] is None:
        return graph
    numbers = np.random.default_rng(1).permutation(graph.num_nodes).astype(np.int32)
    return replace(Renumbered.of(graph, numbers).graph, name=name)


def arguments_of(name: str, graph: Graph) -> dict[str, Any]:
    """Searches begin at the first node that has neighbors."""
    source = graph.original_id(int(np.argmax(np.diff(graph.row_offsets) > 0)))
    return {"bfs_levels": {"src": source}, "sssp": {"src": source}, "betweenness": {"sources": [source]}}.get(name, {})


def differences(one: Result, other: Result) -> list[str]:
    """The properties that differ; sums of reals may end in other digits."""
    wrong = [] if one.returned == other.returned else ["the returned value"]
    for name in one:
        a, b = one[name], other[name]
        same = abs(a - b).max() <= 1e-6 * abs(a).max() if a.dtype.kind == "f" else (a == b).all()
        wrong += [] if same else [name]
    return wrong


def compared(name: str, graph: Graph, target: str, schedule: str, repeat: int) -> bool:
    """Runs a program under both schedules in turns and prints a line."""
    program = starplat.compile(EXAMPLES / f"{name}.sp")
    run = partial(program.run, graph, target=target, arguments=arguments_of(name, graph))
    try:
        first = [run(schedule=each) for each in ("auto", schedule)]
    except DiagnosticError as error:
        if error.diagnostics[0].code not in ("E0665", "E0667"):
            raise
        print(f"{graph.name} {target:7} {name:21} nothing follows {schedule}", flush=True)
        return True
    wrong = differences(*first)
    times: list[list[float]] = [[], []]
    for _ in range(repeat):
        for place, each in enumerate(("auto", schedule)):
            times[place] += run(schedule=each, results=[], repeat=TURN).seconds.run
    before, after = (median(known) * 1e3 for known in times)
    verdict = f"WRONG: {', '.join(wrong)}" if wrong else "same"
    mapped = {name: f"{size / 2**20:.0f} MiB" for name, size in first[1].estimate.mapped.items()}
    said = f"auto {before:9.3f} ms, {schedule} {after:9.3f} ms ({after / before:.2f})"
    prepared = f"prepared in {first[1].seconds.upload * 1e3:.1f} ms"
    print(f"{graph.name} {target:7} {name:21} {verdict}: {said}, {prepared} {mapped or ''}", flush=True)
    return not wrong


def emitted(schedule: str) -> bool:
    """Builds an emitted program, runs it alone and under memcheck, and compares what it prints with a run."""
    nvcc, sanitizer = shutil.which("nvcc"), shutil.which("compute-sanitizer")
    if nvcc is None:
        print("emitted programs: nvcc is not here")
        return True
    name, cells = ("bfs_levels", "level") if "order=rows" in schedule else ("sssp", "dist")
    program, graph = starplat.compile(EXAMPLES / f"{name}.sp"), graph_of("rmat12")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write(graph, place / "graph.spg")
        for file, text in program.artifact("cuda", schedule=schedule).items():
            (place / file).write_text(text, encoding="utf-8")
        build = [nvcc, "-O3", "-std=c++17", "-arch=native", "-Xcompiler", "-fwrapv", f"{name}.cu", "-o", name]
        subprocess.run(build, cwd=place, check=True)
        command = [f"./{name}", "graph.spg", "--src", "1"]
        watched = [sanitizer, "--tool", "memcheck", "--error-exitcode", "9", *command] if sanitizer else command
        run = partial(subprocess.run, cwd=place, capture_output=True, text=True, check=False)
        runs = [run(words) for words in (command, watched)]
    of = program.run(graph, target="reference", src=1).summary(cells)
    expected = f"{cells}: count {of.count}, finite {of.finite}, sum {of.sum}, min {of.min}, max {of.max}"
    fine = all(done.returncode == 0 and expected in done.stdout for done in runs)
    where = "alone and under memcheck" if sanitizer else "alone (compute-sanitizer is not here)"
    print(f"emitted {name}, {schedule}, {where}: {'right' if fine else 'WRONG'}")
    if not fine:
        print(*(done.stdout[-2000:] + done.stderr[-2000:] for done in runs), sep="\n")
    return fine


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedule", help="as `starplat run --schedule` takes it")
    parser.add_argument("--graphs", default="rmat18,rmat22", help="with commas (rmat18,rmat22)")
    parser.add_argument("--targets", default="cuda,opencl", help="with commas (cuda,opencl)")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="of the six, with commas (all)")
    parser.add_argument("--repeat", type=int, default=5, help=f"turns of {TURN} runs after the first (5)")
    parser.add_argument("--skip-emitted", action="store_true", help="runs only")
    options = parser.parse_args(arguments)
    fine = True
    for name in options.graphs.split(","):
        graph = graph_of(name)
        for target in options.targets.split(","):
            for program in options.programs.split(","):
                fine &= compared(program, graph, target, options.schedule, options.repeat)
    if not options.skip_emitted:
        fine &= emitted(options.schedule)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
