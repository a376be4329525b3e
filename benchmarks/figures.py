"""The table of figures: time of six programs on five graphs, answers checked in the same process.

    python benchmarks/figures.py                         CUDA, schedule auto, all rows and graphs
    python benchmarks/figures.py --targets cuda,opencl   CUDA and OpenCL
    python benchmarks/figures.py --quick                 small graphs on the host's targets: whether it all works

Cells are printed as they are finished, the table comes last. A figure is the median of the repetitions after a warm-up;
it counts only if the answer was right. Exit code 1 if an answer is wrong or a cell failed, 2 if none does but a promise
is not kept.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.measured import graphs, report
from benchmarks.measured.cells import AUTO, Cell
from benchmarks.measured.processes import Order, cells_of
from benchmarks.measured.rows import ROWS

QUICK_GRAPHS = ("rmat10", "urand10", "grid48")
QUICK_TARGETS = ("opencl", "openmp")


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--targets", type=_names, help="what to run on, with commas (cuda)")
    made.add_argument("--rows", type=_names, default=tuple(ROWS), help=f"of {', '.join(ROWS)}")
    made.add_argument("--graphs", type=_names, help=f"of {', '.join(graphs.NAMES)}, or rmat18, urand20, grid512 …")
    made.add_argument("--schedule", default=AUTO, help="how to run, as `starplat run --schedule` takes it")
    made.add_argument("--device", type=int, help="the number of the target's device")
    made.add_argument("--repeat", type=int, default=5, help="measured runs after the warm-up (5)")
    made.add_argument("--limit", type=float, default=60, help="seconds that a cell may take, checking included (60)")
    made.add_argument("--budget", type=float, help="seconds that everything may take")
    made.add_argument("--judge", choices=("auto", "numpy", "cupy"), default="auto", help="what checks answers")
    made.add_argument("--data", type=Path, help="where the files of NY and egotw are")
    made.add_argument("--kept", type=Path, help="where made-up graphs are kept between processes")
    made.add_argument("--json", type=Path, help="a file for all of it")
    made.add_argument("--commit", help="what the results file calls the commit")
    made.add_argument("--quick", action="store_true", help="small graphs, the host's targets")
    return made


def _names(text: str) -> tuple[str, ...]:
    return tuple(name for name in text.split(",") if name)


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    targets = options.targets or (QUICK_TARGETS if options.quick else ("cuda",))
    chosen = options.graphs or (QUICK_GRAPHS if options.quick else graphs.NAMES)
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        raise SystemExit(f"there is no row {unknown[0]}: choose of {', '.join(ROWS)}")
    absent = [name for name in chosen if not graphs.is_here(name, options.data)]
    if absent:
        raise SystemExit(f"{absent[0]} is not in {graphs.data_folder(options.data)}: say where with --data")
    cells = measured(options, targets, chosen)
    report.show(cells, chosen, targets)
    return verdict(cells)


def measured(options: argparse.Namespace, targets: tuple[str, ...], chosen: tuple[str, ...]) -> list[Cell]:
    """All cells, told as they come."""
    deadline = None if options.budget is None else time.monotonic() + options.budget
    head, cells = report.circumstances(options.commit, targets), list[Cell]()
    print(f"starplat {head['starplat']} {head['commit']}; {head['devices']}; driver {head['driver']}", flush=True)
    for graph in chosen:
        order = Order(
            graph=graph,
            cells=tuple((row, target) for row in options.rows for target in targets),
            schedule=options.schedule,
            device=options.device,
            repeat=options.repeat,
            limit=options.limit,
            judge=options.judge,
            data=options.data and str(options.data.resolve()),
            kept=options.kept and str(options.kept.resolve()),
        )
        for cell in cells_of(order, lambda text: print(text, flush=True), deadline):
            cells.append(cell)
            print(report.line(cell), flush=True)
            if options.json:
                report.write_json(options.json, head, cells)
    return cells


def verdict(cells: list[Cell]) -> int:
    """The exit code."""
    if any(cell.status != "right" for cell in cells):
        return 1
    return 2 if any(report.keeps_promise(cell) is False for cell in cells) else 0


if __name__ == "__main__":
    sys.exit(main())
