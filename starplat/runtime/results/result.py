"""The result of a run: properties, the returned value, times, bytes; summary and JSON."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from starplat.diagnostics import Diagnostic, DiagnosticError, in_a_line, warn
from starplat.frontend.mistakes.remedies import did_you_mean
from starplat.frontend.types import ListType, PropertyType, Scalar
from starplat.graph.graph import Graph
from starplat.runtime.arguments.caller_arrays import fetched, on_a_device
from starplat.runtime.arguments.properties import shown_cells
from starplat.runtime.elements import Cells
from starplat.runtime.estimate import Estimate
from starplat.runtime.results import histogram, shown
from starplat.runtime.tracing.trace import Trace

Found = TypeVar("Found")
SCHEMA = 1
"""The version of the JSON; it grows when something changes its meaning or goes away."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """Times by the host's clock; `run` has one for every repetition, each from an idle device to an idle device, by the
    device's own clock where it has one (cuda); in parts, from when all are ready, that of the slowest. `batches` has
    one for every batch of updates of the last repetition; `preparation` is the part of `upload` in which the device
    made arrays of the graph for this program."""

    load: float = 0.0
    compile: float = 0.0
    upload: float = 0.0
    run: tuple[float, ...] = ()
    download: float = 0.0
    batches: tuple[float, ...] = ()
    preparation: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {
            "load": self.load,
            "compile": self.compile,
            "upload": self.upload,
            "run": list(self.run),
            "download": self.download,
            **({"batches": list(self.batches)} if self.batches else {}),
            **({"preparation": self.preparation} if self.preparation else {}),
        }


@dataclass(frozen=True, slots=True)
class Bytes:
    """What crossed to and from the device in the whole call, repetitions included.

    Attributes:
        chunks: of what went up, the rows that the host copied for each launch (`memory=chunks`).
    """

    up: int = 0
    down: int = 0
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Division:
    """Of a run in parts.

    Attributes:
        rank: the number of this part.
        arcs: how many arcs each part has.
        bytes: what all parts together gave to the others in a repetition.
        exchanges: how often they exchanged something.
        by: what they share out: "nodes", with their arcs, or "sources", from each of which a part searches the graph.
        bytes_of_arcs: what each part holds of arrays with a cell for every arc.
        all_rows: why each part holds all arcs; None where each holds its own.
    """

    rank: int
    arcs: tuple[int, ...]
    bytes: int
    exchanges: int
    by: str = "nodes"
    bytes_of_arcs: tuple[int, ...] = ()
    all_rows: str | None = None

    def to_json(self) -> dict[str, Any]:
        found = {"rank": self.rank, "arcs": list(self.arcs), "bytes": self.bytes, "exchanges": self.exchanges}
        held = {"bytes_of_arcs": list(self.bytes_of_arcs), "all_rows": self.all_rows}
        return {**found, "by": self.by, **held}


@dataclass(frozen=True, slots=True)
class Summary:
    """Of one property: how many values, and of those that are finite (not INF) how many, their sum, least and greatest.

    A bool counts as 0 or 1. For a property of type `node` they are original ids, all of them finite; names have no sum,
    and what is no node beside names is not finite.
    """

    type: str
    count: int
    finite: int
    sum: int | float | None
    min: int | float | None
    max: int | float | None

    def to_json(self) -> dict[str, Any]:
        names = ("type", "count", "finite", "sum", "min", "max")
        return {name: _plain(getattr(self, name)) for name in names}


@dataclass(frozen=True, eq=False, repr=False)
class Result(Mapping[str, Any]):
    """Of one run: a mapping from properties to their values. `result["dist"]` is a NumPy array in the order of the
    graph's nodes (or arcs); `result.ids` says what the input calls them, for a NetworkX graph in the order of
    `G.nodes`.

    With `on_device` it is an array on the device: of CuPy for cuda, of pyopencl for opencl, for sycl one that
    `dpnp.asarray` takes, NumPy's for reference; an argument that was used in place is given back itself. Nodes in such
    arrays are numbers 0..n-1. `on_host` downloads them.

    Attributes:
        program, function: the program's name and that of its entry.
        graph: the graph it ran on.
        target, device: what ran it.
        properties: the arrays that were asked for; nodes in them are original ids, -1 is none.
        types: the type of each of them.
        returned: what the entry returned, None if nothing, a tuple of several values, a list of the elements of a
            list; a node is an original id.
        returned_types: the language's types of these values.
        launches: how many kernels the last repetition launched; a loop that is compiled with them is one.
        cached: whether the kernels had been built by an earlier run.
        on_device: whether the properties were left on the device.
        estimate: the memory that the run was expected to take there, and the arrays in mapped host memory.
        trace: what happened in every round of a run that was watched, if one was asked for.
        parts: of a run in parts, how the graph was divided and what crossed; None of any other.
        validated: whether the answers were compared with the interpreter's and agree; None if not asked for.
        warnings: what is doubtful in the answer: values that are no finite numbers. A property on the device is looked
            at by `on_host`, which warns.
        judge: what is doubtful in properties that are brought to the host.
    """

    program: str
    function: str
    graph: Graph
    target: str
    device: str
    properties: Mapping[str, Any]
    types: Mapping[str, PropertyType]
    returned: Any = None
    returned_types: tuple[Scalar | ListType, ...] = ()
    seconds: Seconds = field(default_factory=Seconds)
    bytes: Bytes = field(default_factory=Bytes)
    launches: int = 0
    cached: bool = False
    validated: bool | None = None
    on_device: bool = False
    estimate: Estimate = field(default_factory=Estimate)
    trace: Trace | None = None
    parts: Division | None = None
    warnings: tuple[Diagnostic, ...] = ()
    judge: Callable[[Mapping[str, Any]], tuple[Diagnostic, ...]] | None = None

    def __getitem__(self, name: str) -> Any:
        """A property.

        Raises:
            DiagnosticError: E0710, the run brought no such property back.
        """
        try:
            return self.properties[name]
        except KeyError:
            raise no_such_result(name, self.properties) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.properties)

    def __len__(self) -> int:
        return len(self.properties)

    def __bool__(self) -> bool:
        """A run that brought no property back is a result too."""
        return True

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return shown.in_words(self)

    def _repr_html_(self) -> str:
        return shown.as_html(self)

    @property
    def ids(self) -> NDArray[Any]:
        """What the input calls each node, [n]: numbers, or objects such as names."""
        return self.graph.original_ids

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def plot(self, *names: str, ranked: bool = False) -> Any:
        """Histograms of properties: matplotlib's axes, one for each.

        Args:
            names: the properties, by default all of nodes. INF and what is not finite is left out.
            ranked: draws the values in descending order over their rank, on logarithmic scales.

        Raises:
            DiagnosticError: E0710, the run brought no such property back; E0813, matplotlib is not installed.
        """
        return shown.plotted(self, names, ranked=ranked)

    def to_dict(self, name: str) -> dict[Any, Any]:
        """A property as a dictionary: by the ids of nodes; of edges by (source, destination), and where edges are
        parallel by (source, destination, k), as in NetworkX's multigraphs.

        Raises:
            DiagnosticError: E0710, the run brought no such property back.
        """
        return shown.by_id(self.on_host(name), self.types[name], self.graph)

    def to_pandas(self, *, edges: bool = False) -> Any:
        """A pandas frame of all properties of nodes, by id, or of all properties of edges, by both ends.

        Raises:
            DiagnosticError: E0813, pandas is not installed.
        """
        return shown.as_frame(self, edges=edges)

    def on_host(self, name: str) -> Cells:
        """A property as a NumPy array, nodes in it by their original ids."""
        cells: Cells = self[name]
        if not self.on_device:
            return cells
        if on_a_device(cells):
            cells = fetched(cells)
            self._warn_of(name, cells)
        return shown_cells(cells, self.types[name], self.graph)

    def _warn_of(self, name: str, cells: Cells) -> None:
        """Warns of what is doubtful in a property that had not been looked at, as it lay on the device."""
        for doubtful in () if self.judge is None else self.judge({name: cells}):
            warn(in_a_line(doubtful), doubtful)

    def summary(self, name: str) -> Summary:
        """Count, sum, least and greatest of a property, which is brought down for this."""
        return summarised(self.on_host(name), self.types[name].element)

    def to_json(self) -> dict[str, Any]:
        """One object of the command line's schema; INF and what is not a number are spelt as strings."""
        graph, mapped = self.graph, dict(self.estimate.mapped)
        chunks = {"chunks": self.bytes.chunks} if self.bytes.chunks else {}
        return {
            "schema": SCHEMA,
            "program": self.program,
            "function": self.function,
            "graph": {"nodes": graph.num_nodes, "arcs": graph.num_arcs, "directed": graph.directed},
            "target": self.target,
            "device": self.device,
            "returned": _plain(shown.by_name(self.returned, self.returned_types)),
            "properties": {name: self.summary(name).to_json() for name in self.properties},
            "seconds": self.seconds.to_json(),
            "bytes": {"up": self.bytes.up, "down": self.bytes.down, "mapped": mapped, **chunks},
            "validated": self.validated,
            "warnings": [warning.to_json() for warning in self.warnings],
            **({} if self.trace is None else {"trace": self.trace.to_json()}),
            **({} if self.parts is None else {"parts": self.parts.to_json()}),
        }


