"""Lines of 128 bytes that kernels read in the host's memory: as a trace counts them, and as Nsight Compute sees them.

    python benchmarks/lines.py                     BFS, PageRank and SSSP on rmat20, with all arcs on the host
    python benchmarks/lines.py --scale 18 --rows sssp
    python benchmarks/lines.py --scale 22 --rows bfs,components --share 0.1

Nsight Compute (`ncu`) counts the sectors of 32 bytes that threads ask system memory for, kernel by kernel, so it sees
reads that a trace expects only at most: rows that are left early count in full there. Of a line that a row begins or
ends in only some sectors are asked for, so the trace is compared as it counts sectors; its lines are told beside. A
program runs in a process of its own, twice for each trace; told last is how fast the kernel that reads most does so.
With `--share` it runs as `auto` has it, with room for that share of the arcs' bytes beside all else, and no trace: told
is how many passes over all arcs are read on the host. Exit code 1 if a program's sectors differ by more than 5 %, 3
where no ncu is.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import starplat
from benchmarks.limited import needed
from benchmarks.measured import graphs
from benchmarks.measured.profiler import TIME, profiled, sums_of
from benchmarks.measured.rows import ROWS
from starplat.runtime.tracing import reads

METRIC = "lts__t_sectors_srcunit_tex_aperture_sysmem_op_read.sum"
SECTOR = 32
RUNS = 4
KEPT = 22
"""The largest scale whose graph is kept once it is made."""
PREPARING = ("sample_", "copy_heads")
"""How kernels begin that read the host's memory before a run: samples of weights, and the first arcs of rows."""
MOST_APART = 0.05
PROGRAMS = ("bfs", "pagerank", "sssp")
SCHEDULES = {"bfs": ",direction=push"}
"""What is added to the schedule, by row: rows of pushed nodes are read to their ends."""


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--scale", type=int, default=20, help="of the R-MAT graph (20)")
    made.add_argument("--rows", default=",".join(PROGRAMS), help=f"of {', '.join(PROGRAMS)}")
    made.add_argument("--share", type=float, help="of the arcs' bytes that has room on the device")
    made.add_argument("--target", default="cuda", help=argparse.SUPPRESS)
    made.add_argument("--counted", help=argparse.SUPPRESS)
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.counted:
        print(json.dumps(counted(options.counted, options)))
        return 0
    ncu = shutil.which("ncu")
    if ncu is None:
        print("ncu is not installed")
        return 3
    if options.scale <= KEPT:
        graphs.load(f"rmat{options.scale}")  # processes that are profiled find it
    apart = 0.0
    for row in options.rows.split(","):
        (lines, sectors), seen, rate = compared(ncu, row, options)
        if options.share is not None:
            print(f"{row:<11} {seen * SECTOR:>14,} bytes seen, {seen / sectors:.3f} passes over all arcs", flush=True)
            continue
        apart = max(apart, abs(seen / sectors - 1))
        print(f"{row:<11} {lines:>12,} lines, {sectors:>12,} sectors counted, {seen:>12,} seen ", end="")
        print(f"({seen / sectors - 1:+.1%}), {rate:.1f} GB/s", flush=True)
    return int(apart > MOST_APART)


def counted(row: str, options: argparse.Namespace) -> tuple[int, int]:
    """The lines, and the sectors, that a trace counts in one run; with a share those that all arcs take."""
    about = ROWS[row]
    entry = graphs.load(f"rmat{options.scale}", weighted=options.scale <= KEPT or about.weighted)
    program = starplat.compile(Path(__file__).parents[1] / "examples" / f"{about.program}.sp")
    how = {**about.arguments(entry), "target": options.target}
    if row == "pagerank":
        how["max_iterations"] = 2
    if options.share is not None:
        arcs = entry.graph.num_arcs * (8 if about.weighted else 4)
        most = needed(program, entry, how) + int(options.share * arcs)
        program.run(entry.graph, device_memory=most, repeat=RUNS, **how)
        return -(-arcs // reads.LINE), -(-arcs // SECTOR)
    schedule = f"memory=mapped,loop=host,order=as-is{SCHEDULES.get(row, '')}"
    found = []
    for unit in (reads.LINE, SECTOR):
        reads.LINE = unit
        trace = program.run(entry.graph, schedule=schedule, trace=True, **how).trace
        assert trace is not None
        found.append(sum(walk.reads.lines or 0 for walk in trace.walks if walk.reads is not None))
    return found[0], found[1]


def compared(ncu: str, row: str, options: argparse.Namespace) -> tuple[tuple[int, int], int, float]:
    """What is counted, the sectors that ncu sees of the same kernels in one run, and the GB/s of the kernel that reads
    most."""
    here = [sys.executable, __file__, "--counted", row, "--scale", str(options.scale)]
    here += [] if options.share is None else ["--share", str(options.share)]
    said = profiled(ncu, (METRIC, TIME), here)
    lines, sectors = next(json.loads(line) for line in said if line.startswith("["))
    seen, nanoseconds = (sums_of(said, metric, PREPARING) for metric in (METRIC, TIME))
    rate = max(((count, count * SECTOR / nanoseconds[kernel]) for kernel, count in seen.items()), default=(0, 0.0))[1]
    return (lines, sectors), round(sum(seen.values()) / RUNS), rate


if __name__ == "__main__":
    sys.exit(main())
