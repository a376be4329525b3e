"""Local maps hold what a dictionary would, on every target, for all types, on graphs of every kind."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

import starplat
from starplat import Graph, Program
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
