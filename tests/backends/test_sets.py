"""Sets of nodes are kept in four ways, and each gives the same answers: on fibers, with small limits of the helper
functions and with the real ones, where few nodes are active and where many are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import starplat
from starplat.backends import BACKENDS
from starplat.backends.c.set_forms import FORMS
from starplat.backends.cuda import CUDA
from starplat.backends.cuda_family import Family
from starplat.backends.hip import HIP
from starplat.backends.host.words import size_of
from starplat.backends.launch import MOST_LISTED, MOST_NEW_OF_ALL, SET_WORDS, most_new, most_sets
from starplat.graph import Graph, from_object
from starplat.ir import nodes as ir
from starplat.runtime.estimate import Sizes
from starplat.runtime.tracing.trace import Held
from starplat.schedule.apply import decided
from starplat.schedule.parse import parse_schedule
from starplat.schedule.schedule import Frontier
from tests.backends.emulated import Machine, emulated
from tests.backends.test_cuda import to_machine_code
from tests.programs.cases import EXAMPLES

SETS = [str(value) for value in Frontier if value is not Frontier.FLAGS]

PROGRAMS: dict[str, dict[str, object]] = {
    "bfs_levels": {"src": 3},
    "sssp": {"src": 3},
    "k_core": {},
    "betweenness": {"sources": [3, 9]},
}

WAVEFRONTS = (
    Machine(blocks=3, threads=128, seed=4, warp=64, family=HIP),
    Machine(blocks=1, threads=64, seed=5, warp=64, family=HIP, limits=False),
    Machine(blocks=2, threads=96, seed=6, family=HIP),
)

MACHINES = (
    Machine(blocks=1, threads=64, seed=1),
    Machine(blocks=3, threads=96, seed=2),
    Machine(blocks=7, threads=32, seed=3, limits=False),
)


def random_graph(nodes: int, degree: int, seed: int) -> Graph:
    """Arcs both ways between random nodes, a hub, and a chain that makes many rounds with few nodes."""
    chance = np.random.default_rng(seed)
    ends = chance.integers(0, nodes // 2, (2, degree * nodes // 4))
    hub = np.array([np.full(nodes // 4, 5), np.arange(nodes // 4)])
    chain = np.array([np.arange(nodes // 2 - 1, nodes - 1), np.arange(nodes // 2, nodes)])[:, :20]
    sources, destinations = np.concatenate([ends, hub, chain], axis=1)
    rows, columns = np.concatenate([sources, destinations]), np.concatenate([destinations, sources])
    weights = chance.integers(1, 90, len(rows))
    return from_object(scipy.sparse.coo_array((weights, (rows, columns)), shape=(nodes, nodes)).tocsr())


def agree(name: str, graph: Graph, frontier: str, machine: Machine, schedule: str = "auto") -> None:
    program, arguments = starplat.compile(EXAMPLES / f"{name}.sp"), PROGRAMS[name]
    expected = program.run(graph, target="reference", arguments=arguments)
    with emulated(machine):
        found = program.run(graph, target="cuda", arguments=arguments, schedule=f"{schedule},frontier={frontier}")
    assert found.returned == expected.returned
    for property_name, values in expected.properties.items():
        np.testing.assert_allclose(found.properties[property_name], values, rtol=1e-9, err_msg=property_name)


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("frontier", SETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_way_to_keep_sets_gives_the_same_answer(name: str, frontier: str) -> None:
    machine = MACHINES[(SETS.index(frontier) + list(PROGRAMS).index(name)) % len(MACHINES)]
    agree(name, random_graph(260, 6, 7), frontier, machine)


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("frontier", SETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_way_gives_the_same_answer_on_wavefronts(name: str, frontier: str) -> None:
    machine = WAVEFRONTS[(SETS.index(frontier) + list(PROGRAMS).index(name)) % len(WAVEFRONTS)]
    agree(name, random_graph(260, 6, 9), frontier, machine)


NEAR = """function near(Graph g, propNode<int> level, propNode<int> turns, node src) {
  propNode<bool> now;
  propNode<bool> close;
  g.attachNodeProperty(level = INF, turns = 0, now = False, close = False);
  src.level = 0;
  src.now = True;
  int depth = 0;
  bool finished = False;
  fixedPoint until (finished : !now) {
    forall (v in g.nodes()) { for (u in g.nodes_to(v)) { if (u.level == 1) { v.close = True; break; } } }
    forall (v in g.nodes().filter(close == True)) { for (u in g.neighbors(v)) { u.turns += 1; } }
    forall (v in g.nodes().filter(now == True)) {
      forall (w in g.neighbors(v)) { <w.level, w.now> = <Min(w.level, depth + 1), True>; }
    }
    depth += 1;
  }
}"""
"""Nodes find themselves close in every round, and are in that set by then."""


@pytest.mark.parametrize("machine", [MACHINES[0], MACHINES[2], WAVEFRONTS[0]])
def test_only_nodes_that_a_round_reaches_are_put_in_unasked(machine: Machine) -> None:
    program, graph = starplat.compile(NEAR), random_graph(260, 6, 7)
    with emulated(machine):
        found = program.run(graph, target="cuda", arguments={"src": 3}, schedule="loop=device")
    expected = program.run(graph, target="reference", arguments={"src": 3})
    for property_name, values in expected.properties.items():
        np.testing.assert_array_equal(found.properties[property_name], values)
    text = CUDA.kernels_text(decided(program.module(), parse_schedule("loop=device"), CUDA.capabilities).module)
    assert text.count("search_all(num_nodes") == text.count("search_all<true>(num_nodes") == 1


@pytest.mark.campaign
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: f"{machine.blocks}x{machine.threads}")
@pytest.mark.parametrize("frontier", SETS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_way_gives_the_same_answer_on_every_machine(name: str, frontier: str, machine: Machine) -> None:
    for seed in range(3):
        agree(name, random_graph(700, 8, seed), frontier, machine)


@pytest.mark.thin(plain=3)
@pytest.mark.parametrize("schedule", ["direction=push,priority=none", "balance=node,direction=push"])
@pytest.mark.parametrize("frontier", SETS)
def test_the_same_by_pushing_alone_and_without_an_order(frontier: str, schedule: str) -> None:
    machine = MACHINES[SETS.index(frontier) % len(MACHINES)]
    agree("bfs_levels", random_graph(160, 6, 8), frontier, machine, "direction=push")
    agree("sssp", random_graph(160, 6, 8), frontier, machine, schedule)


@pytest.mark.parametrize("frontier", ["bitmap", "layers"])
@pytest.mark.parametrize("family", [CUDA, HIP], ids=lambda family: family.name)
def test_words_are_found_where_a_block_has_more_than_it_gathers_at_once(frontier: str, family: Family) -> None:
    """A warp asks for 32 words of the second layer, which are bits for 32,768 nodes."""
    nodes = 70_000
    machine = Machine(blocks=1, threads=64, seed=5, warp=64 if family is HIP else 32, family=family)
    ends = np.array([[3, 40_000, 3, 69_999, 33_000], [40_000, 69_999, 33_000, 1, 2]])
    graph = from_object(scipy.sparse.coo_array((np.ones(5, int), ends), shape=(nodes, nodes)).tocsr())
    agree("bfs_levels", graph, frontier, machine, "direction=push")


@pytest.mark.parametrize("frontier", SETS)
def test_the_step_knows_how_sets_are_kept_and_nothing_else_changes(frontier: str) -> None:
    module = starplat.compile(EXAMPLES / "sssp.sp").module()
    made = decided(module, parse_schedule(f"frontier={frontier}"), BACKENDS["cuda"].capabilities).module
    packings = {array.packed for function in made.functions for array in function.arrays if array.packed}
    assert len(packings) == 1


@pytest.mark.parametrize(
    ("packing", "words"),
    [
        (ir.Packing.SWITCHED, 3 + 7 + MOST_LISTED),
        (ir.Packing.LIST, 3 + 5 + 70),
        (ir.Packing.BITS, 3 + 5),
        (ir.Packing.LAYERS, 3 + 5 + 1),
    ],
)
def test_sets_take_bits_and_no_array_is_as_long_as_there_are_arcs(packing: ir.Packing, words: int) -> None:
    members = ir.Array("members", ir.Element.BOOL, ir.Extent.NODES, ir.Origin.TEMPORARY, packed=packing)
    assert SET_WORDS[packing].for_nodes(70) == words
    assert Sizes(70, 5000).of(members) == 4 * words
    text = size_of(members).replace("graph.num_nodes", "70").replace("(std::size_t)", "").replace("/", "//")
    assert eval(text) == words  # a host program gives the same room
    assert packing in FORMS


MANY = """function many(Graph g, {results}, propEdge<int> weight, node src) {{
  for (int times = 0; times < 3; times++) {{
{loops}
  }}
}}"""
ONE_OF_MANY = """
    propNode<bool> active{n};
    g.attachNodeProperty(dist{n} = INF, active{n} = False);
    src.dist{n} = 0;
    src.active{n} = True;
    bool over{n} = False;
    fixedPoint until (over{n} : !active{n}) {{
      forall (v in g.nodes().filter(active{n} == True)) {{
        forall (w in g.neighbors(v)) {{
          edge e = g.get_edge(v, w);
          <w.dist{n}, w.active{n}> = <Min(w.dist{n}, v.dist{n} + e.weight), True>;
        }}
      }}
    }}"""


@pytest.mark.thin(plain=4)
@pytest.mark.parametrize("frontier", SETS)
def test_a_block_has_memory_for_the_new_nodes_of_all_sets(frontier: str, tmp_path: Path) -> None:
    """Four loops with three sets each in one launch: a block has 48 KiB of its own."""
    text = MANY.format(
        results=", ".join(f"propNode<int> dist{n}" for n in range(4)),
        loops="".join(ONE_OF_MANY.format(n=n) for n in range(4)),
    )
    made = decided(
        starplat.compile(text).module(), parse_schedule(f"frontier={frontier}"), BACKENDS["cuda"].capabilities
    ).module
    assert most_sets(made) == 12
    assert all(12 * most_new(packing, 12) <= MOST_NEW_OF_ALL for packing in ir.Packing)
    to_machine_code(BACKENDS["cuda"].kernels_text(made), tmp_path)


@pytest.mark.parametrize(("frontier", "held"), [("queue", Held.LIST), ("bitmap", Held.BITS), ("layers", Held.LAYERS)])
def test_a_trace_says_how_sets_are_kept(frontier: str, held: Held) -> None:
    program, graph = starplat.compile(EXAMPLES / "sssp.sp"), random_graph(300, 6, 9)
    with emulated(MACHINES[0]):
        result = program.run(
            graph, target="cuda", arguments={"src": 3}, schedule=f"frontier={frontier},priority=none", trace=True
        )
    assert result.trace is not None
    assert {one.chief.held for one in result.trace.rounds} == {held}
