"""The `Graph` class: compressed rows of arcs, optional weights, and the node ids of its file.

Nodes are 0..n-1 inside; `ids` or `index_base` lead back to the file's own names for them. An undirected graph holds
both arcs of every edge; a self loop of it is one arc.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from starplat.graph import csr, errors
from starplat.graph.csr import Nodes, Offsets, Reverse, Rows, Weights
from starplat.graph.ids import ABSENT, Counted, Labelled, Listed, Names, names_of

MAX_NODES = 2**31 - 1

SEARCHED = 100_000
"""Labels among which one is sought that is spelt almost like another."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A multigraph in compressed rows; arcs are sorted by source, then destination.

    Attributes:
        row_offsets: int64[n+1]; the arcs of node v are numbers row_offsets[v] up to row_offsets[v+1].
        columns: int32[m], the destination of every arc, ascending in each row.
        weights: [m] of int32, int64 or float64; None says that the graph is unweighted, every weight being 1.
        directed: False promises that every arc has its partner in the other direction.
        ids: what the input calls each node, [n], none twice: int64 or uint64 in any order, or objects (names, tuples);
            None when that is node + index_base.
        name: what messages call the graph.
        index_base: the file's id of node 0 where `ids` is None.
        format: the format that it was read from, in words; empty when it was made in memory.
        expanded: whether reading it added the other direction of edges that its file lists once.
        kept: whether it came from the cache of graphs, its file having been read before.
        in_pieces: whether it is mapped from a file by several processes, which look at a piece of its arcs each.
        piece: of a part of a run, the nodes whose rows it is to hold: from the first up to the second; None: all.
    """

    row_offsets: Offsets
    columns: Nodes
    weights: Weights | None = None
    directed: bool = True
    ids: NDArray[Any] | None = None
    name: str = "graph"
    index_base: int = 0
    format: str = ""
    expanded: bool = False
    kept: bool = False
    in_pieces: bool = False
    piece: tuple[int, int] | None = None

    @classmethod
    def from_arcs(
        cls,
        n: int,
        source: ArrayLike,
        destination: ArrayLike,
        weights: ArrayLike | None = None,
        *,
        directed: bool = True,
        ids: NDArray[Any] | None = None,
        name: str = "graph",
        index_base: int = 0,
        format: str = "",
    ) -> Graph:
        """The graph of `n` nodes with these arcs, in any order; `directed=False` adds what is missing of the other way.

        Raises:
            DiagnosticError: arrays of different lengths, or an end outside 0..n-1.
        """
        tails, heads = node_array(n, source), node_array(n, destination)
        values = None if weights is None else as_weights(np.asarray(weights))
        if len(tails) != len(heads) or (values is not None and len(values) != len(tails)):
            raise errors.wrong_arguments("sources, destinations and weights of arcs must be equally many")
        rows = csr.compressed(n, tails, heads, values) if directed else csr.closed_both_ways(n, tails, heads, values)
        expanded = not directed and len(rows.columns) > len(tails)
        return cls(rows.row_offsets, rows.columns, rows.weights, directed, ids, name, index_base, format, expanded)

    @property
    def num_nodes(self) -> int:
        """n, the number of nodes."""
        return len(self.row_offsets) - 1

    @property
    def num_arcs(self) -> int:
        """m, the number of arcs; an edge of an undirected graph is two of them, a loop of it one."""
        return len(self.columns)

    @cached_property
    def reverse(self) -> Reverse:
        """Incoming arcs: row_offsets int64[n+1], columns int32[m] (sources, ascending), arc_ids int64[m]."""
        return csr.reversed_rows(self.row_offsets, self.columns)

    @cached_property
    def sources(self) -> Nodes:
        """The source of every arc, int32[m]."""
        return csr.sources_of(self.row_offsets)

    def with_rows_of(self, first: int, end: int) -> Graph:
        """This graph, for devices that hold only the rows of nodes `first` up to `end`; the same object every time."""
        if (first, end) not in self._pieces:
            made = replace(self, piece=(first, end))
            made.__dict__["names"] = self.names
            self._pieces[first, end] = made
        return self._pieces[first, end]

    @cached_property
    def _pieces(self) -> dict[tuple[int, int], Graph]:
        return {}

    def slots_of_piece(self, *, incoming: bool = False) -> slice:
        """The slots of the rows that a device holds; `incoming`: of the rows into nodes."""
        if self.piece is None:
            return slice(0, self.num_arcs)
        offsets = self.reverse.row_offsets if incoming and self.directed else self.row_offsets
        return slice(*(int(offsets[node]) for node in self.piece))

    def sources_within(self, first: int, end: int) -> Nodes:
        """The sources of the arcs that leave the nodes from the first up to the second."""
        return csr.sources_of(self.row_offsets[first : end + 1]) + np.int32(first)

    @cached_property
    def out_degrees(self) -> NDArray[np.int64]:
        """The number of arcs that leave each node, int64[n]."""
        return np.diff(self.row_offsets)

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether every arc has a partner in the other direction with the same weight."""
        return csr.same_both_ways(self._rows)

    def undirected(self) -> Graph:
        """This graph with both arcs of every edge: the smallest symmetric one that holds all its arcs."""
        if not self.directed:
            return self
        if self.is_symmetric:
            return replace(self, directed=False)
        rows = csr.closed_both_ways(self.num_nodes, self.sources, self.columns, self.weights)
        return replace(self._with(rows), directed=False, expanded=True)

    def without_loops(self) -> Graph:
        """This graph less its arcs from a node to itself."""
        return self._with(csr.select(self._rows, self.sources != self.columns))

    def deduplicated(self) -> Graph:
        """This graph with one arc of every set of parallel arcs, the lightest."""
        return self._with(csr.lightest(self._rows))

    def with_weights(self, weights: ArrayLike | None) -> Graph:
        """This graph with other weights, one for every arc; None makes it unweighted."""
        values = None if weights is None else as_weights(np.asarray(weights))
        if values is not None and len(values) != self.num_arcs:
            raise errors.wrong_arguments(f"{len(values)} weights were given for {self.num_arcs} arcs")
        return replace(self, weights=values)

    def with_unit_weights(self) -> Graph:
        """This graph with an explicit weight of 1 on every arc."""
        return replace(self, weights=np.ones(self.num_arcs, np.int32))

    def with_random_weights(self, low: int, high: int, seed: int = 1) -> Graph:
        """This graph with weights low..high, both included; the same for both directions of an edge.

        A weight depends on its seed and the two ends alone, so the order of a file does not matter.
        """
        require_range(low, high, seed)
        tail, head = self.sources, self.columns
        if not self.directed:
            tail, head = np.minimum(tail, head), np.maximum(tail, head)
        keys = _mixed(tail.astype(np.uint64) << np.uint64(32) | head.astype(np.uint64), seed)
        drawn = (keys % np.uint64(high - low + 1)).astype(np.int64) + low
        return replace(self, weights=as_weights(drawn))

    @cached_property
    def names(self) -> Names:
        """What the input calls the nodes, and the way back."""
        return names_of(self.ids, self.index_base, self.num_nodes)

    def original_id(self, node: int) -> Any:
        """What the input calls a node: an int, a name, whatever it was."""
        return self.names.of(node)

    @cached_property
    def original_ids(self) -> NDArray[Any]:
        """What the input calls each node, [n]: int64, uint64 or objects."""
        return self.names.all

    def node_of(self, original_id: Any) -> int:
        """The node that the input calls `original_id`.

        Raises:
            DiagnosticError: E0816, no node has this id.
        """
        if (node := self.names.node_of(original_id)) == ABSENT:
            raise errors.no_such_node(self.name, original_id, self.ids_there, self._nearest_id(original_id))
        return node

    @property
    def ids_there(self) -> str:
        """What messages say of the ids."""
        if not self.num_nodes:
            return "the graph has no nodes"
        if self.id_range is None:
            return f"its ids are such as {self.original_id(0)!r}"
        return f"its ids lie in {self.id_range[0]}..{self.id_range[1]}"

    def _nearest_id(self, id: Any) -> str | None:
        """A hint for a label that is spelt almost like one of the graph's, or like it but for its type."""
        if self.id_range is not None or self.num_nodes > SEARCHED:
            return None
        labels = {str(label): label for label in reversed(self.original_ids.tolist())}
        near = difflib.get_close_matches(str(id), labels, 1)
        return f"did you mean {labels[near[0]]!r}?" if near else None

    @property
    def id_range(self) -> tuple[int, int] | None:
        """The lowest and the highest original id; None for a graph without nodes, or with ids that are no numbers."""
        match self.names:
            case _ if not self.num_nodes:
                return None
            case Counted(first, n):
                return first, first + n - 1
            case Listed(ids):
                return int(ids.min()), int(ids.max())
            case Labelled():
                return None

    def __repr__(self) -> str:
        return f"<Graph {self.describe()}>"

    def draw(self, values: ArrayLike | None = None) -> Any:
        """A picture of a small graph: matplotlib's axes.

        Args:
            values: a number for every node, [n], which colours it; INF and what is not finite is grey.

        Raises:
            DiagnosticError: E0813, matplotlib or NetworkX is not installed; E0817, there are not n numbers; E0818, it
                has more than 300 nodes.
        """
        from starplat.graph.drawing import drawn

        given = None if values is None else np.asarray(values)
        return drawn(self.names, self._rows, given, directed=self.directed)

    def describe(self) -> str:
        """The line that says what was read."""
        return f"{self.name}: " + ", ".join(part for part in self._parts() if part)

    def _parts(self) -> list[str]:
        arcs = f"{self.num_arcs:,} arc{'s' * (self.num_arcs != 1)}"
        both = " (both directions of every edge, the missing ones added)" if self.expanded else ""
        return [
            self.format,
            "directed" if self.directed else "undirected",
            f"{self.num_nodes:,} node{'s' * (self.num_nodes != 1)}",
            arcs + (both or " (both directions of every edge)" * (not self.directed)),
            self._weights_in_words(),
            self._ids_in_words(),
            "from the cache" if self.kept else "",
        ]

    def _weights_in_words(self) -> str:
        if self.weights is None:
            return "unweighted"
        if not len(self.weights) or self.in_pieces:
            return f"weights {self.weights.dtype}"
        return f"weights {self.weights.dtype} {self.weights.min()}..{self.weights.max()}"

    def _ids_in_words(self) -> str:
        if not self.num_nodes:
            return ""
        if self.id_range is None:
            return f"ids such as {self.original_id(0)!r}"
        first, last = self.id_range
        return f"ids {first}..{last}" + (" with gaps" if last - first + 1 != self.num_nodes else "")

    @property
    def _rows(self) -> Rows:
        return Rows(self.row_offsets, self.columns, self.weights)

    def _with(self, rows: Rows) -> Graph:
        return replace(self, row_offsets=rows.row_offsets, columns=rows.columns, weights=rows.weights)


