"""How a program of the library is called and how its answer is judged: by NetworkX, or from the definition.

A `Judged` is a row of a table in `judges/`, one table a family. Judges speak of NetworkX graphs and of the graph's own
ids; a result is a dictionary by node, or by arc `(u, v)`, in multigraphs `(u, v, k)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import networkx as nx
import numpy as np

from starplat import Graph, Result
from starplat.algorithms import program
from tests.programs.targets import Target

RETURNED = "returned"
Network = Any
Answer = Mapping[str, Any]
Arguments = dict[str, Any]


def directed(graph: Graph) -> Graph:
    """As it is."""
    return graph


def loopless(graph: Graph) -> Graph:
    """Directed or not, without loops."""
    return graph.without_loops()


def simple_directed(graph: Graph) -> Graph:
    """Without loops and parallel arcs."""
    return graph.without_loops().deduplicated()


def undirected(graph: Graph) -> Graph:
    """Both ways, without loops, perhaps with parallel edges."""
    return graph.without_loops().undirected()


def simple(graph: Graph) -> Graph:
    """Both ways, without loops and parallel edges."""
    return simple_directed(graph).undirected().deduplicated()


@dataclass(frozen=True)
class Judged:
    """A program and what must hold of its answers.

    Attributes:
        expected: of a network and the arguments, the results by name, the returned value as `RETURNED`.
        suits: makes any graph one that the program is defined on.
        calls: the arguments to try on a network.
        verify: judges an answer of which there may be several: (network, answer, **arguments).
    """

    program: str
    expected: Callable[..., Answer] | None = None
    suits: Callable[[Graph], Graph] = simple
    calls: Callable[[Network], Sequence[Arguments]] = lambda network: [{}]
    verify: Callable[..., None] | None = None

    def judge(self, graph: Graph, target: Target) -> None:
        """Runs the program on a graph and asserts that it is right."""
        network = network_of(graph)
        for arguments in self.calls(network):
            answer = answer_of(target.run(program(self.program), graph, arguments))
            try:
                if self.expected is not None:
                    same(answer, self.expected(network, **arguments))
                if self.verify is not None:
                    self.verify(network, answer, **arguments)
            except AssertionError as wrong:
                raise AssertionError(f"{self.program} on {graph.name} with {arguments}: {wrong}") from wrong


def answer_of(result: Result) -> Answer:
    """All results by name, and what was returned."""
    return {name: result.to_dict(name) for name in result} | {RETURNED: result.returned}


def same(answer: Answer, expected: Answer) -> None:
    """Every expected result is there, numbers within 1e-9."""
    for name, value in expected.items():
        found = answer[name]
        if isinstance(value, Mapping):
            assert found.keys() == value.keys(), name
            found = [found[key] for key in value]
        wanted = list(value.values()) if isinstance(value, Mapping) else value
        np.testing.assert_allclose(np.asarray(found, float), np.asarray(wanted, float), 1e-9, 1e-12, err_msg=name)


@cache
def network_of(graph: Graph) -> Network:
    """The graph in NetworkX: a multigraph if arcs are parallel, weights as `weight`, nodes by their ids."""
    arcs = list(zip(graph.sources.tolist(), graph.columns.tolist(), weights_of(graph), strict=True))
    many = len({(u, v) for u, v, _ in arcs}) < len(arcs)
    if graph.directed:
        network = nx.MultiDiGraph() if many else nx.DiGraph()
    else:
        network = nx.MultiGraph() if many else nx.Graph()
        arcs = [arc for arc in arcs if arc[0] <= arc[1]]
    ids = graph.original_ids.tolist()
    network.add_nodes_from(ids)
    network.add_weighted_edges_from((ids[u], ids[v], weight) for u, v, weight in arcs)
    return network


def weights_of(graph: Graph) -> list[float]:
    """The weight of every arc, 1 where the graph has none."""
    return np.ones(graph.num_arcs).tolist() if graph.weights is None else graph.weights.tolist()
