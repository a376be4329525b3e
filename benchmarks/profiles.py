"""What cells of the table of figures move: time of the kernels, bytes of memory and of the second-level cache.

    python benchmarks/profiles.py --graphs NY,grid4096 --rows bfs,sssp
    python benchmarks/profiles.py --graphs rmat22 --rows sums --kernels 3      the three that take longest, too

Each row runs in a process of its own under Nsight Compute (`ncu`), twice: the second run is counted. A kernel is run
again for each group of counters, from the same memory, so times are of a cache that other kernels have filled. Exit
code 3 where no ncu is.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.table import Table

import starplat
from benchmarks.measured import graphs
from benchmarks.measured.options import add_what, names, require_all
from benchmarks.measured.profiler import TIME, profiled, sums_of
from benchmarks.measured.rows import ROWS, wanted

MEMORY = "dram__bytes.sum"
CACHE = "lts__t_bytes.sum"


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_what(made, graphs.NAMES)
    made.add_argument("--data", type=Path, help="where the files of NY and egotw are")
    made.add_argument("--kept", type=Path, help="where made-up graphs are kept between processes")
    made.add_argument("--kernels", type=int, default=0, help="tell so many kernels of each run, too (0)")
    made.add_argument("--target", default="cuda", help=argparse.SUPPRESS)
    made.add_argument("--one", type=names, help=argparse.SUPPRESS)
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.one:
        run_one(*options.one, options)
        return 0
    ncu = shutil.which("ncu")
    if ncu is None:
        print("ncu is not installed")
        return 3
    chosen = options.graphs or graphs.NAMES
    require_all(options, chosen)
    table = Table("row", "graph", "kernels, ms", "memory, MB", "cache, MB", box=None)
    for graph in chosen:
        for row in options.rows:
            if wanted(row, graph):
                told = profile(ncu, row, graph, options)
                print(*told, flush=True)
                table.add_row(*told)
    Console(width=100).print(table)
    return 0


def run_one(row: str, graph: str, options: argparse.Namespace) -> None:
    """Runs a row twice, the second time as the profiler counts."""
    about = ROWS[row]
    entry = graphs.load(graph, options.data, options.kept, weighted=about.weighted)
    program = starplat.compile(about.program)
    how = {"target": options.target, "arguments": about.arguments(entry), "results": []}
    program.run(entry.graph, **how)
    from cupyx.profiler import profile as counting

    with counting():
        program.run(entry.graph, **how)


def profile(ncu: str, row: str, graph: str, options: argparse.Namespace) -> tuple[str, ...]:
    """The line of a cell."""
    command = [sys.executable, __file__, "--one", f"{row},{graph}", "--target", options.target]
    for name in ("data", "kept"):
        folder = getattr(options, name)
        command += [f"--{name}", str(folder.resolve())] if folder else []
    metrics = (TIME, MEMORY, CACHE)
    said = profiled(ncu, metrics, command, "--profile-from-start", "off", "--cache-control", "none")
    by_kernel = {metric: sums_of(said, metric) for metric in metrics}
    for name, nanoseconds in by_kernel[TIME].most_common(options.kernels):
        moved = (by_kernel[metric][name] / 1e6 for metric in (MEMORY, CACHE))
        print(f"  {name}: {nanoseconds / 1e6:.4g} ms, {', '.join(f'{megabytes:,.0f} MB' for megabytes in moved)}")
    milliseconds, memory, cache = (sum(by_kernel[metric].values()) / 1e6 for metric in metrics)
    return row, graph, f"{milliseconds:.4g}", f"{memory:,.1f}", f"{cache:,.1f}"


if __name__ == "__main__":
    sys.exit(main())
