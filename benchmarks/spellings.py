"""How much longer a program takes than the example that says the same in other words: the corpus of `tests/spellings`.

    python benchmarks/spellings.py                            CUDA, every algorithm, all graphs
    python benchmarks/spellings.py --only sssp,bfs/while_more --graphs rmat22
    python benchmarks/spellings.py --unlike --ahead 8         those with other operators, compiled before by 8 processes
    python benchmarks/spellings.py --quick                    a small graph on OpenMP: whether it all works

Every spelling runs in a process of its own, in turns with the example, and must give the example's answer, which
`figures.py` proves right. One that takes more seconds than `--limit` is ended. Lines are printed as they are found, the
table comes last. Exit code 1 if an answer is wrong or a program failed, 2 if none did but some take too long.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import starplat
from benchmarks.measured import graphs, report
from benchmarks.measured.options import names
from tests.operators.texts import operators_of
from tests.oracles import INF
from tests.spellings.corpus import Entry, Kind, entries
from tests.spellings.judging import algorithm_of

GRAPHS = ("NY", "egotw", "rmat22", "urand22", "grid4096")
EXAMPLES: dict[str, tuple[str, dict[str, str]]] = {
    "bfs": ("examples/bfs_levels.sp", {}),
    "sssp": ("examples/sssp.sp", {}),
    "widest_path": ("tests/spellings/widest_path/round_flag.sp", {"weight": "weight"}),
    "reachability": ("tests/spellings/reachability/round_flag.sp", {}),
    "connected_components": ("examples/connected_components.sp", {}),
    "pagerank": ("examples/pagerank.sp", {}),
    "betweenness": ("examples/betweenness.sp", {}),
    "triangle_count": ("examples/triangle_count.sp", {"triangles": "return"}),
    "k_core": ("examples/k_core.sp", {}),
}
"""The example of an algorithm, else the plainest spelling, and what it calls things otherwise than the corpus does."""

MOST = {True: 1.5, False: 1.25}
"""How many times as long a spelling may take, with a parent that it carries and without."""


@dataclass(frozen=True)
class Found:
    """Milliseconds of a spelling and of the example on a graph, or why there are none."""

    spelling: str
    graph: str
    carries: bool
    own: float | None = None
    example: float | None = None
    reason: str = ""

    @property
    def ratio(self) -> float | None:
        return None if self.own is None or not self.example else self.own / self.example

    @property
    def is_near(self) -> bool:
        return self.ratio is not None and self.ratio <= MOST[self.carries]

    def __str__(self) -> str:
        where = f"{self.graph:>9} {self.spelling:<44}"
        if self.ratio is None:
            return f"{where} {self.reason}"
        return f"{where} {self.own:10.3f} ms {self.ratio:8.2f} times {'✓' if self.is_near else '✗'}"


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--only", type=names, default=(), help="algorithms, or spellings as sssp/twice_the_weight")
    made.add_argument("--graphs", type=names, help=f"of {', '.join(GRAPHS)}, or rmat18, urand20, grid512 …")
    made.add_argument("--unlike", action="store_true", help="those whose operators are not the example's")
    made.add_argument("--ahead", type=int, default=0, help="processes that run all on rmat6 before, to compile (0)")
    made.add_argument("--target", help="what to run on (cuda)")
    made.add_argument("--repeat", type=int, default=5, help="measured runs after the warm-up (5)")
    made.add_argument("--limit", type=float, default=60, help="seconds for a spelling on a graph (60)")
    made.add_argument("--data", type=Path, help="where the files of NY and egotw are")
    made.add_argument("--kept", type=Path, help="where made-up graphs are kept between processes")
    made.add_argument("--json", type=Path, help="a file for all of it")
    made.add_argument("--quick", action="store_true", help="a small graph, OpenMP")
    made.add_argument("--alone", help=argparse.SUPPRESS)
    return made


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    options.target = options.target or ("openmp" if options.quick else "cuda")
    if options.alone:
        print(json.dumps(measured(options.alone, options)))
        return 0
    head, found = report.circumstances(None, (options.target,)), list[Found]()
    wanted = [entry for entry in chosen(options.only) if not options.unlike or is_unlike(entry)]
    print(f"starplat {head['starplat']} {head['commit']}; {head['devices']}; driver {head['driver']}", flush=True)
    if options.ahead:
        graphs.load("rmat6", options.data, options.kept)
        with ThreadPoolExecutor(options.ahead) as several:
            compiled = list(several.map(lambda entry: apart(entry, "rmat6", options), wanted))
        print(f"{len(compiled)} compiled, {sum(one.ratio is None for one in compiled)} of them in vain", flush=True)
    for name in options.graphs or (("rmat10",) if options.quick else GRAPHS):
        graphs.load(name, options.data, options.kept)  # so that it is made once, and kept for the others
        for entry in wanted:
            found.append(apart(entry, name, options))
            print(found[-1], flush=True)
    if options.json:
        options.json.write_text(json.dumps({**head, "cells": [asdict(one) for one in found]}, indent=1) + "\n", "utf-8")
    show(found)
    return verdict(found)


def chosen(only: tuple[str, ...]) -> Iterator[Entry]:
    """The spellings that are asked for."""
    for entry in entries():
        wanted = not only or entry.algorithm in only or f"{entry.algorithm}/{entry.path.stem}" in only
        if wanted and not entry.is_near_miss:
            yield entry


def is_unlike(entry: Entry) -> bool:
    """Whether it has other operators than the example, so that only a clock can say what it takes."""
    return operators_of(entry.path) != operators_of(graphs.ROOT / EXAMPLES[entry.algorithm][0])


def apart(entry: Entry, graph: str, options: argparse.Namespace) -> Found:
    """What a process of its own finds out."""
    where = {"--target": options.target, "--repeat": options.repeat, "--data": options.data, "--kept": options.kept}
    given = [str(word) for pair in where.items() if pair[1] is not None for word in pair]
    command = [sys.executable, __file__, "--alone", str(entry), "--graphs", graph, *given]
    one = Found(str(entry), graph, "parent" in entry.names)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit, check=False)
    except subprocess.TimeoutExpired:
        return replace(one, reason=f"not done after {options.limit:g} s")
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return replace(one, reason="failed: " + next((line for line in said if "error[" in line), said[-1]))
    return replace(one, **json.loads(done.stdout.splitlines()[-1]))


def measured(spelling: str, options: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds of both, in turns, and whether the answers are the same."""
    entry = next(entry for entry in entries() if str(entry) == spelling)
    (name,) = options.graphs
    where = graphs.load(name, options.data, options.kept)
    file, words = EXAMPLES[entry.algorithm]
    example = Entry(graphs.ROOT / file, entry.algorithm, Kind.SPELLING, words)
    programs = [(starplat.compile(one.path), arguments_of(one, where)) for one in (entry, example)]
    took: tuple[list[float], list[float]] = ([], [])
    for turn in range(options.repeat + 1):
        results = [program.run(where.graph, target=options.target, arguments=given) for program, given in programs]
        for times, result in zip(took, results, strict=True):
            times += [1e3 * seconds for seconds in result.seconds.run if turn]
    own, right = (answer(one, result) for one, result in zip((entry, example), results, strict=True))
    if not alike(own, np.where(right == INF, INF, right * entry.scale)):
        return {"reason": "wrong: its answer is not the example's"}
    return {"own": statistics.median(took[0]), "example": statistics.median(took[1])}


