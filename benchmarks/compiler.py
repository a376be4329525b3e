"""How fast the compiler is: `check` and `compile` of every example, the cost of long programs, and what a second run
builds.

    python benchmarks/compiler.py [--limits]

Times are the best of several in one process, in milliseconds; the process times at the end include the start of
Python. With `--limits` the promised times (check 60 ms, compile 200 ms, a program of 20,000 lines 20 s,
loops nested 12 deep 1 s) are a condition of success.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from starplat import pipeline
from starplat.program_text import read_program
from starplat.source import SourceFile

ROOT = Path(__file__).resolve().parent.parent
CHECK_LIMIT, COMPILE_LIMIT, LONG_LIMIT = 0.060, 0.200, 20.0
LONG = 20_000
"""Lines of the longest generated program."""
DEEP, DEEP_LIMIT = 12, 1.0
"""Loops in loops of the deepest one."""

FUNCTION = """\
function relax_{number}(Graph g, propNode<int> dist, propNode<bool> modified, node src) {{
    g.attachNodeProperty(dist = INF, modified = False);
    src.dist = 0;
    src.modified = True;
    int rounds_{number} = 0;
    bool finished = False;
    fixedPoint until (finished : !modified) {{
        forall (v in g.nodes().filter(modified == True)) {{
            forall (nbr in g.neighbors(v)) {{
                int length = 1 + {number} % 7;
                <nbr.dist, nbr.modified> = <Min(nbr.dist, v.dist + length), True>;
            }}
        }}
        rounds_{number}++;
    }}
    if (rounds_{number} > {number}) {{
        forall (v in g.nodes()) {{
            v.dist = v.dist + 0;
        }}
    }}
}}
"""


def generated(lines: int) -> SourceFile:
    """A program of about so many lines: many functions and a `main` that calls them all."""
    count = max(1, (lines - 4) // (FUNCTION.count("\n") + 1))
    functions = "".join(FUNCTION.format(number=number) for number in range(count))
    calls = "".join(f"    relax_{number}(g, dist, modified, src);\n" for number in range(count))
    head = "function main(Graph g, propNode<int> dist, node src) {\n    propNode<bool> modified;\n"
    return SourceFile("generated.sp", f"{functions}{head}{calls}}}\n")


STRAIGHT = """\
    int step_{number} = {number};
    forall (v in g.nodes()) {{
        v.dist = v.dist + step_{number};
    }}
    if (step_{number} > {number}) {{
        src.dist = 0;
    }}
"""


def straight(lines: int) -> SourceFile:
    """A program of about so many lines: one function without loops around its loops over nodes."""
    body = "".join(STRAIGHT.format(number=number) for number in range(lines // STRAIGHT.count("\n")))
    return SourceFile("straight.sp", f"function main(Graph g, propNode<int> dist, node src) {{\n{body}}}\n")


def nested(depth: int) -> SourceFile:
    """A search inside so many loops of the host."""
    heads = "".join(f"    int i{n} = 0;\n    while (i{n} < 2) {{\n    i{n} = i{n} + 1;\n" for n in range(depth))
    search = "forall (v in g.nodes()) { forall (w in g.neighbors(v)) { w.dist += v.rank; } }\n"
    parameters = "Graph g, propNode<int> dist, propNode<int> rank"
    return SourceFile("nested.sp", f"function main({parameters}) {{\n{heads}{search}{'}' * depth}\n}}\n")


def best_of(times: int, what: Callable[[], object]) -> float:
    """Seconds of the fastest of several calls."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        what()
        taken.append(time.perf_counter() - started)
    return min(taken)


def compile_all(source: SourceFile, target: str = "opencl") -> None:
    """From text to the files of a target."""
    pipeline.artifact(pipeline.lower(pipeline.check(source)), target, "benchmark")


