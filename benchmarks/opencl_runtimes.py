"""Compares the OpenCL runtimes of this machine: start, build cold and warm, shortest paths on some 700,000 arcs.

    python benchmarks/opencl_runtimes.py [--graph PATH] [--source ID] [--repeat 5]

Every figure comes from a process of its own with an empty cache, then from a second one with the cache of the first.
Runtimes that do not compile are listed with their reason. `opencl_runtimes.md` has the figures that decided what
`pip install 'starplat[opencl]'` brings.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

PACKAGES = {
    "pocl": ("pocl-binary-distribution",),
    "Intel": ("intel-opencl-rt", "intel-cmplr-lib-rt", "intel-cmplr-lic-rt", "tbb", "tcmlib"),
}
SSSP = Path(__file__).parents[1] / "examples" / "sssp.sp"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graph", help="a graph file; by default a grid of 420 x 420 nodes")
    parser.add_argument("--source", type=int, default=0, help="the original id of the source")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure is not None:
        print(json.dumps(measured(options.measure, options.graph, options.source, options.repeat)))
        return
    sizes()
    compare(options)


def sizes() -> None:
    """What pip puts on the disk."""
    for name, packages in PACKAGES.items():
        try:
            files = [file for package in packages for file in distribution(package).files or []]
        except PackageNotFoundError as missing:
            print(f"{name}: {missing.name} is not installed")
            continue
        print(f"{name}: {sum(file.size or 0 for file in files) / 1e6:.0f} MB installed ({', '.join(packages)})")


def compare(options: argparse.Namespace) -> None:
    """One line for every device, cold and warm."""
    from starplat.toolchain.devices import report

    columns = ("open", "build", "upload", "first run", "run", "down")
    print(f"{'device':60}{'cache':>6}" + "".join(f"{column:>11}" for column in columns))
    for device in report("opencl"):
        name = f"{device.name} ({device.driver})"[:58]
        if device.index is None:
            print(f"{name:60}{device.status}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            for cache in ("cold", "warm"):
                figures = in_process(device.index, options, folder)
                print(f"{name:60}{cache:>6}" + "".join(f"{figures[column] * 1e3:8.1f} ms" for column in columns))
        print(f"{'':60}sum of distances {figures['sum']}, {figures['launches']} launches")


def in_process(index: int, options: argparse.Namespace, folder: str) -> dict[str, Any]:
    """The figures of a fresh process whose cache is `folder`."""
    command = [sys.executable, __file__, "--measure", str(index)]
    command += ["--source", str(options.source), "--repeat", str(options.repeat)]
    command += ["--graph", options.graph] if options.graph else []
    environment = {**os.environ, "STARPLAT_CACHE_DIR": folder}
    environment.pop("POCL_CACHE_DIR", None)
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def measured(index: int, path: str | None, source: int, repeat: int) -> dict[str, Any]:
    """Times of one process, in seconds."""
    import starplat
    from starplat.runtime.session import default_session

    graph = starplat.read(path) if path else grid(420)
    program = starplat.compile(SSSP)
    program.module()
    started = perf_counter()
    default_session().device("opencl", index)
    opened = perf_counter() - started
    result = program.run(graph, target="opencl", device=index, repeat=repeat, src=source, results=["dist"])
    return {
        "open": opened,
        "build": result.seconds.compile,
        "upload": result.seconds.upload,
        "first run": result.seconds.run[0],
        "run": median(result.seconds.run[1:] or result.seconds.run),
        "down": result.seconds.download,
        "sum": result.summary("dist").sum,
        "launches": result.launches,
    }


def grid(side: int) -> Any:
    """A square grid, both directions of every edge, weights 1..100: as road-like as it gets without a file."""
    import numpy as np

    from starplat.graph import Graph

    nodes = np.arange(side * side).reshape(side, side)
    tails = np.concatenate([nodes[:, :-1].ravel(), nodes[:-1].ravel()])
    heads = np.concatenate([nodes[:, 1:].ravel(), nodes[1:].ravel()])
    return Graph.from_arcs(side * side, tails, heads, directed=False).with_random_weights(1, 100)


if __name__ == "__main__":
    main()