def arguments_of(entry: Entry, where: graphs.Entry) -> dict[str, Any]:
    """A call from the graph's own source."""
    source = where.graph.original_id(where.source)
    call: dict[str, dict[str, Any]] = {
        "bfs": {"src": source},
        "sssp": {"src": source},
        "widest_path": {"src": source},
        "reachability": {"src": source},
        "betweenness": {"sources": [source]},
        "pagerank": {"damping": 0.85, "tolerance": 0.0, "max_iterations": 20},
    }
    given = {entry.name(name): value for name, value in call.get(entry.algorithm, {}).items()}
    return {**given, **({entry.names["weight"]: where.graph.weights} if "weight" in entry.names else {})}


def answer(entry: Entry, result: starplat.Result) -> NDArray[Any]:
    """The answer, INF where a node is not reached; of components the first node of each one's."""
    name = entry.name(algorithm_of(entry).result)
    found = np.asarray(result.returned if name == "return" else result[name])
    nothing = 2**63 - 1 if entry.unreached is None else entry.unreached
    if entry.algorithm == "connected_components":  # labels are ids of the graph's file, or numbers: who shares one
        _, first, label = np.unique(found, return_index=True, return_inverse=True)
        return np.asarray(first[label])
    return np.where(found == nothing, INF, found)


def alike(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whole numbers exactly, reals to a few digits less than a double has."""
    if "f" in (one.dtype.kind, other.dtype.kind):
        return bool(np.allclose(one, other, rtol=1e-7, atol=1e-9))
    return bool(np.array_equal(one, other))


def show(found: Iterable[Found]) -> None:
    """One table: how many spellings of an algorithm are near, and the farthest."""
    table = Table(title="spellings beside the example", caption="near: within 1.25 times, 1.5 with a parent")
    for name in ("algorithm", "graph", "near", "of", "farthest"):
        table.add_column(name, justify="left" if name in ("algorithm", "farthest") else "right")
    cells: dict[tuple[str, str], list[Found]] = {}
    for one in found:
        cells.setdefault((one.spelling.split("/")[0], one.graph), []).append(one)
    for (algorithm, graph), those in cells.items():
        last = max(those, key=lambda one: float("inf") if one.ratio is None else one.ratio)
        words = f"{last.spelling}: {last.reason if last.ratio is None else f'{last.ratio:.2f} times'}"
        table.add_row(algorithm, graph, str(sum(one.is_near for one in those)), str(len(those)), words)
    Console(width=120).print(table)


def verdict(found: list[Found]) -> int:
    """The exit code."""
    if any(one.reason.startswith(("wrong", "failed")) for one in found):
        return 1
    return 0 if all(one.is_near for one in found) else 2


if __name__ == "__main__":
    sys.exit(main())
