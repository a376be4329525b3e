"""Lines of 128 bytes that kernels read in the host's memory: as a trace counts them, and as Nsight Compute sees them.

    python benchmarks/lines.py                     BFS, PageRank and SSSP on rmat20, with all arcs on the host
    python benchmarks/lines.py --scale 18 --rows sssp

Nsight Compute (`ncu`) counts the sectors of 32 bytes that threads ask system memory for, kernel by kernel, so it sees
reads that a trace expects only at most: rows that are left early count in full there. A program runs in a process of
its own, twice, once for the trace. Exit code 1 if a program's lines differ by more than 5 %, 3 where no ncu is.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import starplat
from starplat.graph import generators

METRIC = "lts__t_sectors_srcunit_tex_aperture_sysmem_op_read.sum"
SECTORS_OF_A_LINE = 4
RUNS = 2
MOST_APART = 0.05
PROGRAMS = {"bfs": "bfs_levels", "pagerank": "pagerank", "sssp": "sssp"}
SCHEDULES = {"bfs": ",direction=push"}
"""What is added to the schedule, by row: rows of pushed nodes are read to their ends."""


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--scale", type=int, default=20, help="of the R-MAT graph (20)")
    made.add_argument("--rows", default=",".join(PROGRAMS), help=f"of {', '.join(PROGRAMS)}")
    made.add_argument("--target", default="cuda", help=argparse.SUPPRESS)
    made.add_argument("--counted", help=argparse.SUPPRESS)
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.counted:
        print(json.dumps(counted(options.counted, options.scale, options.target)))
        return 0
    ncu = shutil.which("ncu")
    if ncu is None:
        print("ncu is not installed")
        return 3
    apart = 0.0
    for row in options.rows.split(","):
        lines, seen = compared(ncu, row, options.scale)
        apart = max(apart, abs(seen / lines - 1))
        print(f"{row:<9} {lines:>12,} lines counted, {seen:>12,} seen ({seen / lines - 1:+.1%})", flush=True)
    return int(apart > MOST_APART)


def counted(row: str, scale: int, target: str) -> int:
    """The lines that a trace counts in one run."""
    graph = generators.rmat(scale, 16, 1, weights=(1, 255))
    given = {"max_iterations": 2, "tolerance": 0.0} if row == "pagerank" else {"src": int(graph.out_degrees.argmax())}
    program = starplat.compile(Path(__file__).parents[1] / "examples" / f"{PROGRAMS[row]}.sp")
    schedule = f"memory=mapped,loop=host,order=as-is{SCHEDULES.get(row, '')}"
    trace = program.run(graph, target=target, schedule=schedule, trace=True, **given).trace
    assert trace is not None
    return sum(walk.reads.lines or 0 for walk in trace.walks if walk.reads is not None)


def compared(ncu: str, row: str, scale: int) -> tuple[int, int]:
    """The lines that are counted in one run, and those that ncu sees of the same kernels."""
    here = [sys.executable, __file__, "--counted", row, "--scale", str(scale)]
    profiled = [ncu, "--csv", "--metrics", METRIC, "--target-processes", "all", *here]
    done = subprocess.run(profiled, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    said = done.stdout.splitlines()
    lines = next(int(line) for line in said if line.isdigit())
    return lines, round(sum(sectors_of(said).values()) / SECTORS_OF_A_LINE / RUNS)


def sectors_of(said: Iterable[str]) -> Counter[str]:
    """The sectors that each kernel reads, of what ncu prints; samples of weights are no rows, and are left out."""
    found: Counter[str] = Counter()
    for line in csv.DictReader(line for line in said if line.startswith('"')):
        if line["Metric Name"] == METRIC and not line["Kernel Name"].startswith("sample_"):
            found[line["Kernel Name"]] += int(float(line["Metric Value"].replace(",", "")))
    return found


if __name__ == "__main__":
    sys.exit(main())