def as_weights(values: NDArray[Any]) -> Weights:
    """Integers as int32 where they fit and int64 where not, everything else as float64."""
    if values.dtype == np.bool_:
        return values.astype(np.int32)
    if values.dtype.kind == "u" and values.size and int(values.max()) >= 2**63:
        return values.astype(np.float64)
    if values.dtype.kind in "iu":
        fits = not values.size or (int(values.min()) >= -(2**31) and int(values.max()) < 2**31)
        return np.ascontiguousarray(values, np.int32 if fits else np.int64)
    if values.dtype.kind != "f":
        raise errors.wrong_arguments(f"weights must be numbers, not {values.dtype}")
    real = np.ascontiguousarray(values, np.float64)
    if not np.isfinite(real).all():
        raise errors.wrong_arguments("weights must be finite numbers")
    return real


def node_array(n: int, nodes: ArrayLike) -> Nodes:
    """Ends of arcs of a graph of n nodes, int32.

    Raises:
        DiagnosticError: E0811, n is too large; E0817, they are no integers 0..n-1.
    """
    if n > MAX_NODES:
        raise errors.too_many_nodes("the graph", n)
    array = np.asarray(nodes)
    if array.size == 0:
        return np.zeros(0, np.int32)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise errors.wrong_arguments("ends of arcs must be one-dimensional arrays of integers")
    low, high = int(array.min()), int(array.max())
    if low < 0 or high >= n:
        raise errors.wrong_arguments(f"ends of arcs must lie in 0..{n - 1}, but {low if low < 0 else high} was given")
    return np.ascontiguousarray(array, np.int32)


def require_range(low: int, high: int, seed: int) -> None:
    """Refuses what no random weights can be drawn from.

    Raises:
        DiagnosticError: E0817, the range is empty, or a number is too large.
    """
    if low > high:
        raise errors.wrong_arguments(f"random weights need a lowest weight up to the highest, not {low}..{high}")
    if low < -(2**62) or high > 2**62 or not 0 <= seed < 2**63:
        raise errors.wrong_arguments("random weights lie within -2^62..2^62, and their seed within 0..2^63-1")


def _mixed(keys: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """SplitMix64's output function (Steele, Lea, Flood 2014) of every key, started from the seed."""
    with np.errstate(over="ignore"):
        mixed = keys + np.uint64((seed * 0x9E3779B97F4A7C15) % 2**64)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
