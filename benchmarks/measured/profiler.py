"""What Nsight Compute (`ncu`) counts of the kernels that a command launches."""

from __future__ import annotations

import csv
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence

TIME = "gpu__time_duration.sum"
"""Nanoseconds of a kernel."""


def profiled(ncu: str, metrics: Sequence[str], command: Sequence[str], *how: str) -> list[str]:
    """The lines that a command prints under ncu, what it prints itself among them; clocks are as they are without."""
    here = ["--csv", "--print-units", "base", "--clock-control", "none", "--target-processes", "all", *how]
    done = subprocess.run(
        [ncu, *here, "--metrics", ",".join(metrics), *command], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout.splitlines()


def sums_of(said: Iterable[str], metric: str, without: tuple[str, ...] = ()) -> Counter[str]:
    """A metric, such as the sectors that it reads, of each kernel by name; left out are names that begin with one of
    `without`."""
    found: Counter[str] = Counter()
    for line in csv.DictReader(line for line in said if line.startswith('"')):
        if line["Metric Name"] == metric and not line["Kernel Name"].startswith(without):
            found[line["Kernel Name"]] += int(float(line["Metric Value"].replace(",", "")))
    return found
