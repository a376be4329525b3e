"""Real graphs have the sizes that their publishers, and others who counted, give."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, dijkstra

from starplat.graph import Graph, read, statistics
from tests.graph.graphs import SHARED, needs_shared

pytestmark = needs_shared

COUNTS = [
    # file, nodes, arcs as stored here, loops, triangles, weakly connected components
    ("usa-road-NY/USA-road-d.NY.gr.gz", 264346, 733846, 0, 6529, 1),
    ("usa-road-topology/NY.gr.xz", 264346, 730100, 0, 6529, 1),
    ("usa-road-topology/FLA.gr.xz", 1070376, 2687902, 0, 22327, 1),
    ("rome99/rome99.gr", 3353, 8870, 0, 132, 1),
    ("osm-liechtenstein/liechtenstein.gr.gz", 16912, 34116, None, None, 19),
    ("facebook/facebook_combined.txt.gz", 4039, 88234, 0, 1612010, 1),
    ("wiki-Vote/wiki-Vote.txt.gz", 7115, 103689, 0, 608389, None),
    ("email-Eu-core/email-Eu-core.txt.gz", 1005, 25571, 642, 105461, None),
    ("cnr-2000/cnr-2000.graph-txt.gz", 325557, 3216152, 87442, None, 1),
    ("cit-HepTh/cit-HepTh.el.gz", 27770, 352807, 39, 1478735, 143),
    ("snap-ca/CA-GrQc.txt.gz", 5242, 28980, 12, 48260, 355),
    ("snap-ca/CA-HepPh.txt.gz", 12008, 237010, 32, 3358499, 278),
    ("as20/as20graph.txt.gz", 6474, 26467, 1323, 6584, 1),
    ("ego-twitter/ego-twitter-undirected.el.gz", 81306, 2684606, 14, None, 1),
    ("p2p-31/p2p-31.e.gz", 62586, 147892, 0, 2024, 12),
    ("networkit-input/polblogs.graph", 1490, 33430, None, 101043, None),
    ("networkit-input/4elt.graph.gz", 15606, 91756, 0, 30269, 1),
    ("networkit-input/airfoil1.graph", 4253, 24578, 0, 8034, 1),
    ("networkit-input/PGPgiantcompo.graph.gz", 10680, 48632, 0, 54788, 1),
    ("cugraph-datasets/netscience.mtx", 1589, 5484, 0, 3764, None),
    ("cugraph-datasets/polbooks.csv", 105, 882, 0, 560, 1),
    ("lagraph/bcsstk13.mtx.gz", 2003, None, None, 342300, None),
    ("lagraph/zenios.mtx.gz", 2873, None, None, None, 1391),
]


@pytest.mark.parametrize(("name", "n", "m", "loops", "triangles", "components"), COUNTS, ids=[row[0] for row in COUNTS])
def test_counts(
    name: str, n: int, m: int | None, loops: int | None, triangles: int | None, components: int | None
) -> None:
    graph = read(SHARED / name)
    assert graph.num_nodes == n
    assert m is None or graph.num_arcs == m
    assert loops is None or statistics(graph).loops == loops
    assert triangles is None or count_triangles(graph) == triangles
    assert components is None or connected_components(adjacency(graph), directed=False)[0] == components


def adjacency(graph: Graph) -> csr_array:
    ones = np.ones(graph.num_arcs, np.int64)
    return csr_array((ones, graph.columns, graph.row_offsets), shape=(graph.num_nodes, graph.num_nodes))


def count_triangles(graph: Graph) -> int:
    simple = graph.without_loops().with_weights(None).undirected().deduplicated()
    upper = adjacency(simple)
    degree_order = np.argsort(np.argsort(simple.out_degrees, kind="stable"))
    forward = degree_order[simple.sources] < degree_order[simple.columns]
    upper = csr_array(
        (np.ones(forward.sum(), np.int64), (simple.sources[forward], simple.columns[forward])), shape=upper.shape
    )
    return int((upper @ upper).multiply(upper).sum())


@pytest.mark.parametrize(
    ("name", "source", "reached", "total", "furthest"),
    [
        ("usa-road-NY/USA-road-d.NY.gr.gz", 1, 264346, 186686642878, 1440081),
        ("rome99/rome99.gr", 1, 3353, 116006476, 69102),
        ("osm-liechtenstein/liechtenstein.gr.gz", 1, 16809, 1793000995, 221389),
    ],
)
def test_shortest_distances(name: str, source: int, reached: int, total: int, furthest: int) -> None:
    graph = read(SHARED / name, dedup=True)
    n = graph.num_nodes
    matrix = csr_array((graph.weights, graph.columns, graph.row_offsets), shape=(n, n))
    distance = dijkstra(matrix, indices=graph.node_of(source))
    found = distance[np.isfinite(distance)]
    assert (len(found), int(found.sum()), int(found.max())) == (reached, total, furthest)


def test_every_lagraph_file_is_read_or_refused_with_a_reason() -> None:
    refused = {"mangled", "skew", "complex", "full", "empty", "comments_full", "lp_afiro", "sources_7"}
    refused |= {"matrix_fp", "matrix_uint64", "comments_west0067"}
    for path in sorted((SHARED / "lagraph").glob("*.mtx*")):
        if not path.name.startswith(tuple(refused)) or path.name.startswith("matrix_fp32_structure"):
            assert read(path).num_nodes > 0
