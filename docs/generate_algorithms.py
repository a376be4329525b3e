"""Writes `docs/algorithms.md`, the table of the library, from the programs: `python docs/generate_algorithms.py`."""

from __future__ import annotations

from collections import defaultdict
from inspect import Parameter
from pathlib import Path

from starplat import algorithms
from starplat.algorithms.algorithm import Algorithm
from starplat.resources import shipped_programs

PAGE = Path(__file__).with_name("algorithms.md")
OPENING = """# Algorithms

Every program that ships with starplat is a function of a graph, in Python and on the command line:

```python
import networkx as nx
import starplat

G = nx.Graph()
G.add_weighted_edges_from([("Ann", "Bob", 2), ("Bob", "Cid", 1), ("Cid", "Ann", 4), ("Cid", "Dan", 3)])

result = starplat.pagerank(G, damping=0.9)
assert max(result.to_dict("rank").items(), key=lambda item: item[1])[0] == "Cid"
assert starplat.sssp(G, src="Ann").to_dict("dist") == {"Ann": 0, "Bob": 2, "Cid": 3, "Dan": 6}
```

```sh
starplat run pagerank -g liechtenstein -a damping=0.9
```

`G` is whatever [`run`](python.md) takes: the path of a file, arrays, a data frame, a graph of NetworkX or SciPy. Nodes
go and come by the names that `G` has for them. Options of `run` (`target="opencl"`, `results=["rank"]`) stand beside
the program's own parameters, which `help(starplat.pagerank)` explains. `starplat show pagerank` prints the program,
`starplat new my.sp --from pagerank` copies it out to be changed.
"""
CLOSING = """## Louvain's method

`local_moving` is its first level. On the next, communities are nodes, and the weight within one is a loop:

```python
import numpy as np
from scipy import sparse


def louvain(matrix):
    community = np.arange(matrix.shape[0])
    while True:
        level = starplat.local_moving(matrix)
        names, label = np.unique(level["community"], return_inverse=True)
        community = label[community]
        if len(names) == matrix.shape[0]:
            return community, level.returned
        gather = sparse.csr_array((np.ones(len(label)), (label, np.arange(len(label)))))
        matrix = gather @ matrix @ gather.T


club = nx.karate_club_graph()
community, modularity = louvain(nx.to_scipy_sparse_array(club, dtype=float))
sets = [{v for v in club if community[v] == c} for c in range(community.max() + 1)]
assert np.isclose(modularity, nx.community.modularity(club, sets)) and modularity > 0.42
```

`connected_parts` then makes a community of every part of one, as Leiden's method has them.
"""
EXAMPLES = {
    "paths": "bfs bfs_levels radii sssp sssp_two_flags",
    "centrality": "betweenness betweenness_push closeness degree_centrality pagerank",
    "components": "connected_components strongly_connected_components",
    "communities": "label_propagation",
    "links": "clustering_coefficient triangle_count",
    "cores": "k_core",
    "trees": "minimum_spanning_tree",
    "coverings": "graph_coloring maximal_independent_set vertex_cover",
}
"""Which family the programs in `examples/` belong to."""
GIVEN = {"SetN": '["Ann", "Dan"]', "int": "3", "float": "0.5", "bool": "True"} | {
    "updates": '[("a", "Ann", "Dan", 5), ("d", "Ann", "Bob")]'
}
"""What the table's calls give for a parameter without a default, by its type; nodes have names of their own."""


def page() -> str:
    """The whole page."""
    tables = [line for family in sorted(families().items()) for line in section(*family)]
    return "\n".join([OPENING, *tables, CLOSING])


def families() -> dict[str, list[str]]:
    """The names of the programs by family."""
    found: dict[str, list[str]] = defaultdict(list)
    of_examples = {name: family for family, names in EXAMPLES.items() for name in names.split()}
    for name, path in shipped_programs().items():
        found[of_examples.get(name, path.parent.name)].append(name)
    return found


def section(family: str, names: list[str]) -> list[str]:
    """A family's table."""
    rows = [f"| `{call(name)}` | {getattr(algorithms, name).purpose} |" for name in names]
    return [f"## {family.capitalize()}", "", "| Call | What it computes |", "|---|---|", *rows, ""]


def call(name: str) -> str:
    """The shortest call of a program: with what has no default."""
    algorithm: Algorithm = getattr(algorithms, name)
    needed = [p for p in algorithm.parameters[1:] if p.default is Parameter.empty]
    nodes = iter(('"Ann"', '"Dan"'))
    given = [f"{p.name}={GIVEN.get(getattr(p.annotation, '__name__', p.annotation)) or next(nodes)}" for p in needed]
    return f"{name}({', '.join(['G', *given])})"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
