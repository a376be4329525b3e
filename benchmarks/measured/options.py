"""What command lines that measure rows on graphs have in common."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measured import graphs
from benchmarks.measured.rows import ROWS


def names(text: str) -> tuple[str, ...]:
    """Those in a list with commas."""
    return tuple(name for name in text.split(",") if name)


def add_what(parser: argparse.ArgumentParser, usual: Sequence[str]) -> None:
    """Which rows on which graphs, those `usual` if nobody says."""
    parser.add_argument("--rows", type=names, default=tuple(ROWS), help=f"of {', '.join(ROWS)}")
    parser.add_argument("--graphs", type=names, help=f"of {', '.join(usual)}, or rmat18, urand20, grid512 …")
    parser.add_argument("--device", type=int, help="the number of the target's device")


def add_where(parser: argparse.ArgumentParser, quick: str) -> None:
    """Who judges, and where the graphs and the figures are; `quick` says on what a short check runs."""
    parser.add_argument("--judge", choices=("auto", "numpy", "cupy"), default="auto", help="what checks answers")
    parser.add_argument("--data", type=Path, help="where the files of NY and egotw are")
    parser.add_argument("--kept", type=Path, help="where made-up graphs are kept between processes")
    parser.add_argument("--json", type=Path, help="a file for all of it")
    parser.add_argument("--commit", help="what the results file calls the commit")
    parser.add_argument("--quick", action="store_true", help=f"small graphs, {quick}")


def require_all(options: argparse.Namespace, chosen: Sequence[str]) -> None:
    """Refuses rows that there are not, and graphs that are not here."""
    unknown = [name for name in options.rows if name not in ROWS]
    if unknown:
        raise SystemExit(f"there is no row {unknown[0]}: choose of {', '.join(ROWS)}")
    absent = [name for name in chosen if not graphs.is_here(name, options.data)]
    if absent:
        raise SystemExit(f"{absent[0]} is not in {graphs.data_folder(options.data)}: say where with --data")
