"""The table of figures: time of fourteen programs on five graphs, answers checked in the same process.

    python benchmarks/figures.py                         CUDA, schedule auto, all rows and graphs
    python benchmarks/figures.py --targets cuda,opencl   CUDA and OpenCL
    python benchmarks/figures.py --artifacts             the same, and emitted programs beside the runs
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

from benchmarks.measured import emitted, graphs, report
from benchmarks.measured.cells import AUTO, Cell
from benchmarks.measured.options import add_what, add_where, names, require_all
from benchmarks.measured.processes import Order, cells_of
from benchmarks.measured.rows import wanted

QUICK_GRAPHS = ("rmat10", "urand10", "grid48")
QUICK_TARGETS = ("opencl", "openmp")


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--targets", type=names, help="what to run on, with commas (cuda)")
    add_what(made, graphs.NAMES)
    made.add_argument("--schedule", default=AUTO, help="how to run, as `starplat run --schedule` takes it")
    made.add_argument("--repeat", type=int, default=5, help="measured runs after the warm-up (5)")
    made.add_argument("--limit", type=float, default=60, help="seconds that a cell may take, checking included (60)")
    made.add_argument("--budget", type=float, help="seconds that everything may take")
    made.add_argument("--artifacts", action="store_true", help="measure emitted programs beside the runs")
    add_where(made, "the host's targets")
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    targets = options.targets or (QUICK_TARGETS if options.quick else ("cuda",))
    chosen = options.graphs or (QUICK_GRAPHS if options.quick else graphs.NAMES)
    require_all(options, chosen)
    cells = measured(options, targets, chosen)
    report.show(cells, chosen, targets)
    return max(verdict(cells), emitted_beside(options, cells, chosen) if options.artifacts else 0)


def emitted_beside(options: argparse.Namespace, cells: list[Cell], chosen: tuple[str, ...]) -> int:
    """Measures the emitted programs of all right cells; 1 if one does not run, 2 if one takes much longer."""
    found = []
    for graph in chosen:
        entry = graphs.load(graph, options.data, options.kept)
        for one in emitted.measured(cells, entry, options.repeat):
            found.append(one)
            print(one.line(), flush=True)
    if any(one.ratio is None for one in found):
        return 1
    return 2 if any((one.ratio or 0) > emitted.MOST for one in found) else 0


def measured(options: argparse.Namespace, targets: tuple[str, ...], chosen: tuple[str, ...]) -> list[Cell]:
    """All cells, told as they come."""
    deadline = None if options.budget is None else time.monotonic() + options.budget
    head, cells = report.circumstances(options.commit, targets), list[Cell]()
    print(f"starplat {head['starplat']} {head['commit']}; {head['devices']}; driver {head['driver']}", flush=True)
    for graph in chosen:
        order = Order(
            graph=graph,
            cells=tuple((row, target) for row in options.rows if wanted(row, graph) for target in targets),
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
