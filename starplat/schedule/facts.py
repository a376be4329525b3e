"""Facts of a graph that scheduling may use."""

from dataclasses import asdict, dataclass
from typing import Any

EVEN = 4
"""How many times the mean degree the largest may be where degrees count as even."""

FAR = 2**20
"""Nodes between the ends of an arc from which what one end has is probably not cached when the other is looked at."""

SHORT_ROW = 8
"""The most arcs of a node of which a thread should add up all by itself, if they are half as many in the mean."""

LONG_ROW, MANY_NODES = 128, 2**14
"""Arcs from which on threads that share a node's row have several each, and nodes from which on that may be known."""

MANY_SHORT_ROWS = 2**17
"""Nodes from which on threads have several."""

STREAMED_ARCS, STREAMED_FAR = 2**24, 0.5
"""Arcs, and the share of them between distant nodes, from which arcs should leave the caches to what nodes have."""

MOST_OWN_CELLS = 2**22
"""The most nodes of a graph for which every thread has an array with a cell for each."""


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """Counts of a graph; `max_degree` is of arcs that leave or enter a node; `symmetric` says that every arc is known
    to have its reverse. `far_arcs` is the share of arcs whose ends have numbers far apart (see `FAR`), as far as some
    of them tell. `thin_levels` says that a breadth-first search was found to take very many levels for so few arcs, as
    on roads; only loops over sources on CPUs ask for that."""

    num_nodes: int
    num_arcs: int
    max_degree: int
    symmetric: bool = False
    far_arcs: float = 0.0
    thin_levels: bool = False

    @property
    def mean_degree(self) -> float:
        """Arcs for each node."""
        return self.num_arcs / self.num_nodes if self.num_nodes else 0.0

    @property
    def has_even_rows(self) -> bool:
        """Whether no node has many times as many arcs as the mean."""
        return self.max_degree <= EVEN * self.mean_degree

    @property
    def has_short_rows(self) -> bool:
        """Whether a thread may add up the arcs of a node, of which there are enough for all threads."""
        return self.num_nodes >= MANY_SHORT_ROWS and self.max_degree <= SHORT_ROW and self.mean_degree <= SHORT_ROW / 2

    @property
    def has_long_rows(self) -> bool:
        """Whether some node has so many arcs that threads share them, with several for each."""
        return self.max_degree > LONG_ROW and self.num_nodes >= MANY_NODES

    @property
    def outgrows_caches(self) -> bool:
        """Whether no cache holds all arcs, of which many lead far; every thread has several nodes then."""
        return self.num_arcs >= STREAMED_ARCS and self.far_arcs >= STREAMED_FAR

    def __str__(self) -> str:
        degrees = f"mean degree {self.mean_degree:.2f}, largest {self.max_degree:,}"
        return f"{self.num_nodes:,} nodes, {self.num_arcs:,} arcs ({degrees})"

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "mean_degree": self.mean_degree}
