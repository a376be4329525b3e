"""A schedule against `auto`: answers compared, times side by side, and an emitted CUDA program under memcheck.

    python benchmarks/against.py memory=mapped
    python benchmarks/against.py memory=mapped --graphs rmat18,urand18 --targets cuda,opencl --repeat 3

Times are medians in milliseconds. Exit code 1 if an answer differs or the emitted program fails.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import starplat
from starplat.graph import Graph, generators
from starplat.graph.writing import write
from starplat.runtime import Result

EXAMPLES = Path(__file__).parents[1] / "examples"
PROGRAMS: dict[str, dict[str, Any]] = {
    "bfs_levels": {"src": 1},
    "sssp": {"src": 1},
    "connected_components": {},
    "pagerank": {},
    "triangle_count": {},
}
KINDS = {"rmat": generators.rmat, "urand": generators.uniform}


def graph_of(name: str) -> Graph:
    """`rmat18` or `urand18`: 2^18 nodes, 16 pairs for each, weights from 1 to 100."""
    found = re.fullmatch(r"(rmat|urand)(\d+)", name)
    if found is None:
        sys.exit(f"there is no graph '{name}': write rmat18 or urand18")
    return KINDS[found[1]](int(found[2]), 16, 1).with_random_weights(1, 100, 1)


def differences(one: Result, other: Result) -> list[str]:
    """The properties that differ; sums of reals may end in other digits."""
    wrong = [] if one.returned == other.returned else ["the returned value"]
    for name in one:
        a, b = one[name], other[name]
        same = abs(a - b).max() <= 1e-6 * abs(a).max() if a.dtype.kind == "f" else (a == b).all()
        wrong += [] if same else [name]
    return wrong


def compared(name: str, graph: Graph, target: str, schedule: str, repeat: int) -> bool:
    """Runs a program under both schedules and prints a line."""
    program, results = starplat.compile(EXAMPLES / f"{name}.sp"), []
    for each in ("auto", schedule):
        program.run(graph, target=target, schedule=each, arguments=PROGRAMS[name], results=[])
        results.append(program.run(graph, target=target, schedule=each, arguments=PROGRAMS[name], repeat=repeat))
    wrong = differences(*results)
    before, after = (median(result.seconds.run) * 1e3 for result in results)
    verdict = f"WRONG: {', '.join(wrong)}" if wrong else "same"
    mapped = {name: f"{size / 2**20:.0f} MiB" for name, size in results[1].estimate.mapped.items()}
    times = f"auto {before:9.3f} ms, {schedule} {after:9.3f} ms ({after / before:.2f})"
    print(f"{graph.name} {target:7} {name:21} {verdict}: {times} {mapped or ''}", flush=True)
    return not wrong


def emitted(schedule: str) -> bool:
    """Builds the emitted `sssp`, runs it alone and under memcheck, and compares what it prints with a run."""
    nvcc, sanitizer = shutil.which("nvcc"), shutil.which("compute-sanitizer")
    if nvcc is None:
        print("emitted sssp: nvcc is not here")
        return True
    program, graph = starplat.compile(EXAMPLES / "sssp.sp"), graph_of("rmat12")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write(graph, place / "graph.spg")
        for file, text in program.artifact("cuda", schedule=schedule).items():
            (place / file).write_text(text, encoding="utf-8")
        build = [nvcc, "-O3", "-std=c++17", "-arch=native", "-Xcompiler", "-fwrapv", "sssp.cu", "-o", "sssp"]
        subprocess.run(build, cwd=place, check=True)
        command = ["./sssp", "graph.spg", "--src", "1"]
        watched = [sanitizer, "--tool", "memcheck", "--error-exitcode", "9", *command] if sanitizer else command
        run = partial(subprocess.run, cwd=place, capture_output=True, text=True, check=False)
        runs = [run(words) for words in (command, watched)]
    dist = program.run(graph, target="reference", src=1).summary("dist")
    expected = f"dist: count {dist.count}, finite {dist.finite}, sum {dist.sum}, min {dist.min}, max {dist.max}"
    fine = all(done.returncode == 0 and expected in done.stdout for done in runs)
    where = "alone and under memcheck" if sanitizer else "alone (compute-sanitizer is not here)"
    print(f"emitted sssp, {schedule}, {where}: {'right' if fine else 'WRONG'}")
    if not fine:
        print(*(done.stdout[-2000:] + done.stderr[-2000:] for done in runs), sep="\n")
    return fine


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schedule", help="as `starplat run --schedule` takes it")
    parser.add_argument("--graphs", default="rmat18,rmat22", help="with commas (rmat18,rmat22)")
    parser.add_argument("--targets", default="cuda,opencl", help="with commas (cuda,opencl)")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="of the five, with commas (all)")
    parser.add_argument("--repeat", type=int, default=5, help="measured runs after the warm-up (5)")
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
