"""Step `balance` on targets whose kernels are loops that they share out: teams of threads share a node's arcs."""

from __future__ import annotations

import pytest

import starplat
from starplat.backends import BACKENDS
from starplat.ir.capabilities import Capabilities
from starplat.runtime import run_module
from starplat.runtime.facts import facts_of
from starplat.runtime.validate import first_difference
from starplat.schedule import PLAIN
from starplat.schedule.apply import decided, looks_at_the_graph
from starplat.schedule.facts import GraphFacts
from starplat.schedule.parse import parse_schedule
from tests.programs.cases import EXAMPLES
from tests.programs.targets import compiled_targets
from tests.schedule import near_misses
from tests.schedule.programs import GRAPHS, NESTED, SSSP, TWO_FLAGS, arguments_for, module_of, program_of, shape
from tests.zoo import ZOO

OPENACC = BACKENDS["openacc"].capabilities
OPENMP = BACKENDS["openmp"].capabilities

EVERY_WAY = """function ways(Graph g, propNode<int> a, propNode<double> r, propNode<long> x, propNode<bool> b) {
  long total = 0;
  bool some = False;
  forall (v in g.nodes().filter(a != 2)) {
    long sum = 5;
    int least = v.a;
    int most = -4;
    int bits = 0;
    bool near = False;
    bool every = True;
    double share = 0.5;
    for (w in g.neighbors(v)) {
      if (w.a == 1) { continue; }
      sum += w;
      least = min(least, w.a);
      if (w.a > most) { most = w.a; }
      bits = bits ^ w.a;
      near = near || w.a > 3;
      every = every && w > v;
      share += 1.0 / (1 + w.a);
    }
    v.x = sum * 1000 + least * 100 + most * 10 + bits;
    v.r = share;
    v.b = near && !every;
    if (v.a > 0) {
      forall (w in g.nodes_to(v)) {
        total += 1;
        if (w.a == 4) { some = True; }
      }
    }
  }
  if (some) { total += 1000000; }
  return total;
}"""
PROGRAMS = {**near_misses.SHARES, "relaxation": SSSP, "two flags": TWO_FLAGS, "nested": NESTED, "every way": EVERY_WAY}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_answers_stay_the_same(text: str) -> None:
    program = program_of(text)
    made = decided(program.module(), parse_schedule("balance=edge"), OPENACC).module
    openacc = next(target for target in compiled_targets() if target.target == "openacc")
    if openacc.fault is not None:
        pytest.skip(f"openacc cannot run here: {openacc.fault}")
    for name in GRAPHS:
        given = arguments_for(program, ZOO[name])
        expected = run_module(program.module(), ZOO[name], target="reference", arguments=given, schedule=PLAIN)
        found = run_module(made, ZOO[name], target="openacc", arguments=given, schedule=PLAIN)
        differs = first_difference(found, expected)
        assert differs is None, f"on {name}: {differs}"


def test_every_way_of_combining_has_its_clause() -> None:
    made = decided(module_of(EVERY_WAY), parse_schedule("balance=edge"), OPENACC).module
    text = BACKENDS["openacc"].kernels_text(made).replace("\\\n            ", "")
    clauses = (
        "reduction(+ : sum, share) reduction(min : least) reduction(max : most) reduction(^ : bits) "
        "reduction(|| : near) reduction(&& : every)"
    )
    assert f"#pragma acc loop vector {clauses}\n" in text
    assert "#pragma acc loop vector reduction(+ : total_part) reduction(|| : some_part)\n" in text


@pytest.mark.parametrize("example", ["sssp", "bfs", "k_core", "radii", "closeness", "betweenness", "pagerank"])
def test_kernels_of_examples_share_arcs(example: str) -> None:
    module = module_of((EXAMPLES / f"{example}.sp").read_text(encoding="utf-8"))
    assert shape(decided(module, parse_schedule("auto"), OPENACC).module).shares >= 1


@pytest.mark.parametrize(("schedule", "capabilities"), [("balance=node", OPENACC), ("auto", OPENMP)])
def test_nothing_is_shared_where_nobody_asks_or_nobody_can(schedule: str, capabilities: Capabilities) -> None:
    assert shape(decided(module_of(TWO_FLAGS), parse_schedule(schedule), capabilities).module).shares == 0


def test_what_a_launch_of_its_own_does_is_shared_too() -> None:
    module = decided(module_of(EVERY_WAY), parse_schedule("auto"), OPENACC).module
    assert shape(module).shares == 1


ROADS, HUBS = GraphFacts(264_346, 730_100, 8), GraphFacts(4_194_304, 128_312_076, 170_000)


@pytest.mark.parametrize(
    ("schedule", "facts", "shares"),
    [("auto", ROADS, 0), ("auto", HUBS, 1), ("balance=edge", ROADS, 1), ("balance=node", HUBS, 0)],
)
def test_teams_are_for_graphs_with_hubs(schedule: str, facts: GraphFacts, shares: int) -> None:
    found = decided(module_of(EVERY_WAY), parse_schedule(schedule), OPENACC, facts)
    assert shape(found.module).shares == shares
    said = [choice.why for choice in found.choices if choice.step == "team"]
    assert said == ["no node has more than 8 arcs, for which teams are not worth it"] or shares or not said


def test_only_targets_with_teams_look_at_the_graph() -> None:
    module = module_of(EVERY_WAY)
    assert looks_at_the_graph(module, OPENACC)
    assert not looks_at_the_graph(module, OPENMP)


def test_the_largest_degree_is_of_arcs_either_way() -> None:
    into = starplat.Graph.from_arcs(4, [1, 2, 3], [0, 0, 0])
    assert facts_of(into).max_degree == 3
