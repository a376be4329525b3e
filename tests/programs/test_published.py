"""What other people published about real graphs.

The small ones are in `tests/data`, the others in `../shared/data`; a test skips where its graph is absent.
"""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import starplat
from starplat import Program
from starplat.graph import Graph, read
from tests import oracles
from tests.oracles import INF
from tests.programs.cases import EXAMPLES, close, inside, same
from tests.programs.targets import Target, compiled, every_device, every_target

SHIPPED = Path(__file__).parents[1] / "data"
COLLECTION = Path(__file__).parents[3] / "shared" / "data"
campaign = pytest.mark.campaign


def found(name: str) -> Path:
    """A file of the project's own data, else of the collection."""
    for path in (SHIPPED / name, COLLECTION / name):
        if path.exists():
            return path
    pytest.skip(f"{name} is not in ../shared/data")


@cache
def graph(name: str, **options: Any) -> Graph:
    """A graph, read once."""
    return read(found(name), **options)


def text(name: str) -> str:
    """A text, unpacked."""
    path = found(name)
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")


def example(name: str) -> Program:
    return compiled(EXAMPLES / f"{name}.sp")


def by_node(graph: Graph, lines: str) -> NDArray[np.float64]:
    """A published answer, one `id value` a line, in the order of the graph's nodes."""
    table = [line.split() for line in lines.splitlines() if line[:1].isdigit()]
    values = {int(node): float(value) for node, value in table}
    return np.array([values[node] for node in graph.original_ids.tolist()])


