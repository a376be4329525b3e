"""How cost grows with the graph: time per arc and memory over graphs of doubling size.

    python benchmarks/growth.py                          rmat18 to rmat26 and urand18 to urand26 on CUDA
    python benchmarks/growth.py --kinds wheel --scales 24-24      16.8 M nodes of degree 2, and a hub of a million
    python benchmarks/growth.py --quick                  tiny ones on OpenCL: whether it works

Memory is compared with what nothing can do without: the compressed rows, the weights where the program uses them, its
properties, and a bit for every node. It is told apart as bytes for each arc, which are the graph's, and bytes for each
node: the program's properties, and what it holds besides while it runs, which are the sets of active nodes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.table import Table

from benchmarks.measured import report
from benchmarks.measured.cells import AUTO, Cell
from benchmarks.measured.processes import Order, cells_of
from benchmarks.measured.rows import ROWS

MEMORY_GOAL = 1.3
BYTES = ("graph B/arc", "properties B/node", "sets B/node")


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--kinds", default="rmat,urand", help="kinds of graphs, with commas (rmat,urand)")
    made.add_argument("--scales", help="the first and the last (18-26)")
    made.add_argument("--step", type=int, default=1, help="from scale to scale (1)")
    made.add_argument("--rows", default="bfs,components,pagerank", help=f"of {', '.join(ROWS)}")
    made.add_argument("--target", help="what to run on (cuda)")
    made.add_argument("--schedule", default=AUTO, help="how to run, as `starplat run --schedule` takes it")
    made.add_argument("--repeat", type=int, default=5, help="measured runs after the warm-up (5)")
    made.add_argument("--limit", type=float, default=60, help="seconds that a cell may take, checking included (60)")
    made.add_argument("--budget", type=float, help="seconds that everything may take")
    made.add_argument("--json", type=Path, help="a file for all of it")
    made.add_argument("--commit", help="what the results file calls the commit")
    made.add_argument("--quick", action="store_true", help="tiny graphs, OpenCL")
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    target = options.target or ("opencl" if options.quick else "cuda")
    head, cells = report.circumstances(options.commit, (target,)), list[Cell]()
    for cell in measured(options, target):
        cells.append(cell)
        print(report.line(cell), flush=True)
        if options.json:
            report.write_json(options.json, head, cells)
    show(cells)
    return 1 if any(cell.status != "right" for cell in cells) else 0


def measured(options: argparse.Namespace, target: str) -> Iterator[Cell]:
    """The cells as they come, small graphs first."""
    deadline = None if options.budget is None else time.monotonic() + options.budget
    first, last = map(int, (options.scales or ("8-10" if options.quick else "18-26")).split("-"))
    for scale in range(first, last + 1, options.step):
        for kind in options.kinds.split(","):
            order = Order(
                graph=f"{kind}{scale}",
                cells=tuple((row, target) for row in options.rows.split(",")),
                schedule=options.schedule,
                device=None,
                repeat=options.repeat,
                limit=options.limit,
            )
            yield from cells_of(order, lambda text: print(text, flush=True), deadline)


def least_bytes(cell: Cell) -> int:
    """What no program can do without."""
    offset = 8 if cell.arcs >= 2**31 - 1 else 4
    rows = offset * (cell.nodes + 1) + 4 * cell.arcs * (2 if ROWS[cell.row].weighted else 1)
    return rows + cell.memory[1] + cell.nodes // 8


def show(cells: Sequence[Cell]) -> None:
    """One table for every row and kind: it is flat if the last column of times stays."""
    console = Console(width=130)
    kinds = dict.fromkeys(cell.graph.rstrip("0123456789") for cell in cells)
    for row in dict.fromkeys(cell.row for cell in cells):
        for kind in kinds:
            found = [cell for cell in cells if cell.row == row and cell.graph.rstrip("0123456789") == kind]
            console.print(_table(f"{ROWS[row].title} on {kind}", found))


def _table(title: str, cells: Sequence[Cell]) -> Table:
    right = [cell for cell in cells if cell.status == "right" and cell.milliseconds is not None]
    costs = [_picoseconds(cell) for cell in right]
    spread = f"; the dearest arc costs {max(costs) / min(costs):.2f} times the cheapest" if costs else ""
    table = Table(title=title + spread)
    for name in ("graph", "arcs", "ms", "ps/arc", *BYTES, "MiB", f"of the least (≤ {MEMORY_GOAL:g})"):
        table.add_column(name, justify="right")
    for cell in cells:
        if cell in right:
            share = cell.bytes / least_bytes(cell)
            mark = "[green]✓[/]" if share <= MEMORY_GOAL else "[red]✗[/]"
            time_, cost = report.spelt(cell.milliseconds or 0), report.spelt(_picoseconds(cell))
            whole = f"{cell.bytes / 2**20:,.0f}"
            table.add_row(cell.graph, f"{cell.arcs:,}", time_, cost, *_bytes(cell), whole, f"{share:.2f} {mark}")
        else:
            table.add_row(cell.graph, "", f"[red]{cell.status}[/]")
    return table


def _bytes(cell: Cell) -> tuple[str, ...]:
    """What `BYTES` names."""
    graph, properties, besides = cell.memory
    nodes = max(cell.nodes, 1)
    return f"{graph / max(cell.arcs, 1):.2f}", f"{properties / nodes:.2f}", f"{besides / nodes:.2f}"


def _picoseconds(cell: Cell) -> float:
    return 1e9 * (cell.milliseconds or 0.0) / max(cell.arcs, 1)


if __name__ == "__main__":
    sys.exit(main())
