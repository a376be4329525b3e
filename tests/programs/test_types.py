"""The examples are right in every width: with `long` and real distances, and with `float` where they say `double`."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import starplat
from starplat import Program
from starplat.graph import generators
from tests import oracles
from tests.programs.cases import CASES, EXAMPLES, Case
from tests.programs.targets import REFERENCE, Target, every_device, every_target
from tests.zoo import ZOO

GRAPHS = ("random", "random-undirected", "random-dense", "parallel", "some-zero-weights", "unreachable", "star-in")
INFINITY = {"long": 2**63 - 1, "float": np.inf, "double": np.inf}


@cache
def in_other_types(program: str, **types: str) -> Program:
    """The example with other types in the place of some."""
    text = (EXAMPLES / f"{program}.sp").read_text(encoding="utf-8")
    return starplat.compile(re.sub(r"\b(int|long|double)\b", lambda word: types.get(word[0], word[0]), text))


@every_target
@pytest.mark.parametrize("kind", INFINITY)
@pytest.mark.parametrize("program", ["sssp", "sssp_two_flags"])
def test_shortest_paths(program: str, kind: str, target: Target) -> None:
    for graph in map(ZOO.__getitem__, (*GRAPHS, "heavy") if kind != "float" else GRAPHS):
        found = target.run(in_other_types(program, int=kind), graph, {"src": 0})["dist"]
        expected = oracles.distances(graph, 0)
        reached = np.isfinite(expected)
        np.testing.assert_array_equal(found[reached], expected[reached])
        np.testing.assert_array_equal(found[~reached], INFINITY[kind])


@every_target
@pytest.mark.parametrize("kind", ["long", "double"])
def test_levels(kind: str, target: Target) -> None:
    for graph in map(ZOO.__getitem__, GRAPHS):
        found = target.run(in_other_types("bfs", int=kind), graph, {"src": 0})["level"]
        expected = oracles.levels(graph, 0)
        np.testing.assert_array_equal(found[np.isfinite(expected)], expected[np.isfinite(expected)])


@every_target
@pytest.mark.parametrize("kind", ["long", "float", "double"])
def test_spanning_trees(kind: str, target: Target) -> None:
    for graph in map(ZOO.__getitem__, GRAPHS):
        result = target.run(in_other_types("minimum_spanning_tree", int=kind, long=kind), graph, {})
        assert result.returned == oracles.tree_weight(graph)


REAL = [case for case in CASES if "double" in case.path.read_text(encoding="utf-8")]


@pytest.mark.thin(plain=3)
@every_target
@pytest.mark.parametrize("case", REAL, ids=lambda case: case.program)
def test_single_precision(case: Case, target: Target) -> None:
    program = in_other_types(case.program, double="float")
    double = starplat.compile(case.path)
    for graph in map(case.suits, map(ZOO.__getitem__, GRAPHS[:3])):
        for call in case.calls(graph):
            rounds = {"tolerance": 0.0, "max_iterations": 30} if "tolerance" in call else call
            single, expected = target.run(program, graph, rounds), target.run(double, graph, rounds)
            for name in case.properties:
                assert single[name].dtype == np.float32
                np.testing.assert_allclose(single[name], expected[name], rtol=1e-4, atol=1e-6)


LEAST_OF_LONGS = """function least(Graph g, propNode<long> far, propNode<int> near, propNode<node> last) {
  int least = INF;
  int most = 0;
  node first = 7;
  g.attachNodeProperty(near = INF, last = 0);
  forall (v in g.nodes()) {
    least = Min(least, v.far);
    most = max(v.far, most);
    first = Min(first, v.far);
    forall (w in g.neighbors(v)) {
      w.near = Min(w.near, v.far);
      <w.last> = <Max(w.last, v.far)>;
    }
  }
  return first == -3 && most == INF ? least : 0;
}"""


@every_target
def test_an_int_takes_the_least_of_longs(target: Target) -> None:
    program = starplat.compile(LEAST_OF_LONGS)
    assert not program.warnings
    graph = generators.rmat(6, 8, seed=3)
    far = np.random.default_rng(1).permutation(graph.num_nodes).astype(np.int64) * 2**32 + 5
    far[::3] = np.arange(len(far[::3])) - 3
    near, last = np.full(graph.num_nodes, 2**31 - 1), np.zeros(graph.num_nodes, np.int64)
    np.minimum.at(near, graph.columns, far[graph.sources])
    np.maximum.at(last, graph.columns, far[graph.sources])
    result = target.run(program, graph, {"far": far})
    assert result.returned == -3
    np.testing.assert_array_equal(result["near"], near)
    np.testing.assert_array_equal(result["last"], np.minimum(last, 2**31 - 1))


DEEPEST = """function deepest(Graph g, propNode<int> level, node src) {
  int last = 0;
  g.attachNodeProperty(level = 0);
  iterateInBFS (v in g.nodes() from src) {
    forall (w in g.neighbors(v)) { w.level = v.level + 1; }
    last = v.level;
  }
  return last;
}
"""


@every_target
def test_a_scalar_that_every_node_of_a_level_sets_alike(target: Target) -> None:
    result = target.run(starplat.compile(DEEPEST), ZOO["chain"], {"src": 0})
    assert result.returned == 11


ADDITIONS = {
    "one": "v.far += 1;",
    "step": "v.far++;",
    "spelled out": "v.far = v.far + v.near;",
    "another": "v.far += v.near;",
    "infinite": "v.near += v.far; v.far = v.near;",
    "to neighbors": "forall (w in g.neighbors(v)) { w.far += v.near; }",
    "infinite, to neighbors": "forall (w in g.neighbors(v)) { w.near += v.far; }",
    "not infinite, to neighbors": "forall (w in g.neighbors(v).filter(far < INF)) { w.near += w.far; v.near += 2; }",
}


@pytest.mark.parametrize("kind", ["int", "long"])
@pytest.mark.parametrize("body", ADDITIONS.values(), ids=ADDITIONS)
@every_target
def test_what_is_added_to_infinity_leaves_it(target: Target, body: str, kind: str) -> None:
    program = starplat.compile(f"""