def examples() -> bool:
    """Every example's times; whether all keep within the limits."""
    fine = True
    print(f"{'example':<32}{'check':>10}{'compile':>10}   ms, best of 3")
    for path in sorted((ROOT / "examples").glob("*.sp")):
        source = read_program(path)
        check, whole = (
            best_of(3, lambda source=source: pipeline.check(source)),
            best_of(3, lambda source=source: compile_all(source)),
        )
        fine &= check < CHECK_LIMIT and whole < COMPILE_LIMIT
        print(f"{path.name:<32}{1e3 * check:>10.1f}{1e3 * whole:>10.1f}")
    return fine


def long_programs() -> bool:
    """Seconds for programs of many functions, and of a single one; whether the longest keep within their limit."""
    kept = [lengthening("many functions", generated), lengthening("one function", straight)]
    return all(kept)


def lengthening(title: str, make: Callable[[int], SourceFile]) -> bool:
    """Seconds for programs of growing length; whether the longest keeps within its limit."""
    print(f"\n{title}\n{'lines':>8}{'check s':>10}{'compile s':>11}{'us a line':>11}")
    for lines in (LONG // 16, LONG // 4, LONG):
        source = make(lines)
        check, whole = (
            best_of(1, lambda source=source: pipeline.check(source)),
            best_of(1, lambda source=source: compile_all(source)),
        )
        length = source.text.count("\n")
        print(f"{length:>8}{check:>10.2f}{whole:>11.2f}{1e6 * whole / length:>11.0f}")
    return whole < LONG_LIMIT


def deep_programs() -> bool:
    """Seconds for loops in loops, scheduled for the target that runs them all in one launch; whether the deepest keep
    within their limit."""
    print(f"\n{'loops in loops':>15}{'compile s':>11}")
    for depth in (3, 6, DEEP):
        whole = best_of(1, lambda depth=depth: compile_all(nested(depth), "cuda"))
        print(f"{depth:>15}{whole:>11.2f}")
    return whole < DEEP_LIMIT


def second_run() -> bool:
    """Whether a second run, in a process of its own, builds nothing: it adds nothing to the cache of built kernels."""
    with tempfile.TemporaryDirectory() as folder:
        graph = Path(folder) / "triangle.el"
        graph.write_text("0 1\n1 2\n2 0\n", encoding="utf-8")
        program = str(ROOT / "examples" / "bfs.sp")
        command = [sys.executable, "-m", "starplat", "run", program, "--graph", str(graph), "--arg", "src=0", "--json"]
        runs = [_timed_run([*command, "--target", "opencl"], Path(folder)) for _ in range(2)]
    (first, kernels), (second, kernels_after) = runs
    print(
        f"\nfirst run {first:.2f} s, second run {second:.2f} s; built kernels changed by it: {kernels != kernels_after}"
    )
    return kernels == kernels_after


def _timed_run(command: list[str], folder: Path) -> tuple[float, dict[str, int]]:
    """Seconds of the process, and the built kernels in the cache with the time of their last change."""
    started = time.perf_counter()
    environment = {**os.environ, "STARPLAT_CACHE_DIR": str(folder / "cache")}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    seconds = time.perf_counter() - started
    built = [path for path in (folder / "cache" / "opencl").rglob("*") if path.is_file() and not path.suffix]
    return seconds, {path.name: path.stat().st_mtime_ns for path in built}


def processes() -> None:
    """Whole processes, the start of Python included."""
    print()
    for arguments in (["version"], ["check", str(ROOT / "examples" / "sssp.sp")]):
        command = [sys.executable, "-m", "starplat", *arguments]
        taken = best_of(5, lambda command=command: subprocess.run(command, check=True, capture_output=True))
        print(f"starplat {arguments[0]:<10}{1e3 * taken:>8.0f} ms")


def main() -> int:
    """Prints all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limits", action="store_true", help="fail where a promised time is not kept")
    limits = parser.parse_args().limits
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores\n")
    kept = [examples(), long_programs(), deep_programs(), second_run()]
    processes()
    return 1 if limits and not all(kept) else 0


if __name__ == "__main__":
    sys.exit(main())