def as_levels(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """INF for what cannot be reached, which is the largest long integer or infinity in LDBC's files."""
    return np.where(values < INF, values, INF).astype(np.int64)


def same_partition(found: NDArray[Any], expected: NDArray[Any]) -> None:
    same(oracles.smallest_members(found), oracles.smallest_members(expected))


# --- LDBC Graphalytics ---------------------------------------------------------------------------------------------

LDBC_GRAPHS = {"example-directed": 1, "example-undirected": 2}  # with the source of searches
every_ldbc_graph = pytest.mark.parametrize("name", LDBC_GRAPHS)


def ldbc(name: str, answer: str) -> tuple[Graph, NDArray[np.float64]]:
    """One of LDBC's examples and its reference output."""
    loaded = graph(f"ldbc/{name}.e")
    return loaded, by_node(loaded, text(f"ldbc/{name}-{answer}"))


def with_real_weights(program: str) -> Program:
    """The example with `double` in the place of `int`."""
    source = (EXAMPLES / f"{program}.sp").read_text(encoding="utf-8")
    return starplat.compile(re.sub(r"(propNode|propEdge)<int>", r"\1<double>", source))


@every_target
@every_ldbc_graph
class TestLDBC:
    def test_bfs(self, name: str, target: Target) -> None:
        loaded, expected = ldbc(name, "BFS")
        same(target.run(example("bfs"), loaded, {"src": LDBC_GRAPHS[name]})["level"], as_levels(expected))

    @pytest.mark.parametrize("spelling", ["sssp", "sssp_two_flags"])
    def test_sssp(self, name: str, target: Target, spelling: str) -> None:
        loaded, expected = ldbc(name, "SSSP")
        close(target.run(with_real_weights(spelling), loaded, {"src": LDBC_GRAPHS[name]})["dist"], expected)

    def test_pagerank(self, name: str, target: Target) -> None:
        loaded, expected = ldbc(name, "PR")
        rounds = {"damping": 0.85, "tolerance": 0.0, "max_iterations": 2}
        close(target.run(example("pagerank"), loaded, rounds)["rank"], expected)

    def test_connected_components(self, name: str, target: Target) -> None:
        loaded, expected = ldbc(name, "WCC")
        same_partition(target.run(example("connected_components"), loaded, {})["component"], expected)

    def test_label_propagation(self, name: str, target: Target) -> None:
        loaded, expected = ldbc(name, "CDLP")
        same(target.run(example("label_propagation"), loaded, {"iterations": 2})["label"], expected)

    def test_clustering_coefficient(self, name: str, target: Target) -> None:
        loaded, expected = ldbc(name, "LCC")
        close(target.run(example("clustering_coefficient"), loaded, {})["lcc"], expected)


# --- p2p-Gnutella31, from libgrape-lite: every edge both ways, searches from 6 --------------------------------------


def p2p(answer: str) -> tuple[Graph, NDArray[np.float64]]:
    loaded = graph("p2p-31/p2p-31.e.gz", undirected=True)
    return loaded, by_node(loaded, text(f"p2p-31/p2p-31-{answer}.gz"))


@every_device
class TestP2P:
    def test_bfs(self, target: Target) -> None:
        loaded, expected = p2p("BFS")
        same(target.run(example("bfs"), loaded, {"src": 6})["level"], as_levels(expected))

    @pytest.mark.parametrize("spelling", ["sssp", "sssp_two_flags"])
    def test_sssp(self, target: Target, spelling: str) -> None:
        loaded, expected = p2p("SSSP")
        same(target.run(example(spelling), loaded, {"src": 6})["dist"], as_levels(expected))

    def test_pagerank(self, target: Target) -> None:
        loaded, expected = p2p("PR")
        rounds = {"damping": 0.85, "tolerance": 0.0, "max_iterations": 10}
        close(target.run(example("pagerank"), loaded, rounds)["rank"], expected, 1e-12)

    def test_connected_components(self, target: Target) -> None:
        loaded, expected = p2p("WCC")
        same_partition(target.run(example("connected_components"), loaded, {})["component"], expected)

    def test_label_propagation(self, target: Target) -> None:
        loaded, expected = p2p("CDLP")
        same(target.run(example("label_propagation"), loaded, {"iterations": 10})["label"], expected)

    def test_strongly_connected_components(self, target: Target) -> None:
        loaded = graph("p2p-31/p2p-31.e.gz")
        found = target.run(example("strongly_connected_components"), loaded, {})["component"]
        same(inside(loaded, found), oracles.components(loaded, "strong"))
        assert np.bincount(inside(loaded, found)).max() == 14149  # SNAP's number


# --- shortest paths: SciPy's numbers, from the collection's README -------------------------------------------------

NY = "usa-road-NY/USA-road-d.NY.gr.gz"
SHORTEST_PATHS = [  # source, then how many are reached, the sum and the largest of distances and of levels
    (NY, 1, (264346, 186686642878, 1440081), (264346, 90771609, 619)),
    ("rome99/rome99.gr", 1, (3353, 116006476, 69102), (3353, 92781, 47)),
    ("osm-liechtenstein/liechtenstein.gr.gz", 1, (16809, 1793000995, 221389), (16809, 5581822, 689)),
    pytest.param(NY, 100001, (264346, 130656715456, 1142467), (264346, 74486588, 610), marks=campaign),
]
Summary = tuple[int, int, int]


def summary(values: NDArray[Any]) -> Summary:
    """How many are not INF, their sum and the largest."""
    finite = values[values < INF].astype(np.int64)
    return len(finite), int(finite.sum()), int(finite.max())


@every_device
@pytest.mark.parametrize(("name", "source", "lengths", "depths"), SHORTEST_PATHS)
def test_shortest_paths(name: str, source: int, lengths: Summary, depths: Summary, target: Target) -> None:
    loaded = graph(name)
    for spelling in ("sssp", "sssp_two_flags"):
        assert summary(target.run(example(spelling), loaded, {"src": source})["dist"]) == lengths
    assert summary(target.run(example("bfs"), loaded, {"src": source})["level"]) == depths


@campaign
@every_device
def test_bfs_on_florida(target: Target) -> None:
    level = target.run(example("bfs"), graph("usa-road-topology/FLA.gr.xz"), {"src": 1})["level"].astype(np.int64)
    assert (len(level), level.max(), level.sum()) == (1070376, 1920, 1206725808)


# --- triangles -----------------------------------------------------------------------------------------------------

TRIANGLES = [
    (NY, 6529),
    ("rome99/rome99.gr", 132),
    ("facebook/facebook_combined.txt.gz", 1612010),
    ("email-Eu-core/email-Eu-core.txt.gz", 105461),
    ("cit-HepTh/cit-HepTh.el.gz", 1478735),
    ("snap-ca/CA-GrQc.txt.gz", 48260),
    ("snap-ca/CA-HepPh.txt.gz", 3358499),
    ("as20/as20graph.txt.gz", 6584),
    ("wiki-Vote/wiki-Vote.txt.gz", 608389),
    ("p2p-31/p2p-31.e.gz", 2024),
    ("networkit/karate.graph", 45),
    ("networkit/lesmis.graph", 467),
    ("networkit/jazz.graph", 17899),
    ("networkit-input/PGPgiantcompo.graph.gz", 54788),
    ("networkit/power.graph", 651),
    ("networkit-input/polblogs.graph", 101043),
    ("networkit-input/4elt.graph.gz", 30269),
    ("networkit-input/airfoil1.graph", 8034),
    ("gunrock/chesapeake.mtx", 194),
    ("graphit/rmat10.el.gz", 74720),
    ("lagraph/karate.mtx", 45),
    ("lagraph/A.mtx", 11),
    ("lagraph/jagmesh7.mtx", 2016),
    ("lagraph/bcsstk13.mtx.gz", 342300),
    ("lagraph/tree-example.mtx", 0),
    pytest.param("usa-road-topology/FLA.gr.xz", 22327, marks=campaign),
    pytest.param("ego-twitter/ego-twitter-undirected.el.gz", 13082506, marks=campaign),
    pytest.param("cnr-2000/cnr-2000.graph-txt.gz", 20977629, marks=campaign),
]


@every_device
@pytest.mark.parametrize(("name", "count"), TRIANGLES)
def test_triangle_count(name: str, count: int, target: Target) -> None:
    assert target.run(example("triangle_count"), graph(name, undirected=True, dedup=True), {}).returned == count


# --- components, cores, ranks --------------------------------------------------------------------------------------

COMPONENTS = [  # the file; the largest component, weak and strong; how many there are, where the README says so
    ("osm-liechtenstein/liechtenstein.gr.gz", (16812, 16808), (19, 28)),
    ("wiki-Vote/wiki-Vote.txt.gz", (7066, 1300), None),
    ("email-Eu-core/email-Eu-core.txt.gz", (986, 803), None),
    ("cit-HepTh/cit-HepTh.el.gz", (27400, 7464), (143, 20086)),
    ("rome99/rome99.gr", (3353, 3353), (1, 1)),
    pytest.param("cnr-2000/cnr-2000.graph-txt.gz", (325557, 112023), (1, 100977), marks=campaign),
]


@every_device
@pytest.mark.parametrize(("name", "largest", "counts"), COMPONENTS)
def test_components(name: str, largest: tuple[int, int], counts: tuple[int, int] | None, target: Target) -> None:
    programs = (example("connected_components"), example("strongly_connected_components"))
    sizes = [np.bincount(inside(graph(name), target.run(p, graph(name), {})["component"])) for p in programs]
    assert tuple(int(size.max()) for size in sizes) == largest
    assert counts is None or tuple(int((size > 0).sum()) for size in sizes) == counts


def lagraph() -> dict[str, Any]:
    """The numbers in LAGraph's tests."""
    return json.loads(text("lagraph/lagraph-expected.json"))  # type: ignore[no-any-return]


@every_target
@pytest.mark.parametrize("name", ["LFAT5.mtx", "LFAT5_two.mtx", "ldbc-wcc-example.mtx", "karate.mtx"])
def test_lagraph_components(name: str, target: Target) -> None:
    labels = target.run(example("connected_components"), graph(f"lagraph/{name}"), {})["component"]
    assert len(np.unique(labels)) == lagraph()["connected_components"][name]


@every_target
@pytest.mark.parametrize("name", ["karate", "west0067"])
def test_lagraph_pagerank(name: str, target: Target) -> None:
    rank = target.run(example("pagerank"), graph(f"lagraph/{name}.mtx"), {"tolerance": 1e-9})["rank"]
    np.testing.assert_allclose(rank, lagraph()["pagerank"][f"{name}_rank"], atol=1e-4)


@every_target
@pytest.mark.parametrize("program", ["betweenness", "betweenness_push"])
def test_lagraph_betweenness(program: str, target: Target) -> None:
    loaded, expected = graph("lagraph/karate.mtx"), lagraph()["betweenness_from_sources"]
    sources = [loaded.original_id(int(node)) for node in expected["karate_sources"]]
    found = target.run(example(program), loaded, {"sources": sources})["bc"]
    np.testing.assert_allclose(found, expected["karate_bc"], rtol=1e-4)


@every_target
def test_lagraph_core(target: Target) -> None:
    assert target.run(example("k_core"), graph("lagraph/karate.mtx"), {})["core"].max() == 4


@every_device
def test_p2p_three_core(target: Target) -> None:
    core = target.run(example("k_core"), graph("p2p-31/p2p-31.e.gz", undirected=True), {})["core"]
    assert (core >= 3).sum() == 24222


# --- betweenness ---------------------------------------------------------------------------------------------------


@campaign
@every_device
@pytest.mark.parametrize("program", ["betweenness", "betweenness_push"])
def test_published_betweenness_of_rome(program: str, target: Target) -> None:
    """NetworkX's, normalised over ordered pairs."""
    loaded = graph("betweenness-nx/Road.el.gz", undirected=True)
    expected = by_node(loaded, text("betweenness-nx/betweenness_centrality_Road.txt.gz"))
    n = loaded.num_nodes
    found = target.run(example(program), loaded, {"sources": loaded.original_ids.tolist()})["bc"]
    close(found / ((n - 1) * (n - 2)), expected, 1e-9)


@campaign
@every_device
def test_published_betweenness_of_wiki_vote(target: Target) -> None:
    """Undirected, every pair once."""
    loaded = graph("wiki-Vote/wiki-Vote.txt.gz", undirected=True, dedup=True)
    expected = by_node(loaded, text("wiki-Vote/wiki-Vote-betweenness.txt.gz"))
    found = target.run(example("betweenness"), loaded, {"sources": loaded.original_ids.tolist()})["bc"]
    close(found / 2, expected, 1e-6)


# --- what can be verified on real graphs ---------------------------------------------------------------------------

REAL = ["rome99/rome99.gr", "facebook/facebook_combined.txt.gz", "cit-HepTh/cit-HepTh.el.gz"]


@every_device
@pytest.mark.parametrize("name", REAL)
class TestVerified:
    def test_coloring(self, name: str, target: Target) -> None:
        oracles.assert_coloring(graph(name), target.run(example("graph_coloring"), graph(name), {})["color"])

    def test_independent_set(self, name: str, target: Target) -> None:
        found = target.run(example("maximal_independent_set"), graph(name), {})["in_set"]
        oracles.assert_independent_and_maximal(graph(name), found)

    def test_vertex_cover(self, name: str, target: Target) -> None:
        oracles.assert_cover(graph(name), target.run(example("vertex_cover"), graph(name), {})["in_cover"])

    def test_spanning_tree(self, name: str, target: Target) -> None:
        result = target.run(example("minimum_spanning_tree"), graph(name), {})
        assert result.returned == oracles.tree_weight(graph(name))
        oracles.assert_spanning_forest(graph(name), result["in_tree"], result.returned)

    def test_parents(self, name: str, target: Target) -> None:
        loaded = graph(name)
        result = target.run(example("bfs"), loaded, {"src": loaded.original_id(0)})
        oracles.assert_parents(loaded, 0, oracles.levels(loaded, 0), inside(loaded, result["parent"]))


@every_device
def test_spanning_tree_of_new_york(target: Target) -> None:
    loaded = graph(NY)
    result = target.run(example("minimum_spanning_tree"), loaded, {})
    assert result.returned == oracles.tree_weight(loaded)
    oracles.assert_spanning_forest(loaded, result["in_tree"], result.returned)
