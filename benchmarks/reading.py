"""Measures how fast graph files are read: seconds, seconds of all cores together, and peak memory, for every file.

    python benchmarks/reading.py            10 million random edges in the formats that large graphs come in
    python benchmarks/reading.py FILE …     these files

Every file is read in a process of its own, whose peak is the whole interpreter's. Of the files that are made up, the
largest is read twice more: with a cache that is empty, and from it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

EDGES = 10_000_000
NODES = 1_000_000


def main(arguments: list[str]) -> None:
    if arguments[:1] == ["--one"]:
        measure(*arguments[1:])
    elif arguments:
        for path in arguments:
            in_own_process(path)
    else:
        with tempfile.TemporaryDirectory() as folder:
            paths = made_up(Path(folder))
            for path in (*paths, native(paths[-1])):
                in_own_process(str(path))
            for _ in range(2):
                in_own_process(str(paths[4]), str(Path(folder) / "cache"))


def in_own_process(*arguments: str) -> None:
    subprocess.run([sys.executable, __file__, "--one", *arguments], check=True)


def native(path: Path) -> Path:
    """The graph in starplat's own format."""
    made = path.with_suffix(".spg")
    subprocess.run([sys.executable, "-m", "starplat", "graph", "convert", str(path), str(made)], check=True)
    return made


def measure(path: str, cache: str = "") -> None:
    from starplat.graph import GraphCache, read

    start, worked = time.perf_counter(), time.process_time()
    graph = read(path, cache=GraphCache(Path(cache)) if cache else None)
    seconds = time.perf_counter() - start
    work = time.process_time() - worked
    size = os.path.getsize(path) / 1e6
    print(
        f"{seconds:6.2f} s  cpu {work:6.2f} s  peak {peak_mib():6.0f} MiB  {size:6.1f} MB  {graph.describe()}",
        flush=True,
    )


def peak_mib() -> float:
    """This process's largest resident memory; Linux counts it from the start of the program, unlike `getrusage`."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024


def made_up(folder: Path) -> list[Path]:
    """Random edges, written as fast as the standard library goes."""
    random = np.random.default_rng(1)
    source, destination = random.integers(1, NODES + 1, (2, EDGES))
    integers, reals = random.integers(1, 256, EDGES), random.random(EDGES)
    banner = "%%MatrixMarket matrix coordinate {} general\n" + f"{NODES} {NODES} {EDGES}\n"
    files = {
        "pattern.mtx": (banner.format("pattern"), None),
        "integer.mtx": (banner.format("integer"), integers),
        "real6.mtx": (banner.format("real"), np.round(reals, 6)),
        "real17.mtx": (banner.format("real"), reals),
        "symmetric.mtx": (banner.format("integer").replace("general", "symmetric"), integers),
        "edges.el": ("", None),
        "edges.wel": ("", integers),
        "snap.txt": ("# FromNodeId ToNodeId\n", None),
    }
    paths = []
    for name, (head, weights) in files.items():
        paths.append(folder / name)
        write(paths[-1], head, source, destination, weights)
    return paths


def write(path: Path, head: str, source: np.ndarray, destination: np.ndarray, weights: np.ndarray | None) -> None:
    columns = [source, destination] if weights is None else [source, destination, weights]
    with path.open("w") as file:
        file.write(head)
        for start in range(0, len(source), 1 << 18):
            lists = [column[start : start + (1 << 18)].tolist() for column in columns]
            file.write("\n".join(" ".join(map(repr, row)) for row in zip(*lists, strict=True)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