def summarised(cells: Cells, kind: Scalar) -> Summary:
    """The summary of cells of that type; sums of whole numbers are exact, of reals in double precision."""
    if cells.dtype.kind == "O" and not all(isinstance(cell, int) for cell in cells):
        return Summary(kind.value, len(cells), sum(cell is not None for cell in cells), None, None, None)
    finite = histogram.finite_values(cells, kind)
    if not len(finite):
        return Summary(kind.value, len(cells), 0, 0.0 if kind.is_real else 0, None, None)
    least, greatest = finite.min(), finite.max()
    if kind.is_real:
        total: int | float = float(finite.sum(dtype=np.float64))
        return Summary(kind.value, len(cells), len(finite), total, float(least), float(greatest))
    return Summary(kind.value, len(cells), len(finite), _exact_sum(finite), int(least), int(greatest))


def _exact_sum(cells: Cells) -> int:
    """64-bit numbers in two halves, so that 2^31 of them cannot overflow."""
    if cells.dtype.kind == "O":
        return sum(cells.tolist())
    whole = cells.astype(np.int64)
    return (int((whole >> 32).sum()) << 32) + int((whole & 0xFFFFFFFF).sum())


class NoSuchResultError(DiagnosticError, KeyError):
    """A property that a run did not bring back: a `KeyError` too, as of any mapping."""

    __str__ = Exception.__str__


def wanted_of(known: Mapping[str, Found], results: Iterable[str] | None) -> dict[str, Found]:
    """Those of the known results that are asked for, by default all. Raises E0710: there is no such result."""
    wanted = list(known if results is None else results)
    for name in wanted:
        if name not in known:
            raise no_such_result(name, known)
    return {name: known[name] for name in wanted}


def no_such_result(name: str, known: Mapping[str, object]) -> DiagnosticError:
    """E0710."""
    message = f"there is no result '{name}'"
    listed = "the results are: " + ", ".join(known) if known else "this program has no property among its parameters"
    suggestion = did_you_mean(name, known)
    return NoSuchResultError(Diagnostic("E0710", message, help=f"{suggestion} {listed}" if suggestion else listed))


def _plain(value: Any) -> Any:
    """JSON has no infinities; several values are a list, as a list is."""
    if isinstance(value, tuple | list):
        return list(map(_plain, value))
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"
    return value
