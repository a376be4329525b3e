"""How far schedule `auto` is from the best: every row on every graph under every schedule that differs.

    python benchmarks/best.py                            CUDA, all rows and graphs, within 240 seconds
    python benchmarks/best.py --quick                    small graphs on OpenCL: whether it all works

The search is that of `starplat tune`, with fewer repetitions: a schedule that takes more than five times as long as
`auto` runs once, one that takes too many seconds is ended. The first answer of each row and graph is proved right, all
others are compared with it. Cells are printed as they are finished, the table comes last. Exit code 1 if an answer is
wrong or `auto` failed, 2 if none does but `auto` is too far from the best, or not all schedules had their turn.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.table import Table

from benchmarks.measured import report
from benchmarks.measured.options import add_what, add_where, require_all
from benchmarks.measured.quests import Found, Quest
from benchmarks.measured.rows import ROWS
from benchmarks.measured.watching import Watch

GRAPHS = ("NY", "egotw", "urand22", "grid4096", "rmat22")
QUICK_GRAPHS = ("rmat10", "grid48")
GOAL = 1.25


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--target", help="what to run on (cuda)")
    add_what(made, GRAPHS)
    made.add_argument("--budget", type=float, default=240, help="seconds that everything may take (240)")
    made.add_argument("--each", type=float, default=12, help="seconds for a row on a graph (12)")
    made.add_argument("--patience", type=float, default=10, help="seconds for a schedule there (10)")
    add_where(made, "OpenCL")
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    chosen = options.graphs or (QUICK_GRAPHS if options.quick else GRAPHS)
    require_all(options, chosen)
    found = searched(options, chosen)
    show(found)
    return verdict(found)


def searched(options: argparse.Namespace, chosen: tuple[str, ...]) -> list[Found]:
    """All rows on all graphs, told as they come."""
    target = options.target or ("opencl" if options.quick else "cuda")
    head, found = report.circumstances(options.commit, (target,)), list[Found]()
    print(f"starplat {head['starplat']} {head['commit']}; {head['devices']}; driver {head['driver']}", flush=True)

    def told(one: Found) -> None:
        found.append(one)
        print(line(one), flush=True)
        if options.json:
            cells = [{**asdict(each), "behind": each.behind} for each in found]
            options.json.write_text(json.dumps({**head, "cells": cells}, indent=1) + "\n", encoding="utf-8")

    quest = Quest(
        rows=options.rows,
        graphs=chosen,
        target=target,
        device=options.device,
        budget=options.each,
        patience=options.patience,
        judge=options.judge,
        data=options.data and str(options.data.resolve()),
        kept=options.kept and str(options.kept.resolve()),
    )
    Watch(quest, told, lambda text: print(text, flush=True), time.monotonic() + options.budget).run()
    return found


def line(one: Found) -> str:
    """One row on one graph in one line, with what was refused, wrong or stopped."""
    where = f"{one.graph:>9} {one.row:<11}"
    counting = [trial for trial in one.trials if trial.counts]
    if one.best is None or one.auto is None:
        reasons = "; ".join(f"{trial.schedule}: {trial.reason}" for trial in one.trials if not trial.counts)
        return f"{where} {reasons or 'no time was left'}"
    others = "".join(f"\n{'':>12}{trial.schedule}: {trial.reason}" for trial in one.trials if not trial.counts)
    return (
        f"{where} auto {_milliseconds(one, True)} ms, best {_milliseconds(one, False)} ms, {one.behind:.2f} times as "
        f"long; {len(counting)} schedules{'' if one.complete else ' and not all'}, best {one.best.schedule}{others}"
    )


def show(found: list[Found]) -> None:
    """One table, with a line for each row and graph."""
    table = Table(title="auto and the best schedule found", caption=f"✓ within {GOAL:g} of the best")
    for name in ("", "graph", "auto, ms", "best, ms", "auto / best"):
        table.add_column(name, justify="left" if not name else "right", no_wrap=True)
    table.add_column("best schedule", overflow="fold")
    for one in found:
        table.add_row(ROWS[one.row].title, one.graph, *_figures(one))
    Console(width=150).print(table)


def _figures(one: Found) -> tuple[str, str, str, str]:
    if one.best is None or one.auto is None or one.behind is None:
        wrong = any(trial.wrong for trial in one.trials)
        return "[red]wrong[/]" if wrong else "[red]failed[/]", "", "", ""
    mark = "[green]✓[/]" if one.behind <= GOAL else "[red]✗[/]"
    schedule = one.best.schedule + ("" if one.complete else " (not all had their turn)")
    return _milliseconds(one, True), _milliseconds(one, False), f"{one.behind:.2f} {mark}", schedule


def _milliseconds(one: Found, auto: bool) -> str:
    return report.spelt(one.milliseconds(one.auto if auto else one.best) or 0.0)


def verdict(found: list[Found]) -> int:
    """The exit code."""
    if any(one.auto is None or any(trial.wrong for trial in one.trials) for one in found):
        return 1
    return 2 if any(not one.complete or (one.behind or 0.0) > GOAL for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
