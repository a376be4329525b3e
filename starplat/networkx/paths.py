"""Shortest paths and their lengths, by breadth-first search, Dijkstra's and Bellman's and Ford's algorithms."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from functools import partial
from typing import Any

import networkx as nx

from starplat.networkx.network import Network
from starplat.networkx.registry import implements, needs_attribute
from starplat.networkx.searches import (
    ZERO_WEIGHTS,
    Search,
    and_then,
    by_bellman_ford,
    by_levels,
    by_weights,
    from_each,
    positive_weights,
)

Weight = Hashable | None
Lengths = dict[Any, Any]
Paths = dict[Any, list[Any]]
no_function = needs_attribute("weight")


def between_two_nodes(arguments: Mapping[str, Any]) -> str | None:
    """NetworkX searches from both ends, which decides between equally short paths."""
    two = arguments["source"] is not None and arguments["target"] is not None
    if two and (arguments["weight"] is None or arguments["method"] == "dijkstra"):
        return "which of several shortest paths between two nodes NetworkX finds depends on its search from both ends"
    return None


def against_arcs(arguments: Mapping[str, Any]) -> str | None:
    """The order of paths against the arcs is that of `G.pred`."""
    backwards = arguments["target"] is not None and arguments.get("source") is None
    if backwards and arguments["G"].is_directed():
        return "which of several shortest paths to a node NetworkX finds depends on the order of G.pred"
    return None


# --- counted in edges ------------------------------------------------------------------------------------------------


@implements()
def single_source_shortest_path_length(G: Network, source: Any, cutoff: float | None = None) -> Lengths:
    return _levels(G, source, f"Source {source} is not in G").lengths(_limit(cutoff))


@implements()
def single_target_shortest_path_length(G: Network, target: Any, cutoff: float | None = None) -> Lengths:
    _require(G, target, f"Target {target} is not in G")
    return by_levels(G, [G.node(target)], turned=True).lengths(_limit(cutoff))


@implements()
def single_source_shortest_path(G: Network, source: Any, cutoff: float | None = None) -> Paths:
    return _levels(G, source, f"Source {source} not in G").paths(_limit(cutoff))


@implements(against_arcs)
def single_target_shortest_path(G: Network, target: Any, cutoff: float | None = None) -> Paths:
    found = _levels(G, target, f"Target {target} not in G").paths(_limit(cutoff))
    return {source: path[::-1] for source, path in found.items()}


@implements(arcs=20_000)
def all_pairs_shortest_path_length(G: Network, cutoff: float | None = None) -> Iterator[tuple[Any, Lengths]]:
    return _from_all(G, None, lambda found: found.lengths(_limit(cutoff)))


@implements(arcs=20_000)
def all_pairs_shortest_path(G: Network, cutoff: float | None = None) -> Iterator[tuple[Any, Paths]]:
    return _from_all(G, None, lambda found: found.paths(_limit(cutoff)))


@implements()
def has_path(G: Network, source: Any, target: Any) -> bool:
    found = _levels(G, source, f"Source {source} is not in G")
    _require(G, target, f"Target {target} is not in G")
    return bool(found.reached[G.node(target)])


def _levels(G: Network, source: Any, absent: str = "") -> Search:
    _require(G, source, absent)
    return by_levels(G, [G.node(source)])


def _limit(cutoff: float | None) -> float | None:
    """NetworkX goes on while a level is less than the limit: 1.5 still lets level 2 in, and -1 the source."""
    if cutoff is None or cutoff == float("inf"):
        return None
    return max(-(-cutoff // 1), 0)


def _require(G: Network, node: Any, absent: str) -> None:
    if node not in G:
        raise nx.NodeNotFound(absent)


# --- Dijkstra --------------------------------------------------------------------------------------------------------


@implements(no_function, arcs=10_000)
def multi_source_dijkstra(
    G: Network, sources: Collection[Any], target: Any = None, cutoff: float | None = None, weight: Weight = "weight"
) -> Any:
    if target in sources and all(source in G for source in sources):
        return 0, [target]
    found = _dijkstra(G, sources, weight)
    if target is None:
        return found.lengths(cutoff), found.paths(cutoff)
    length = found.length(G.node(target)) if target in G else None
    if length is None or (cutoff is not None and length > cutoff):
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return length, found.path(G.node(target))


@implements(no_function, arcs=10_000)
def multi_source_dijkstra_path_length(
    G: Network, sources: Collection[Any], cutoff: float | None = None, weight: Weight = "weight"
) -> Lengths:
    return _dijkstra(G, sources, weight).lengths(cutoff)


@implements(no_function, arcs=10_000)
def multi_source_dijkstra_path(
    G: Network, sources: Collection[Any], cutoff: float | None = None, weight: Weight = "weight"
) -> Paths:
    return _dijkstra(G, sources, weight).paths(cutoff)


@implements(no_function, arcs=10_000)
def single_source_dijkstra(
    G: Network, source: Any, target: Any = None, cutoff: float | None = None, weight: Weight = "weight"
) -> Any:
    return multi_source_dijkstra(G, [source], target, cutoff, weight)


@implements(no_function, arcs=10_000)
def single_source_dijkstra_path_length(
    G: Network, source: Any, cutoff: float | None = None, weight: Weight = "weight"
) -> Lengths:
    return _dijkstra(G, [source], weight).lengths(cutoff)


@implements(no_function, arcs=10_000)
def single_source_dijkstra_path(
    G: Network, source: Any, cutoff: float | None = None, weight: Weight = "weight"
) -> Paths:
    return _dijkstra(G, [source], weight).paths(cutoff)


@implements(no_function, arcs=10_000)
def dijkstra_path_length(G: Network, source: Any, target: Any, weight: Weight = "weight") -> Any:
    _require(G, source, f"Node {source} not found in graph")
    if source == target:
        return 0
    return _length(G, _dijkstra(G, [source], weight), target, f"Node {target} not reachable from {source}")


@implements(no_function, arcs=10_000)
def dijkstra_path(G: Network, source: Any, target: Any, weight: Weight = "weight") -> list[Any]:
    path: list[Any] = multi_source_dijkstra(G, [source], target, None, weight)[1]
    return path


@implements(no_function, arcs=20_000)
def all_pairs_dijkstra(
    G: Network, cutoff: float | None = None, weight: Weight = "weight"
) -> Iterator[tuple[Any, tuple[Lengths, Paths]]]:
    return _from_all(G, weight, lambda found: (found.lengths(cutoff), found.paths(cutoff)))


@implements(no_function, arcs=20_000)
def all_pairs_dijkstra_path_length(
    G: Network, cutoff: float | None = None, weight: Weight = "weight"
) -> Iterator[tuple[Any, Lengths]]:
    return _from_all(G, weight, lambda found: found.lengths(cutoff), any_order=True)


@implements(no_function, arcs=20_000)
def all_pairs_dijkstra_path(
    G: Network, cutoff: float | None = None, weight: Weight = "weight"
) -> Iterator[tuple[Any, Paths]]:
    return _from_all(G, weight, lambda found: found.paths(cutoff))


def _length(G: Network, found: Search, target: Any, absent: str) -> Any:
    length = found.length(G.node(target)) if target in G else None
    if length is None:
        raise nx.NetworkXNoPath(absent)
    return length


def _dijkstra(G: Network, sources: Collection[Any], weight: Weight) -> Search:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        _require(G, source, f"Node {source} not found in graph")
    return by_weights(G, list(dict.fromkeys(G.nodes(sources))), weight)


def _from_all(
    G: Network, weight: Weight, answer: Callable[[Search], Any], *, any_order: bool = False
) -> Iterator[tuple[Any, Any]]:
    """The answer of a search from every node; what cannot be computed is refused before the first."""
    if not any_order and not positive_weights(G, weight).all():
        raise NotImplementedError(ZERO_WEIGHTS)
    searches = from_each(G, range(len(G)), weight)
    return ((label, answer(found)) for label, found in zip(G.labels, searches, strict=True))


# --- Bellman and Ford ------------------------------------------------------------------------------------------------


@implements(no_function, arcs=10_000)
def single_source_bellman_ford(G: Network, source: Any, target: Any = None, weight: Weight = "weight") -> Any:
    if source == target:
        _require(G, source, f"Node {source} is not found in the graph")
        return 0, [source]
    found = _bellman_ford(G, source, weight)
    if target is None:
        return found.lengths(), found.paths()
    if target not in G or not found.reached[G.node(target)]:
        raise nx.NetworkXNoPath(f"Target {target} cannot be reached from given sources")
    return found.length(G.node(target)), found.path(G.node(target))


@implements(no_function, arcs=10_000)
def single_source_bellman_ford_path_length(G: Network, source: Any, weight: Weight = "weight") -> Lengths:
    return _bellman_ford(G, source, weight).lengths()


@implements(no_function, arcs=10_000)
def single_source_bellman_ford_path(G: Network, source: Any, weight: Weight = "weight") -> Paths:
    paths: Paths = single_source_bellman_ford(G, source, None, weight)[1]
    return paths


@implements(no_function, arcs=10_000)
def bellman_ford_path_length(G: Network, source: Any, target: Any, weight: Weight = "weight") -> Any:
    if source == target:
        _require(G, source, f"Node {source} not found in graph")
        return 0
    return _length(G, _bellman_ford(G, source, weight), target, f"node {target} not reachable from {source}")


@implements(no_function, arcs=10_000)
def bellman_ford_path(G: Network, source: Any, target: Any, weight: Weight = "weight") -> list[Any]:
    path: list[Any] = single_source_bellman_ford(G, source, target, weight)[1]
    return path


@implements(no_function, arcs=20_000)
def all_pairs_bellman_ford_path_length(G: Network, weight: Weight = "weight") -> Iterator[tuple[Any, Lengths]]:
    G.numbers(weight)
    return ((label, _bellman_ford(G, label, weight).lengths()) for label in G.labels)


@implements(no_function, arcs=20_000)
def all_pairs_bellman_ford_path(G: Network, weight: Weight = "weight") -> Iterator[tuple[Any, Paths]]:
    """All are computed before the first is given: a tie anywhere is refused while NetworkX can still take the call. A
    cycle of negative weight is told where NetworkX tells it, when it comes to a node that reaches it."""
    found: list[tuple[Any, Paths]] = []
    for label in G.labels:
        try:
            found.append((label, single_source_bellman_ford_path(G, label, weight)))
        except nx.NetworkXUnbounded as error:
            return and_then(found, error)
    return iter(found)


def _bellman_ford(G: Network, source: Any, weight: Weight) -> Search:
    _require(G, source, f"Source {source} not in G")
    return by_bellman_ford(G, G.node(source), weight)


# --- whichever -------------------------------------------------------------------------------------------------------


@implements(no_function, between_two_nodes, against_arcs)
def shortest_path(
    G: Network, source: Any = None, target: Any = None, weight: Weight = None, method: str = "dijkstra"
) -> Any:
    one, all_pairs = _of_method(
        method, weight, (single_source_shortest_path, single_source_dijkstra_path, single_source_bellman_ford_path),
        (all_pairs_shortest_path, all_pairs_dijkstra_path, all_pairs_bellman_ford_path),
    )  # fmt: skip
    if source is not None and target is not None:
        return bellman_ford_path(G, source, target, weight)
    if source is not None:
        return one(G, source)
    if target is not None:
        return {start: path[::-1] for start, path in one(G, target).items()}
    return all_pairs(G)


@implements(no_function)
def shortest_path_length(
    G: Network, source: Any = None, target: Any = None, weight: Weight = None, method: str = "dijkstra"
) -> Any:
    one, all_pairs = _of_method(
        method, weight,
        (
            single_source_shortest_path_length, single_source_dijkstra_path_length,
            single_source_bellman_ford_path_length,
        ),
        (all_pairs_shortest_path_length, all_pairs_dijkstra_path_length, all_pairs_bellman_ford_path_length),
    )  # fmt: skip
    if source is not None and target is not None:
        return _length_between(G, source, target, weight, method)
    if source is not None:
        return one(G, source)
    if target is None:
        return all_pairs(G)
    if not G.is_directed():
        return one(G, target)
    if weight is None:
        _require(G, target, f"Source {target} is not in G")
        return single_target_shortest_path_length(G, target)
    if method == "dijkstra":
        _require(G, target, f"Node {target} not found in graph")
        return by_weights(G, [G.node(target)], weight, turned=True).lengths()
    _require(G, target, f"Source {target} not in G")
    return by_bellman_ford(G, G.node(target), weight, turned=True).lengths()


def _of_method(method: str, weight: Weight, one: tuple[Any, Any, Any], all_pairs: tuple[Any, Any, Any]) -> Any:
    """The functions for a method, with the weight given."""
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    if weight is None:
        return one[0], all_pairs[0]
    which = 1 if method == "dijkstra" else 2
    return partial(one[which], weight=weight), partial(all_pairs[which], weight=weight)


def _length_between(G: Network, source: Any, target: Any, weight: Weight, method: str) -> Any:
    if weight is not None:
        length = dijkstra_path_length if method == "dijkstra" else bellman_ford_path_length
        return length(G, source, target, weight)
    found = _levels(G, source, f"Source {source} is not in G")
    _require(G, target, f"Target {target} is not in G")
    if not found.reached[G.node(target)]:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.")
    return found.length(G.node(target))
