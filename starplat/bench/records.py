"""Measurements and their JSON: a report has rows, a row the times of one case: graph, device, schedule.

Intervals are 95 % bootstrap intervals of the median, by percentiles; the same times give the same interval.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import Diagnostic, DiagnosticError, ExitCode
from starplat.runtime.everywhere import Agreement
from starplat.version import __version__

CONFIDENCE = 95
RESAMPLES = 4000
FEWEST = 3
"""Fewer times have no meaningful interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, and the interval in which it lies with a confidence of 95 %; None with too few times for one."""

    value: float
    interval: tuple[float, float] | None = None

    @property
    def low(self) -> float:
        """The interval's lower end, or the value."""
        return self.value if self.interval is None else self.interval[0]

    @property
    def high(self) -> float:
        """The interval's upper end, or the value."""
        return self.value if self.interval is None else self.interval[1]


def median(seconds: Sequence[float]) -> Estimate:
    """The median of times.

    >>> median([3.0, 1.0, 2.0, 2.0, 2.0])
    Estimate(value=2.0, interval=(1.0, 3.0))
    """
    if len(seconds) < FEWEST:
        return Estimate(float(np.median(seconds)))
    return Estimate(float(np.median(seconds)), _middle(_medians(seconds, 1)))


def speed_up(before: Sequence[float], after: Sequence[float]) -> Estimate:
    """How many times faster `after` is than `before`, by their medians."""
    value = float(np.median(before)) / max(float(np.median(after)), 1e-12)
    if min(len(before), len(after)) < FEWEST:
        return Estimate(value)
    return Estimate(value, _middle(_medians(before, 1) / np.maximum(_medians(after, 2), 1e-12)))


def _medians(seconds: Sequence[float], seed: int) -> NDArray[np.float64]:
    """Of resamples [RESAMPLES]."""
    drawn = np.random.default_rng(seed).choice(np.asarray(seconds, np.float64), (RESAMPLES, len(seconds)))
    return np.asarray(np.median(drawn, axis=1))


def _middle(values: NDArray[np.float64]) -> tuple[float, float]:
    """The ends of the middle 95 %."""
    outside = (100 - CONFIDENCE) / 2
    low, high = np.percentile(values, [outside, 100 - outside])
    return float(low), float(high)


SCHEMA = 1
KIND = "bench"


@dataclass(frozen=True, slots=True)
class Sizes:
    """A graph: what it was called, and how large it is."""

    file: str
    nodes: int
    arcs: int

    @property
    def name(self) -> str:
        """The file's name without folders and endings."""
        return PurePosixPath(PureWindowsPath(self.file).as_posix()).name.partition(".")[0] or self.file

    @property
    def described(self) -> str:
        """Its size in words.

        >>> Sizes("chain.el", 2, 1).described
        '2 nodes, 1 arc'
        """
        return f"{self.nodes:,} node{'s' * (self.nodes != 1)}, {self.arcs:,} arc{'s' * (self.arcs != 1)}"


@dataclass(frozen=True, slots=True)
class Counted:
    """Lower bounds of one run's work: bytes of cells, operations, and in words what is missing. `copy_rate` are the
    bytes per second that the device reads and writes while it copies."""

    bytes: int
    operations: int
    missing: tuple[str, ...]
    copy_rate: float


@dataclass(frozen=True, slots=True)
class Row:
    """One measured case. `seconds` has the time of every repetition after the first, each until the device had
    finished; it is empty where nothing ran, and `reason` says why. `compile`, `upload` and `download` are seconds;
    `work` is there if it was asked for."""

    graph: Sizes
    target: str
    device: str
    schedule: str
    seconds: tuple[float, ...] = ()
    compile: float = 0.0
    upload: float = 0.0
    download: float = 0.0
    launches: int = 0
    answer: Agreement = Agreement.AGREES
    reason: str = ""
    code: str | None = None
    work: Counted | None = None

    @property
    def median(self) -> Estimate | None:
        """Of the times."""
        return median(self.seconds) if self.seconds else None

    @property
    def counts(self) -> bool:
        """Whether the times belong to a right answer, as far as known."""
        return bool(self.seconds) and self.answer is not Agreement.DIFFERS

    @property
    def key(self) -> tuple[str, str, str]:
        """The fields by which rows of two reports are paired."""
        return self.graph.name, self.target, self.schedule

    def to_json(self) -> dict[str, Any]:
        middle = self.median
        return {
            **asdict(self),
            "seconds": list(self.seconds),
            "answer": self.answer.name.lower(),
            "median": None if middle is None else middle.value,
            "interval": None if middle is None or middle.interval is None else list(middle.interval),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All rows of one program, graph by graph."""

    program: str
    function: str
    rows: tuple[Row, ...]
    version: str = __version__

    @property
    def graphs(self) -> tuple[Sizes, ...]:
        """In the order of the rows."""
        return tuple(dict.fromkeys(row.graph for row in self.rows))

    def of(self, graph: Sizes) -> tuple[Row, ...]:
        """The rows of one graph; the first that counts is what the others are compared with."""
        return tuple(row for row in self.rows if row.graph == graph)

    def to_json(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "kind": KIND,
            "starplat": self.version,
            "program": self.program,
            "function": self.function,
            "rows": [row.to_json() for row in self.rows],
        }


def baseline(rows: tuple[Row, ...]) -> Row | None:
    """The row that the others of a graph are compared with."""
    return next((row for row in rows if row.counts), None)


def read_report(path: Path) -> Report:
    """The report in a file that `starplat bench --json` wrote. Raises E0797: there is none."""
    try:
        return _report(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise _no_report(path, (error.strerror or str(error)).lower()) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _no_report(path, "it holds no measurements") from error


def _report(found: dict[str, Any]) -> Report:
    if found["kind"] != KIND or found["schema"] != SCHEMA:
        raise ValueError
    return Report(found["program"], found["function"], tuple(map(_row, found["rows"])), found["starplat"])


def _row(found: dict[str, Any]) -> Row:
    known = {name: value for name, value in found.items() if name in Row.__dataclass_fields__}
    return Row(
        **{
            **known,
            "graph": Sizes(**found["graph"]),
            "seconds": tuple(map(_time, found["seconds"])),
            "answer": Agreement[found["answer"].upper()],
            "work": _counted(found.get("work")),
        }
    )


def _time(found: Any) -> float:
    seconds = float(found)
    if not 0.0 <= seconds < math.inf:
        raise ValueError
    return seconds


def _counted(found: dict[str, Any] | None) -> Counted | None:
    return None if found is None else Counted(**{**found, "missing": tuple(found["missing"])})


def _no_report(path: Path, reason: str) -> DiagnosticError:
    help = "`starplat bench … --json F` writes such a file"
    return DiagnosticError(Diagnostic("E0797", f"{path}: cannot be compared: {reason}", help=help))


def exit_code(rows: tuple[Row, ...], faults: tuple[DiagnosticError, ...]) -> ExitCode:
    """The process's exit code: a wrong answer weighs most, then what failed."""
    if any(row.answer is Agreement.DIFFERS for row in rows):
        return ExitCode.BUILD_FAILED
    return faults[0].exit_code if faults else ExitCode.FINE
