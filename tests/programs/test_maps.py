"""Local maps hold what a dictionary would, on every target, for all types, on graphs of every kind."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

import starplat
from starplat import DiagnosticError, Graph, Program
from tests import oracles
from tests.backends.emulated import Machine, emulated
from tests.programs.cases import EXAMPLES
from tests.programs.targets import Target, every_target
from tests.zoo import ZOO

PROGRAM = """
function f(Graph g, propNode<{key}> key, propNode<{value}> amount,
           propNode<int> best, propNode<int> size, propNode<{value}> mine, propNode<long> order) {{
  forall (v in g.nodes()) {{
    map<{key}, {value}> sums;
    for (u in g.{row}(v)) {{
      sums[u.key] += u.amount;
    }}
    v.best = sums.best();
    v.size = sums.size();
    v.mine = sums[v.key];
    long seen = 7;
    for (k in sums) {{
      {value} sum = sums[k];
      seen = (seen * 31 + {number} + (sum > 2 ? 1 : 0)) % 1000003;
    }}
    v.order = seen;
  }}
}}
"""
ROWS = ("neighbors", "nodes_to", "inOutNbrs")
TYPES = (("int", "int"), ("int", "long"), ("node", "float"), ("int", "double"), ("bool", "int"))


@cache
def program(row: str, key: str, value: str) -> Program:
    number = "(k ? 1 : 0)" if key == "bool" else "k"
    return starplat.compile(PROGRAM.format(row=row, key=key, value=value, number=number))


def neighbors(graph: Graph, row: str, node: int) -> list[int]:
    out = graph.columns[graph.row_offsets[node] : graph.row_offsets[node + 1]].tolist()
    into = graph.sources[graph.columns == node].tolist()
    return {"neighbors": out, "nodes_to": into, "inOutNbrs": out + into}[row]


def numbers(graph: Graph, key: str) -> tuple[list[int], list[int]]:
    """Keys, some of them negative, and amounts, some of them negative, for every node."""
    random = np.random.default_rng(3)
    low, high = (0, 2) if key == "bool" else (-1, max(graph.num_nodes, 1)) if key == "node" else (-2, 6)
    return random.integers(low, high, graph.num_nodes).tolist(), random.integers(-1, 4, graph.num_nodes).tolist()


def expected(graph: Graph, row: str, keys: list[int], amounts: list[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {"best": [], "size": [], "mine": [], "order": []}
    for v in range(graph.num_nodes):
        sums: Counter[int] = Counter()
        for u in neighbors(graph, row, v):
            if keys[u] >= 0:
                sums[keys[u]] += amounts[u]
        found["best"].append(min(sums, key=lambda k: (-sums[k], k), default=-1))
        found["size"].append(len(sums))
        found["mine"].append(sums.get(keys[v], 0))
        seen = 7
        for k in sorted(sums):
            seen = (seen * 31 + k + (sums[k] > 2)) % 1000003
        found["order"].append(seen)
    return found


GRAPHS = (
    "empty",
    "one-node",
    "one-loop",
    "parallel",
    "parallel-undirected",
    "islands",
    "star-in",
    "both-ways",
    "random",
)


def check(target: Target, row: str, key: str, value: str, *, checked: bool = False) -> None:
    for name in GRAPHS:
        graph = ZOO[name]
        keys, amounts = numbers(graph, key)
        kind = {"float": np.float32, "double": np.float64, "long": np.int64}.get(value, np.int32)
        given = {
            "key": np.array(keys, dtype=bool if key == "bool" else np.int32),
            "amount": np.array(amounts, dtype=kind),
        }
        result = target.run(program(row, key, value), graph, {**given, **({"checked": True} if checked else {})})
        for what, cells in expected(graph, row, keys, amounts).items():
            np.testing.assert_array_equal(result[what], cells, err_msg=f"{what} on {name}")


@every_target
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize(("key", "value"), TYPES)
def test_a_map_holds_what_a_dictionary_would(row: str, key: str, value: str, target: Target) -> None:
    check(target, row, key, value)


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize(("key", "value"), TYPES)
def test_a_checked_run_does_too(row: str, key: str, value: str) -> None:
    check(Target("reference", "reference"), row, key, value, checked=True)


BEST = """
function f(Graph g, propNode<int> key, propNode<int> best) {{
  forall (v in g.nodes().filter(key != 3)) {{
    map<int, int> sums;
    {loop} (u in g.{row}(v)) {{
      if (u.key != 1) {{
        sums[u.key] += v - u;
      }}
    }}
    v.best = sums.best() + v;
  }}
}}
"""
MACHINES = (Machine(seed=1), Machine(2, 96, seed=2), Machine(5, 32, seed=3), Machine(1, 128, seed=4, limits=False))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: str(machine.threads))
@pytest.mark.parametrize("loop", ["host", "device"])
def test_blocks_count_votes_together(loop: str, machine: Machine) -> None:
    propagation = starplat.compile(EXAMPLES / "label_propagation.sp")
    for name in ("random", "random-dense", "star-in-undirected", "parallel", "one-loop", "empty"):
        with emulated(machine):
            found = propagation.run(ZOO[name], target="cuda", schedule=f"balance=edge,loop={loop}", iterations=3)
        np.testing.assert_array_equal(found["label"], oracles.communities(ZOO[name], 3), err_msg=name)


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("loop", ["for", "forall"])
def test_blocks_find_the_best_of_kept_nodes(loop: str, row: str) -> None:
    best = starplat.compile(BEST.format(loop=loop, row=row))
    for name in ("random", "random-dense", "star-in", "parallel", "islands", "one-node"):
        graph = ZOO[name]
        given = {"key": np.array(numbers(graph, "int")[0], dtype=np.int32)}
        expected = best.run(graph, target="reference", checked=True, **given)["best"]
        with emulated(Machine(seed=7)):
            found = best.run(graph, target="cuda", schedule="balance=edge", **given)
        np.testing.assert_array_equal(found["best"], expected, err_msg=name)


NEAR_MISSES = {
    "sums of 64 bits": ("map<int, long> sums;", "v.best = sums.best();"),
    "asked for its size too": ("map<int, int> sums;", "v.best = sums.best() + sums.size();"),
    "asked for a sum too": ("map<int, int> sums;", "v.best = sums[sums.best()];"),
    "keys in order": ("map<int, int> sums;", "v.best = sums.best(); for (k in sums) { v.best += k; }"),
    "never asked for the best": ("map<int, int> sums;", "v.best = sums.size();"),
}


@pytest.mark.parametrize(("declared", "asked"), NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_maps_of_which_more_is_asked_stay_with_a_thread(declared: str, asked: str) -> None:
    adds = "for (u in g.neighbors(v)) { sums[u.key] += 1; }"
    text = f"function f(Graph g, propNode<int> key, propNode<int> best) {{ forall (v in g.nodes()) {{ {declared} {adds}"
    program = starplat.compile(f"{text} {asked} }} }}")
    with pytest.raises(DiagnosticError, match="nothing in 'f' can follow 'balance=edge'"):
        program.artifact("cuda", schedule="balance=edge")