function f(Graph g, propNode<{kind}> far, propNode<{kind}> near, node src) {{
  g.attachNodeProperty(far = INF, near = 3);
  src.far = 7;
  forall (v in g.nodes()) {{ {body} }}
}}""")
    given = {"src": 1}
    expected = program.run(ZOO["complete"], checked=True, **given)
    found = target.run(program, ZOO["complete"], given)
    for name in ("far", "near"):
        assert found[name].tolist() == expected[name].tolist(), name


WRAPPING = """
function rises(int a) { return a + 1 > a; }

function wraps(Graph g, propNode<int> x, propNode<long> y, propNode<int> key, propNode<double> real,
               propNode<int> best, propNode<int> said, propNode<int> more, int most) {
  int low = -2147483647;
  forall (v in g.nodes()) {
    map<int, int> sums;
    for (w in g.neighbors(v)) { sums[w.key] += low - 1; }
    v.best = sums.best();
  }
  forall (v in g.nodes()) {
    int many = 0;
    int z = v.x;
    z += 1;
    for (w in g.neighbors(v)) { many += 1000000000; }
    v.said = (v.x + 1 > v.x ? 1 : 0) + (v.x - 1 < v.x ? 2 : 0) + (-v.x > 0 ? 4 : 0) + (v.y + 1 > v.y ? 8 : 0)
           + (z > v.x ? 16 : 0) + (many < 0 ? 32 : 0);
  }
  forall (v in g.nodes()) {
    int later = 0;
    int same = 0;
    for (w in g.neighbors(v)) {
      if (later + 1 > later) { same += 1; }
      later = w.x;
    }
    int above = max(v.x, 3);
    int product = v.x * v.key;
    int whole = int(v.real);
    v.more = (most + 1 > most ? 1 : 0) + (rises(v.x) ? 2 : 0) + (above + 1 > above ? 4 : 0)
           + (product + 1 > product ? 8 : 0) + (whole + 1 > whole ? 16 : 0) + 32 * same;
  }
}
"""


@every_device
def test_sums_wrap_around(target: Target) -> None:
    """Whether a sum has overflowed may be asked: no compiler answers as if it could not."""
    if target.target == "cuda":
        pytest.skip("NVIDIA's compiler has no option for signed sums that wrap around")
    graph, draw, program = ZOO["random"], np.random.default_rng(5), starplat.compile(WRAPPING)
    n = graph.num_nodes
    given = {
        "x": draw.choice(np.array([-(2**31), 2**31 - 1, 0, 5, -7], np.int32), n),
        "y": draw.choice(np.array([-(2**63), 2**63 - 1, 0, 5], np.int64), n),
        "key": draw.integers(0, 3, n).astype(np.int32),
        "real": draw.choice(np.array([1e30, 3.0, -5e20]), n),
        "most": 2**31 - 1,
    }
    found, expected = target.run(program, graph, given), REFERENCE.run(program, graph, given)
    for name in ("best", "said", "more"):
        np.testing.assert_array_equal(found[name], expected[name])
