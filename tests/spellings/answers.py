"""Right answers for the corpus, straight from the definitions: of each algorithm, and of each of its near misses.

Nothing here knows how a program computes. A graph comes as its number of nodes and a list of arcs (from, to,
weight); an answer is a value for each node, or one number. Near misses are looked up in `NEAR` by algorithm and file.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from starplat import Graph
from tests import oracles
from tests.oracles import INF

Arc = tuple[int, int, int]
Call = dict[str, Any]
Answer = list[Any] | int


@dataclass(frozen=True)
class Arcs:
    """A graph as its definition has it."""

    graph: Graph
    n: int
    arcs: list[Arc]

    @property
    def reversed(self) -> list[Arc]:
        return [(v, u, w) for u, v, w in self.arcs]

    @property
    def both(self) -> list[Arc]:
        return self.arcs + self.reversed


def arcs_of(graph: Graph) -> Arcs:
    weights = oracles.weights_of(graph).astype(int).tolist()
    return Arcs(graph, graph.num_nodes, list(zip(graph.sources.tolist(), graph.columns.tolist(), weights, strict=True)))


# --- values that spread along arcs -----------------------------------------------------------------------------------

Step = Callable[[int, int, int, int], "int | None"]  # value of u, u, v, weight of u -> v: what v is offered


def spread(
    n: int,
    arcs: Iterable[Arc],
    start: dict[int, int],
    step: Step,
    better: Callable[[int, int], int] = min,
    rounds: int | None = None,
    none: int = INF,
) -> list[int]:
    """The best of what nodes start with and are offered along arcs, after so many rounds or when nothing changes."""
    values, arcs = dict(start), list(arcs)
    for _ in itertools.count() if rounds is None else range(rounds):
        before = dict(values)
        for u, v, w in arcs:
            offered = step(before[u], u, v, w) if u in before else None
            if offered is not None:
                values[v] = offered if v not in values else better(values[v], offered)
        if values == before:
            break
    return [values.get(v, none) for v in range(n)]


def hops(a: Arcs, c: Call, arcs: Sequence[Arc] | None = None, rounds: int | None = None) -> list[int]:
    return spread(a.n, a.arcs if arcs is None else arcs, {c["src"]: 0}, lambda x, u, v, w: x + 1, rounds=rounds)


def by_step(step: Step, start: int = 0, **more: Any) -> Callable[[Arcs, Call], Answer]:
    """The answer of a search from one source."""
    return lambda a, c: spread(a.n, a.arcs, {c["src"]: start}, step, **more)


def turn(a: Arcs, node: int, values: dict[int, int], step: Step, better: Callable[[int, int], int] = min) -> list[int]:
    """One node offers what it holds by now to its neighbors, one after another; which of them took it."""
    won = []
    for u, v, w in a.arcs:
        offered = step(values[u], u, v, w) if u == node and u in values else None
        if offered is not None and (v not in values or better(values[v], offered) != values[v]):
            values[v] = offered
            won.append(v)
    return won


def first_come_in_order(a: Arcs, c: Call) -> Answer:
    values = {c["src"]: 0}
    won = [c["src"]]
    while won:
        won = [v for node in range(a.n) for v in turn(a, node, values, lambda x, u, v, w: x + 1, lambda old, new: old)]
    return [values.get(v, INF) for v in range(a.n)]


def one_child_each(a: Arcs, c: Call) -> Answer:
    found, depth = [INF] * a.n, 0
    found[c["src"]] = 0
    while depth in found:
        for u in range(a.n):
            child = next((v for x, v, _ in a.arcs if x == u and found[v] == INF), None)
            if found[u] == depth and child is not None:
                found[child] = depth + 1
        depth += 1
    return found


def marks_lost_in_order(a: Arcs, c: Call) -> Answer:
    values, now = {c["src"]: 0}, {c["src"]}
    while now:
        later: set[int] = set()
        for u in range(a.n):
            later.discard(u)
            later |= set(turn(a, u, values, lambda x, u, v, w: x + w)) if u in now else set()
        now = later
    return [values.get(v, INF) for v in range(a.n)]


def two_passes_in_order(a: Arcs, c: Call) -> Answer:
    values = {c["src"]: 0}
    for node in (*range(a.n), *range(a.n)):
        turn(a, node, values, lambda x, u, v, w: x + w)
    return [values.get(v, INF) for v in range(a.n)]


def last_node_says(a: Arcs, c: Call) -> Answer:
    values = dict.fromkeys(range(a.n), 0) | {c["src"]: INF}
    while [turn(a, u, values, lambda x, u, v, w: min(x, w), max) for u in range(a.n)][-1]:
        pass
    return [values[v] for v in range(a.n)]


def either_is_wider(a: Arcs, c: Call) -> Answer:
    values = dict.fromkeys(range(a.n), 0) | {c["src"]: INF}
    for _ in range(4):
        for u, v, w in a.arcs:
            values[v] = min(values[u], w) if values[u] > values[v] else values[v]
    return [values[v] for v in range(a.n)]


def finite(values: Iterable[float]) -> list[int]:
    return [int(x) if np.isfinite(x) else INF for x in values]


# --- breadth-first search, shortest and widest paths -----------------------------------------------------------------


def last_visit(a: Arcs, c: Call) -> Answer:
    front, found = {c["src"]}, [INF] * a.n
    found[c["src"]] = 0
    for depth in range(1, 6):
        front = {v for u, v, _ in a.arcs if u in front}
        for v in front:
            found[v] = depth
    return found


def least_parent_only(a: Arcs, c: Call) -> Answer:
    least = {v: min(u for u, t, _ in a.arcs if t == v) for _, v, _ in a.arcs}
    return hops(a, c, [arc for arc in a.arcs if arc[0] == least[arc[1]]])


def ends_at_single_nodes(a: Arcs, c: Call) -> Answer:
    levels = hops(a, c)
    sizes = [levels.count(d) for d in range(1, a.n + 2)]
    last = next(d for d, size in enumerate(sizes, 1) if size <= 1)
    return [d if d <= last else INF for d in levels]


def widths(a: Arcs, c: Call, arcs: Sequence[Arc] | None = None) -> list[int]:
    """For each node the greatest weight such that arcs as heavy lead to it."""
    arcs = a.arcs if arcs is None else arcs
    found = [0] * a.n
    for least in sorted({w for *_, w in arcs}):
        levels = hops(a, c, [arc for arc in arcs if arc[2] >= least])
        found = [least if d != INF else x for d, x in zip(levels, found, strict=True)]
    found[c["src"]] = INF
    return found


def wide(step: Step, **more: Any) -> Callable[[Arcs, Call], Answer]:
    """Widths where `step` says what an arc lets through; 0 is nothing."""

    def offered(x: int, u: int, v: int, w: int) -> int | None:
        through = step(x, u, v, w)
        return through if through is not None and through > 0 else None

    return by_step(offered, INF, better=max, none=0, **more)


def pulled_widths(a: Arcs, c: Call) -> Answer:
    step: Step = lambda x, u, v, w: min(x, w, v + 2) or None if v != c["src"] else None  # noqa: E731
    return spread(a.n, a.arcs, {c["src"]: INF}, step, max, none=0)


# --- reachability ----------------------------------------------------------------------------------------------------


def reached(a: Arcs, c: Call, arcs: Sequence[Arc] | None = None, rounds: int | None = None) -> list[bool]:
    return [d != INF for d in hops(a, c, arcs, rounds)]


def closed_at_high_degree(a: Arcs, c: Call) -> Answer:
    degree = np.bincount(a.graph.sources, minlength=a.n)
    return reached(a, c, [arc for arc in a.arcs if degree[arc[0]] <= 3])


def source_not_counted(a: Arcs, c: Call) -> Answer:
    starts = {v for u, v, _ in a.arcs if u == c["src"]}
    return [d != INF for d in spread(a.n, a.arcs, dict.fromkeys(starts, 0), lambda x, u, v, w: x)]


def all_parents(a: Arcs, c: Call) -> Answer:
    found, parents = {c["src"]}, [{u for u, v, _ in a.arcs if v == node} for node in range(a.n)]
    for _ in range(a.n):
        found |= {v for v in range(a.n) if parents[v] and parents[v] <= found}
    return [v in found for v in range(a.n)]


def two_arcs_needed(a: Arcs, c: Call) -> Answer:
    found = {c["src"]}
    for _ in range(a.n):
        found |= {v for v in range(a.n) if sum(t == v and u in found for u, t, _ in a.arcs) > 1}
    return [v in found for v in range(a.n)]


def exactly_four_arcs(a: Arcs, c: Call) -> Answer:
    front = {c["src"]}
    for _ in range(4):
        front = {v for u, v, _ in a.arcs if u in front}
    return [v in front for v in range(a.n)]


# --- components ------------------------------------------------------------------------------------------------------


def labels(a: Arcs, arcs: Sequence[Arc], step: Step = lambda x, u, v, w: x, **more: Any) -> list[int]:
    return spread(a.n, arcs, {v: v for v in range(a.n)}, step, **more)


def one_pointer_step(a: Arcs, c: Call) -> Answer:
    least = labels(a, a.both, rounds=1)
    return [least[x] for x in least]


# --- PageRank --------------------------------------------------------------------------------------------------------


def ranks(
    a: Arcs,
    c: Call,
    *,
    arcs: Sequence[Arc] | None = None,
    keeps_stranded: bool = True,
    turned: bool = False,
    loops: bool = True,
    in_place: bool = False,
    total: Callable[[Iterable[float]], float] = sum,
) -> Answer:
    """PageRank by its recurrence, or with one thing otherwise."""
    arcs = a.arcs if arcs is None else arcs
    degree = np.bincount([u for u, *_ in arcs], minlength=a.n).tolist()
    into = [[u for u, t, _ in arcs if t == v and (loops or u != v)] for v in range(a.n)]
    damping = 1 - c["damping"] if turned else c["damping"]
    rank = [1 / a.n] * a.n
    for _ in range(c["max_iterations"]):
        stranded = sum(rank[v] for v in range(a.n) if degree[v] == 0) if keeps_stranded else 0.0
        old, seen = list(rank), rank if in_place else list(rank)
        for v in range(a.n):
            rank[v] = (1 - damping) / a.n + damping * (sum(seen[u] / degree[u] for u in into[v]) + stranded / a.n)
        if total(abs(x - y) for x, y in zip(rank, old, strict=True)) <= c["tolerance"]:
            break
    return rank


def undivided(a: Arcs, c: Call) -> Answer:
    rank = [1 / a.n] * a.n
    for _ in range(c["max_iterations"]):
        inflow = [sum(rank[u] for u, t, _ in a.arcs if t == v) for v in range(a.n)]
        old, rank = rank, [min(1.0, (1 - c["damping"]) / a.n + c["damping"] * x) for x in inflow]
        if sum(abs(x - y) for x, y in zip(rank, old, strict=True)) <= c["tolerance"]:
            break
    return rank


# --- betweenness -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Search:
    """The arcs that shortest paths from a source take, and how many paths lead to a node."""

    levels: list[int]
    paths: list[int]
    arcs: list[tuple[int, int]]

    def back(
        self, share: Callable[[int, int, float], float], extra: Callable[[int], float] | None = None
    ) -> list[float]:
        """What nodes gather from their children, the farthest first: `share(v, w, gathered by w)` along v -> w."""
        gathered = [0.0] * len(self.levels)
        for v in sorted(range(len(self.levels)), key=lambda v: -self.levels[v]):
            gathered[v] = sum(share(v, w, gathered[w]) for u, w in self.arcs if u == v)
            gathered[v] += extra(v) if extra is not None else 0.0
        return gathered


def search(a: Arcs, source: int) -> Search:
    levels = hops(a, {"src": source})
    arcs = [(u, v) for u, v, _ in a.arcs if levels[u] != INF and levels[v] == levels[u] + 1]
    paths = [int(v == source) for v in range(a.n)]
    for u, v in sorted(arcs, key=lambda arc: levels[arc[0]]):
        paths[v] += paths[u]
    return Search(levels, paths, arcs)


def summed(gathered: Callable[[Arcs, Search], list[float]], *, guard: bool = True) -> Callable[[Arcs, Call], Answer]:
    """Sums over sources; a source itself gets nothing from its own search if there is a guard."""

    def answer(a: Arcs, c: Call) -> Answer:
        total = np.zeros(a.n)
        for s in c["sources"]:
            found = np.array(gathered(a, search(a, s)))
            found[s] *= not guard
            total += found
        return total.tolist()

    return answer


def dependency(s: Search, offered: Callable[[int], float] = lambda w: 1.0) -> list[float]:
    return s.back(lambda v, w, x: s.paths[v] / s.paths[w] * (offered(w) + x))


def stress(a: Arcs, s: Search) -> list[float]:
    return [p * x for p, x in zip(s.paths, s.back(lambda v, w, x: 1 + x), strict=True)]


def one_parent_each(a: Arcs, s: Search) -> list[float]:
    parents = [sum(v == w for _, w in s.arcs) for v in range(a.n)]
    return s.back(lambda v, w, x: (1 + x) / parents[w])


def arcs_within_a_level(a: Arcs, s: Search) -> list[float]:
    def beside(v: int) -> float:
        if s.levels[v] == INF:
            return 0.0
        return sum(s.paths[v] / s.paths[w] for u, w, _ in a.arcs if u == v and s.levels[w] == s.levels[v])

    return s.back(lambda v, w, x: s.paths[v] / s.paths[w] * (1 + x), beside)


def last_source_only(a: Arcs, c: Call) -> Answer:
    found = [0.0] * a.n
    for source in c["sources"]:
        s = search(a, source)
        for v, x in enumerate(dependency(s)):
            if s.levels[v] != INF and v != source:
                found[v] = x
    return found


# --- triangles -------------------------------------------------------------------------------------------------------


def triples(a: Arcs, path: Callable[[bool, bool, bool], bool]) -> list[tuple[int, int, int]]:
    """Triples of rising numbers by which of their three pairs (first two, last two, ends) are joined."""
    joined = {(u, v) for u, v, _ in a.both}
    every = itertools.combinations(range(a.n), 3)
    return [(u, v, w) for u, v, w in every if path((u, v) in joined, (v, w) in joined, (u, w) in joined)]


def closed(a: Arcs) -> list[tuple[int, int, int]]:
    return triples(a, lambda first, last, ends: first and last and ends)


# --- cores -----------------------------------------------------------------------------------------------------------


def cores(a: Arcs, arcs: Sequence[Arc]) -> list[int]:
    """For each node the last k for which it stays while nodes with fewer than k arcs from others that stay are removed.

    A loop counts as an arc from a node that stays.
    """
    found, k, alive = [0] * a.n, 0, set(range(a.n))
    while alive:
        found = [k if v in alive else x for v, x in enumerate(found)]
        k += 1
        while weak := {v for v in alive if sum(t == v and u in alive for u, t, _ in arcs) < k}:
            alive -= weak
    return found


def proper(arcs: Iterable[Arc]) -> list[Arc]:
    return [arc for arc in arcs if arc[0] != arc[1]]


def always_raised(a: Arcs, c: Call) -> Answer:
    arcs, left, found = proper(a.arcs), set(range(a.n)), [-1] * a.n
    for k in itertools.count():
        gone = {v for v in left if sum(t == v and (found[u] == -1) for u, t, _ in arcs) <= k}
        for v in gone:
            found[v] = k
        left -= gone
        if not left:
            return found
    raise AssertionError


# --- tables ----------------------------------------------------------------------------------------------------------

RIGHT: dict[str, Callable[[Arcs, Call], Answer]] = {
    "bfs": lambda a, c: finite(oracles.levels(a.graph, c["src"])),
    "sssp": lambda a, c: finite(oracles.distances(a.graph, c["src"])),
    "widest_path": widths,
    "reachability": lambda a, c: np.isfinite(oracles.levels(a.graph, c["src"])).tolist(),
    "connected_components": lambda a, c: oracles.components(a.graph, "weak").tolist(),
    "pagerank": ranks,
    "betweenness": lambda a, c: oracles.betweenness(a.graph, c["sources"]).tolist(),
    "triangle_count": lambda a, c: oracles.triangles(a.graph),
    "k_core": lambda a, c: oracles.core_numbers(a.graph).tolist(),
}
NEAR: dict[str, dict[str, Callable[[Arcs, Call], Answer]]] = {
    "bfs": {
        "two_on_one_branch": by_step(lambda x, u, v, w: x + (2 if v < u else 1)),
        "every_third_node_closed": by_step(lambda x, u, v, w: x + 1 if v % 3 else None),
        "parents_among_children": lambda a, c: hops(a, c, a.reversed),
        "both_ways": lambda a, c: hops(a, c, a.both),
        "three_rounds": lambda a, c: hops(a, c, rounds=3),
        "last_visit": last_visit,
        "ends_at_single_nodes": ends_at_single_nodes,
        "first_come_in_order": first_come_in_order,
        "one_child_each": one_child_each,
        "least_parent_only": least_parent_only,
        "odd_nodes_seen_before": by_step(lambda x, u, v, w: None if v % 2 else x + 1),
    },
    "sssp": {
        "weight_subtracted": by_step(lambda x, u, v, w: max(x - w, -20)),
        "largest_sum": by_step(lambda x, u, v, w: min(x + w, 40), better=max, none=-1),
        "heaviest_arc": by_step(lambda x, u, v, w: max(x, w)),
        "light_arcs_only": by_step(lambda x, u, v, w: x + w if w < 4 else None),
        "pull_from_children": lambda a, c: spread(a.n, a.reversed, {c["src"]: 0}, lambda x, u, v, w: x + w),
        "only_odd_nodes_tell": lambda a, c: spread(
            a.n, a.arcs, {c["src"]: 0}, lambda x, u, v, w: x + w if u % 2 or u == c["src"] else None
        ),
        "three_arcs_at_most": by_step(lambda x, u, v, w: x + w, rounds=3),
        "nodes_cost_too": by_step(lambda x, u, v, w: x + w + v % 5),
        "marks_lost_in_order": marks_lost_in_order,
        "two_passes_in_order": two_passes_in_order,
        "falls_at_heavy_arcs": by_step(lambda x, u, v, w: x if w > x + 2 else x + w, rounds=4),
    },
    "widest_path": {
        "least_of_the_widths": by_step(lambda x, u, v, w: min(x, w), INF),
        "pull_from_children": lambda a, c: widths(a, c, a.reversed),
        "loses_one_an_arc": wide(lambda x, u, v, w: min(x - 1, w)),
        "not_through_even_nodes": lambda a, c: widths(a, c, [e for e in a.arcs if e[0] % 2 or e[0] == c["src"]]),
        "two_arcs_at_most": wide(lambda x, u, v, w: min(x, w), rounds=2),
        "greater_in_the_value": by_step(lambda x, u, v, w: max(x, w), better=max, none=-1),
        "own_number_narrows": pulled_widths,
        "last_node_says": last_node_says,
        "either_is_wider": either_is_wider,
    },
    "reachability": {
        "against_the_arcs": lambda a, c: reached(a, c, a.reversed),
        "two_rounds": lambda a, c: reached(a, c, rounds=2),
        "discovered_nodes_stay_passive": lambda a, c: reached(a, c, rounds=1),
        "both_ways": lambda a, c: reached(a, c, a.both),
        "closed_at_high_degree": closed_at_high_degree,
        "source_not_counted": source_not_counted,
        "all_parents": all_parents,
        "exactly_four_arcs": exactly_four_arcs,
        "two_arcs_needed": two_arcs_needed,
    },
    "connected_components": {
        "along_arcs_only": lambda a, c: labels(a, a.arcs),
        "largest_member": lambda a, c: labels(a, a.both, better=max),
        "heavy_arcs_only": lambda a, c: labels(a, [arc for arc in a.both if arc[2] >= 3]),
        "plus_one": lambda a, c: labels(a, a.both, lambda x, u, v, w: x + 1),
        "two_rounds": lambda a, c: labels(a, a.both, rounds=2),
        "even_pairs_apart": lambda a, c: labels(a, [(u, v, w) for u, v, w in a.both if u % 2 or v % 2]),
        "one_pointer_step": one_pointer_step,
    },
    "pagerank": {
        "in_place": lambda a, c: ranks(a, c, in_place=True),
        "stranded_is_lost": lambda a, c: ranks(a, c, keeps_stranded=False),
        "from_children": lambda a, c: ranks(a, c, arcs=a.reversed),
        "damping_turned": lambda a, c: ranks(a, c, turned=True),
        "loops_left_out": lambda a, c: ranks(a, c, loops=False),
        "undivided": undivided,
        "greatest_change": lambda a, c: ranks(a, c, total=max),
        "first_shares_kept": lambda a, c: ranks(a, {**c, "max_iterations": 1}),
    },
    "betweenness": {
        "source_counts": summed(lambda a, s: dependency(s), guard=False),
        "number_of_paths": summed(stress),
        "odd_targets": summed(lambda a, s: dependency(s, lambda w: w % 2)),
        "last_source_only": last_source_only,
        "one_parent_each": summed(one_parent_each),
        "arcs_within_a_level": summed(arcs_within_a_level),
        "halved_on_each_arc": summed(lambda a, s: s.back(lambda v, w, x: s.paths[v] / s.paths[w] * (1 + x) / 2)),
    },
    "triangle_count": {
        "one_order_only": lambda a, c: 3 * len(closed(a)),
        "open_ones": lambda a, c: len(triples(a, lambda first, last, ends: first and last and not ends)),
        "all_paths": lambda a, c: len(triples(a, lambda first, last, ends: first and last)),
        "equal_allowed": lambda a, c: len(closed(a)) + sum(u < v for u, v, _ in a.arcs),
        "odd_least": lambda a, c: sum(u % 2 for u, *_ in closed(a)),
        "sum_of_least": lambda a, c: sum(u for u, *_ in closed(a)),
        "first_only": lambda a, c: len({(u, v) for u, v, _ in closed(a)}),
    },
    "k_core": {
        "less_than": lambda a, c: [k + 1 for k in cores(a, proper(a.arcs))],
        "loops_count": lambda a, c: cores(a, a.arcs),
        "two_at_a_time": lambda a, c: [k + k % 2 for k in cores(a, proper(a.arcs))],
        "never_counted_down": lambda a, c: [sum(v == x for _, v, _ in proper(a.arcs)) for x in range(a.n)],
        "out_degrees": lambda a, c: cores(a, proper(a.reversed)),
        "always_raised": always_raised,
        "distinct_neighbors": lambda a, c: cores(a, sorted({(u, v, 0) for u, v, _ in proper(a.arcs)})),
    },
}
